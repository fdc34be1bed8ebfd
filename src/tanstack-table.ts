/**
 * A store as the data and the state of TanStack Table 9, in all frameworks: the table sorts, filters and pages the store, and shows what
 * the store's query says.
 *
 * @module
 */

import type { FieldName } from './model/infer.js';
import type { Model } from './model/model.js';
import { innerModel } from './model/model-definition.js';
import { inner } from './model/record.js';
import { DEFINITION } from './model/symbols.js';
import { type Filter, type Operator, operatorOf } from './operation/query-parts.js';
import { innerStore } from './store/inner-store.js';
import type { FilterConfig, SorterConfig } from './store/query.js';
import { selectionOf } from './store/selection.js';
import type { Store } from './store/store.js';
import { ignoreRejection } from './util/ignore-rejection.js';
import { type Source, ValueSource } from './util/value-source.js';

/** An atom of TanStack Store. */
export interface TableAtom<T> {
  get(): T;
  set: ((update: (previous: T) => T) => void) & ((value: T) => void);
  subscribe: ((listener: (value: T) => void) => TableSubscription) &
    ((observer: { next?: (value: T) => void }) => TableSubscription);
}
/** A subscription of an atom. */
export interface TableSubscription {
  unsubscribe(): void;
}
/** The state of a table's pages. */
export interface TablePagination {
  /** Index of the page; the first page is 0. */
  pageIndex: number;
  pageSize: number;
}
/** The slices of a table's state that a store holds. */
export interface TableAtoms {
  sorting: TableAtom<{ id: string; desc: boolean }[]>;
  columnFilters: TableAtom<{ id: string; value: unknown }[]>;
  /** The text of `store.search()`. */
  globalFilter: TableAtom<string>;
  pagination: TableAtom<TablePagination>;
  /** The shown records that `selectionOf(store)` has selected. Those of other pages stay selected, too. */
  rowSelection: TableAtom<Record<string, true>>;
}

/** Options for `useTable`, beside `features` and `columns`. */
export interface TableOptionsOf<M> {
  /** The records that the store shows; the same array until other records are shown, or their order changes. */
  readonly data: readonly M[];
  readonly atoms: TableAtoms;
  /**
   * The id of the record, so that a record that is loaded again is the same row. A record that was new when the table first showed it keeps
   * its `$.key` when it gets an id.
   */
  readonly getRowId: (record: M) => string;
  /** Size of the collection. While the server does not tell it: the rows up to the page that is shown, and one more if there are more. */
  readonly rowCount: number;
  /** The store sorts and filters, or lets the server do it. */
  readonly manualSorting: true;
  readonly manualFiltering: true;
  /** Whether the store loads pages; with `pageSize: 0` the table pages the loaded records itself. */
  readonly manualPagination: boolean;
  readonly autoResetPageIndex: false;
}

/** Options of `tableSource`. */
export interface TableSourceOptions<M extends Model> {
  /**
   * How the filter of a column compares. A filter with another operator is no filter of the column: the table neither shows nor removes
   * it.
   * @default `like` for texts in fields of type `string`, `in` for arrays, otherwise `eq`
   */
  readonly operators?: { readonly [K in FieldName<M>]?: Operator };
  /** Milliseconds to wait before a filter is applied; a further change in that time replaces it. @default 0 */
  readonly delay?: number;
  /** Rows per page if the table pages by itself, because the store has `pageSize: 0`. @default 10 */
  readonly pageSize?: number;
}

/**
 * Makes the options of a table from a store, as a source: its value changes with the records that are shown and with their number. Make
 * it once, beside the store. Ids of columns are names of fields. Sorting, filtering and paging throw `UnsupportedQueryError`, as the store
 * does, for what the store cannot answer; errors of loads are in `store.status`.
 *
 * @param createAtom `createAtom` of the TanStack Store package for the framework, such as `@tanstack/react-store`: a table follows only
 * atoms that its own copy of TanStack Store has made.
 *
 * @example
 * ```tsx
 * const source = tableSource(tasks, createAtom); // once, beside the store
 * function TasksTable() {
 *   const options = useSyncExternalStore(source.subscribe, source.get, source.get);
 *   const table = useTable({ features, columns: [{ accessorKey: 'title' }], ...options });
 *   return <ul>{table.getRowModel().rows.map(({ id, original }) => <li key={id}>{original.title}</li>)}</ul>;
 * }
 * ```
 */
