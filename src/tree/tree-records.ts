import { treeMessages } from '../dev/texts.js';
import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError } from '../errors/request-errors.js';
import type { BaseModel } from '../model/base-model.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import { checkRows } from '../model/read.js';
import { inner, writeBase } from '../model/record.js';
import { nextTime } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import { idKeyOf, idsOf } from '../store/id-index.js';
import type { Page } from '../store/page-reader.js';
import { isPaged } from '../store/paging.js';
import { type ReceivingStore, removeReceived } from '../store/receive-rows.js';
import { Store } from '../store/store.js';
import type { LoadOptions, ReceiveOptions, StoreConfig } from '../store/store-config.js';
import type { StoreObserver } from '../store/store-observer.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type FlatRows, flatRows, type NestedForm } from './nested-rows.js';

/** The part of a tree that its store asks for at a time. */
export interface BranchRequest<M extends BaseModel> {
  readonly options: LoadOptions<M>;
  /** The records that the response replaces: those that it lacks leave the store. undefined: the store does not hold their parent any more. */
  replaced(): readonly M[] | undefined;
}

/** The response to a read, and the ids of the rows that told all their children. */
interface BranchPage extends Page {
  readonly told?: readonly unknown[];
}

/** The tree that follows its records. */
export interface TreeFollower<M extends BaseModel> {
  /** The rows with these ids told all their children. */
  childrenTold(ids: readonly unknown[]): void;
  recordsBelow(record: M): { readonly children: readonly M[]; readonly all: readonly M[] };
  visibleRecords(): readonly M[];
  /** Loads again what the tree shows. */
  reload(): Promise<readonly M[]>;
}

/** The store of a tree: it takes nested rows apart, and reads the children of single nodes beside its own loads. */
export class TreeRecords<M extends BaseModel> extends Store<M> {
  private readonly requests: Set<AbortController> = new Set();
  private follower: TreeFollower<M> | undefined = undefined;

  constructor(
    config: StoreConfig<M>,
    private readonly nested: NestedForm | undefined,
    private readonly isLazy: boolean,
  ) {
    super(config);
    if (nested) this.recordSet.observers.attach({ recordChanged: (record) => dropMember(record, nested.member) });
  }

  override get loading(): boolean {
    // While the constructor of the base class runs, there are no requests yet.
    return super.loading || (this.requests?.size ?? 0) > 0;
  }

  /** The members that the tree uses. */
  get parts(): {
    readonly recordSet: TreeRecords<M>['recordSet'];
    readonly definition: TreeRecords<M>['definition'];
    readonly rules: TreeRecords<M>['wholeRules'];
  } {
    const { recordSet, definition, wholeRules: rules } = this;
    return { recordSet, definition, rules };
  }

  /** Follows the records. Returns the function that ends this. */
  followRecords(observer: StoreObserver<M>, follower: TreeFollower<M>): () => void {
    this.follower = follower;
    return this.recordSet.observers.attach(observer);
  }

  /** Adds records before another one, whatever the store itself shows. */
  addBefore(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    return this.placeRecords(before, added);
  }

  /** Moves a record before another one in source order. */
  moveBefore(before: M | undefined, record: M): void {
    if (before !== record) this.recordSet.place(before, [record]);
  }

  removeEach(records: readonly M[]): M[] {
    return this.removeRecords(records);
  }

  /** Runs a function that changes several records, and tells the listeners of the status once. */
  hold<T>(change: () => T): T {
    return this.statusFeed.hold(change);
  }

  /** Lets records go that were erased on the server with a record above them. Those with changes stay. */
  letGo(records: readonly M[]): void {
    for (const record of [...records].reverse())
      if (record.phantom && !inner(record)[CORE]?.sent) this.recordSet.drop(record);
      else removeReceived(record);
  }

  /** Ends a load of the whole tree: a server may send the rows in pages although nothing asks for them. */
  async loadAll(load: () => Promise<readonly M[]>): Promise<readonly M[]> {
    const records = [...(await load())];
    while (this.hasMore && !this.disposed) {
      const more = await this.loadMore();
      if (more.length === 0) break;
      for (const record of more) records.push(record);
    }
    return records;
  }

  /** Reads a branch, and puts its records into the store beside the others. Rejects with a `DataError`. */
  async readBranch({ options, replaced }: BranchRequest<M>): Promise<M[]> {
    this.checkOpen();
    const { definition, recordSet } = this;
    const { messages, name: model } = definition;
    const controller = new AbortController();
    this.requests.add(controller);
    this.loadingChanged();
    try {
      const { operation, page } = await this.readPages(options, controller.signal);
      if (this.disposed) throw new AbortError('store-disposed', { model }, { messages });
      const records = this.hold(() => {
        recordSet.isLoadingRows = true;
        try {
          return this.putBranch(page, replaced);
        } finally {
          // The last of several requests forgets what was erased meanwhile.
          if (this.requests.size === 1 && !super.loading) this.pageReader.close();
          else recordSet.isLoadingRows = false;
        }
      });
      this.flush();
      this.events.emit('load', { records, operation });
      return records;
    } finally {
      this.requests.delete(controller);
      this.loadingChanged();
    }
  }

  /** The first branch was read: the store counts as loaded. */
  branchLoaded(error: AnyDataError | undefined): void {
    this.hasLoaded = true;
    this.lastError = error;
    this.firstLoad.succeed();
    this.statusFeed.update();
  }

  /** A branch could not be read. */
  branchFailed(error: AnyDataError, operation: Operation | undefined): void {
    if (operation) this.reportFailure(error, operation);
  }

  setError(error: AnyDataError | undefined): void {
    this.lastError = error;
    this.statusFeed.update();
  }

