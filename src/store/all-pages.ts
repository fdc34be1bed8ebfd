import type { Model } from '../model/model.js';
import { inner } from '../model/record.js';
import type { RecordCore } from '../model/record-core.js';
import { nextTime } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import { checkPaging } from '../operation/query-parts.js';
import type { Data } from '../util/data-path.js';
import { type IdKey, idKeyOf, idsOf } from './id-index.js';
import { type InnerStore, innerStore, type LoadPart } from './inner-store.js';
import { loadRefusal } from './load-refusal.js';
import { type Page, takeUnshown } from './page-reader.js';
import { beginPaging, type LoadOptions, nextLoad, pagingAfterAnswer } from './paging.js';
import { type Query, queryFor } from './query.js';
import { isFiltered, type QueryRules } from './query-rules.js';
import { joined, rowsOf, type Store } from './store.js';
import type { PagesOptions } from './store-config.js';
import { checkPages } from './store-options.js';

/** The rows that a reading of all pages asks a store for. */
interface AllRows<M extends Model> {
  readonly store: InnerStore<M>;
  readonly rules: QueryRules<M>;
  readonly query: Query<M>;
  /** The rows that the query gives, in the form of `countedRows` of the store. */
  readonly rows: object;
  /** The options of the first request. */
  readonly first: LoadOptions<M>;
  readonly signal: AbortSignal;
}

/**
 * Reads all rows of a query, page by page, for an export or a bulk action: what the store shows does not change. A record that the store
 * holds already is given as that object, with its edits. The others are held while their page is in use, so that `remove()` and `sync()`
 * take them; those with changes then stay pending. Rows that come twice are given once, and rows that are erased or saved in the loop make
 * the reading go back, so that none is left out; with tokens and addresses, the server has to take care of that. Local filters are applied
 * to each page; with a local order, all pages are read first. Throws at once for wrong arguments; the iteration throws a `DataError` if a
 * request fails.
 *
 * `sync()` in the loop writes everything that is pending in the store: `sync({ records: page })` writes the page only. Afterwards rows may
 * no longer match the query of the list: `reload()` shows it as it is now. `canLoad` of the store is asked for each request.
 *
 * @param query The rows to read. @default the query of the store
 *
 * @example
 * ```ts
 * const adults = users.query.with({ filters: [where(User).age.ge(18)] });
 * for await (const page of pagesOf(users, adults)) {
 *   for (const user of page) user.team = 'A';
 *   (await users.sync()).orThrow();
 * }
 * ```
 */
export function pagesOf<M extends Model>(
  store: Store<M>,
  query: Query<NoInfer<M>> = store.query,
  options: PagesOptions = {},
): AsyncGenerator<readonly M[], void, undefined> {
  return listedPages(innerStore(store), query, options);
}

/** Reads all rows of a query; `listed` are the options of a load whose rows are meant. */
export function listedPages<M extends Model>(
  store: InnerStore<M>,
  query: Query<M>,
  options: PagesOptions,
  listed: LoadPart = {},
): AsyncGenerator<readonly M[], void, undefined> {
  store.checkOpen();
  const { headers: ownHeaders, ...part } = listed;
  return store.inWords(() => {
    checkPages(options);
    const { limit = store.pageSize, signal = new AbortController().signal, headers, ...given } = options;
    checkPaging({ limit }, 1);
    const asked = queryFor(store.model, query);
    const rules = rulesForPages(store, asked);
    return readAllPages<M>({
      ...{ store, rules, query: asked, rows: rowsOf(rules.split(asked).sent, asked, listed), signal },
      first: { ...part, ...given, headers: joined(ownHeaders, headers), limit },
    });
  });
}

/**
 * The rules for reading all rows of a query. A store that holds everything applies it as it does to the rows that it shows. A part that the
 * server cannot apply is applied here as well, because all rows are read. Throws `UnsupportedQueryError`.
 */
function rulesForPages<M extends Model>(
  { wholeRules, partRules, holdsAll }: InnerStore<M>,
  query: Query<M>,
): QueryRules<M> {
  try {
    const rules = holdsAll ? wholeRules : partRules;
    rules.compile(query);
    return rules;
  } catch (error) {
    if (holdsAll || wholeRules === partRules) throw error;
    wholeRules.compile(query);
    return wholeRules;
  }
}

/**
 * Reads all rows of a query, one page at a time, and shows none of them. Local filters are applied page by page; for a local order, all pages
 * are read before the first one is given.
 */
