import { checkOptions } from '../dev/checks.js';
import { flag, oneOf, type Rules } from '../errors/option-rules.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { decodeSegment } from '../http/location.js';
import { encodeSegment, encodeText, idText, isValidId } from '../http/url.js';
import { isList } from '../operation/operation.js';
import { MODEL, modelOf } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Sorter } from '../operation/query-parts.js';
import { type Data, getMember, isData, readPath, withPath } from '../util/data-path.js';
import { numberOf } from '../util/long-number.js';
import { addressedId, addressedParts, sharedSteps } from './define-dialect.js';
import type { Dialect, StepContext } from './dialect.js';
import { odataFilter, odataLiteral } from './odata-filter.js';
import { plain, sortStep } from './plain.js';
import { refusal, sentSorters } from './sent-query.js';

/** Options of `odata4()`. */
export interface ODataOptions {
  /** Whether keys are written as `/People(7)`, or as a segment of their own, `/People/7` (OData 4.01). @default 'parentheses' */
  keys?: 'parentheses' | 'segments';
  /**
   * Whether conditions with lists are written as `(age eq 1 or age eq 2)`, which every server understands, or as `age in (1,2)`
   * (OData 4.01). @default 'or'
   */
  lists?: 'or' | 'in';
  /** Whether reads of lists ask for the number of all rows: `$count=true`. @default true */
  count?: boolean;
  /**
   * Types of properties, by the names of the server, where a field's type does not say how keys and filters write its values:
   * `{ code: 'Edm.String', opens: 'Edm.TimeOfDay', color: 'Shop.Color' }`. @default texts in the form of a GUID are GUIDs
   */
  types?: Readonly<Record<string, string>>;
  /**
   * Whether `Edm.Int64` and `Edm.Decimal` travel as texts in both directions (OData JSON Format, `IEEE754Compatible`), for servers that
   * would round the numbers. Declare such properties as `bigint` and `decimal`. @default false
   */
  ieee754Compatible?: boolean;
}

const TYPE = /^(?:Edm\.[A-Z]\w*|(?!Edm\.)\w+(?:\.\w+)+)$/;
const RULES: Rules<ODataOptions> = {
  keys: /* @__PURE__ */ oneOf('parentheses', 'segments'),
  lists: /* @__PURE__ */ oneOf('or', 'in'),
  count: flag,
  types: {
    expected: "an object of types by property, such as `{ code: 'Edm.String' }`",
    holds: (types) =>
      isData(types) && Object.values(types).every((type) => typeof type === 'string' && TYPE.test(type)),
  },
  ieee754Compatible: flag,
};
/** A word that a search may contain without quotes (OData 4.01 Part 2, 5.1.8). */
const WORD = /^(?!(?:AND|OR|NOT)$)[\p{L}\p{N}_]+$/u;
const IEEE754 = 'application/json;IEEE754Compatible=true';

/**
 * Dialect for OData 4.0 and 4.01: `/People(7)`, `$filter=age ge 18 and contains(name,'a')`, `$orderby`, `$top`, `$skip`, `$count`,
 * `$search`, rows in `value`, PATCH. Reads the ETag in each row, so that `etags()` sends `If-Match`, which many of these servers demand.
 * Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { baseUrl: '/odata/v4/shop', dialect: odata4(), use: [etags(), conflicts()] } }) {}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function odata4(options: ODataOptions = {}): Dialect {
  checkOptions('odata4', options, RULES, 'proxy');
  const { keys = 'parentheses', lists = 'or', count = true, types = {}, ieee754Compatible = false } = options;
  const base = plain({
    name: 'odata4',
    fieldsParam: '$select',
    pageParam: '',
    startParam: '$skip',
    limitParam: '$top',
    sortParam: '$orderby',
    searchParam: '$search',
    filterParam: '$filter',
    filter: odataFilter({ lists, types }),
    reader: {
      // A place is a function, because an entity may have a property `value` too.
      rootProperty: (body, { operation }) => (isList(operation) ? getMember(body, 'value') : undefined),
      totalProperty: (body) => control(body, 'count'),
      nextProperty: nextLink,
      etagProperty: '@odata.etag',
      successProperty: '',
      messageProperty: '',
      problem: odataProblem,
    },
  });
  const sorting = sortStep({ asc: '{name}', desc: '{name} desc' });
  const dialect: Dialect = {
    ...base,
    // Several entities need `$batch`, which is not sent.
    capabilities: { ...base.capabilities, bulk: [], nulls: true, pathSeparator: '/' },
    page(context) {
      base.page(context);
      if (count && isList(context.request.operation)) context.request.collect('$count', true, 'odata', 'count');
    },
    search(context) {
      const { request, options: used } = context;
      const { search } = request.operation;
      if (search !== undefined && !used.searchParam)
        throw refusal(context, 'a search', 'set `searchParam` on the proxy');
      request.collect(used.searchParam, searchText(search ?? '') || undefined, 'odata', 'searchParam');
    },
    sort(context) {
      // The order of OData is that of values that count as least (Part 1, 11.2.6.2); it has no word for another one.
      const isOther = ({ nulls, direction }: Sorter) => nulls && (nulls === 'first') !== (direction === 'ASC');
      if (sentSorters(context.request.operation).some(isOther))
        throw new UnsupportedQueryError('query-nulls', { dialect: context.options.dialect.name });
      sorting.sort(context);
    },
    headers({ request }) {
      const isSave = /^(create|update)$/.test(request.action) && request.named === undefined;
      return {
        ...(isSave && { Prefer: 'return=representation' }),
        ...(ieee754Compatible && { Accept: IEEE754, ...(request.body !== undefined && { 'Content-Type': IEEE754 }) }),
      };
    },
    body(context) {
      const body = sharedSteps.body(context);
      return ieee754Compatible ? body : withNumbers(body, context.request);
    },
    readPage(context) {
      const read = sharedSteps.readPage(context);
      // A server that returns all rows of `$top` has no reason to say where the list goes on.
      read.next ??= context.request.operation.limit ? undefined : null;
      return read;
    },
  };
  if (keys === 'segments') return dialect;
  const keyOf = ({ request, options: used }: StepContext): string => {
    const { bulk, operation } = request;
    const id = addressedId(request);
    if (bulk || !used.appendId || !isValidId(id)) return '';
    if (Array.isArray(id)) {
      const keys = addressedParts(request).map(({ field, part }) => {
        idText(part);
        const type = Object.hasOwn(types, field.mapping) ? types[field.mapping] : undefined;
        return `${encodeText(field.mapping)}=${used.encodeId(odataLiteral(part, type, field.type))}`;
      });
      return `(${keys.join(',')})`;
    }
    const field = modelOf(operation)?.idField;
    // Throws for ids that no address may contain.
    idText(id);
    const type = field && Object.hasOwn(types, field.mapping) ? types[field.mapping] : undefined;
    const key = used.encodeId(odataLiteral(id, type, field?.type));
    return key && `(${key})`;
  };
  return {
    ...dialect,
    address: (context) => entityPath(context.request.url as string, keyOf(context)),
    declared(context) {
      const { base: path, ownBase = path, recordAddress, subpath } = context.request;
      // The key that the address step wrote: that of a create by PUT is no record's key yet.
      const start = entityPath(path, '(').length - 1;
      const key = recordAddress === undefined ? keyOf(context) : recordAddress.slice(start);
      if (!key.startsWith('(')) return undefined;
      return entityPath(ownBase, key) + (subpath === undefined ? '' : `/${encodeSegment(subpath)}`);
    },
    readLocation: ({ request }, location) =>
      keyIn(location, request) ?? keyIn(request.response?.headers.get('OData-EntityId') ?? '', request) ?? null,
  };
}

/** The path of an entity: that of its collection, with the key in parentheses behind it. */
function entityPath(path: string, key: string): string {
  return key === '' ? path : path.replace(/\/+$/, '') + key;
}

