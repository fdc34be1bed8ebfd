import { treeMessages } from '../dev/texts.js';
import { withErrorContext } from '../errors/error-context.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError } from '../errors/request-errors.js';
import type { Model } from '../model/model.js';
import { checkRows } from '../model/read.js';
import { inner, writeBase } from '../model/record.js';
import { nextTime } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import { idKeyOf, idsOf } from '../store/id-index.js';
import { type InnerStore, innerStore } from '../store/inner-store.js';
import { type Page, takeUnshown } from '../store/page-reader.js';
import type { LoadOptions } from '../store/paging.js';
import { isPaged } from '../store/paging.js';
import { removeReceived } from '../store/receive-rows.js';
import { scopedStore } from '../store/scoped-store.js';
import type { Store } from '../store/store.js';
import type { StoreConfig } from '../store/store-config.js';
import type { GivenRows, StoreScope } from '../store/store-scope.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type FlatRows, flatRows, type NestedForm, rowsBelow } from './nested-rows.js';

/** The part of a tree that its store asks for at a time. */
export interface BranchRequest<M extends Model> {
  readonly options: LoadOptions<M>;
  /** The record whose children are asked for. */
  readonly parent?: M | undefined;
  /** The records that the response replaces: those that it lacks leave the store. undefined: the store does not hold their parent any more. */
  replaced(): readonly M[] | undefined;
}

/** The response to a read, and the ids of the rows that told all their children. */
interface BranchPage extends Page {
  readonly told?: readonly unknown[];
}

/** The tree of the records of a store. */
export interface TreeOfRecords<M extends Model> {
  readonly parentField: string;
  /** The rows with these ids told all their children. */
  childrenTold(ids: readonly unknown[]): void;
  recordsBelow(record: M): { readonly children: readonly M[]; readonly all: readonly M[] };
  visibleRecords(): readonly M[];
  /** Loads again what the tree shows. */
  reload(): Promise<readonly M[]>;
}

/** The records of a tree: takes nested rows apart, and reads the children of single nodes beside the loads of the store. */
export class TreeScope<M extends Model> implements StoreScope<M> {
  readonly store: Store<M>;
  readonly inside: InnerStore<M>;
  /** Loads again the branches of a lazy tree that are open. */
  readonly reload?: () => Promise<readonly M[]>;
  private readonly requests: Set<AbortController> = new Set();

  constructor(
    config: StoreConfig<M>,
    private readonly nested: NestedForm | undefined,
    /** A row belongs to a lazy tree wherever its parent is, so the tree has a place for each one. */
    readonly placesAll: boolean,
    private readonly tree: TreeOfRecords<M>,
  ) {
    if (placesAll) this.reload = () => tree.reload();
    this.store = scopedStore(config, this);
    this.inside = innerStore(this.store);
    const { observers } = this.inside.recordSet;
    if (nested) observers.attach({ recordChanged: (record) => dropMember(record, nested.member) });
    observers.attach({
      storeDisposed: () => {
        for (const request of this.requests) request.abort();
      },
    });
  }

  get isReading(): boolean {
    return this.requests.size > 0;
  }

  given(rows: readonly object[]): GivenRows {
    if (!this.nested || !Array.isArray(rows)) return { rows };
    const flat = this.flatten(rows as readonly Data[]);
    return { rows: flat.rows, placed: () => this.tree.childrenTold(flat.told) };
  }

  async read(send: () => Promise<Page>, operation: Operation): Promise<BranchPage> {
    const page = await send();
    const { proxy } = this.store;
    const { result } = page;
    const { next, success, message, included, count, total = count } = result;
    const isFirst = next === undefined && !operation.link && !isPaged(operation) && !proxy.reader.complete;
    if (isFirst && operation.id === undefined && count < total)
      throw new ReadError('tree-partial', { count, total }, { messages: treeMessages });
    if (!this.nested) return page;
    const { rows, told } = this.flatten(result.rows as readonly Data[]);
    checkRows(this.inside.definition, proxy, rows as Data[]);
    return { ...page, told, result: new ResultSet({ rows, next, success, message, included }) };
  }

  onScreen(): readonly M[] {
    return this.tree.visibleRecords();
  }

  /** Lets records go that were erased on the server with a record above them. Those with changes stay. */
  letGo(records: readonly M[]): void {
    for (const record of [...records].reverse())
      if (record.phantom && !inner(record)[CORE]?.sent) this.inside.recordSet.drop(record);
      else removeReceived(record);
  }

