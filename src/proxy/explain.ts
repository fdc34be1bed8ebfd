import { checkOptions } from '../dev/checks.js';
import type { DataError } from '../errors/data-error.js';
import { toDataError } from '../errors/error-context.js';
import type { HeadersConfig } from '../http/headers.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import { ProxyRequest, type RequestNotes } from '../operation/proxy-request.js';
import { readUrl } from './address.js';
import { AjaxProxy } from './ajax-proxy.js';
import type { DataProxy } from './data-proxy.js';
import { encodeBody, headerLayers } from './encode.js';
import { OPERATION_RULES } from './proxy-options.js';

/** A part of a request, with the rule and option behind it. */
export interface TracePart {
  /** The text of the part as it is sent. */
  readonly text: string;
  /** The rule: a clause of the specification (`§4 rule 3`), a house rule (`H11`), or `override`. */
  readonly rule: string;
  /** The option or value behind the part. */
  readonly option: string;
}

/** The options that `explain()` accepts instead of an operation. */
export interface ExplainConfig extends Omit<OperationConfig, 'model' | 'calledParameters'> {
  /**
   * The model whose fields are named in sorters, filters and the grouper, such as `User`: a read of a list has no record to take it from.
   * Without it, names are explained as they are written: no `mapping` is applied, and unknown names are not refused.
   */
  model?: { readonly prototype: OperationRecord } | undefined;
}

/** A request, part by part, with the rule and option behind each part. */
export interface Explanation {
  /** The request as it would be sent; undefined if it is refused. */
  readonly request?: ProxyRequest;
  /** The error with which the request would be refused before it is sent. */
  readonly refused?: DataError;
  /** The parts of the address. Their joined texts are the address, unless the rule of the last part is `override`. */
  readonly parts: readonly TracePart[];
  /** The HTTP method; undefined if the request is refused before the method is chosen. */
  readonly method?: TracePart;
  /** The headers, each as `Name: value`. Headers of a function are shown as computed. */
  readonly headers: readonly TracePart[];
  /** The JSON that would be sent; for a form, its names and values as they are before they are encoded. */
  readonly body?: TracePart;
  /** The request for the number of rows, which is sent beside the read of a page unless the number is known (`countUrl`). */
  readonly count?: Explanation;
}

/**
 * Formats an explanation as text, one line per part.
 *
 * @example
 * ```ts
 * console.log(printExplanation(await explain(User.proxy, { action: 'read', id: 7 })));
 * // GET /users/7
 * //   GET                       H13        actionMethods
 * //   /users                    §4         url
 * //   /7                        §4 rule 3  appendId
 * //   Accept: application/json  H15        default
 * ```
 */
export function printExplanation({ request, refused, parts, method, headers, body, count }: Explanation): string {
  const all = [...(method ? [method] : []), ...parts, ...headers, ...(body ? [body] : [])];
  const width = (of: (part: TracePart) => string, most: number) =>
    Math.min(most, Math.max(0, ...all.map((part) => of(part).length)));
  const [text, rule] = [width((part) => part.text, 60), width((part) => part.rule, 12)];
  const lines = all.map((part) => `  ${part.text.padEnd(text)}  ${part.rule.padEnd(rule)}  ${part.option}`.trimEnd());
  const sent = request ? `${request.method} ${request.url}` : 'nothing is sent';
  const head = refused ? `refused: ${refused.message}` : sent;
  return [head, ...lines, ...(count ? [printExplanation(count)] : [])].join('\n');
}

/** The rules of options that do more than add a parameter. */
const RULES: Readonly<Record<string, string>> = {
  appendId: '§4 rule 3',
  buildUrl: 'override',
  filterParam: 'H8',
  format: '§4 rule 5',
  idParam: 'H4',
  link: 'H17',
  path: 'H3',
  simpleGroupMode: 'H12',
  simpleSortMode: 'H12',
  trailingSlash: 'H11',
  url: 'H1',
};

/** The notes of a request that is explained, or followed by an inspector. */
export class RequestTrace implements RequestNotes {
  /** The parts of the address so far; their joined texts are the address so far. */
  readonly parts: TracePart[] = [];
  /** The length of the joined texts of the parts. */
  private length = 0;
  /** The option that the base and its query came from. */
  private origin = '';
  private readonly origins: Map<string, readonly [rule: string, option: string]> = new Map();
  /** The extensions that added headers, by the names of the headers in lower case. */
  private readonly headerOrigins: Map<string, string> = new Map();

  /** `optionOf` returns the name of the option that a base comes from. */
  constructor(private readonly optionOf: (base: string) => string) {}

  note(url: string, option: string): void {
    this.add(url, ruleOf(option), option);
  }

  noteBase(url: string, text: string, template: boolean): void {
    this.origin = this.optionOf(text);
    this.add(url, template ? 'H10' : '§4', this.origin);
  }

  noteParam(part: string, name: string): void {
    const [rule, option] = this.origins.get(name) ?? [ruleOf('params'), 'params'];
    this.push(part, rule, option);
  }

  noteOrigin(name: string, rule: string | undefined, option: string): void {
    this.origins.set(name, [rule ?? ruleOf(option), option]);
  }

  notePrepared(request: ProxyRequest, extension: string, prepare: () => void): void {
    const before = { params: { ...request.knownParams }, headers: { ...request.headers } };
    prepare();
    for (const name of namesOfChanged(before.params, request.knownParams))
      this.origins.set(name, [ruleOf('params'), extension]);
    for (const name of namesOfChanged(before.headers, request.headers))
      this.headerOrigins.set(name.toLowerCase(), extension);
  }

