import { checkOptions } from '../dev/checks.js';
import { DefinitionError } from '../errors/mistakes.js';
import { callable, flag, object, type Rules, text, textsByName } from '../errors/option-rules.js';
import { commonProblem, type ProblemReader, readBy } from '../errors/problem.js';
import { UnsupportedQueryError, unknownProperty } from '../errors/unsupported-query-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { append, isValidId } from '../http/url.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, modelOf, type WireField } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { operators } from '../operation/query-parts.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { type CompositeId, idOfValues } from '../util/composite-id.js';
import { getMember } from '../util/data-path.js';
import type { Capabilities, Dialect, StepContext } from './dialect.js';

/** The id of an operation: that of its first record if the record is saved, otherwise `operation.id`. */
export function idOf({ records, id }: Operation): unknown {
  // Reading `array[0]` of an empty array is slow in V8.
  const record = records.length > 0 ? records[0] : undefined;
  return record && !record.phantom ? record[MODEL].serverId(record) : id;
}

/**
 * The id that an address has to name: of an id of several parts, those that the template of the base does not hold. One part stands for itself;
 * undefined: the base names the record.
 */
export function addressedId({ operation, filled = [] }: Pick<ProxyRequest, 'operation' | 'filled'>): unknown {
  const id = idOf(operation);
  const parts = modelOf(operation)?.idParts;
  if (!parts || !Array.isArray(id)) return id;
  const rest = id.filter((_, at) => !filled.includes(parts[at]?.name ?? ''));
  return rest.length > 1 ? idOfValues(rest) : rest[0];
}

/** The parts of an id that an address has to name, with their fields: without those that the template of the base holds. */
export function addressedParts({
  operation,
  filled = [],
}: ProxyRequest): readonly { readonly field: WireField; readonly part: unknown }[] {
  const id = idOf(operation);
  const parts = modelOf(operation)?.idParts ?? [];
  const all = parts.map((field, at) => ({ field, part: (id as CompositeId)[at] }));
  return all.filter(({ field }) => !filled.includes(field.name));
}

/** Whether the template of the base holds all parts of an id, so that nothing is left for the address step. */
export function isIdFilled(request: ProxyRequest): boolean {
  const id = idOf(request.operation);
  return Array.isArray(id) && addressedId(request) === undefined;
}

/** The document's address: base, slash, id. Several records share the address of the base. */
function pathAddress({ request, options }: StepContext): string {
  const path = request.url as string;
  const id = addressedId(request);
  if (request.bulk || !options.appendId || !isValidId(id)) return path;
  return append(path, '/', options.encodeId(id));
}

/** Steps that most dialects share: the document's addresses, the proxy's writer and reader. */
export const sharedSteps: Pick<Dialect, 'address' | 'body' | 'readPage' | 'readSaved' | 'readError'> = {
  address: pathAddress,
  body: ({ request, options }) => options.writer.write(request),
  readPage: ({ request, options }): ResultSet => options.reader.readPage(request, options.tokenParam),
  readSaved: ({ request, options }): ResultSet => options.reader.readSaved(request),
  readError({ request, options }) {
    const { response } = request;
    const { body: received, status } = response as HttpResponse;
    // In a response with `success: false`, the problem is next to the `success` flag.
    const hasFlag = status < 300 && received !== undefined;
    const { reader } = options;
    const body = hasFlag && reader.transform ? reader.transform(received, request) : received;
    const problem = readBy(problemReaders(options), body, status);
    // Every problem reader already considers the member `message` among others.
    const detail = reader.messageProperty === 'message' ? undefined : reader.messageOf(body, request);
    return detail ? { ...problem, detail } : problem;
  },
};

