/**
 * Stores as rows of AG Grid 36: datasources over windows of a store, and transactions from the changes of a list. The grid edits the
 * records themselves.
 *
 * @module
 */
import type {
  GetRowIdParams,
  GridApi,
  IDatasource,
  IRowNode,
  IServerSideDatasource,
  IViewportDatasource,
  SortModelItem,
} from 'ag-grid-community';
import { definitionOf, GridQuery } from './grid/grid-query.js';
import { refuseLibraryQuery } from './grid/refuse-query.js';
import type { Model } from './model/model.js';
import { inner } from './model/record.js';
import { CORE } from './model/symbols.js';
import type { RecordId } from './operation/actions.js';
import { differenceOf } from './store/difference.js';
import { serverId } from './store/id-index.js';
import type { RecordView } from './store/record-view.js';
import { type RecordWindow, windowOf } from './store/record-window.js';
import { selectionOf } from './store/selection.js';
import { Store } from './store/store.js';
import type { IndexRange } from './store/window-config.js';
import { callSafely } from './util/notifier.js';

/** Options of the datasources. */
export interface DatasourceOptions {
  /**
   * Called when rows could not be loaded, and with `UnsupportedQueryError` when the store cannot sort or filter as the grid asks.
   * @default errors of loads are only shown by the grid, as rows that failed; others are thrown again, so that the console shows them
   */
  onError?(error: unknown): void;
}

/** The member that the datasources have beside those of the grid's interface. */
export interface Reloadable {
  /**
   * Loads the rows on show again, for example when a record was created. Resolves when they are there. Rejects with the `DataError` of the
   * load.
   */
  reload(): Promise<void>;
}

/** A request of a grid for rows. */
interface RowsRequest<M> extends IndexRange {
  readonly api: GridApi<M>;
  readonly sortModel: readonly SortModelItem[];
  readonly filterModel: unknown;
}

/** Rows for a grid. */
interface GridRows<M> {
  readonly rows: M[];
  /** Number of all rows; undefined if it is not known. */
  readonly total: number | undefined;
}

/**
 * The grid option `getRowId`: the id of the record, so that a row which is loaded again is the same row. A record that was created here has its
 * `$.key` instead, which stays the same when it gets its id.
 *
 * @example
 * ```tsx
 * createGrid(element, { rowModelType: 'infinite', getRowId, datasource: infiniteDatasource(users), columnDefs });
 * ```
 */
export function getRowId<M extends Model>({ data }: Pick<GetRowIdParams<M>, 'data'>): string {
  const record = inner(data as M);
  const core = record[CORE];
  return core?.phantom || core?.createdAt ? record.$.key : String(serverId(record));
}

/**
 * A datasource for `rowModelType: 'infinite'`: rows are read by a window of the store while the user scrolls. The grid's sorters replace
 * those of the store while there are any; its filters are added to those that the application sets. The server must sort and filter
 * (`remoteSort`, `remoteFilter`). Changes of records, and records that come or go, are shown at once. The rows that the grid has selected are those
 * of `selectionOf(store)`, over scrolling, sorting and reloads, if the grid has the options `rowSelection` and `getRowId`.
 *
 * @example
 * ```tsx
 * const people = new Store({ model: User, pageSize: 100, remoteSort: true, remoteFilter: true });
 * const datasource = infiniteDatasource(people);
 * createGrid<User>(document.body, { rowModelType: 'infinite', getRowId, datasource, columnDefs: [{ field: 'name' }] });
 * await datasource.reload(); // when another screen has created a user
 * ```
 */
export function infiniteDatasource<M extends Model>(
  store: Store<M>,
  options: DatasourceOptions = {},
): IDatasource & Reloadable {
  const reader = new GridReader<M>(store, options, (api) => api.refreshInfiniteCache());
  return {
    getRows({ startRow: start, endRow: end, successCallback, failCallback, ...request }) {
      const done = ({ rows, total }: GridRows<M>) => {
        successCallback(rows, total ?? (rows.length < end - start ? start + rows.length : -1));
      };
      reader.read({ start, end, ...request }, done, failCallback);
    },
    reload: () => reader.reload(),
    destroy: () => reader.dispose(),
  };
}

