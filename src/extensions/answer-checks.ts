import { checkOptions } from '../dev/checks.js';
import { callable } from '../errors/option-rules.js';
import { hideSecrets } from '../errors/quoted-text.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import { isLocalTime } from '../model/instant.js';
import { isList, type Operation } from '../operation/operation.js';
import { modelOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Sorter } from '../operation/query-parts.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/notifier.js';
import { brokenFilter, brokenSorter } from './visible-query.js';

/** Options of {@link diagnostics}. */
export interface DiagnosticsConfig {
  /**
   * Called with each warning and the operation whose response caused it. An error that it throws is reported as an uncaught error and
   * does not affect the load. @default `console.warn` with the text
   *
   * @example
   * ```ts
   * import { diagnostics } from 'repose/diagnostics';
   *
   * const strict = diagnostics({
   *   warn(text) {
   *     throw new Error(text); // nobody catches it, so that a test fails
   *   },
   * });
   * ```
   */
  warn?: (text: string, operation: Operation) => void;
}

/** The member of an extension `diagnostics()` that takes the warnings of other extensions. A symbol, so that it is no hook. */
export const WARN: unique symbol = Symbol('warn');

/** An extension that takes warnings. */
export interface WarnedExtension extends Extension {
  readonly [WARN]: (text: string, operation: Operation) => void;
}

/** The part of a query that a server has ignored, or the contradiction between its pages. */
type Finding = 'limit' | 'page' | 'filter' | 'order' | 'size' | 'total' | 'repeat' | 'ties' | 'zone';

/** Facts about the responses to one proxy. */
interface ProxyFacts {
  readonly reported: Set<Finding>;
  pages: PagesRead | undefined;
}

/** The pages that were read of one query since the last write. */
interface PagesRead {
  readonly query: string;
  /** The first row's index, and the rows as text, of the last page. */
  start: number;
  rows: string;
  /** The total in the last response; undefined: it had none. */
  total: number | undefined;
  /** The index of the page on which a row was, by the row's id. */
  readonly places: Map<unknown, number>;
}

/**
 * Warns if the responses show that the server ignores what was asked for: more rows than the limit, a page equal to another page, or rows
 * that break the filter or order. Servers that ignore a parameter answer 200, so that such a list looks like a result. It warns as well
 * where pages contradict each other, so that rows are on no page: a page that is shorter than asked for though the total counts more rows, a
 * total that shrinks, a row on two pages; and of an order in which rows may be equal, because its last sorter is not the id. Each is reported
 * once per proxy, and so is a date-time without a zone, which is another instant in each zone. Only clear cases count: texts may differ in
 * case and accents, and the order is checked for numbers and instants only. In a development build it also warns once per model where `etags()`
 * or `safeWrites()` guard nothing, because the server sends no ETag. Meant for development; the checks take time for each row. Throws
 * `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * import { diagnostics } from 'repose/diagnostics';
 *
 * class ApiModel extends Model.with({ proxy: { use: [diagnostics()] } }) {}
 * ```
 */
export function diagnostics(config: DiagnosticsConfig = {}): Extension {
  checkOptions('diagnostics', config, { warn: callable });
  const { warn = warnInConsole } = config;
  const factsByProxy = new WeakMap<DataProxy, ProxyFacts>();
  return Object.freeze<WarnedExtension>({
    name: 'diagnostics',
    layer: LAYERS.telemetry,
    [WARN]: warn,
    answered(request, result, proxy) {
      const { operation } = request;
      const facts: ProxyFacts = factsByProxy.get(proxy) ?? { reported: new Set(), pages: undefined };
      factsByProxy.set(proxy, facts);
      // A write of this page may change pages and totals.
      if (request.action !== 'read') facts.pages = undefined;
      const found = isList(operation) ? findingsOf(request, result, facts) : [];
      for (const [finding, text] of [...found, ...zoneFindings(operation, result)]) {
        if (facts.reported.has(finding)) continue;
        facts.reported.add(finding);
        callSafely(warn, `${request.method} ${hideSecrets(String(request.url))}: ${text}`, operation);
      }
    },
  });
}

function warnInConsole(text: string): void {
  // biome-ignore lint/suspicious/noConsole: warnings for developers are what the extension is for
  console.warn(text);
}

/** The first date-time without a zone, which is another instant in each zone. */
function zoneFindings(operation: Operation, { rows }: ResultSet): [Finding, string][] {
  const fields = modelOf(operation)?.fields ?? [];
  const dates = fields.filter(
    (field) =>
      field.path && rows.some((row) => isLocalTime(field, field.raw(row as Readonly<Record<string, unknown>>))),
  );
  return dates
    .slice(0, 1)
    .map(({ name }) => [
      'zone',
      `the date-time in '${name}' names no zone, so it is another instant in each zone. Say what it is by \`format\`, such as \`dateFormat('Y-m-d\\\\TH:i:s')\` for UTC, or let the server send a zone`,
    ]);
}