  /** The headers in layers of a request, by their names in lower case. A layer that is a function is not called. */
  explainHeaders(layers: readonly HeadersConfig[]): Map<string, TracePart> {
    const headers = new Map<string, TracePart>();
    for (const [rank, set] of layers.entries()) {
      const optionOf = (name: string) =>
        (rank === REQUEST_LAYER && this.headerOrigins.get(name)) || HEADER_OPTIONS[rank];
      const given: object = typeof set === 'function' ? { '(computed)': 'when it is sent' } : set;
      for (const [name, value] of Object.entries(given)) {
        const lower = name.toLowerCase();
        if (value !== undefined) headers.set(lower, headerPart(name, value, optionOf(lower) ?? ''));
      }
    }
    return headers;
  }

  private add(url: string, rule: string, option: string): void {
    // An override may have changed any part, so its address is shown as one part.
    const isNew = rule !== 'override' || url !== this.parts.map((part) => part.text).join('');
    const text = rule === 'override' ? url : url.slice(this.length);
    if (text && isNew) this.push(text, rule, rule === 'H1' ? this.origin : option);
  }

  private push(text: string, rule: string, option: string): void {
    this.parts.push({ text, rule, option });
    this.length += text.length;
  }
}

/** The names of added or changed values. */
function namesOfChanged(before: Readonly<Record<string, unknown>>, now: object = {}): string[] {
  return Object.entries(now).flatMap(([name, value]) =>
    Object.hasOwn(before, name) && before[name] === value ? [] : [name],
  );
}

/** The rule behind an option. */
function ruleOf(option: string): string {
  return RULES[option] ?? '§4 rule 6';
}

/** The option behind each layer of headers, the weakest first. */
const HEADER_OPTIONS = ['default', 'dialect', 'headers', 'request.headers', 'operation.headers'];
/** Index of the layer with the headers that extensions added to the request. */
const REQUEST_LAYER = 3;

/** A header with the option behind it. */
export function headerPart(name: string, value: string, option: string): TracePart {
  return { text: `${name}: ${value}`, rule: 'H15', option };
}

/** The method and the body of a built request. */
export function explainMessage({ method, encoded }: ProxyRequest): Pick<Explanation, 'method' | 'body'> {
  return {
    ...(method && { method: { text: method, rule: 'H13', option: 'actionMethods' } }),
    ...(encoded && { body: { text: encoded.text, rule: 'H7', option: 'writer' } }),
  };
}

/** A trace for the request of an operation. */
export function traceOf({ url, action, counts, records }: Operation, proxy: AjaxProxy): RequestTrace {
  return new RequestTrace((base) => {
    if (counts) return 'countUrl';
    if (base === url) return 'operation.url';
    const { list, bulk, ...api } = proxy.api ?? {};
    if (action === 'read' && base === readUrl(list)) return 'api.list';
    if (records.length > 1 && base === bulk) return 'api.bulk';
    return base === readUrl(api[action]) ? `api.${action}` : base === proxy.url ? 'url' : 'request.url';
  });
}

/**
 * Explains the request of an operation: every part, with the rule and option behind it. Uses the same code as real requests, but sends
 * nothing. A refused request does not reject: its error is in `refused`. Calls no header function and uses up no identifier. A proxy
 * that sends no requests has no parts. A proxy does not know the model of a list that it reads: give `model`, so that sorters and filters
 * use the names of the server.
 *
 * @example
 * ```ts
 * const { parts } = await explain(User.proxy, { action: 'update', records: [user] });
 * // [{ text: '/users', rule: '§4', option: 'url' }, { text: '/7', rule: '§4 rule 3', option: 'appendId' }]
 * const { request } = await explain(User.proxy, { action: 'read', sorters: ['name'], model: User });
 * ```
 */
export async function explain(proxy: DataProxy, operation: Operation | ExplainConfig): Promise<Explanation> {
  return proxy instanceof AjaxProxy ? explained(operation, proxy as AjaxProxy) : { parts: [], headers: [] };
}

/** Builds the request of an operation without sending it, and names the rule and option behind each part. */
function explained(config: Operation | ExplainConfig, proxy: AjaxProxy): Explanation {
  const isOperation = config instanceof Operation;
  if (!isOperation) checkOptions('explain', config, OPERATION_RULES, 'call');
  const model = isOperation ? config.model : config.model?.prototype[MODEL];
  // A copy, because explaining must not change an operation that the application may run later.
  const operation: Operation = new Operation({ ...(config as Operation), model });
  operation.counts = isOperation && config.counts;
  const trace = traceOf(operation, proxy);
  const { parts } = trace;
  try {
    operation.request = Object.assign(new ProxyRequest({ operation }), { trace });
    const request = proxy.buildRequest(operation);
    const count = proxy.countUrl?.operationFor(operation, proxy);
    if (request.body !== undefined) request.encoded = encodeBody(request, proxy);
    return {
      request,
      parts,
      ...explainMessage(request),
      headers: [...trace.explainHeaders(headerLayers(request, proxy)).values()],
      ...(count && { count: explained(count, proxy) }),
    };
  } catch (cause) {
    return { refused: toDataError(operation, proxy.messages, cause), parts, headers: [] };
  }
}