/**
 * A datasource for `rowModelType: 'serverSide'` of AG Grid Enterprise, as `infiniteDatasource`. All rows, and all but some, are selected as by
 * `selectionOf(store).selectAll()`. Groups and pivots are refused.
 *
 * @example
 * ```tsx
 * const people = new Store({ model: User, pageSize: 100, remoteSort: true, remoteFilter: true });
 * const options: GridOptions<User> = {
 *   rowModelType: 'serverSide',
 *   getRowId,
 *   serverSideDatasource: serverSideDatasource(people, { onError: (error) => console.error(error) }),
 *   columnDefs: [{ field: 'name' }],
 * };
 * ```
 */
export function serverSideDatasource<M extends Model>(
  store: Store<M>,
  options: DatasourceOptions = {},
): IServerSideDatasource<M> & Reloadable {
  const reader = new GridReader<M>(store, options, (api) => api.refreshServerSide({ purge: false }));
  return {
    getRows({ api, request, success, fail }) {
      const { startRow: start = 0, endRow: end = start + store.pageSize, sortModel, filterModel } = request;
      const done = ({ rows, total }: GridRows<M>) =>
        success({ rowData: rows, ...(total !== undefined && { rowCount: total }) });
      if (request.rowGroupCols.length > 0 || request.groupKeys.length > 0 || request.pivotMode) {
        const remedy =
          'remove `treeData`, and `rowGroup` and `pivot` from the columns, or group a client-side grid that holds all rows';
        reader.refuse(refuseLibraryQuery(definitionOf(store), 'AG Grid', 'a group or pivot', remedy), fail);
      } else reader.read({ api, start, end, sortModel, filterModel }, done, fail);
    },
    reload: () => reader.reload(),
    destroy: () => reader.dispose(),
  };
}

/**
 * A datasource for `rowModelType: 'viewport'` of AG Grid Enterprise: the rows on show, as a window of the store has them. This row model
 * of the grid neither sorts nor filters: sort and filter the store.
 *
 * @example
 * ```tsx
 * const people = new Store({ model: User, pageSize: 100, remoteSort: true, sorters: ['name'] });
 * const options: GridOptions<User> = {
 *   rowModelType: 'viewport',
 *   getRowId,
 *   viewportDatasource: viewportDatasource(people),
 *   columnDefs: [{ field: 'name' }],
 * };
 * ```
 */
export function viewportDatasource<M extends Model>(store: Store<M>): IViewportDatasource {
  let window: RecordWindow<M> | undefined;
  let shown: IndexRange = { start: 0, end: 0 };
  let give: (range: IndexRange) => void = () => undefined;
  return {
    init({ setRowCount, setRowData }) {
      window?.dispose();
      const rows = windowOf(store);
      window = rows;
      give = ({ start, end }) => {
        setRowCount(rows.count, true);
        if (start < end)
          setRowData(
            Object.fromEntries(
              rows.list
                .get()
                .slice(start, end)
                .map((record, at) => [start + at, record]),
            ),
          );
      };
      rows.on('change', ({ from, to }) => give({ start: Math.max(from, shown.start), end: Math.min(to, shown.end) }));
    },
    setViewportRange(firstRow, lastRow) {
      shown = { start: firstRow, end: lastRow + 1 };
      window?.show(shown).catch(() => undefined);
      // Rows that are loaded already cause no event.
      give(shown);
    },
    destroy() {
      window?.dispose();
      window = undefined;
    },
  };
}

/**
 * Shows the records of a store or view in a grid with `rowModelType: 'clientSide'`, and follows them by transactions: additions and
 * removals by `applyTransactionAsync`, a new order by new row data. The rows that the grid has selected are those of `selectionOf(store)`, if it has
 * the option `rowSelection`. Returns the function that ends it. The grid needs `getRowId`.
 *
 * @example
 * ```tsx
 * const stop = showRecords(api, users);
 * ```
 */