/** The key in the address of an entity in the collection of a request; undefined if the address is another one. */
function keyIn(address: string, { base }: ProxyRequest): string | undefined {
  const [name = ''] = /[^/]*$/.exec(base.replace(/\/+$/, '')) ?? [];
  const text = `/${decodeSegment(address)}`;
  const start = `/${decodeSegment(name)}(`;
  const at = text.lastIndexOf(start);
  const [, key = ''] = at < 0 ? [] : (/^(?:[^'(),=]+=)?([^'(),=]+|'.*')\)$/s.exec(text.slice(at + start.length)) ?? []);
  return (key.startsWith("'") ? key.slice(1, -1).replace(/''/g, "'") : key) || undefined;
}

/** A control member of a response, in the names of OData 4.0 or 4.01. */
function control(body: unknown, name: string): unknown {
  return getMember(body, `@odata.${name}`) ?? getMember(body, `@${name}`);
}

/** The address of the next page. A relative one is relative to the service, so only its query is used, on our own address. */
function nextLink(body: unknown): unknown {
  const link = control(body, 'nextLink');
  const isRelative = typeof link === 'string' && !/^(?:[a-z][a-z\d+.-]*:|\/)/i.test(link);
  return isRelative ? /\?.*/s.exec(link)?.[0] : link;
}

/** The text of a search as a word or a phrase: of several words, some servers would look for the first one only. */
function searchText(search: string): string {
  const text = search.trim();
  return WORD.test(text) ? text : text && `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** A body in which long numbers are numbers, unless the server sent them as texts. */
function withNumbers(body: unknown, { operation }: ProxyRequest): unknown {
  const [record] = operation.records;
  if (!record || !isData(body)) return body;
  let changed: unknown = body;
  for (const { type, path } of record[MODEL].fields) {
    const value = path && /^(?:bigint|decimal)$/.test(type) ? readPath(body, path) : undefined;
    const received = record.phantom || !path ? undefined : readPath(record[MODEL].row(record), path);
    if (!path || typeof value !== 'string' || typeof received === 'string') continue;
    changed = withPath(changed, path, numberOf(value));
  }
  return changed;
}

/** Reads the error of a response: `{ error: { code, message, target, details } }`. */
function odataProblem(body: unknown, status: number): Problem {
  const error = getMember(body, 'error');
  const own: Data = isData(error) ? error : {};
  const details = Array.isArray(own['details']) ? own['details'].filter(isData) : [];
  const issues = (details.length > 0 ? details : [own]).flatMap((each) => {
    const { target } = each;
    // A target with a dot is a type, such as `Shop.Orders`.
    if (typeof target !== 'string' || !/^[\w/]+$/.test(target)) return [];
    const code = pick(each, 'code');
    return { path: target.split('/').filter(Boolean), message: pick(each, 'message') ?? '', ...(code && { code }) };
  });
  return createProblem(status, issues, own, undefined, pick(own, 'message'));
}
