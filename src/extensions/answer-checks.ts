import { checkOptions } from '../dev/checks.js';
import { callable } from '../errors/option-rules.js';
import { hideSecrets } from '../errors/quoted-text.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import { isList, type Operation } from '../operation/operation.js';
import { modelOf } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
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

/** The part of a query that a server has ignored. */
type Finding = 'limit' | 'page' | 'filter' | 'order';

/** Facts about the responses to one proxy. */
interface ProxyFacts {
  readonly reported: Set<Finding>;
  /** The last page that was read: its query, its first row's index, and its rows as text. */
  page: { readonly query: string; readonly start: number; readonly rows: string } | undefined;
}

/**
 * Warns if the responses show that the server ignores what was asked for: more rows than the limit, a page equal to another page, or rows
 * that break the filter or order. Servers that ignore a parameter answer 200, so that such a list looks like a result. Each of the four
 * is reported once per proxy. Only clear cases count: texts may differ in case and accents, and the order is checked for numbers and
 * instants only. Meant for development; the checks take time for each row. Throws `DefinitionError` for wrong options.
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
  return Object.freeze<Extension>({
    name: 'diagnostics',
    layer: LAYERS.telemetry,
    answered(request, result, proxy) {
      const { operation } = request;
      if (!isList(operation)) return;
      const facts: ProxyFacts = factsByProxy.get(proxy) ?? { reported: new Set(), page: undefined };
      factsByProxy.set(proxy, facts);
      for (const [finding, text] of findingsOf(request, result, facts)) {
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
  if (isPageRepeated(operation, rows, facts))
    found.push([
      'page',
      'another page has the same rows. The server ignores the page: set `pageParam` or `startParam` to the name that it knows, use its dialect, or load all rows with `pageSize: 0`',
    ]);
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

/** Whether a page has the same rows as another page of the same query. Notes the page. */
function isPageRepeated(operation: Operation, rows: readonly unknown[], facts: ProxyFacts): boolean {
  const { page, start, limit, link } = operation;
  // A link is an address of the server's own, with any paging.
  if (!limit || link !== undefined || rows.length === 0) return false;
  const model = modelOf(operation);
  // Rows without ids may be equal on two pages.
  if (model && rows.some((row) => model.rowId(row) === undefined)) return false;
  const { sorters, filters, grouper, search, params, pathParams, url } = operation;
  const before = facts.page;
  facts.page = {
    query: textOf([limit, sorters, filters, grouper, search, params, pathParams, url]),
    start: start ?? ((page ?? 1) - 1) * limit,
    rows: textOf(rows),
  };
  const { page: now } = facts;
  return before !== undefined && before.query === now.query && before.start !== now.start && before.rows === now.rows;
}

/** A value as text, for comparisons. JSON cannot write a `bigint`. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