function findingsOf(request: ProxyRequest, result: ResultSet, facts: ProxyFacts): [Finding, string][] {
  const { operation } = request;
  const { limit, link, filters = [], sorters = [], grouper } = operation;
  const { rows, count } = result;
  const model = modelOf(operation);
  const found: [Finding, string][] = [];
  if (limit && link === undefined && count > limit)
    found.push([
      'limit',
      `${count} rows came, but ${limit} were asked for. The server ignores the size of the page: set \`limitParam\` to the name that it knows, use its dialect, or load all rows with \`pageSize: 0\``,
    ]);
  found.push(...pageFindings(operation, result, facts));
  for (const [at, row] of rows.entries()) {
    const filter = brokenFilter(filters, row, model);
    if (!filter) continue;
    const { property, operator = 'eq' } = filter;
    const what = property === undefined ? 'a tree of filters' : `the filter '${property} ${operator}'`;
    found.push([
      'filter',
      `row ${at} does not meet ${what}. The server ignores it or reads it in another way: use the dialect of the server, or filter in the store with \`remoteFilter: false\``,
    ]);
    break;
  }
  // A dialect may sort by the group first.
  const sorted = grouper ? [] : rows;
  for (const [at, row] of sorted.entries()) {
    const sorter = at > 0 ? brokenSorter(sorters, sorted[at - 1], row, model) : undefined;
    if (!sorter) continue;
    found.push([
      'order',
      `rows ${at - 1} and ${at} are not in the order '${sorter.property} ${sorter.direction}'. The server ignores it or reads it in another way: set \`sortParam\`, use the dialect of the server, or sort in the store with \`remoteSort: false\``,
    ]);
    break;
  }
  return found;
}

/** Compares a page with the other pages of its query, and notes it: the contradictions, with their texts. */
function pageFindings(operation: Operation, result: ResultSet, facts: ProxyFacts): [Finding, string][] {
  const { rows, count, isEstimate } = result;
  const total = isEstimate ? undefined : result.total;
  const { page, limit, link, sorters = [], filters, grouper, search, params, pathParams, url } = operation;
  // A link is an address of the server's own, with any paging.
  if (!limit || link !== undefined) return [];
  const start = operation.start ?? ((page ?? 1) - 1) * limit;
  // Without a total this is not a number, so that no comparison holds.
  const more = Number(total) - start - count;
  if (count === 0 && !(more > 0)) return [];
  const model = modelOf(operation);
  const ids = rows.map((row) => model?.rowId(row));
  // Rows without ids may be equal on two pages.
  if (model && ids.includes(undefined)) return [];
  const query = textOf([limit, sorters, filters, grouper, search, params, pathParams, url]);
  const before = facts.pages?.query === query ? facts.pages : undefined;
  const now: PagesRead = { query, start, rows: textOf(rows), total, places: before?.places ?? new Map() };
  facts.pages = now;
  const isSamePage = before !== undefined && count > 0 && before.start !== start && before.rows === now.rows;
  const isSmaller = Number(total) < Number(before?.total);
  // With another total, somebody else may have added rows before this page.
  const isRepeated = before?.total === total && ids.some((id) => model && (now.places.get(id) ?? start) !== start);
  const remedy = model && remedyOfTies(sorters, model.idField.name);
  const hasTies = !grouper && (more > 0 || (total === undefined && count >= limit));
  const candidates: [Finding, unknown, string][] = [
    [
      'size',
      count < limit && more > 0,
      `${count} rows came, but ${limit} were asked for, and the total counts ${more} more. The server counts rows that it does not send, or limits the size of its pages: then set \`pageSize\` to this limit, or \`maxPageSize\` of the dialect, which refuses longer pages`,
    ],
    [
      'page',
      isSamePage,
      'another page has the same rows. The server ignores the page: set `pageParam` or `startParam` to the name that it knows, use its dialect, or load all rows with `pageSize: 0`',
    ],
    [
      'total',
      isSmaller,
      `the total was ${before?.total}, and is ${total} now. Rows were erased by somebody else between two pages, so that others have moved to pages that were read already: load the list again, or let it follow a feed`,
    ],
    [
      'ties',
      remedy && hasTies,
      `rows with the same '${sorters.at(-1)?.property}' have no order of their own, so that pages may repeat some of them and leave others out: ${remedy}`,
    ],
    [
      'repeat',
      isRepeated && !isSamePage,
      `a row came on two pages, so that another one may be on none. The server sorts rows in another order at each request${remedy ? `: ${remedy}` : ''}`,
    ],
  ];
  for (const [id, place] of now.places) if (place === start) now.places.delete(id);
  for (const id of ids) now.places.set(id, start);
  return candidates.filter(([, holds]) => holds).map(([finding, , text]) => [finding, text]);
}

/** The sorters that order all rows; undefined if there are none, or the last one is the id. */
function remedyOfTies(sorters: readonly Sorter[], idName: string): string | undefined {
  const names = sorters.map(({ property }) => String(property));
  if (names.length === 0 || names.at(-1) === idName) return undefined;
  return `add the id as the last sorter, \`sorters: [${[...names, idName].map((name) => `'${name}'`).join(', ')}]\``;
}

/** A value as text, for comparisons. JSON cannot write a `bigint`. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
