import type { EncodedBody } from '../http/body-codec.js';
import type { HeadersConfig } from '../http/headers.js';
import type { HttpResponse, Receive } from '../http/http-response.js';
import { CallController } from '../util/abort.js';
import { showByJson } from '../util/show-by-json.js';
import type { Action } from './actions.js';
import { Operation } from './operation.js';
import { idFieldsOf, MODEL, type OperationRecord } from './operation-record.js';
import type { Params } from './params-config.js';

// Parameter names are data, so the object inherits no members. Objects created from this one are faster than objects created from null.
const NOTHING: object = Object.freeze(Object.create(null) as object);

/** Creates an empty set of parameters. */
function createParams(): Record<string, unknown> {
  return Object.create(NOTHING) as Record<string, unknown>;
}

/** Notes which rule and option made each part of a request while it is built. */
export interface RequestNotes {
  /** Notes that an option has extended the address to `url`. */
  note(url: string, option: string): void;
  /** Notes the base `url`, the text that it was built from, and whether a template was filled in. */
  noteBase(url: string, text: string, template: boolean): void;
  /** Notes that a parameter has extended the address by `part`, its separator included. */
  noteParam(part: string, name: string): void;
  /** Notes the option that a parameter comes from. */
  noteOrigin(name: string, rule: string | undefined, option: string): void;
  /** Runs the `prepare` hook of an extension. Notes the headers and parameters that it adds, by comparing them before and after. */
  notePrepared(request: ProxyRequest, extension: string, prepare: () => void): void;
}

/** Options of a request. */
export interface ProxyRequestConfig {
  operation: Operation;
  /** @default the action of the operation */
  action?: Action;
}

/** How the collection or a record is read, if this needs another HTTP method or a body. Links to further pages are followed with GET. */
export interface ReadAddress {
  /** @default in `api.list`, the address of `api.read`; else the proxy's `url` */
  url?: string;
  /** HTTP method; it takes precedence over `actionMethods`. @default 'POST' if there is a `body`, else that of other reads */
  method?: string;
  /**
   * Parameters of these reads alone, beside the `extraParams` of all requests: an object, which wins over `extraParams`; or a function that
   * turns the parameters of the request into those that the server expects here. It must be synchronous. If it returns anything but a
   * plain object, the read rejects with a `DefinitionError`. @default they are sent as they are
   *
   * @example
   * ```ts
   * const where = ({ page, limit, ...conditions }: object & { page?: unknown; limit?: unknown }) => ({ page, limit, where: conditions });
   * const users = new RestProxy({ url: '/users', dialect: plain(), api: { list: { params: where } } });
   * const orders = new RestProxy({ url: '/orders', dialect: plain(), api: { list: { params: { expand: 'lines' } } } });
   * ```
   */
  params?: Params | ((params: Params, request: ProxyRequest) => Params);
  /**
   * Whether the parameters of the query are sent in the body instead of the address: as one object, or as what a function of them
   * returns. @default false
   *
   * @example
   * ```ts
   * const search = (params: object) => ({ criteria: params });
   * const proxy = new RestProxy({ url: '/users', dialect: plain(), api: { list: { url: '/users/_search', body: search } } });
   * ```
   */
  body?: boolean | ((params: Readonly<Record<string, unknown>>, request: ProxyRequest) => unknown);
}

/**
 * An HTTP request. `buildUrl(request)` and the steps of the dialect read it and fill it in; the `send` hooks of extensions get it when it
 * is sent, which they may do several times. How it ended is told by its `operation` and its `response`.
 *
 * @example
 * ```ts
 * const request = new ProxyRequest({ operation: new Operation({ action: 'read', id: 7 }), action: 'read' });
 * proxy.buildUrl(request); // '/users/7'
 * ```
 */
export class ProxyRequest {
  static {
    showByJson(this.prototype);
    // The beginnings of members that only change when a request is sent: setting them for each request would make building slower.
    Object.assign(this.prototype, { blob: false, timeout: 0, repeatable: false, delivered: false, queueTime: 0 });
  }

