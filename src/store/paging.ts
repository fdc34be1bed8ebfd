import { badValue } from '../errors/unsupported-query-error.js';
import type { NextPage } from '../operation/result-set.js';
import { plausibleTotal } from './row-count.js';
import type { LoadOptions } from './store-config.js';

/** The numbers of a page, as a request sends them. */
export interface PageNumbers {
  readonly page?: number | undefined;
  readonly start?: number | undefined;
  readonly limit?: number | undefined;
}

/** The rows of an answer beside those that are loaded. Both methods may look at every record, and are called only where it matters. */
export interface AnsweredRows {
  /** Number of loaded rows, before the answer is taken in. */
  readonly loaded: number;
  /** Number of rows that will be loaded with those of the answer; a row that is in both counts once. */
  countTogether(): number;
  /** Whether the answer brings a row that is not loaded. */
  bringNewRow(): boolean;
}

/** An answer to a load, as far as paging depends on it. */
export interface PagedAnswer<M> {
  /** What the request asked for. */
  readonly numbers: PageNumbers;
  readonly options: LoadOptions<M>;
  /** Number of rows that the server sent. */
  readonly count: number;
  /** Size of the collection, where the server told it. */
  readonly total: number | undefined;
  /** Where the server said that the rows go on; null: nowhere; undefined: it did not tell. */
  readonly next: NextPage | null | undefined;
  readonly rows: AnsweredRows;
}

interface PagingState<M> {
  readonly total: number | undefined;
  readonly complete: boolean;
  readonly next: LoadOptions<M> | undefined;
  readonly currentPage: number;
  /** The page number that the last load sent without a limit; undefined where it sent a limit or no page. */
  readonly pageWithoutLimit: number | undefined;
  /** Number of rows of the collection before those of the next load. */
  readonly passed: number;
}

/**
 * How far a store has read its collection. A paging never changes: `take` returns the one that follows from an answer, so that an
 * answer which is refused leaves no trace.
 */
export class Paging<M> {
  private constructor(private readonly state: PagingState<M>) {}

  /** Before the first load, whose options are `next`; `total` is the number of records that the store was given. */
  static begin<M>(next: LoadOptions<M> | undefined, total: number | undefined): Paging<M> {
    return new Paging<M>({ total, next, complete: true, currentPage: 1, pageWithoutLimit: undefined, passed: 0 });
  }

  /** Size of the collection when it was last read; undefined: unknown. */
  get total(): number | undefined {
    return this.state.total;
  }

  /** Whether all rows of the collection are loaded. */
  get complete(): boolean {
    return this.state.complete;
  }

  /** The options of the load that brings the next rows; undefined: there are none. */
  get next(): LoadOptions<M> | undefined {
    return this.state.next;
  }

  /** Number of the page that was loaded last. */
  get currentPage(): number {
    return this.state.currentPage;
  }

  /** The paging when the rows of an answer have been taken in. */
  take(answer: PagedAnswer<M>): Paging<M> {
    const { numbers, options, count, next, rows } = answer;
    const before = this.state.passed;
    const { page, limit, start = options.next ? before : 0 } = numbers;
    const append = options.addRecords ?? false;
    const passed = start + count;
    const told = toldTotal(answer);
    const ends = next === undefined ? endsByNumbers(answer, passed, told) : next === null;
    const pageWithoutLimit = limit === undefined ? page : undefined;
    // The server chose the size of a page without a limit: how many rows lie before and behind it is not known.
    const counted = ends && pageWithoutLimit === undefined && start <= (append ? before : 0);
    const total = told ?? (counted ? passed : undefined);
    const currentPage = page ?? (options.next ? this.currentPage : 1);
    // Rows are read twice on purpose where the load went back because of erased records.
    const goesBack = append && start < before;
    const brings = append ? goesBack || rows.bringNewRow() : count > 0;
    const following = next ? { next } : { page: currentPage + 1, start: passed };
    const goesOn = !ends && (brings || !leadsNowhere(answer));
    return new Paging<M>({
      total,
      complete: total !== undefined && isWhole(answer, total),
      next: goesOn ? repeatLoad(answer, { addRecords: true, ...following }) : undefined,
      currentPage,
      pageWithoutLimit,
      passed,
    });
  }

  /** The paging when the first rows of an answer have been taken in, and the others are still to come. */
  takeFirstRows(load: Pick<PagedAnswer<M>, 'numbers' | 'options'>): Paging<M> {
    if (load.options.addRecords) return this;
    const { page, start } = load.numbers;
    // The same load is the next one: if the answer breaks off, no row is left out.
    return new Paging<M>({ ...this.state, complete: !isPaged(load.numbers), next: repeatLoad(load, { page, start }) });
  }

  /** The paging when an answer broke off of which some rows had been taken in. */
  breakOff(): Paging<M> {
    return new Paging<M>({ ...this.state, complete: false });
  }

