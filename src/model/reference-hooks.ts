import type { DataProxy } from '../proxy/data-proxy.js';
import type { FieldDefinition } from './field-definition.js';
import type { Model } from './model.js';
import type { InnerRecord } from './record.js';
import type { Entry } from './record-core.js';
import type { PlanMaker, WriteJob } from './write-job.js';

/** The code that fields which refer to other models bring along. */
export interface ReferenceHooks {
  /**
   * Keeps the new records that a record refers to in memory. Called when a new record was made, or when the field `changed` was
   * set.
   */
  keepParents(record: InnerRecord, changed?: FieldDefinition): void;
  /** Called when a new record has its id, or has none any more: gives it to a record that refers to it. `before`: the id it had. */
  replaceParentId(record: InnerRecord, parent: InnerRecord, before: unknown): void;
  /**
   * Throws `AddressError` if the value of a field is the temporary id of a new record: such an id must not go into an address.
   */
  refuseTemporaryId(record: object, field: string, value: unknown): void;
  /**
   * Called before a record is written: replaces temporary ids in its references by the ids of the server. Returns a promise if
   * a record that is referred to is still being saved, or cannot be saved; undefined if there is nothing to wait for. `entry` is what is
   * written; without it, the record's present values are written.
   */
  resolveReferences(
    record: InnerRecord,
    proxy: DataProxy,
    signal?: AbortSignal | undefined,
    entry?: Entry | undefined,
  ): Promise<void> | undefined;
  /**
   * Orders the writes of a `sync()`: a new record is created before the records that refer to it. Returns what makes the plan of this
   * order; undefined if no model refers to another one.
   */
  orderWrites(jobs: readonly WriteJob[]): PlanMaker | undefined;
  /** Loads the record that a field refers to; resolves with undefined if the field is empty. */
  loadReference(model: typeof Model, record: Model, field: string): Promise<Model | undefined>;
}