  /** The operation that is sent. */
  readonly operation: Operation;
  /** The kind of request: the action of the operation, unless the caller has named another one. */
  readonly action: Action;
  /** The address so far. An override may set it before it calls `super.buildUrl`: then this is the base. */
  url: string | undefined = undefined;
  /** The parameters, or undefined if there are none; for reading only. */
  knownParams: Readonly<Record<string, unknown>> | undefined = undefined;
  /** Whether the parameters are complete; if not, `buildUrl` collects the missing ones. */
  collected: boolean = false;
  /** Whether `url` is the whole address without its query, which comes next. */
  placed: boolean = false;
  /** Whether the body holds several records and goes to the collection. */
  bulk: boolean = false;
  /** Path segment that `send()` appends to the address. */
  subpath: string | undefined = undefined;
  /** The base of the address without its query, after templates are filled in. */
  base: string = '';
  /** The query of the base with its `?`, or `''`. */
  query: string = '';
  /**
   * The base from the proxy's options, after templates are filled in. The same as `base`, unless an override set another base.
   * Undefined until building of the address has begun; an address is built only once.
   */
  ownBase: string | undefined = undefined;
  /** The address that the dialect's address step built from `base`; the guard compares it. Undefined if the step was not called. */
  recordAddress: string | undefined = undefined;
  /** The names in the template of the base, which are filled in. */
  filled: readonly string[] | undefined = undefined;
  /** Whether the address names the record: the address step appended its id to the base, or the proxy is a `singleton`. */
  addressed: boolean = false;
  /** The HTTP method; '' until it is chosen. */
  method: string = '';
  /** Headers that extensions have added; those of the call win over them. */
  headers: Record<string, string> | undefined = undefined;
  /** The body before it is encoded; undefined: none. */
  body: unknown = undefined;
  /** Whether the address must name a record; undefined: the action decides. */
  named: boolean | undefined = undefined;
  /** The address that the guard has accepted, so that the guard checks it only once. */
  passed: { readonly url: string; readonly bulk: boolean; readonly named: boolean } | undefined = undefined;
  /** The absolute address to which the request is sent; '' until the guard has accepted it. */
  target: string = '';
  /** The response, while it is read. */
  response: HttpResponse | undefined = undefined;
  /** Notes the rule and option behind each part; undefined unless the request is explained. */
  trace: RequestNotes | undefined = undefined;

  /** Whether the request follows a link to another origin, which must not get the proxy's own headers. */
  declare foreign?: boolean;
  /** The option `api.list` or `api.read`, if it is an object and the request reads there. */
  declare endpoint?: ReadAddress | undefined;
  /** The values of the proxy's `pathParams` for this request; undefined until they are needed. */
  declare pathParams?: Readonly<Record<string, unknown>> | undefined;
  /** The member of the body that is a version of the row, for which the server answers 409 if the row has changed. */
  declare versioned?: string | undefined;
  /** The body as it is sent; set when the request is sent or explained. Undefined: the request has no body. */
  declare encoded?: EncodedBody | undefined;
  /**
   * The proxy's headers, evaluated once per attempt. Undefined if the address is on another origin: the proxy's headers are not sent
   * there, because they may hold credentials.
   */
  declare proxyHeaders?: HeadersConfig | undefined;
  /** Whether the caller asked for the body of the response as a `Blob`. */
  declare blob: boolean;
  /** The time limit of one attempt, in milliseconds; 0: no limit. The proxy sets its own when the request is sent. */
  declare timeout: number;
  /**
   * The moment, in milliseconds since 1970, by which a repeated attempt must be sent: `rateLimit()` rejects it with `TimeoutError` if
   * its turn has not come by then. Undefined: no such moment.
   */
  declare until?: number;
  /**
   * Whether sending the request twice has the same effect as sending it once: its method is idempotent, or it carries an idempotency
   * key. The proxy decides it when the request is sent.
   */
  declare repeatable: boolean;
  /** Whether the caller has received rows of a streamed response already. Such a request cannot be sent again. */
  declare delivered: boolean;
  /** Milliseconds for which `rateLimit()` and `auth()` have held back the next attempt. */
  declare queueTime: number;
  /** Sends the next attempts instead of the proxy's `fetch`. */
  declare fetch?: typeof globalThis.fetch | undefined;
  /**
   * Receives the body of a successful response instead of reading it as one text, for example as a stream. The time limit `timeout` then
   * applies to each wait for the server, not to the whole response.
   */
  declare receive?: Receive | undefined;
  /** Called with the final headers of each attempt, just before it is sent. */
  declare onSend?: ((headers?: Headers) => void) | undefined;
  /** Aborts the request; undefined until it is sent, or until `signal` is read. */
  declare controller?: CallController | undefined;
  declare private headerChanges?: ((headers: Headers) => void)[];