async function* readAllPages<M extends Model>(source: AllRows<M>): AsyncGenerator<readonly M[], void, undefined> {
  const { rules, query } = source;
  const { filter, order } = rules.compile(query);
  const { sorters, groupers } = rules.split(query).local;
  const given = new GivenRecords<M>(source);
  try {
    if (sorters.length + groupers.length === 0) {
      for await (const records of requestPages(source, given)) {
        yield records.filter((record) => filter?.(record) ?? true);
        given.release();
      }
      return;
    }
    const all: M[] = [];
    for await (const records of requestPages(source, given))
      all.push(...records.filter((each) => filter?.(each) ?? true));
    if (order) all.sort(order);
    const { limit = 0 } = source.first;
    const size = limit > 0 ? limit : Math.max(all.length, 1);
    for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
  } finally {
    given.end();
  }
}

/** The records of one response after another, without those that an earlier response had. */
async function* requestPages<M extends Model>(
  { store, rules, query, first, signal }: AllRows<M>,
  given: GivenRecords<M>,
): AsyncGenerator<readonly M[], void, undefined> {
  const { definition } = store;
  let paging = beginPaging<M>(first, undefined);
  while (paging.next) {
    const options = nextLoad(paging, given.takeMoved()) as LoadOptions<M>;
    const operation = store.createOperation({ ...options, query }, signal, undefined, rules);
    const refusal = loadRefusal(store.config, operation, definition);
    if (refusal) throw refusal;
    const startedAt = nextTime(definition);
    store.checkOpen();
    const page = await store.read(operation, startedAt);
    store.checkOpen();
    const { count, total, next } = page.result;
    const newRows = (page.result.rows as Data[]).filter((row) => !given.has(definition.rowId(row)));
    paging = pagingAfterAnswer(paging, {
      ...{ numbers: operation, options: { ...options, addRecords: true }, count, total, next },
      knownTotal: undefined,
      isComplete: store.proxy.reader.complete,
      rows: {
        countTogether: () => given.count + newRows.length,
        hasNewRow: () => newRows.length > 0,
      },
    });
    yield given.take(newRows, page);
  }
}

/** The records that the reading has given. While a page is in use, the store holds its records, but shows none of them. */
class GivenRecords<M extends Model> {
  private readonly ids: Set<IdKey> = new Set();
  private readonly inUse: Set<M> = new Set();
  /** The records that were erased, or saved under a query that may leave them out now: rows behind them have moved up. */
  private readonly moved: Set<M> = new Set();
  private readonly detach: () => void;
  private startedAt = 0;

  constructor(private readonly source: AllRows<M>) {
    const { sent } = source.rules.split(source.query);
    const maySavesMove = isFiltered(sent) || sent.sorters.length > 0;
    const hasSettled = (core: RecordCore | undefined) => core !== undefined && core.settledAt > this.startedAt;
    this.detach = source.store.recordSet.observers.attach({
      keeps: (record) => this.inUse.has(record),
      recordChanged: (record) => {
        if (maySavesMove && hasSettled(inner(record)[CORE])) this.moved.add(record);
      },
      recordDropped: (record) => {
        if (!inner(record)[CORE]?.erased) return;
        this.moved.add(record);
        const [id] = idsOf(record);
        if (id !== undefined) this.ids.add(id);
      },
    });
  }

  /** Number of the rows so far. */
  get count(): number {
    return this.ids.size;
  }

  /** Whether a row with this id has come. */
  has(id: unknown): boolean {
    return this.ids.has(idKeyOf(id) as IdKey);
  }

  /** The number of rows that the rows behind the given ones have moved up since the last request. */
  takeMoved(): number {
    const count = this.moved.size;
    this.moved.clear();
    return count;
  }

  /** Makes records of the rows of a page. */
  take(rows: readonly Data[], page: Page): readonly M[] {
    const { pageReader, recordSet, definition } = this.source.store;
    this.startedAt = page.startedAt;
    for (const row of rows) this.ids.add(idKeyOf(definition.rowId(row)) as IdKey);
    const records = takeUnshown(pageReader, rows, page);
    for (const record of records) this.inUse.add(record);
    recordSet.countDelta.note(records, this.source.rows);
    return records.filter((record) => !recordSet.hidden(record));
  }

  /** The records of the page are in use no longer: those with changes stay pending in the store. */
  release(): void {
    const records = [...this.inUse];
    this.inUse.clear();
    for (const record of records) this.source.store.recordSet.release(record);
  }

  end(): void {
    this.detach();
    this.release();
  }
}