export function tableSource<M extends Model>(
  store: Store<M>,
  createAtom: (version: number) => TableAtom<number>,
  options: TableSourceOptions<M> = {},
): Source<TableOptionsOf<M>> {
  /** Counts the changes. All atoms read it, so that tables follow them. */
  const version = createAtom(0);
  let changes = 0;
  const changed = () => {
    changes += 1;
    version.set(changes);
    source.update();
  };
  const atom = <T>({ read, write }: Slice<T>): TableAtom<T> => ({
    get: () => {
      version.get();
      return read();
    },
    set: (next: T | ((previous: T) => T)) => {
      const value = typeof next === 'function' ? (next as (previous: T) => T)(read()) : next;
      if (value === read()) return;
      write(value);
      changed();
    },
    subscribe: (listener: ((value: T) => void) | { next?: (value: T) => void }) =>
      version.subscribe(() => (typeof listener === 'function' ? listener(read()) : listener.next?.(read()))),
  });
  const queryAtoms = {
    sorting: atom(sortingOf(store)),
    columnFilters: atom(filtersOf(store, options)),
    globalFilter: atom({
      read: () => store.query.search,
      write: (text) => store.search(String(text ?? ''), { delay: options.delay ?? 0 }),
    }),
    pagination: atom(pagesOf(store, options, changed)),
  };

  const recordsOf = cached(store.list.get, (list) => list.slice());
  const rowIdOf = rowIds<M>(recordsOf);
  const atoms: TableAtoms = {
    ...queryAtoms,
    rowSelection: atom(rowSelectionOf(store, recordsOf, rowIdOf)),
  };
  let stops: readonly (() => void)[] = [];
  const follow = (isWatched: boolean) => {
    for (const stop of stops) stop();
    // A new query that changes no order is told to nobody else. It is in place when this tick has ended.
    const observer = { checkQuery: () => queueMicrotask(changed) };
    const { recordSet } = innerStore(store);
    stops = isWatched
      ? [
          ...[store.list, store.status, selectionOf(store)].map(({ subscribe }) => subscribe(changed)),
          recordSet.observers.attach(observer),
        ]
      : [];
  };
  const source = new ValueSource<TableOptionsOf<M>>((previous) => {
    const [data, rowCount, manualPagination] = [recordsOf(), rowCountOf(store), store.pageSize > 0];
    if (previous?.data === data && previous.rowCount === rowCount && previous.manualPagination === manualPagination)
      return previous;
    return {
      ...{ data, rowCount, manualPagination, manualSorting: true, manualFiltering: true, autoResetPageIndex: false },
      getRowId: rowIdOf,
      // A new object for each table, because adapters for some frameworks replace the atoms in it.
      get atoms() {
        return { ...atoms };
      },
    };
  }, follow);
  return source;
}

/** How a slice of the table's state is read from the store, and written to it. `read` returns the same value until it has changed. */
interface Slice<T> {
  read(): T;
  write(value: T): void;
}

function sortingOf<M extends Model>(store: Store<M>): Slice<{ id: string; desc: boolean }[]> {
  return {
    read: cached(
      () => store.query.sorters,
      (sorters) => sorters.flatMap(({ property: id, direction }) => (id ? [{ id, desc: direction === 'DESC' }] : [])),
    ),
    write: (columns) => {
      const sorters = columns.map(({ id, desc }) => {
        const present = store.query.sorters.find(({ property }) => property === id);
        return { ...present, property: id, direction: desc ? 'DESC' : 'ASC' };
      });
      store.sort(sorters as SorterConfig<M>[]);
    },
  };
}

function filtersOf<M extends Model>(
  store: Store<M>,
  { operators, delay = 0 }: TableSourceOptions<M>,
): Slice<{ id: string; value: unknown }[]> {
  const { [DEFINITION]: model } = innerModel(store.model);
  const operatorFor = (field: string, value: unknown): Operator => {
    const isText = typeof value === 'string' && model.field(field)?.type === 'string';
    return operators?.[field as FieldName<M>] ?? (isText ? 'like' : Array.isArray(value) ? 'in' : 'eq');
  };
  const isOfColumn = (filter: Filter) => {
    const { property, value, disabled, convert } = filter;
    return property && !disabled && !convert && operatorOf(filter) === operatorFor(property, value);
  };
  return {
    read: cached(
      () => store.query.filters,
      (filters) => filters.filter(isOfColumn).map(({ property, value }) => ({ id: property as string, value })),
    ),
    write: (columns) => {
      const others = store.query.filters.filter((each) => !isOfColumn(each));
      const made = columns
        .filter(({ value }) => value !== undefined && value !== null && value !== '')
        .map(({ id, value }) => ({ property: id, operator: operatorFor(id, value), value }));
      store.filter([...others, ...made] as FilterConfig<M>[], { delay });
    },
  };
}

