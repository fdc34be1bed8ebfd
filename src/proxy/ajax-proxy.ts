import { AbortError } from '../errors/abort-error.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { NetworkError } from '../errors/network-error.js';
import { ReadError } from '../errors/read-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { send } from '../http/send.js';
import type { Action } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import { assignOptions } from '../util/options.js';
import type { Explanation } from './explanation.js';
import type { AjaxProxyConfig, HeadersConfig } from './proxy-config.js';
import type { ProxyRequest, TracePart } from './proxy-request.js';
import { responseError } from './response-error.js';
import { ServerProxy } from './server-proxy.js';

/** Verb per action. */
export type ActionMethods = Readonly<Record<Action, string>>;

const defaults: Required<
  Omit<AjaxProxyConfig, 'actionMethods' | 'fetch' | keyof import('./proxy-config.js').ServerProxyConfig>
> & { fetch: undefined } = {
  headers: {},
  fetch: undefined,
  withCredentials: false,
  useDefaultXhrHeader: false,
};

/** A call that is no CRUD: `proxy.send({ method: 'POST', path: 'publish', record })`. */
export interface SendConfig {
  /** @default 'GET' */
  method?: string;
  /** Address; otherwise the record's, else the collection's. */
  url?: string;
  /** Segment behind the address. */
  path?: string;
  params?: Readonly<Record<string, unknown>>;
  pathParams?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** The record whose address it is. */
  record?: OperationRecord;
  /** Whether the answer's body is wanted as a `Blob`. @default false */
  blob?: boolean;
  signal?: AbortSignal | undefined;
}

/** A proxy over `fetch`: every action goes to the one `url`, the id in a parameter or the body. Base of {@link RestProxy}. */
export class AjaxProxy<C extends AjaxProxyConfig = AjaxProxyConfig> extends ServerProxy<C> {
  /** The name that `Lib.create` knows it by; its last part is its `type`. */
  static readonly alias: string = 'proxy.ajax';
  declare readonly headers: HeadersConfig;
  declare readonly fetch: typeof globalThis.fetch | undefined;
  declare readonly withCredentials: boolean;
  declare readonly useDefaultXhrHeader: boolean;
  private readonly methods: Partial<ActionMethods>;
  private readonly running: Set<AbortController> = new Set();

  constructor(config?: C) {
    super(config);
    assignOptions(this, this.config, this.dialect.defaults, defaults);
    this.methods = this.config.actionMethods ?? {};
  }

