import { checkCall, checkNoOptions } from '../dev/checks.js';
import { isGone } from '../errors/data-error.js';
import type { SharedLoadOptions } from '../model/action-options.js';
import { type CheckCall, runCall } from '../model/call.js';
import type { ModelType, Referred } from '../model/field.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { SHARED_LOAD_RULES } from '../model/model-options.js';
import { referencedModel } from '../model/parts/reference-fields.js';
import { queuedWrite } from '../model/queued-write.js';
import { guardErased, inner } from '../model/record.js';
import { recordError } from '../model/record-error.js';
import { nextTime, settleRead } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { AnyId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import type { IncludedRow } from '../operation/result-set.js';
import type { InnerStore } from '../store/inner-store.js';
import type { PendingRecords } from '../store/pending-changes.js';
import { receiverOf, refreshStale } from '../store/receive.js';
import { checkReceived, isGoneWatch, isKnownNewer, removeReceived } from '../store/receive-rows.js';
import type { SharingStore } from '../store/sharing.js';
import type { ReceiveOptions, SyncOptions } from '../store/store-config.js';
import { byAction, type SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { showByJson } from '../util/show-by-json.js';
import type { Source } from '../util/value-source.js';
import type { RecordedSteps } from './inner-session.js';
import { SessionFeed, type SessionStatus } from './session-feed.js';
import { SharedRecords } from './shared-records.js';

const checkLoad: CheckCall = (options) => {
  checkCall('load', options, SHARED_LOAD_RULES);
};

/**
 * A unit of work over many models. Its stores share one object per id. One `sync()` writes all pending changes, and writes new records
 * before the records that refer to them.
 *
 * A record of a store is sent by the proxy of that store, any other by the proxy of its class; `write` and `exception` are events of the
 * store. The session holds pending records, and stores with listeners or pending changes; everything else is held by the application, and
 * forgotten when it lets go. Rows of other models that come with a response become records of the session too. Classes are kept apart,
 * also those that `with()` makes: records of two tenants are never one object.
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
  static {
    showByJson(this.prototype);
  }

  protected readonly records: SharedRecords = new SharedRecords(this);
  /** The models of which rows may have been missed. */
  private readonly staleModels: Set<unknown> = new Set();
  protected readonly statusFeed: SessionFeed = new SessionFeed(this.records);

  private isDisposed = false;
  /** The steps that `historyOf()` records; they end with the session. */
  protected steps: RecordedSteps | undefined = undefined;

  constructor(...none: readonly never[]) {
    checkNoOptions('A session', none);
  }

  /**
   * The activity of the session and its stores as a source, for a screen: `{ loading, saving, error, pending, queued }`. A record that several
   * stores show counts once. It tells its listeners at once, in the same call, and costs nothing while nobody listens.
   *
   * @example
   * ```ts
   * session.status.subscribe(() => console.log(session.status.get().pending));
   * ```
   */
  get status(): Source<SessionStatus> {
    return this.statusFeed.feed.source;
  }

  /** Whether `dispose()` was called. */
  get disposed(): boolean {
    return this.isDisposed;
  }

  /** The form of logs for a session: its status. */
  toJSON(): object {
    return this.status.get();
  }

  /**
   * Loads a record by its id. If the session has the record already, that record gets the new row, and keeps its edits. Calls for one id
   * without options at one time share a request. Rejects with a `DataError`.
   *
   * @example
   * ```ts
   * const ada = await session.load(User, 7); // GET /users/7
   * show(session.getById(User, 7) === ada); // true: a session has one record for each row
   * ```
   */
  load<M extends Model>(model: ModelType<M>, id: AnyId, options: SharedLoadOptions<M> = {}): Promise<M> {
    const definition = innerModel(model)[DEFINITION];
    return runCall(checkLoad, options, definition.messages, async () => {
      const existing = this.getById(model, id);
      const isKnown = existing !== undefined && !existing.phantom;
      const read = async (): Promise<M> => {
        const { included } = this.records;
        const times = included.startTimes(this.records.knownModels);
        const startedAt = nextTime(definition);
        let rows: readonly IncludedRow[] | undefined;
        const success = (_: unknown, { resultSet }: Operation) => (rows = resultSet?.included);
        // Only loads and saves of a record call the callbacks of a caller.
        const silent = () => undefined;
        const call = { ...options, success, failure: silent, callback: silent };
        const record = isKnown
          ? await existing.load(call)
          : this.share(await innerModel(model).load(id, call), startedAt);
        included.take(rows, times, [record]);
        return record;
      };
      // A known record shares its reads itself.
      const isAlone = isKnown || Object.keys(options).length > 0;
      return await this.statusFeed.load(() => (isAlone ? read() : this.records.ofModel(model).shareRead(id, read)));
    });
  }

  /**
   * Takes rows of a model that did not come by a load: pushed by a socket, or returned by another call. Every store of the model receives
   * them, see `receive(store)`; a record that only the session holds gets its row, too. Returns the records of the rows that the session
   * has. Throws `StateError`, and changes nothing, for an item that is no row, a row without an id, and an unknown field in `version`.
   *
   * @example
   * ```ts
   * session.receive(User, [{ id: 7, name: 'Ada' }], { removed: [8] });
   * ```
   */
  receive<M extends Model>(
    model: ModelType<M>,
    rows: readonly object[],
    options: ReceiveOptions<M> = {},
  ): readonly M[] {
    const definition = innerModel(model)[DEFINITION];
    const received = checkReceived<M>(rows, options, definition);
    if (options.gap) this.staleModels.add(model);
    return this.statusFeed.feed.hold(() => {
      const records = this.records.ofModel(model);
      const stores = this.records.stores.filter((store) => this.records.ofModel(store.model) === records);
      const takes = stores.map((store) => receiverOf(store as InnerStore<Model>).prepare(received.rows, options));
      for (const take of takes) take();
      const found = received.rows.flatMap((row) => {
        const record = records.find(definition.rowId(row));
        if (!record || record.phantom) return [];
        const isHeld = this.records.holderOf(record) !== undefined;
        if (!isHeld && !isKnownNewer(received, row, record))
          settleRead(inner(record), row, received.startedAt, this.records.isIncomplete(record));
        return [record as M];
      });
      for (const id of received.removed) removeReceived(records.find(id));
      return found;
    });
  }

  /**
   * Loads again what may lack rows since `receive()`: the stores whose status is `stale`, and after `receive()` with `gap` also the records on
   * screen, those with listeners, that no store holds. Otherwise sends nothing. Rejects with the `DataError` of a load that fails, when the
   * others have ended.
   *
   * @example
   * ```ts
   * session.receive(User, [], { gap: true });
   * await session.refreshStale();
   * ```
   */
  async refreshStale(): Promise<void> {
    const { records, staleModels } = this;
    const models = [...staleModels];
    // A gap that is told meanwhile is read by the next call.
    staleModels.clear();
    const loose = models.flatMap((model) =>
      records
        .ofModel(model as ModelType<Model>)
        .all()
        .filter((record) => {
          const core = inner(record)[CORE];
          if (!core?.listeners?.all.some((listener) => !isGoneWatch(listener))) return false;
          return !core.phantom && !core.erased && records.holderOf(record) === undefined;
        }),
    );
    // A record that turns out to be gone makes lists stale, so these are read behind it.
    const ended: PromiseSettledResult<unknown>[] = await Promise.allSettled(loose.map(reloadKnown));
    ended.push(...(await Promise.allSettled(records.stores.map((store) => refreshStale(store as never)))));
    const failed = ended.find((each) => each.status === 'rejected');
    if (!failed) return;
    for (const model of models) staleModels.add(model);
    throw failed.reason;
  }

  /**
   * Finds a record of the session by its id, or a new record by its temporary id. Removed records are not found. The ids `7` and `'7'`
   * are the same.
   *
   * @example
   * ```ts
   * const people = new Store({ model: User, session });
   * await people.load();
   * show(session.getById(User, 7) === people.getById(7)); // true
   * ```
   */
  getById<M extends Model>(model: ModelType<M>, id: AnyId): M | undefined {
    const record = this.records.ofModel(model).find(id);
    return record && !this.records.isHidden(record) ? (record as M) : undefined;
  }

  /**
   * Finds what a field of many records refers to, by the models that `references()` names: what the session has is not read again, the rest is
   * read in one request for up to 100 ids where the server can filter by a list of ids, else in one for each id. Calls of one turn share these
   * requests. Resolves with the found record of each given record; records whose field is empty, or whose target the server does not have, are
   * left out. The session itself holds records weakly: keep the result for as long as it is shown. Rejects with the `DataError` of a request,
   * with `DefinitionError` if `references()` does not name the field, and with `AddressError` for the temporary id of a record that the session
   * does not have.
   *
   * @example
   * ```ts
   * const owners = await session.resolve(Task, [...tasks], 'ownerId');
   * for (const task of tasks) console.log(task.title, owners.get(task)?.getId());
   * ```
   */
  async resolve<B extends typeof Model, K extends keyof ReturnType<B['references']> & string>(
    model: B,
    records: Iterable<InstanceType<B>>,
    field: K,
  ): Promise<ReadonlyMap<InstanceType<B>, Referred<ReturnType<B['references']>[K]>>> {
    const target = referencedModel(model, field);
    const found = await Promise.all(
      [...records].map(
        async (record): Promise<readonly [Model, Model | undefined]> => [
          record,
          await this.records.resolveReference(record, target, field),
        ],
      ),
    );
    const pairs = new Map(found.filter(([, other]) => other)) as ReadonlyMap<Model, unknown>;
    return pairs as ReadonlyMap<InstanceType<B>, never>;
  }

  /**
   * Creates a new record (a phantom) in this session.
   *
   * @example
   * ```ts
   * const order = session.create(Order, { customer: 'Ada' });
   * session.create(Line, { orderId: order.id, sku: 'A-1' });
   * await session.sync(); // the order first, then the line with the new id of the order
   * ```
   */
  create<M extends Model>(model: ModelType<M>, values: RecordInput<ValuesOf<NoInfer<M>>> = {}): M {
    const record = new (innerModel(model))(values, { phantom: true });
    this.add(record);
    return record;
  }

  /**
   * Adds records that were created elsewhere. Throws `StateError`, and adds none of them, if another record of the session has the same
   * id, or if a record was erased. Returns the records.
   *
   * @example
   * ```ts
   * const ada = await User.load(7);
   * session.add(ada);
   * ada.team = 'B';
   * await session.sync(); // writes Ada with the other changes of the session
   * ```
   */
  add<M extends Model>(...records: M[]): M[] {
    for (const record of records) {
      guardErased(inner(record));
      this.records.ofRecord(record).checkIds([record]);
    }
    for (const record of records) this.records.ofRecord(record).adopt(record);
    return records;
  }

  /**
   * Removes records from this session and its stores. The next `sync()` erases them on the server. New records are dropped without a
   * request.
   *
   * @example
   * ```ts
   * session.add(user);
   * session.remove(user);
   * await session.sync(); // DELETE /users/7
   * ```
   */
  remove(...records: Model[]): void {
    for (const record of records) this.records.remove(record);
  }

  /**
   * The records with pending changes: new ones, edited ones, and removed ones that are not erased on the server yet.
   *
   * @example
   * ```ts
   * session.create(User, { name: 'Grace' });
   * show(session.pending.created.length); // 1
   * window.addEventListener('beforeunload', (event) => {
   *   const { created, edited } = session.pending;
   *   if (created.length + edited.length > 0) event.preventDefault(); // "Leave this page?"
   * });
   * ```
   */
  get pending(): PendingRecords<Model> {
    const { pending, stores, removed } = this.records;
    const shown = [...pending].filter((record) => !this.records.isHidden(record));
    return {
      created: shown.filter((record) => record.phantom),
      edited: shown.filter((record) => !record.phantom && record.dirty),
      removed: [...new Set([...stores].flatMap(({ recordSet }) => [...recordSet.removed]).concat(...removed))],
    };
  }

  /**
   * Writes all pending changes of this session and its stores: new records before the records that refer to them, then updates, then
   * destroys. A record that fails does not reject the promise: the batch has an outcome for each record.
   *
   * @example
   * ```ts
   * const batch = await session.sync({ onProgress: ({ done, total }) => console.log(done, total) });
   * batch.orThrow();
   * ```
   */
  sync(options: SyncOptions<Model> = {}): Promise<Batch<Model>> {
    return syncSources([this.syncSource()], options);
  }

  /**
   * Takes back all pending changes: drops edits and new records, and shows removed records again. Writes in flight go on, and what an outbox has
   * queued stays.
   *
   * @example
   * ```ts
   * const ada = await session.load(User, 7);
   * ada.name = 'Grace';
   * session.create(User, { name: 'Alan' });
   * session.reject(); // "Discard": Ada has her name again, and Alan is gone
   * ```
   */
  reject(): void {
    const { records } = this;
    this.statusFeed.feed.hold(() => {
      for (const store of records.stores) store.reject();
      const { removed } = records;
      records.removed = new Set();
      for (const record of removed) records.observers.tell('recordChanged', record);
      for (const record of records.pending) {
        if (!record.phantom || queuedWrite(inner(record))) record.reject();
        else if (!inner(record)[CORE]?.sent) records.forget(record);
      }
    });
  }

  /**
   * Ends the session. Its stores continue independently, and keep their records and pending changes.
   *
   * @example
   * ```ts
   * const people = new Store({ model: User, session });
   * session.dispose();
   * people.add({ name: 'Grace' });
   * await people.sync(); // the store goes on by itself
   * ```
   */
  dispose(): void {
    const { feed } = this.statusFeed;
    this.isDisposed = true;
    this.steps?.end();
    feed.hold(() => {
      this.records.clear();
      // Told once, whether the status has changed or not, so that a feed notices the end.
      feed.source.end(true);
    });
  }

  // ── Internal ──

  /** This session as a source of pending changes, for a `sync()` of several sessions and stores. */
  protected syncSource(): SyncSource<Model> {
    const { records } = this;
    const sources = new Map<SharingStore, SyncSource<Model>>();
    const sourceOf = new Map<Model, SyncSource<Model>>();
    return {
      observers: records.stores.flatMap(({ recordSet }) => recordSet.observers.all),
      concurrency: undefined,
      pending: () => byAction(this.pending),
      stillWants: (record, action) => (action === 'create' ? records.pending.has(record) : records.isHidden(record)),
      proxyOf(record) {
        const store = records.holderOf(record);
        if (!store) return records.proxyOf(record);
        const source = sources.get(store) ?? store.syncSource();
        sources.set(store, source);
        sourceOf.set(record, source);
        return source.proxyOf(record);
      },
      ended: (outcome, operation) => sourceOf.get(outcome.record)?.ended(outcome, operation),
    };
  }

  /** Returns the shared object for a record that was just read: the record that the session has already, or the new one. */
  private share<M extends Model>(loaded: M, startedAt: number): M {
    this.records.readModels.add(loaded.constructor);
    const records = this.records.ofRecord(loaded);
    const id = loaded.getId();
    const existing = records.find(id);
    if (existing) {
      settleRead(inner(existing), inner(loaded)[ROW], startedAt);
      return existing as M;
    }
    if (records.isErasedSince(id, startedAt)) throw recordError(inner(loaded), 'erased', 'erased');
    records.adopt(loaded);
    return loaded;
  }
}

/** Reads a record again. One that the server does not have any more is erased here. */
async function reloadKnown(record: Model): Promise<void> {
  try {
    await record.load();
  } catch (error) {
    if (!isGone(error)) throw error;
    removeReceived(record);
  }
}