  /** Ends a load of the whole tree: a server may send the rows in pages although nothing asks for them. */
  async loadAll(load: () => Promise<readonly M[]>): Promise<readonly M[]> {
    const records = [...(await load())];
    const { store } = this;
    while (store.hasMore && !store.disposed) {
      const more = await store.loadMore();
      if (more.length === 0) break;
      for (const record of more) records.push(record);
    }
    return records;
  }

  /** Reads a branch, and puts its records into the store beside the others. Rejects with a `DataError`. */
  async readBranch(request: BranchRequest<M>): Promise<M[]> {
    const { store, inside, requests } = this;
    inside.checkOpen();
    const { definition, recordSet, statusFeed } = inside;
    const { messages, name: model } = definition;
    const controller = new AbortController();
    requests.add(controller);
    inside.statusFeed.update();
    try {
      const { operation, page } = await this.readPages(request.options, controller.signal);
      if (store.disposed) throw new AbortError('store-disposed', { model }, { messages });
      const records = statusFeed.hold(() => {
        recordSet.isLoadingRows = true;
        try {
          return this.putBranch(page, request);
        } finally {
          // The last of several requests forgets what was erased meanwhile.
          if (requests.size === 1 && !inside.loader.loading) inside.pageReader.close();
          else recordSet.isLoadingRows = false;
        }
      });
      inside.loadEnded(records, operation);
      return records;
    } finally {
      requests.delete(controller);
      inside.statusFeed.update();
    }
  }

  /** A branch was read: the store counts as loaded. `error`: that of another branch. */
  branchLoaded(error: AnyDataError | undefined): void {
    const { inside } = this;
    inside.hasLoaded = true;
    inside.lastError = error;
    inside.firstLoad.succeed();
    inside.statusFeed.update();
  }

  private flatten(rows: readonly Data[]): FlatRows {
    const { inside } = this;
    return inside.inWords(() => flatRows(rows, this.nested as NestedForm, inside.definition));
  }

  /** Reads all rows of a request: a server may send them in pages, each with the address of the next, although nothing asks for them. */
  private async readPages(
    options: LoadOptions<M>,
    signal: AbortSignal,
  ): Promise<{ readonly operation: Operation; readonly page: BranchPage }> {
    const { inside } = this;
    const { definition, wholeRules } = inside;
    const rules = wholeRules.with({ remoteSort: false, remoteFilter: true, autoSort: false, autoFilter: false });
    const startedAt = nextTime(definition);
    const rows = new Map<unknown, Data>();
    const told: unknown[] = [];
    let next: NextPage | undefined;
    for (;;) {
      const operation = inside.createOperation({ ...options, limit: 0, next }, signal, undefined, rules);
      inside.checkLoad(operation);
      const page: BranchPage = await withErrorContext(operation, definition.messages, () =>
        inside.read(operation, startedAt),
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

  private putBranch(page: BranchPage, { parent, replaced }: BranchRequest<M>): M[] {
    const { inside, tree } = this;
    const { recordSet } = inside;
    // The parent was erased meanwhile, so its children would hang nowhere.
    if (!replaced()) return [];
    const { startedAt, told = [] } = page;
    const answer = page.result.rows as readonly Data[];
    const rows = parent ? rowsBelow(answer, parent, tree.parentField) : answer;
    const records = takeUnshown(inside.pageReader, rows as Data[], page);
    const added = records.filter((record) => !recordSet.isInPlace(record) && recordSet.holds(record));
    if (added.length > 0) recordSet.placeNew(undefined, added);
    tree.childrenTold(told);
    const answered = new Set(records);
    const received = inside.receiver?.idsSince(startedAt);
    const stays = (record: M) => {
      const core = inner(record)[CORE];
      // A record that was written or received since the read began is newer than the response.
      const isNewer = (core?.settledAt ?? 0) > startedAt || idsOf(record).some((id) => received?.has(id));
      return answered.has(record) || isNewer || (core && (core.phantom || core.sent || core.busy || record.dirty));
    };
    const parents = told.flatMap((id) => recordSet.index.get(id) ?? []);
    const listed = [...(replaced() ?? []), ...parents.flatMap((parent) => tree.recordsBelow(parent).children)];
    for (const record of listed) {
      if (stays(record) || !recordSet.holds(record)) continue;
      // The response says nothing of the records below, but without their parent they would hang nowhere.
      const all = [record, ...tree.recordsBelow(record).all];
      for (const each of all.reverse()) if (!stays(each)) recordSet.drop(each);
    }
    return records;
  }
}

/** Takes the rows of children out of a row that came with a write, or with a read of its record: a PUT would send them back. */
function dropMember(record: Model, member: string): void {
  const { [ROW]: row } = inner(record);
  if (!Object.hasOwn(row, member)) return;
  const { [member]: _children, ...own } = row;
  writeBase(inner(record), own);
}