export function showRecords<M extends Model>(api: GridApi<M>, view: RecordView<M>): () => void {
  const shown = view.getRange();
  api.setGridOption('rowData', [...shown]);
  // A view has no selection of its own.
  const selection = view instanceof Store ? new GridSelection<M>(api, view as Store<M>) : undefined;
  const stop = view.on('change', (change) => {
    const { splices, added, removed, moved } = differenceOf(change);
    const { updated } = change;
    for (const { index, remove, records } of splices) shown.splice(index, remove, ...records);
    if (moved.length > 0) {
      // Transactions would remove and add the records that moved, and the grid would forget that they are selected.
      api.flushAsyncTransactions();
      api.setGridOption('rowData', [...shown]);
    } else {
      if (removed.length > 0) api.applyTransactionAsync({ remove: [...removed] });
      // A splice may also hold records that stay. Its index is that in the new list.
      const isAdded = new Set(added);
      for (const { index, records } of splices)
        for (const [at, record] of records.entries())
          if (isAdded.has(record)) api.applyTransactionAsync({ addIndex: index + at, add: [record] });
    }
    if (updated.length > 0) api.applyTransactionAsync({ update: [...updated] });
  });
  return () => {
    stop();
    selection?.end();
  };
}

/** Reads the rows of a grid by a window, one request of the grid after the other, because a window shows one range at a time. */
class GridReader<M extends Model> {
  private window: RecordWindow<M> | undefined = undefined;
  private selection: GridSelection<M> | undefined = undefined;
  private queue: Promise<void> = Promise.resolve();
  private waiting = 0;
  /** Number of times that the reader was disposed of. */
  private ended = 0;
  /** The number of all rows that the grid was told last. */
  private toldTotal: number | undefined = undefined;
  /** Whether the rows or their number have changed while requests of the grid were waiting. */
  private hasChanged = false;
  private readonly query: GridQuery<M>;

  constructor(
    private readonly store: Store<M>,
    private readonly options: DatasourceOptions,
    /** Makes the grid ask for its rows again. */
    private readonly refresh: (api: GridApi<M>) => void,
  ) {
    this.query = new GridQuery<M>(store);
  }

  read(request: RowsRequest<M>, done: (rows: GridRows<M>) => void, fail: () => void): void {
    const { ended } = this;
    this.waiting += 1;
    this.queue = this.queue.then(async () => {
      // The request of a grid that has gone must not open a window, which nobody would close.
      if (ended !== this.ended) return fail();
      try {
        const window = this.open(request);
        const rows = await this.load(window, request);
        if (rows && ended === this.ended) {
          this.toldTotal = rows.total;
          done(rows);
        } else fail();
      } catch (error) {
        this.refuse(error, fail);
      }
    });
    // The grid has put the rows into its nodes when this runs.
    void this.queue.then(() => {
      this.waiting -= ended === this.ended ? 1 : 0;
      this.selection?.update();
      if (this.waiting === 0) this.catchUp(request.api);
    });
  }

  /** Reports an error that is no response of the server. */
  refuse(error: unknown, fail: () => void): void {
    fail();
    callSafely(() => {
      if (!this.options.onError) throw error;
      this.options.onError(error);
    });
  }

  async reload(): Promise<void> {
    await this.window?.reload();
  }

  dispose(): void {
    this.ended += 1;
    this.waiting = 0;
    this.hasChanged = false;
    this.window?.dispose();
    this.window = undefined;
    this.selection?.end();
    this.selection = undefined;
  }