  /** The verbs that hold where nothing else is said; read-only. */
  get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'POST', destroy: 'POST' };
  }

  /** Verb per action: what was configured, merged over the defaults (H13). */
  get actionMethods(): ActionMethods {
    return { ...this.defaultActionMethods, ...this.methods };
  }

  /** The verb of a request: `actionMethods`, else the dialect's, else the default (H13). Override it to choose per request. */
  getMethod(request: ProxyRequest): string {
    const own = this.methods[request.action] ?? this.dialect.method?.({ request, options: this });
    return (own ?? this.defaultActionMethods[request.action]).toUpperCase();
  }

  create(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  read(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  update(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.run(operation);
  }

  /**
   * Any other call, through the same headers, guard and errors. Resolves with the answer; a status that is no success rejects.
   *
   * @example
   * ```ts
   * const { body } = await proxy.send({ method: 'POST', record: order, path: 'cancel', body: { reason: 'late' } });
   * ```
   */
  async send(config: SendConfig): Promise<HttpResponse> {
    const { method = 'GET', url, path, record, body, blob, ...rest } = config;
    const action: Action = method.toUpperCase() === 'GET' ? 'read' : 'update';
    const operation: Operation = new Operation({ action, url, records: record ? [record] : [], ...rest });
    const noBody = body ?? null; // not undefined: no step is to write one
    const request = this.buildRequest(operation, undefined, {
      method: method.toUpperCase(),
      subpath: path,
      body: noBody,
      free: !record,
    });
    request.body = body;
    return await this.exchange(request, blob);
  }

  /** Aborts every request in flight. */
  abort(): void {
    for (const controller of this.running) controller.abort();
  }

  /** The one way of an operation: request, answer, result set. */
  private async run(operation: Operation): Promise<ResultSet> {
    try {
      const request = this.buildRequest(operation);
      await this.exchange(request);
      const context = { request, options: this };
      const result = operation.action === 'read' ? this.dialect.readPage(context) : this.dialect.readSaved(context);
      if (operation.action === 'create') result.locationId = this.idOfLocation(request.response as HttpResponse);
      operation.resultSet = result as ResultSet<never>;
      return result;
    } catch (error) {
      operation.error = hasErrorBrand(error) ? error : this.unknownError(operation, error);
      throw operation.error;
    }
  }

  /** Sends a request that is built, and turns an answer that is no success into its error. */
  private async exchange(request: ProxyRequest, blob?: boolean): Promise<HttpResponse> {
    const { operation, method = 'GET', body } = request;
    const url = this.guard(request);
    const options = { operation, messages: this.messages };
    const headers = await this.headersOf(request);
    const controller = new AbortController();
    const { signal } = operation;
    const abort = () => controller.abort(signal?.reason);
    if (signal?.aborted)
      throw new AbortError('abort', { method, url: request.url }, { ...options, cause: signal.reason });
    signal?.addEventListener('abort', abort, { once: true });
    this.running.add(controller);
    let response: HttpResponse;
    try {
      response = await send({
        ...options,
        method,
        url,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        timeout: this.timeout,
        withCredentials: this.withCredentials,
        signal: controller.signal,
        fetch: this.fetch,
        clock: this.clock,
        doubtful: request.action === 'create',
        blob,
      });
    } finally {
      this.running.delete(controller);
      signal?.removeEventListener('abort', abort);
    }
    request.response = operation.response = response;
    if (response.redirected && method !== 'GET') {
      throw new ReadError('reply-redirected', { method, url: request.url, target: response.url }, options);
    }
    if (response.status < 200 || response.status > 299) {
      throw responseError(
        request,
        this.dialect.readError({ request, options: this }),
        this.modelOf(operation),
        this.messages,
      );
    }
    return response;
  }

  /** Headers by strength: our own, the proxy's, the call's; names in any case (H15). */
  private async headersOf(request: ProxyRequest): Promise<Headers> {
    const headers = new Headers(this.ownHeaders(request));
    const given = typeof this.headers === 'function' ? await this.headers() : this.headers;
    for (const set of [given, request.operation.headers ?? {}]) {
      for (const [name, value] of Object.entries(set)) headers.set(name, value);
    }
    return headers;
  }

  private ownHeaders({ body }: ProxyRequest): Record<string, string> {
    return {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(this.useDefaultXhrHeader && { 'X-Requested-With': 'XMLHttpRequest' }),
    };
  }

  protected override explainRest(request: ProxyRequest): Pick<Explanation, 'method' | 'headers' | 'body'> {
    const rest = super.explainRest(request);
    const headers = new Map<string, TracePart>();
    const add = (set: object, option: string) => {
      for (const [name, value] of Object.entries(set))
        headers.set(name.toLowerCase(), { text: `${name}: ${value}`, rule: 'H15', option });
    };
    add(this.ownHeaders(request), 'default');
    if (typeof this.headers === 'function')
      headers.set('', { text: '(computed when it is sent)', rule: 'H15', option: 'headers' });
    else add(this.headers, 'headers');
    add(request.operation.headers ?? {}, 'operation.headers');
    return { ...rest, headers: [...headers.values()] };
  }

  /** The id that a `Location` names: its last segment (H17). */
  protected idOfLocation(response: HttpResponse): string | undefined {
    const location = response.headers.get('location') ?? response.headers.get('content-location');
    const path = location?.replace(/[?#].*$/, '').replace(/\/+$/, '');
    const segment = path?.slice(path.lastIndexOf('/') + 1);
    // The address that was posted to names no record.
    const posted = (response.url || '').replace(/[?#].*$/, '').replace(/\/+$/, '');
    if (!path || !segment || posted.endsWith(path)) return undefined;
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  }

  private unknownError(operation: Operation, cause: unknown): NetworkError {
    const { method, url } = operation.request ?? {};
    const why = cause instanceof Error ? cause.message : String(cause);
    return new NetworkError({ method, url, why }, { operation, cause, messages: this.messages });
  }
}