  constructor({ operation, action = operation.action }: ProxyRequestConfig) {
    this.operation = operation;
    this.action = action;
  }

  /**
   * Query parameters. Parameters that are set before the others are collected win. An assigned object replaces all parameters; spread
   * the old ones to keep them (`{ ...request.params, v: 2 }`).
   */
  get params(): Record<string, unknown> {
    return (this.knownParams ??= createParams());
  }

  set params(params: Record<string, unknown>) {
    this.collected ||= this.knownParams === undefined;
    // A copy, so that the caller's object is not changed.
    this.knownParams = Object.assign(createParams(), params);
  }

  /** Aborts the request: by the caller's own signal, or by `proxy.abort()`. */
  get signal(): AbortSignal {
    return (this.controller ??= new CallController()).signal;
  }

  /**
   * Functions that are called with the merged headers just before the next attempt is sent, and may change these headers. Each attempt
   * empties the list, so a `send` hook adds its function again before each `next(request)`.
   */
  get onHeaders(): ((headers: Headers) => void)[] {
    return (this.headerChanges ??= []);
  }

  /**
   * Adds a parameter. Earlier sources win, so a name that is present is skipped; an empty name switches the parameter off. Without a
   * `rule`, an explanation shows the rule of the option.
   */
  collect(name: string | null | undefined, value: unknown, rule: string | undefined, option: string): void {
    if (!name || value === undefined) return;
    const params = (this.knownParams ??= createParams()) as Record<string, unknown>;
    if (params[name] !== undefined) return;
    params[name] = value;
    this.trace?.noteOrigin(name, rule, option);
  }

  /** The form of logs for a request. Headers, parameters and the body are left out. */
  toJSON(): object {
    const { method, url, action, operation, response } = this;
    const { attempts } = operation;
    return { method, url: url?.replace(/\?.*/s, ''), action, attempts, status: response?.status };
  }
}

/** Whether an extension has added a header to a request. `header` is in lower case. */
function carries({ headers = {} }: ProxyRequest, header: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === header);
}

/** Whether a request has `If-Match`: the server then refuses it if the row has changed since it was read. */
export function isConditional(request: ProxyRequest): boolean {
  return carries(request, 'if-match');
}

/** The members of a proxy that prepare a request. */
interface Preparing {
  /** Whether extensions prepare requests. */
  readonly prepares: boolean;
  prepareRequest(request: ProxyRequest): void;
}

/** Whether the request for a record would have `If-Match`. */
export function willBeConditional(record: OperationRecord, action: Action, proxy: Preparing): boolean {
  if (!proxy.prepares) return false;
  const request = new ProxyRequest({ operation: new Operation({ action, records: [record] }) });
  try {
    proxy.prepareRequest(request);
    return isConditional(request);
  } catch {
    // The request of the record itself will report the error.
    return true;
  }
}

/** Whether an extension made the read of a single record conditional. */
export function isAskedForChange(request: ProxyRequest): boolean {
  return request.action === 'read' && request.operation.records.length === 1 && carries(request, 'if-none-match');
}

/**
 * Whether a request whose address is accepted is idempotent without a key: reads are, and writes that set a record's final values. Of creates
 * only those are that are sent by PUT to the address of the record.
 */
export function isRepeatable({ method, action, named, passed }: ProxyRequest): boolean {
  if (action === 'read') return true;
  if (action === 'create') return method === 'PUT' && passed?.named === true;
  // The PATCH of an update carries edited values and is idempotent; a PATCH sent with `send()` may not be.
  return /^(HEAD|OPTIONS|PUT|DELETE)$/.test(method) || (method === 'PATCH' && named === undefined);
}

/** Whether an update changes the id of its record. */
export function isRenamed({ bulk, operation: { records } }: ProxyRequest): boolean | undefined {
  const record = bulk ? undefined : records[0];
  const edits = record?.[MODEL].edits(record);
  return record && idFieldsOf(record[MODEL]).some((field) => edits?.has(field));
}
