import type { FieldName } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { AnyId } from '../operation/actions.js';
import { checkWhole, type PageNumbers } from '../operation/query-parts.js';
import type { NextPage } from '../operation/result-set.js';
import { isSame } from '../util/values.js';
import type { Query } from './query.js';
import { plausibleTotal } from './row-count.js';

/** Options of one load. */
export interface LoadOptions<M extends Model> {
  /** Becomes the query of the store, as by `setQuery()`, in the same request. @default the query of the store */
  query?: Query<M> | undefined;
  /**
   * The fields that the rows should have, as `fields` of the query, which they become: further loads ask for them too. `[]` asks for all.
   *
   * @example
   * ```ts
   * await users.load({ fields: ['id', 'name'] });
   * ```
   */
  fields?: readonly FieldName<M>[] | undefined;
  /** Number of the page; the first page is 1. */
  page?: number | undefined;
  /** Index of the first row in the collection; the first row is 0. */
  start?: number | undefined;
  /** Number of rows to load; 0 for no limit. @default pageSize */
  limit?: number | undefined;
  /** Loads only the record with this id. */
  id?: AnyId | undefined;
  /** Replaces the `url` of the proxy for this load. */
  url?: string | undefined;
  /** Query parameters of this load; they replace those of the proxy with the same name. */
  params?: Record<string, unknown> | undefined;
  /** Values for the `{name}`s of the proxy's `url`, for this load. */
  pathParams?: Record<string, string | number> | undefined;
  /** Headers of this load; they replace those of the proxy with the same name. */
  headers?: Record<string, string> | undefined;
  /** Whether the loaded records stay, and the new ones are appended. @default false */
  addRecords?: boolean | undefined;
  /** The next page as an earlier response gave it (`resultSet.next`). */
  next?: NextPage | undefined;
  /** Aborts this load: the promise rejects with `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Options of `loadMore`. */
export type LoadMoreOptions = Pick<LoadOptions<Model>, 'params' | 'pathParams' | 'headers' | 'signal'>;

/**
 * Compares the rows of a response with the loaded records. Both methods may visit every record, so they are called only if
 * necessary.
 */
export interface AnsweredRows {
  /** Number of loaded rows together with the rows of the response; a row in both counts once. */
  countTogether(): number;
  /** Whether the response has a row that is not loaded yet. */
  hasNewRow(): boolean;
}

/** The parts of a response to a load that paging depends on. */
export interface PagedAnswer<M extends Model> {
  /** The paging parameters that the request sent. */
  readonly numbers: PageNumbers;
  readonly options: LoadOptions<M>;
  /** Number of rows that the server sent. */
  readonly count: number;
  /** Size of the collection; undefined if the server did not tell it. */
  readonly total: number | undefined;
  /** Size of the collection before the response; 0 while unknown. Undefined: the total of the response says nothing about missing rows. */
  readonly knownTotal: number | undefined;
  /** The next page as the server gave it; null if the server said that there is none, undefined if it did not say. */
  readonly next: NextPage | null | undefined;
  /** Whether the application says that every response holds the whole collection (`reader: { complete: true }`). */
  readonly isComplete: boolean;
  readonly rows: AnsweredRows;
}

/** How far a store has read its collection, as JSON can carry it. Each response gives a new one, so that one that is refused changes nothing. */
export interface Paging<M extends Model> {
  /** Size of the collection when it was last read; undefined while unknown. */
  readonly total: number | undefined;
  /** Whether it is proved that all rows of the collection are loaded. */
  readonly complete: boolean;
  /** The options of the load that brings the next rows; undefined if there are no more rows. */
  readonly next: LoadOptions<M> | undefined;
  /** Number of the page that was loaded last. */
  readonly currentPage: number;
  /** Number of the page with which the list on show begins, and whether further loads have extended it. */
  readonly firstPage: number;
  readonly isExtended: boolean;
  /** Whether the store asks for other rows since the last response: then the next load replaces the loaded rows by those of the first page. */
  readonly restarted: boolean;
  /** Whether the store asks for another collection, or another order, since the last response. */
  readonly outdated: boolean;
  /** Number of rows in the longest answer of the list: the server sends as many at a time. */
  readonly mostRows: number;
  /** The page number that the last load sent without a limit; undefined if it sent a limit, or no page. */
  readonly pageWithoutLimit: number | undefined;
  /** Index in the collection of the first row of the next load. */
  readonly nextStart: number;
  /** Index in the collection of the first row on show, less the rows on show that others have erased while it was read. */
  readonly firstStart: number;
  /** Whether the total counts rows that should be on show, but came with no response. */
  readonly lacksRows: boolean;
  /** The links by which the present page and those before it were read, each with the index of its first row. */
  readonly links: readonly ReadLink[];
}

/** The link of a page that was read. */
interface ReadLink {
  readonly next: NextPage;
  readonly start: number;
}

/** The options of a load that name a page. */
type PagePlace = Pick<LoadOptions<Model>, 'page' | 'next'>;

/** The members of the paging of a list that begins with its first page. */
const FIRST_PAGE = { firstPage: 1, isExtended: false, nextStart: 0, pageWithoutLimit: undefined, links: [] } as const;

/** The members of the paging of a list of which nothing is read. */
const UNREAD = {
  ...FIRST_PAGE,
  ...{ currentPage: 1, restarted: false, outdated: false, mostRows: 0, firstStart: 0, lacksRows: false },
} as const;

/**
 * The paging before the first load. `next` are the options of that load; `total` is the number of records in the option `data`.
 */
export function beginPaging<M extends Model>(next: LoadOptions<M> | undefined, total: number | undefined): Paging<M> {
  return { ...UNREAD, total, next, complete: true };
}

/** The paging after a response. */
export function pagingAfterAnswer<M extends Model>(paging: Paging<M>, answer: PagedAnswer<M>): Paging<M> {
  const { numbers, options, count, next, rows } = answer;
  const { nextStart: expectedStart, links: known } = paging;
  const append = options.addRecords ?? false;
  const links = options.next ? linksUpTo(known, { next: options.next, start: expectedStart }) : [];
  const linkedStart = append ? expectedStart : links.at(-1)?.start;
  const { page, limit, start = (options.next && linkedStart) ?? 0 } = numbers;
  const nextStart = start + count;
  const givenTotal = givenTotalOf(answer);
  const ends = next === undefined ? endsByNumbers(answer, nextStart, givenTotal, paging.mostRows) : next === null;
  // A list that begins again may get pages of another length.
  const mostRows = start > 0 ? Math.max(paging.mostRows, count) : count;
  const total = givenTotal ?? countedTotal(paging, answer, start);
  const currentPage = page ?? (options.next ? paging.currentPage + links.length - known.length : 1);
  // A load that went back because of erased records reads rows again that are loaded already.
  const goesBack = append && start < expectedStart;
  const hasNewRows = append ? goesBack || rows.hasNewRow() : count > 0;
  const nextRows = next ? { next } : { page: currentPage + 1, start: nextStart };
  const hasNext = !ends && (hasNewRows || !isDeadEnd(answer));
  const firstStart = firstStartAfter(paging, answer, start, givenTotal);
  const onShow = append ? rows.countTogether() : count;
  return {
    total,
    complete: options.id === undefined && total !== undefined && total <= onShow,
    next: hasNext ? repeatLoad(answer, { addRecords: true, ...nextRows }) : undefined,
    currentPage,
    firstPage: append ? paging.firstPage : currentPage,
    ...{ isExtended: append, restarted: false, outdated: false, mostRows },
    ...{ nextStart, links, pageWithoutLimit: limit === undefined ? page : undefined },
    firstStart,
    lacksRows: countedBefore(answer, start, hasNext, givenTotal) - firstStart > onShow,
  };
}

/**
 * Index in the collection of the first row on show after a response, less the rows that others have erased since the page before it: these are
 * still on show, or rows behind them have moved up to a page that was read. Rows that a load leaves out count as rows before the list.
 */
function firstStartAfter<M extends Model>(
  { firstStart, nextStart }: Paging<M>,
  { options, knownTotal = 0 }: PagedAnswer<M>,
  start: number,
  total: number = knownTotal,
): number {
  const { addRecords: append, page, next } = options;
  // A start that the caller gives says nothing of the page before, and behind a link no row moves up to it.
  const follows = !next && (append || (page !== undefined && start > 0 && start === nextStart));
  const erasedByOthers = follows ? Math.max(knownTotal - total, 0) : 0;
  return (append ? firstStart + Math.max(start - nextStart, 0) : start) - erasedByOthers;
}

/** The size of the collection by the rows that were counted, if an answer proves that no row is behind it; otherwise undefined. */
function countedTotal<M extends Model>(paging: Paging<M>, answer: PagedAnswer<M>, start: number): number | undefined {
  const { numbers, options, count, next } = answer;
  const { nextStart, mostRows } = paging;
  const isLast = next === null || (next === undefined && provesEnd(answer, mostRows));
  // Without a limit the server chooses the page size, so the number of rows before the page is unknown.
  if (!isLast || (numbers.page !== undefined && numbers.limit === undefined)) return undefined;
  // An empty page may stand far behind the last row, except for the one behind the rows that were read.
  const isNumbered = count > 0 && numbers.limit !== undefined && numbers.start !== undefined;
  const follows = paging.next !== undefined && start === nextStart;
  const isCounted = options.addRecords ? start <= nextStart : start === 0 || isNumbered || follows;
  return isCounted ? start + count : undefined;
}

/** The paging while a response is arriving, after its first rows. */
export function pagingAfterFirstRows<M extends Model>(
  paging: Paging<M>,
  load: Pick<PagedAnswer<M>, 'numbers' | 'options'>,
): Paging<M> {
  if (load.options.addRecords) return paging;
  const { page, start } = load.numbers;
  // If the response breaks off, `loadMore` repeats the same load, so that no row is missing.
  return { ...paging, complete: !isPaged(load.numbers), next: repeatLoad(load, { page, start }) };
}

/** The paging after the store has begun to ask for other rows: the next rows are those of the first page. */
export function restartPaging<M extends Model>(paging: Paging<M>): Paging<M> {
  return { ...paging, ...FIRST_PAGE, next: {}, restarted: true, outdated: true };
}

/** The paging for a new page size: the page numbers start again from 1. If all rows are loaded, no further row is to be loaded. */
export function restartPages<M extends Model>(paging: Paging<M>): Paging<M> {
  const { complete, next, outdated } = paging;
  return { ...restartPaging(paging), next: complete ? next : {}, currentPage: 1, outdated };
}

/**
 * The options of the load that brings the next rows. It goes back by as many pages as `erased` rows fill: each erase has moved the
 * rows behind it up on the server.
 */
export function nextLoad<M extends Model>({ next }: Paging<M>, erased: number): LoadOptions<M> | undefined {
  const { page = 1, start = 0, limit } = next ?? {};
  if (!limit || next?.next || erased === 0) return next;
  const back = Math.ceil(erased / limit);
  return { ...next, page: Math.max(page - back, 1), start: Math.max(start - back * limit, 0) };
}

/**
 * The page behind the current one: by the link of the server, or by its number; undefined behind the last link. `erased` as for
 * {@link nextLoad}.
 */
export function pageBehind<M extends Model>(paging: Paging<M>, erased: number): PagePlace | undefined {
  const { links, restarted, currentPage } = paging;
  const { next, page = restarted ? 1 : currentPage + 1 } = nextLoad(paging, erased) ?? {};
  if (next) return { next };
  return links.length > 0 && !restarted ? undefined : { page };
}

/** The page before the current one: by the link that it was read by, or by its number. */
export function pageBefore<M extends Model>({ links, restarted, currentPage }: Paging<M>): PagePlace {
  const link = links.at(-2);
  return link ? { next: link.next } : { page: restarted ? 1 : Math.max(1, currentPage - 1) };
}

/** The index in the collection behind the last row that a reload has to read; undefined if it reads one page. */
export function endOfReload<M extends Model>(paging: Paging<M>): number | undefined {
  const { isExtended, lacksRows, next, nextStart, total = 0 } = paging;
  const end = lacksRows && !next ? Math.max(nextStart, total) : nextStart;
  return isExtended ? end : undefined;
}

/** Whether a load that reads up to an index of the collection has to go on. */
export function endsBefore<M extends Model>({ next, nextStart }: Paging<M>, end: number): boolean {
  return next !== undefined && nextStart < end;
}

/**
 * The page with which a reload begins; `limit` is 0 if the reload sends no limit. If that page is behind the last of `total` rows, because
 * its rows were erased, it is the last page.
 */
export function pageToReload<M extends Model>(
  { links, firstPage, currentPage, pageWithoutLimit }: Paging<M>,
  limit: number,
  total: number | undefined,
): PagePlace {
  const link = links.at(firstPage - currentPage - 1);
  if (link) return { next: link.next };
  if (limit <= 0) return { page: pageWithoutLimit };
  const lastPage = total === undefined ? Number.POSITIVE_INFINITY : Math.max(Math.ceil(total / limit), 1);
  return { page: Math.min(firstPage, lastPage) };
}

/** The data of a paging for another page or process: without the headers of its loads, which may hold secrets. */
export function savedPaging<M extends Model>(state: Paging<M>): Paging<M> {
  const { next, currentPage, firstPage = currentPage } = state;
  const shown = { ...UNREAD, ...state, firstPage, restarted: false, outdated: false };
  return { ...shown, next: next && { ...next, headers: undefined } };
}

/** The paging parameters that a load sends. Without a limit, or when the load follows a link, only the caller's own are sent. */
export function pageNumbers(
  { page, start, limit, next }: PageNumbers & { readonly next?: NextPage | undefined },
  pageSize: number,
): PageNumbers {
  const count = limit ?? pageSize;
  if (next) return count > 0 ? { limit: count } : {};
  if (count <= 0) return { page, start };
  const isPageEdge = start !== undefined && start % count === 0;
  const number = page ?? (isPageEdge ? start / count + 1 : 1);
  return { page: number, start: start ?? (number - 1) * count, limit: count };
}

/** The links that were read, up to this one, which is new or one of them. */
function linksUpTo(links: readonly ReadLink[], link: ReadLink): readonly ReadLink[] {
  const at = links.findIndex(({ next }) => isSame(next, link.next));
  return at < 0 ? [...links, link] : links.slice(0, at + 1);
}

/** Whether a load asks for a part of the collection only. */
export function isPaged({ page, start, limit }: PageNumbers): boolean {
  return (limit ?? page ?? start) !== undefined;
}

/** Throws `UnsupportedQueryError` if a page size is not a whole number from 0. */
export function checkPageSize(pageSize: number): void {
  checkWhole('pageSize', pageSize, 0);
}

/** The total that a response gave; undefined if the server has sent more rows than that, so that the total must be wrong. */
function givenTotalOf({ numbers, options, count, total, rows }: PagedAnswer<Model>): number | undefined {
  const { limit, start = 0 } = numbers;
  // A server that sends more rows than the limit ignores paging: it has sent all rows, from the first. Rows behind a link have no
  // number.
  const first = limit !== undefined && count > limit ? 0 : start;
  const plausible = plausibleTotal(total, first, count);
  // Rows that moved between two loads come twice, so the total is compared with the distinct rows.
  return plausible === undefined && options.addRecords ? plausibleTotal(total, 0, rows.countTogether()) : plausible;
}

/** Whether a response is the last one, judged by its numbers because it names no next page. */
function endsByNumbers(
  answer: PagedAnswer<Model>,
  nextStart: number,
  total: number | undefined,
  mostRows: number,
): boolean {
  const { numbers, options, isComplete } = answer;
  if (options.id !== undefined || options.next || numbers.limit === undefined || (isComplete && total === undefined))
    return true;
  return total === undefined ? provesEnd(answer, mostRows) : nextStart >= total;
}

/**
 * Whether a response proves by its numbers that no row is behind it. A first page that is shorter or longer than its limit proves nothing: the
 * server may send fewer rows at a time, or ignore the limit. Behind a page of the full length, a shorter one is the last.
 */
function provesEnd({ numbers, options, count, isComplete }: PagedAnswer<Model>, mostRows: number): boolean {
  const { limit, start = 0 } = numbers;
  // Rows behind a link have no page numbers, so a response without a further link is the last one.
  if (isComplete || options.next || limit === undefined || count === 0) return true;
  return start > 0 && count < limit && mostRows >= limit;
}

/**
 * The index in the collection behind the last row that the list should have after a response, by its total; 0 if it tells none that counts. A
 * link gives no number of the rows before it, and neither does a page whose length the server chooses.
 */
function countedBefore(answer: PagedAnswer<Model>, start: number, hasNext: boolean, total: number = 0): number {
  const { page, limit } = answer.numbers;
  if (answer.knownTotal === undefined || answer.next || (page !== undefined && limit === undefined)) return 0;
  return hasNext ? Math.min(start + (limit ?? 0), total) : total;
}

/**
 * Whether a response without new rows is the last one. Some servers repeat their last page forever; others, which give a token for the
 * next page, may send an empty page before the last one.
 */
function isDeadEnd({ options, count, next }: PagedAnswer<Model>): boolean {
  return !next || count > 0 || JSON.stringify(next) === JSON.stringify(options.next);
}

/** The options that repeat a load for other rows. */
function repeatLoad<M extends Model>(
  { numbers, options }: Pick<PagedAnswer<M>, 'numbers' | 'options'>,
  rows: LoadOptions<M>,
): LoadOptions<M> {
  const { url, params, pathParams, headers } = options;
  return { url, params, pathParams, headers, limit: numbers.limit ?? 0, ...rows };
}