  override dispose(): void {
    super.dispose();
    for (const request of this.requests) request.abort();
  }

  override setRecords(items: readonly (M | object)[]): readonly M[] {
    if (!this.nested) return super.setRecords(items);
    const flat = this.flatten(items as readonly Data[]);
    const records = super.setRecords(flat.rows);
    this.follower?.childrenTold(flat.told);
    return records;
  }

  protected override recordsOnScreen(): readonly M[] {
    return this.follower?.visibleRecords() ?? super.recordsOnScreen();
  }

  protected override prepareReceive(rows: readonly object[], options: ReceiveOptions<M>): () => readonly M[] {
    if (!this.nested || !Array.isArray(rows)) return super.prepareReceive(rows, options);
    const flat = this.flatten(rows as readonly Data[]);
    const take = super.prepareReceive(flat.rows, options);
    return () => {
      const records = take();
      this.follower?.childrenTold(flat.told);
      return records;
    };
  }

  protected override async read(operation: Operation, startedAt?: number): Promise<BranchPage> {
    const page = await super.read(operation, startedAt);
    const { result } = page;
    const { next, success, message, included, count, total = count } = result;
    const isFirst = next === undefined && !operation.link && !isPaged(operation) && !this.proxy.reader.complete;
    if (isFirst && operation.id === undefined && count < total)
      throw new ReadError('tree-partial', { count, total }, { messages: treeMessages });
    if (!this.nested) return page;
    const { rows, told } = this.flatten(result.rows as readonly Data[]);
    checkRows(this.definition, this.proxy, rows as Data[]);
    return { ...page, told, result: new ResultSet({ rows, next, success, message, included }) };
  }

  protected override async reloadAll(): Promise<readonly M[]> {
    if (!this.isLazy || !this.follower) return await super.reloadAll();
    const records = await this.follower.reload();
    this.whyStale = undefined;
    this.statusFeed.update();
    return records;
  }

  protected override get receiving(): ReceivingStore<M> {
    // A row belongs to the tree wherever its parent is, so the tree has a place for each one.
    return this.isLazy ? { ...super.receiving, holdsAll: true } : super.receiving;
  }

  private flatten(rows: readonly Data[]): FlatRows {
    return this.inWords(() => flatRows(rows, this.nested as NestedForm, this.definition));
  }

  /** Reads all rows of a request: a server may send them in pages, each with the address of the next, although nothing asks for them. */
  private async readPages(
    options: LoadOptions<M>,
    signal: AbortSignal,
  ): Promise<{ readonly operation: Operation; readonly page: BranchPage }> {
    const { definition, wholeRules } = this;
    const rules = wholeRules.with({ remoteSort: false, remoteFilter: true, autoSort: false, autoFilter: false });
    const startedAt = nextTime(definition);
    const rows = new Map<unknown, Data>();
    const told: unknown[] = [];
    let next: NextPage | undefined;
    for (;;) {
      const operation = this.createOperation({ ...options, limit: 0, next }, signal, undefined, rules);
      this.checkLoad(operation);
      const page: BranchPage = await withErrorContext(operation, definition.messages, () =>
        this.read(operation, startedAt),
      );
      const { result } = page;
      const before = rows.size;
      for (const row of result.rows as Data[]) rows.set(idKeyOf(definition.rowId(row)) ?? row, row);
      for (const id of page.told ?? []) told.push(id);
      const isRepeated = result.count > 0 ? rows.size === before : isSame(result.next, next);
      if (result.next && options.id === undefined && !isRepeated) next = result.next;
      else {
        const { success, message, included } = result;
        return {
          operation,
          page: { ...page, told, result: new ResultSet({ rows: [...rows.values()], success, message, included }) },
        };
      }
    }
  }

  private putBranch(page: BranchPage, replaced: BranchRequest<M>['replaced']): M[] {
    const { recordSet, follower } = this;
    // The parent was erased meanwhile, so its children would hang nowhere.
    if (!replaced()) return [];
    const { startedAt, told = [] } = page;
    const isIncomplete = this.proxy.reader.rows === 'incomplete';
    const records = this.pageReader.takeUnshown(page.result.rows as Data[], page, isIncomplete);
    const added = records.filter((record) => !recordSet.isInPlace(record) && recordSet.holds(record));
    if (added.length > 0) recordSet.placeNew(undefined, added);
    follower?.childrenTold(told);
    const answered = new Set(records);
    const received = this.idsReceivedSince(startedAt);
    const stays = (record: M) => {
      const core = inner(record)[CORE];
      // A record that was written or received since the read began is newer than the response.
      const isNewer = (core?.settledAt ?? 0) > startedAt || idsOf(record).some((id) => received.has(id));
      return answered.has(record) || isNewer || (core && (core.phantom || core.sent || core.busy || record.dirty));
    };
    const parents = told.flatMap((id) => recordSet.index.get(id) ?? []);
    const listed = [
      ...(replaced() ?? []),
      ...parents.flatMap((parent) => follower?.recordsBelow(parent).children ?? []),
    ];
    for (const record of listed) {
      if (stays(record) || !recordSet.holds(record)) continue;
      // The response says nothing of the records below, but without their parent they would hang nowhere.
      const all = [record, ...(follower?.recordsBelow(record).all ?? [])];
      for (const each of all.reverse()) if (!stays(each)) recordSet.drop(each);
    }
    return records;
  }
}

/** Takes the rows of children out of a row that came with a write, or with a read of its record: a PUT would send them back. */
function dropMember(record: BaseModel, member: string): void {
  const { [ROW]: row } = inner(record);
  if (!Object.hasOwn(row, member)) return;
  const { [member]: _children, ...own } = row;
  writeBase(inner(record), own);
}