  /** Undefined after an error of the server. */
  private async load(window: RecordWindow<M>, range: IndexRange): Promise<GridRows<M> | undefined> {
    const shown = window.show({ start: range.start, end: range.end });
    try {
      await shown;
    } catch (error) {
      if (window === this.window) this.options.onError?.(error);
      return undefined;
    }
    const list = window.list.get();
    const { total } = list;
    const records = list.slice(range.start, Math.min(range.end, total ?? range.end));
    const end = records.indexOf(undefined);
    const rows = (end < 0 ? records : records.slice(0, end)) as M[];
    // Rows behind a gap would get the places of others. Without a total, a list ends where records do.
    const hasGap = records.slice(rows.length).some((record) => record !== undefined || total !== undefined);
    return hasGap ? undefined : { rows, total };
  }

  private open({ api, sortModel, filterModel }: RowsRequest<M>): RecordWindow<M> {
    this.query.apply(sortModel, filterModel);
    if (this.window && !this.window.disposed) return this.window;
    // The grid limits the rows that it keeps (`maxBlocksInCache`), so the window keeps all of them.
    // It also waits until scrolling rests (`blockLoadDebounceMillis`), and asks for blocks that lie apart.
    const window = windowOf(this.store, { prefetch: 0, settle: 0, keep: Number.POSITIVE_INFINITY });
    window.on('change', ({ from, to }) => this.follow(api, window, from, to));
    this.window = window;
    this.selection ??= new GridSelection<M>(api, this.store);
    return window;
  }

  /** Shows changed records, and asks for the rows again if other records have their places. */
  private follow(api: GridApi<M>, window: RecordWindow<M>, from: number, to: number): void {
    if (api.isDestroyed()) return;
    const { rowNodes, isOutdated } = this.compare(api, window, from, to);
    if (rowNodes.length > 0) api.refreshCells({ rowNodes });
    if (this.waiting > 0) this.hasChanged = true;
    else if (isOutdated || from === to) this.refresh(api);
  }

  /** Asks for the rows again if they have changed while requests were waiting, and the responses to these do not show it. */
  private catchUp(api: GridApi<M>): void {
    const { window, hasChanged, toldTotal } = this;
    this.hasChanged = false;
    if (!window || window.disposed || !hasChanged || api.isDestroyed()) return;
    const isOtherTotal = toldTotal !== undefined && window.total !== toldTotal;
    if (isOtherTotal || this.compare(api, window, 0, Number.POSITIVE_INFINITY).isOutdated) this.refresh(api);
  }

  /** The rows of a range that show the records of the window, and whether the range has rows that show others. */
  private compare(
    api: GridApi<M>,
    window: RecordWindow<M>,
    from: number,
    to: number,
  ): { readonly rowNodes: IRowNode<M>[]; readonly isOutdated: boolean } {
    const rowNodes: IRowNode<M>[] = [];
    let isOutdated = false;
    api.forEachNode((node) => {
      const { rowIndex, data } = node;
      if (rowIndex === null || rowIndex < from || rowIndex >= to || !data) return;
      if (data === window.getAt(rowIndex)) rowNodes.push(node);
      else isOutdated = true;
    });
    return { rowNodes, isOutdated };
  }
}

/** Makes the selection of rows in a grid and that of a store one. Does nothing for a grid without the option `rowSelection`. */
class GridSelection<M extends Model> {
  /** The state that each row was known to show, with its record. A row that shows something else was selected or deselected by the user. */
  private readonly known: WeakMap<IRowNode<M>, { readonly record: M; readonly isSelected: boolean }> = new WeakMap();
  /** Whether the grid was known to have selected all rows of the server. */
  private isAll = false;
  private isUpdating = false;
  private readonly stops: (() => void)[] = [];

  constructor(
    private readonly api: GridApi<M>,
    private readonly store: Store<M>,
  ) {
    if (!api.getGridOption('rowSelection')) return;
    for (const event of ['selectionChanged', 'modelUpdated'] as const) {
      api.addEventListener(event, this.update);
      this.stops.push(() => {
        if (!api.isDestroyed()) api.removeEventListener(event, this.update);
      });
    }
    this.stops.push(selectionOf(store).subscribe(this.update));
    this.update();
  }

