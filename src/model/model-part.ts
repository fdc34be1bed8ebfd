import type { DataError } from '../errors/data-error.js';
import type { Batch } from '../operation/batch.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Store } from '../store/store.js';
import type { SyncOptions } from '../store/store-config.js';
import type { SyncSource } from '../store/sync-job.js';
import type { Source } from '../util/value-source.js';
import type { BaseModel } from './base-model.js';
import type { CallOptions } from './call.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';
import type { WriteJob } from './write-job.js';

/** An optional feature of models, in the static list `parts` of a model class. */
export interface ModelPart {
  /** The name by which the part is found. */
  readonly name: string;
  /** Makes stores of the records that refer to a record. */
  readonly children?: ChildrenHooks;
}

/** Whether the children of a record have pending changes, at one moment. Frozen. */
export interface ChildrenSnapshot {
  /** Whether a store of children has new, edited or removed records. */
  readonly dirty: boolean;
}

/** The stores of the records that refer to one record; as a source, whether they have pending changes. */
export interface RecordChildren extends Source<ChildrenSnapshot>, ChildrenSnapshot {
  /** Why the record must neither be erased nor leave its store before it was saved: `onErase: 'restrict'`. */
  eraseRefusal(): DataError | undefined;
  /**
   * Takes new children away, and lets saved ones belong to their former parent, when a record that was never saved leaves its store: they
   * could never be saved below it. `onErase` says for which children.
   */
  leaveUnsaved(): void;
  /** In a fork, shows copies of the children that the original has got since. */
  showCopies(): void;
  /**
   * Prepares the children for the erase of the record, as `onErase` of their references says. Undefined: the erase goes on without them.
   */
  prepareErase(): ErasePlan | undefined;
  /** Writes the children before the record itself is erased. Undefined: there are none to write. Rejects if one of them could not be written. */
  writeBeforeErase(options: CallOptions | undefined): Promise<unknown> | undefined;
}

/** The part of an erase that comes before it: the writes of children. */
export interface ErasePlan {
  readonly sources: readonly SyncSource<BaseModel>[];
  /** The children that are written, whichever source has them: a session has the records of all its stores. */
  readonly children: ReadonlySet<unknown>;
  /** Why the record must not be erased. */
  readonly refusal: DataError | undefined;
}

/** The hooks of the part that makes stores of children. */
export interface ChildrenHooks {
  /** The store of the records of a model that refer to a record, by a reference or by the only one that there is. */
  childrenOf(model: typeof BaseModel, parent: BaseModel, by: string | undefined): Store<BaseModel>;
  /** The store of the records of a model that the records of a joining model lead to, from a record. */
  through(
    target: typeof BaseModel,
    joining: typeof BaseModel,
    record: BaseModel,
    options: { readonly by?: string | undefined; readonly to?: string | undefined },
  ): Store<BaseModel>;
  /** The stores of children of a record, none of which may have been made. */
  of(record: InnerRecord): RecordChildren;
  /** Writes the pending changes of a record and of its children. */
  saveGraph(record: BaseModel, options: SyncOptions<BaseModel>): Promise<Batch<BaseModel>>;
}

/** The code that fields which refer to other models bring along. */
export interface ReferenceHooks {
  /**
   * Keeps the new records that a record refers to in memory. Called when a new record was made, or when the field `changed` was
   * set.
   */
  keepParents(record: InnerRecord, changed?: FieldDefinition): void;
  /**
   * Throws `AddressError` if the value of a field is the temporary id of a new record: such an id must not go into an address.
   */
  refuseTemporaryId(record: object, field: string, value: unknown): void;
  /**
   * Called before a record is written: replaces temporary ids in its references by the ids of the server. Returns a promise if
   * a record that is referred to is still being saved, or cannot be saved; undefined if there is nothing to wait for. `waitsAt` gives
   * the time of the waiting change that is written; without it, the record's present values are written.
   */
  resolveReferences(
    record: InnerRecord,
    proxy: DataProxy,
    signal?: AbortSignal | undefined,
    waitsAt?: ((record: InnerRecord) => number | undefined) | undefined,
  ): Promise<void> | undefined;
  /**
   * Orders the writes of a `sync()`: a new record is created before the records that refer to it. Returns whether any model
   * refers to another one.
   */
  orderWrites(jobs: readonly WriteJob[]): boolean;
  /** Loads the record that a field refers to; resolves with undefined if the field is empty. */
  loadReference(model: typeof BaseModel, record: BaseModel, field: string): Promise<BaseModel | undefined>;
}