/** The readers of error bodies, the most particular first: those of the reader's options, that of the dialect, and the common one. */
export function problemReaders({
  reader,
  dialect,
}: Pick<DataProxy, 'reader'> & { readonly dialect?: Dialect }): readonly ProblemReader[] {
  const readers = [reader.problem, dialect?.defaults.reader?.problem, commonProblem];
  // Unless the proxy has a reader of its own, that of the dialect is among the options.
  return [...new Set(readers.flat())].filter((read): read is ProblemReader => read !== undefined);
}

/**
 * The name by which the server knows a field in queries: that in the dialect's `names`, else its `mapping`, joined by the
 * `pathSeparator`. Throws `UnsupportedQueryError` for a name that is no field, and for a field that is no member of the row.
 *
 * @example
 * ```ts
 * const house = defineDialect({
 *   ...plain(),
 *   name: 'house',
 *   sort(context) {
 *     const names = sentSorters(context.request.operation).map(({ property }) => serverName(context, property));
 *     context.request.collect('order', names.join(',') || undefined, 'house', 'sorters');
 *   },
 * });
 * ```
 */
export function serverName({ request, options }: StepContext, property: string): string {
  const model = modelOf(request.operation);
  const field = model?.field(property);
  if (model && !field) throw unknownProperty(property, model);
  const { names, pathSeparator } = options.dialect.capabilities;
  const own = getMember(names, property);
  if (own !== undefined) return own as string;
  if (!model || !field) return property;
  if (!field.path) throw new UnsupportedQueryError('query-unmapped', { property, model: model.name });
  return pathSeparator === undefined ? field.mapping : field.path.join(pathSeparator);
}

const RULES: Rules<Dialect> = {
  name: text,
  defaults: object,
  page: callable,
  search: callable,
  sort: callable,
  filter: callable,
  fields: callable,
  address: callable,
  idInQuery: flag,
  lockVersion: text,
  declared: callable,
  method: callable,
  headers: callable,
  body: callable,
  isPage: callable,
  readPage: callable,
  readSaved: callable,
  readLocation: callable,
  readError: callable,
  capabilities: object,
};
const OPTIONAL: readonly string[] = [
  'fields',
  'idInQuery',
  'lockVersion',
  'declared',
  'method',
  'headers',
  'isPage',
  'readLocation',
];
const TREES: readonly unknown[] = ['and', 'or', 'not'];
const WRITES: readonly unknown[] = ['create', 'update', 'destroy'];

const CAPABILITY_RULES: Rules<Capabilities> = {
  fieldNames: flag,
  operators: {
    expected: "a list of operators such as 'eq' and 'ge', by their names in `Operator`",
    holds: (value) => Array.isArray(value) && value.every((each) => operators().includes(each)),
  },
  trees: {
    expected: "a list of 'and', 'or' and 'not'",
    holds: (value) => Array.isArray(value) && value.every((each) => TREES.includes(each)),
  },
  multiSort: flag,
  nulls: flag,
  localFirst: flag,
  bulk: {
    expected: "a list of 'create', 'update' and 'destroy'",
    holds: (value) => Array.isArray(value) && value.every((each) => WRITES.includes(each)),
  },
  names: textsByName,
  pathSeparator: text,
};

/**
 * Checks a dialect of your own, and returns it. Throws `DefinitionError` for members that no dialect has, members of a wrong type, and
 * missing steps.
 *
 * @example
 * ```ts
 * const house = defineDialect({
 *   ...plain({ filter: filterTemplates({ eq: '{name}', ge: '{name}.ge' }) }),
 *   name: 'house',
 *   method: ({ request }) => (request.action === 'update' ? 'PUT' : undefined),
 * });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function defineDialect(dialect: Dialect): Dialect {
  checkOptions('a dialect', dialect, RULES, 'dialect');
  for (const step of Object.keys(RULES) as (keyof Dialect)[]) {
    if (dialect[step] === undefined && !OPTIONAL.includes(step))
      throw new DefinitionError('dialect-step', { dialect: dialect.name ?? '', step });
  }
  checkOptions("a dialect's capabilities", dialect.capabilities, CAPABILITY_RULES);
  return dialect;
}
