import { checkNoOptions } from '../errors/option-rules.js';
import { StateError } from '../errors/state-error.js';
import type { RecordLoadOptions } from '../model/action-options.js';
import type { BaseModel } from '../model/base-model.js';
import { type CallRules, withCallbacks } from '../model/call.js';
import type { ModelType } from '../model/field.js';
import type { Given, ValuesOf } from '../model/infer.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { LOAD_RULES } from '../model/model-options.js';
import { guardErased, inner, nameOf } from '../model/record.js';
import { nextTime, settleRead } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import type { SharingStore } from '../store/sharing.js';
import type { SyncOptions } from '../store/store-config.js';
import type { StoreObserver } from '../store/store-observer.js';
import { partsOf } from '../store/store-parts.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { SharedRecords } from './shared-records.js';

const LOAD_CALL: CallRules = { owner: 'load', rules: LOAD_RULES, kind: 'call' };

/**
 * A unit of work over many models: one object per id, shared by its stores, and all that is pending written by one `sync()`,
 * new records before those that refer to them.
 *
 * @example
 * ```ts
 * const session = new Session();
 * const user = await session.load(User, 7);
 * const tasks = new Store({ model: Task, session });
 * tasks.add({ title: 'Write', ownerId: user.id });
 * const batch = await session.sync();
 * ```
 */
export class Session {
  /**
   * The parts that a `sync()` of sessions of this class has besides those of their stores.
   * @default none; in the main entry `bulkForm` and `rollback`
   */
  static readonly parts: readonly StoreObserver[] = [];

  protected readonly records: SharedRecords = new SharedRecords();

  constructor(...none: readonly never[]) {
    checkNoOptions('A session', none);
  }

  /** Reads a record by its id. One that is here already is brought up to date, and keeps its edits. Rejects with a `DataError`. */
  load<M extends BaseModel>(model: ModelType<M>, id: RecordId, options: RecordLoadOptions<M> = {}): Promise<M> {
    const { success: _, failure: __, callback: ___, ...rest } = options;
    return withCallbacks<M>(LOAD_CALL, options, undefined as never, async () => {
      const known = this.getById(model, id);
      if (known && !known.phantom) return await known.load(rest as never);
      const definition = (model as unknown as { [DEFINITION]: ModelDefinition })[DEFINITION];
      const startedAt = nextTime(definition);
      const Model = model as unknown as { load(id: RecordId, options: object): Promise<M> };
      return this.share(await Model.load(id, rest), startedAt);
    });
  }

  /** The record with an id, where it is here; `7` and `'7'` are one. Of a new one, by its temporary id. */
  getById<M extends BaseModel>(model: ModelType<M>, id: RecordId): M | undefined {
    const record = this.records.of(model).find(id);
    return record && !this.records.isHidden(record) ? (record as M) : undefined;
  }

  /** A new record (a phantom) of this session. */
  create<M extends BaseModel>(model: ModelType<M>, values: Given<ValuesOf<NoInfer<M>>> = {}): M {
    const Model = model as unknown as new (values: object, options: object) => M;
    const record = new Model(values, { phantom: true });
    this.add(record);
    return record;
  }

  /** Takes in records that were made elsewhere. Throws `StateError` for an id that another one has here, and for erased ones. */
  add<M extends BaseModel>(...records: M[]): M[] {
    for (const record of records) {
      guardErased(inner(record));
      this.records.ofRecord(record).check([record]);
    }
    for (const record of records) this.records.ofRecord(record).adopt(record);
    return records;
  }

  /** Removes records, here and in the stores of this session: erased by the next `sync()`. New ones are just dropped. */
  remove(...records: BaseModel[]): void {
    for (const record of records) this.records.remove(record);
  }

  /** Records that were never saved. */
  getNewRecords(): BaseModel[] {
    return this.pending((record) => record.phantom);
  }

  /** Saved records with edits. */
  getUpdatedRecords(): BaseModel[] {
    return this.pending((record) => !record.phantom && record.dirty);
  }

  /** Removed records that are not erased yet. */
  getRemovedRecords(): BaseModel[] {
    const { stores, removed } = this.records;
    return [...new Set([...stores].flatMap(({ recordSet }) => [...recordSet.removed]).concat(...removed))];
  }

  /** New and edited records. */
  getModifiedRecords(): BaseModel[] {
    return [...this.getNewRecords(), ...this.getUpdatedRecords()];
  }

  /**
   * Writes what is pending in this session and its stores: new records before those that refer to them, then updates, then
   * destroys. Always settles; a record that fails is an outcome.
   *
   * @example
   * ```ts
   * const batch = await session.sync({ onProgress: ({ done, total }) => console.log(done, total) });
   * batch.orThrow();
   * ```
   */
  sync(options: SyncOptions<BaseModel> = {}): Promise<Batch<BaseModel>> {
    return syncSources([this.syncSource()], options);
  }

  /** Undoes everything that is pending: edits are dropped, removed records are back, new ones go. What is on its way goes on. */
  rejectChanges(): void {
    const { records } = this;
    for (const store of records.stores) store.rejectChanges();
    records.removed.clear();
    for (const record of records.pending) {
      if (!record.phantom) record.reject();
      else if (!inner(record)[CORE]?.sent) records.forget(record);
    }
  }

  /** Forgets what is pending: new and removed records go, edits are dropped. */
  clearPending(): void {
    const { records } = this;
    for (const store of records.stores) store.clearPending();
    for (const record of [...records.removed, ...this.getNewRecords()]) records.forget(record);
    this.rejectChanges();
  }

  /** Lets go of all records and stores, which go on for themselves, with what is pending in them. */
  dispose(): void {
    this.records.clear();
  }

  // ── Inside ──

  /** What a `sync()` of several takes of this session. */
  protected syncSource(): SyncSource<BaseModel> {
    const { records } = this;
    const sources = new Map<SharingStore, SyncSource<BaseModel>>();
    const sourceOf = new Map<BaseModel, SyncSource<BaseModel>>();
    return {
      observers: [...partsOf(this), ...records.stores.flatMap(({ recordSet }) => recordSet.observers.all)],
      concurrency: undefined,
      pending: () => ({
        create: this.getNewRecords(),
        update: this.getUpdatedRecords(),
        destroy: this.getRemovedRecords(),
      }),
      wants: (record, action) => (action === 'create' ? records.pending.has(record) : records.isHidden(record)),
      proxyOf(record) {
        const store = records.holderOf(record);
        if (!store) return (record.constructor as typeof BaseModel).proxy;
        const source = sources.get(store) ?? store.syncSource();
        sources.set(store, source);
        sourceOf.set(record, source);
        return source.proxyOf(record);
      },
      ended: (outcome, operation) => sourceOf.get(outcome.record)?.ended(outcome, operation),
    };
  }

  private pending(test: (record: BaseModel) => boolean): BaseModel[] {
    const { records } = this;
    return [...records.pending].filter((record) => test(record) && !records.isHidden(record));
  }

  /** The one object for a record that was just read. */
  private share<M extends BaseModel>(fresh: M, startedAt: number): M {
    const records = this.records.ofRecord(fresh);
    const id = fresh.getId();
    const known = records.find(id);
    if (known) {
      settleRead(inner(known), inner(fresh)[ROW], startedAt);
      return known as M;
    }
    if (records.isErasedSince(id, startedAt)) throw new StateError('erased', 'erased', nameOf(inner(fresh)));
    records.adopt(fresh);
    return fresh;
  }
}