  /** Takes what the user has selected, and then shows what the store has selected. */
  readonly update = (): void => {
    if (this.isUpdating || this.stops.length === 0 || this.api.isDestroyed()) return;
    this.isUpdating = true;
    try {
      const nodes = this.nodes();
      if (!this.takeAll(nodes)) this.take(nodes);
      this.show(nodes);
    } finally {
      this.isUpdating = false;
    }
  };

  end(): void {
    for (const stop of this.stops.splice(0)) stop();
  }

  private get isSingle(): boolean {
    const option = this.api.getGridOption('rowSelection');
    return option === 'single' || (typeof option === 'object' && option.mode === 'singleRow');
  }

  /** The rows with records that can be selected, also those that the grid has selected and does not hold any more. */
  private nodes(): IRowNode<M>[] {
    const { api } = this;
    const nodes = new Set<IRowNode<M>>();
    api.forEachNode((node) => nodes.add(node));
    // With the server-side row model, the grid cannot name the rows that it has selected.
    if (!this.serverState()) for (const node of api.getSelectedNodes()) nodes.add(node);
    return [...nodes].filter(({ data, selectable }) => data && selectable);
  }

  /** The selection of the server-side row model: rows by their ids, or all but these; undefined for other row models. */
  private serverState(): { readonly selectAll: boolean; readonly toggledNodes: readonly string[] } | undefined {
    if (this.api.getGridOption('rowModelType') !== 'serverSide') return undefined;
    const state = this.api.getServerSideSelectionState();
    return state && 'selectAll' in state ? state : undefined;
  }

  /** Takes it if the user has selected all rows of the server, or none of them. Returns whether that is so. */
  private takeAll(nodes: readonly IRowNode<M>[]): boolean {
    const state = this.serverState();
    if (!state || state.selectAll === this.isAll) return false;
    this.isAll = state.selectAll;
    const selection = selectionOf(this.store);
    const rows = state.toggledNodes.map((id): M | RecordId => this.api.getRowNode(id)?.data ?? id);
    if (state.selectAll) {
      selection.selectAll();
      selection.deselect(...rows);
    } else {
      selection.clear();
      selection.select(...rows);
    }
    for (const node of nodes) this.note(node);
    return true;
  }

  private take(nodes: readonly IRowNode<M>[]): void {
    const selection = selectionOf(this.store);
    const changed = nodes.filter((node) => {
      const known = this.known.get(node);
      return known?.record === node.data && known?.isSelected !== isSelected(node);
    });
    const recordsOf = (wanted: boolean) =>
      changed.filter((node) => isSelected(node) === wanted).map(({ data }) => data as M);
    const selected = recordsOf(true);
    if (this.isSingle && selected.length > 0) selection.clear();
    selection.deselect(...recordsOf(false));
    selection.select(...selected);
  }

  private show(nodes: readonly IRowNode<M>[]): void {
    const { api, store } = this;
    const { all, count, isSelected: isInStore } = selectionOf(store).get();
    // A grid for one row cannot show several.
    const isShown = !this.isSingle || count === 1;
    const isWanted = ({ data }: IRowNode<M>) => isShown && isInStore(data as M);
    if (this.serverState() && all !== this.isAll) {
      const toggled = nodes.filter((node) => isWanted(node) !== all).flatMap(({ id }) => id ?? []);
      api.setServerSideSelectionState({ selectAll: all, toggledNodes: toggled });
      this.isAll = all;
    }
    for (const newValue of [false, true]) {
      const others = nodes.filter((node) => isWanted(node) === newValue && isSelected(node) !== newValue);
      if (others.length > 0) api.setNodesSelected({ nodes: others, newValue, source: 'api' });
    }
    for (const node of nodes) this.note(node);
  }

  private note(node: IRowNode<M>): void {
    this.known.set(node, { record: node.data as M, isSelected: isSelected(node) });
  }
}

function isSelected(node: { isSelected(): boolean | undefined }): boolean {
  return node.isSelected() === true;
}