function pagesOf<M extends Model>(
  store: Store<M>,
  { pageSize = 10 }: TableSourceOptions<M>,
  changed: () => void,
): Slice<TablePagination> {
  /** The page of a table that pages by itself. */
  let ownPage: TablePagination = { pageIndex: 0, pageSize };
  /** The page that is being loaded. */
  let loading: TablePagination | undefined;
  const read = cached(
    () => {
      if (loading) return loading;
      if (store.pageSize > 0) return { pageIndex: store.currentPage - 1, pageSize: store.pageSize };
      const lastPage = Math.max(Math.ceil(store.count / ownPage.pageSize) - 1, 0);
      return { ...ownPage, pageIndex: Math.min(ownPage.pageIndex, lastPage) };
    },
    (page) => page,
    isSamePage,
  );
  return {
    read,
    write: (page) => {
      if (isSamePage(page, read())) return;
      if (store.pageSize === 0) {
        ownPage = page;
        return;
      }
      store.setPageSize(page.pageSize);
      loading = page;
      const load = store.load({ page: page.pageIndex + 1 }).finally(() => {
        if (loading !== page) return;
        loading = undefined;
        changed();
      });
      // The error is in the status of the store.
      ignoreRejection(load);
    },
  };
}

function isSamePage(a: TablePagination, b: TablePagination): boolean {
  return a.pageIndex === b.pageIndex && a.pageSize === b.pageSize;
}

/**
 * Makes the function that gives each record its row id: always the same one, also when a new record gets its id. A record has its key
 * instead of its id if another one that is shown has that row id, because its own id has changed since.
 */
function rowIds<M extends Model>(shown: () => readonly M[]): (record: M) => string {
  const known = new WeakMap<M, string>();
  const taken = cached(shown, (records) => new Set(records.map((record) => known.get(record))));
  return (record) => {
    const present = known.get(record);
    if (present !== undefined) return present;
    const isFree = !record.phantom && !taken().has(String(record.getId()));
    const id = isFree ? String(record.getId()) : inner(record).$.key;
    known.set(record, id);
    taken().add(id);
    return id;
  };
}

function rowSelectionOf<M extends Model>(
  store: Store<M>,
  shown: () => readonly M[],
  rowIdOf: (record: M) => string,
): Slice<Record<string, true>> {
  const selection = selectionOf(store);
  const read = cached(
    () => ({ records: shown(), selected: selection.get() }),
    ({ records, selected }): Record<string, true> =>
      Object.fromEntries(records.flatMap((record) => (selected.isSelected(record) ? [[rowIdOf(record), true]] : []))),
    (a, b) => a.records === b.records && a.selected === b.selected,
  );
  return {
    read,
    write: (rows) => {
      const before = read();
      // An id may be the name of a member that all objects inherit.
      const isIn = (ids: object, record: M) => Object.hasOwn(ids, rowIdOf(record));
      const changed = shown().filter((record) => isIn(rows, record) !== isIn(before, record));
      selection.select(...changed.filter((record) => isIn(rows, record)));
      selection.deselect(...changed.filter((record) => !isIn(rows, record)));
    },
  };
}

type Paged = Pick<Store<Model>, 'pageSize' | 'total' | 'currentPage' | 'count' | 'hasMore' | 'holdsAll'>;

function rowCountOf({ pageSize, total, currentPage, count, hasMore, holdsAll }: Paged): number {
  // A store that holds everything filters by itself, so the total says nothing about the rows that are shown.
  if (pageSize === 0 || holdsAll) return count;
  // A page may be shorter than asked for, and the table must reach the next one all the same.
  const [known, next] = [(currentPage - 1) * pageSize + count, currentPage * pageSize + 1];
  return total ?? (hasMore ? Math.max(known + 1, next) : known);
}

/** A function that makes a value from another one, and returns the same value until the other one has changed. */
function cached<I, T>(
  read: () => I,
  make: (input: I) => T,
  isSame: (a: I, b: I) => boolean = (a, b) => a === b,
): () => T {
  let last: { readonly input: I; readonly value: T } | undefined;
  return () => {
    const input = read();
    if (!last || !isSame(last.input, input)) last = { input, value: make(input) };
    return last.value;
  };
}