  /** The paging when another query was asked for: its first rows are the next ones. */
  restart(): Paging<M> {
    return new Paging<M>({ ...this.state, next: {} });
  }

  /** The paging when pages have another size: their numbers begin anew. Where all rows are loaded, none are missing by that. */
  resize(): Paging<M> {
    const { complete, next } = this.state;
    return new Paging<M>({
      ...this.state,
      next: complete ? next : {},
      currentPage: 1,
      pageWithoutLimit: undefined,
    });
  }

  /**
   * The options of the load that brings the next rows. It goes back by as many pages as `erased` rows fill, because the server has
   * moved the rows behind them up.
   */
  nextLoad(erased: number): LoadOptions<M> | undefined {
    const { next } = this;
    const { page = 1, start = 0, limit } = next ?? {};
    if (!limit || next?.next || erased === 0) return next;
    const back = Math.ceil(erased / limit);
    return { ...next, page: Math.max(page - back, 1), start: Math.max(start - back * limit, 0) };
  }

  get nextPage(): number {
    return this.currentPage + 1;
  }

  get previousPage(): number {
    return Math.max(1, this.currentPage - 1);
  }

  /** The page that a reload asks for, with a limit or without (0). */
  pageToReload(limit: number): number | undefined {
    return limit > 0 ? this.currentPage : this.state.pageWithoutLimit;
  }
}

/** The numbers that a load sends. Without a limit, and behind a link, only what the caller asked for is sent. */
export function pageNumbers(
  { page, start, limit, next }: PageNumbers & { readonly next?: NextPage | undefined },
  pageSize: number,
): PageNumbers {
  const rows = limit ?? pageSize;
  if (next) return rows > 0 ? { limit: rows } : {};
  if (rows <= 0) return { page, start };
  const isPageEdge = start !== undefined && start % rows === 0;
  const number = page ?? (isPageEdge ? start / rows + 1 : 1);
  return { page: number, start: start ?? (number - 1) * rows, limit: rows };
}

/** Whether a load asks for a part of the collection. */
export function isPaged({ page, start, limit }: PageNumbers): boolean {
  return (limit ?? page ?? start) !== undefined;
}

/** Throws `UnsupportedQueryError` for page numbers that are no whole numbers in their range, before anything is sent. */
export function checkPaging(options: PageNumbers): void {
  for (const [name, least] of Object.entries({ page: 1, start: 0, limit: 0 })) {
    const value = options[name as keyof PageNumbers];
    if (value !== undefined) checkWhole(name, value, least);
  }
}

/** Throws `UnsupportedQueryError` for a page size that is none. */
export function checkPageSize(pageSize: number): void {
  checkWhole('pageSize', pageSize, 0);
}

function checkWhole(name: string, value: number, least: number): void {
  if (!(Number.isSafeInteger(value) && value >= least)) throw badValue(name, value, `a whole number from ${least}`);
}

/** The total that an answer tells; undefined where the server has sent more rows than that. */
function toldTotal({ numbers, options, count, total, rows }: PagedAnswer<never>): number | undefined {
  const { limit, start = 0 } = numbers;
  // A server that sends more rows than were asked for knows no pages: these are all rows. Rows behind a link have no number.
  const first = limit !== undefined && count > limit ? 0 : start;
  const plausible = plausibleTotal(total, first, count);
  // Rows that moved on the server between two pages come twice.
  return plausible === undefined && options.addRecords ? plausibleTotal(total, 0, rows.countTogether()) : plausible;
}

/** Whether the rows end with an answer that does not say where they go on. */
function endsByNumbers(answer: PagedAnswer<never>, passed: number, total: number | undefined): boolean {
  const { limit } = answer.numbers;
  // Pages are not numbered as the rows behind a link are: where no link goes on from there, the rows end.
  if (answer.options.next || limit === undefined) return true;
  return total === undefined ? answer.count < limit : passed >= total;
}

/** Whether all rows of a collection are loaded with those of an answer. */
function isWhole({ options, count, rows }: PagedAnswer<never>, total: number): boolean {
  if (!options.addRecords) return total <= count;
  return total <= rows.loaded + count && total <= rows.countTogether();
}

/**
 * Whether an answer without new rows is the last one. A server that knows no end repeats itself; one that hands out tokens may
 * send an empty page in the middle.
 */
function leadsNowhere({ options, count, next }: PagedAnswer<never>): boolean {
  return !next || count > 0 || JSON.stringify(next) === JSON.stringify(options.next);
}

/** The same load for other rows. */
function repeatLoad<M>(
  { numbers, options }: Pick<PagedAnswer<M>, 'numbers' | 'options'>,
  rows: LoadOptions<M>,
): LoadOptions<M> {
  const { url, params, pathParams, headers } = options;
  return { url, params, pathParams, headers, limit: numbers.limit ?? 0, ...rows };
}
