import type { EncodedBody, Extension } from '../extension/extension.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import { showByJson } from '../util/show-by-json.js';
import type { DataProxy } from './data-proxy.js';

/** A part of a request, with the rule and option behind it. */
export interface TracePart {
  /** The text of the part as it is sent. */
  readonly text: string;
  /** The rule: a clause of the specification (`§4 rule 3`), a house rule (`H11`), or `override`. */
  readonly rule: string;
  /** The option or value behind the part. */
  readonly option: string;
}

// Parameter names are data, so the object inherits no members. Objects created from this one are faster than objects created from null.
const NOTHING: object = Object.freeze(Object.create(null) as object);

/** Creates an empty set of parameters. */
function createParams(): Record<string, unknown> {
  return Object.create(NOTHING) as Record<string, unknown>;
}

/** Options of a request. */
export interface ProxyRequestConfig {
  operation: Operation;
  /** @default the action of the operation */
  action?: Action;
}

/**
 * An HTTP request while it is built: `buildUrl(request)` and the steps of the dialect read it and fill it in.
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
  }

  readonly operation: Operation;
  readonly action: Action;
  /** The address so far. An override may set it before it calls `super.buildUrl`: then this is the base. */
  url: string | undefined;
  /** Whether the parameters are complete; if not, `buildUrl` collects the missing ones. */
  collected: boolean;
  private given: Record<string, unknown> | undefined;
  /** Whether the request follows a link to another origin, which must not get the proxy's own headers (H17). */
  declare foreign?: boolean;
  /** Called with the final headers of each attempt, just before it is sent. */
  declare onSend?: ((headers?: Headers) => void) | undefined;
  /** The values of the proxy's `pathParams` for this request; undefined until they are needed. */
  declare pathParams?: Readonly<Record<string, unknown>> | undefined;
  /** Whether building of the address has begun; an address is built only once (H3). */
  started: boolean;
  /** Whether the body holds several records and goes to the collection (H16). */
  bulk: boolean;
  /** Path segment that `send()` appends to the address. */
  subpath: string | undefined;
  /** The base of the address without its query, after templates are filled in (H3). */
  base: string;
  /** The query of the base with its `?`, or `''`. */
  query: string;
  /**
   * The base from the proxy's options, after templates are filled in. The same as `base`, unless an override set another base.
   * Undefined until `buildUrl` or the guard needs it (H3).
   */
  ownBase: string | undefined;
  /** The address that the dialect's address step built from `base`; the guard compares it. Undefined if the step was not called. */
  recordAddress: string | undefined;
  /** Whether the address names the record: the address step appended its id to the base, or the proxy is a `singleton`. */
  addressed: boolean;
  method: string | undefined;
  headers: Record<string, string> | undefined;
  /** The body before it is encoded; undefined: none. */
  body: unknown;
  /** Whether the body carries a version of the row, for which the server answers 409 if the row has changed. */
  declare versioned?: boolean | undefined;
  /** The body as it is sent; set when the request is sent or explained. */
  declare encoded?: EncodedBody | undefined;
  /** Whether the address must name a record; undefined: the action decides. */
  named: boolean | undefined;
  /** The address that the guard has accepted, so that the guard checks it only once (H3). */
  passed:
    | { readonly url: string; readonly bulk: boolean; readonly named: boolean; readonly target: string }
    | undefined;
  /** The response, while it is read. */
  response: HttpResponse | undefined;

  constructor({ operation, action = operation.action }: ProxyRequestConfig) {
    // The fields that address building uses are set first, so that they are adjacent in memory: this makes many requests faster.
    this.operation = operation;
    this.action = action;
    this.url = undefined;
    this.given = undefined;
    this.collected = false;
    this.started = false;
    this.bulk = false;
    this.subpath = undefined;
    this.base = '';
    this.query = '';
    this.ownBase = undefined;
    this.recordAddress = undefined;
    this.addressed = false;
    this.method = undefined;
    this.headers = undefined;
    this.body = undefined;
    this.named = undefined;
    this.passed = undefined;
    this.response = undefined;
  }

  /**
   * Query parameters. Parameters that are set before the others are collected win. An assigned object replaces all parameters; spread
   * the old ones to keep them (`{ ...request.params, v: 2 }`).
   */
  get params(): Record<string, unknown> {
    return (this.given ??= createParams());
  }

  set params(params: Record<string, unknown>) {
    this.collected ||= this.given === undefined;
    // A copy, so that the caller's object is not changed.
    this.given = Object.assign(createParams(), params);
  }

  /** The parameters, or undefined if there are none; for reading only. */
  get knownParams(): Readonly<Record<string, unknown>> | undefined {
    return this.given;
  }

  /**
   * Adds a parameter. Earlier sources win, so a name that is present is skipped; an empty name switches the parameter off. Without a
   * `rule`, an explanation shows the rule of the option.
   */
  collect(name: string | null | undefined, value: unknown, _rule: string | undefined, _option: string): void {
    if (!name || value === undefined) return;
    const params = (this.given ??= createParams());
    if (params[name] !== undefined) return;
    params[name] = value;
  }

  /** Lets an extension add headers and parameters. */
  prepareBy(extension: Extension, proxy: DataProxy): void {
    extension.prepare?.(this, proxy);
  }

  /** The form of logs for a request. Headers, parameters and the body are left out. */
  toJSON(): object {
    const { method, url, action, response } = this;
    return { method, url: url?.replace(/\?.*/s, ''), action, status: response?.status };
  }

  /** Called when an option has extended the address to `url`; returns `url`. {@link TracedRequest} records the option for `explain`. */
  note(url: string, _option: string): string {
    return url;
  }

  /** Called with the base `url`, the text that it was built from, and whether a template was filled in. */
  noteBase(_url: string, _text: string, _template: boolean): void {
    // As `note`.
  }

  /** Called when a parameter has extended the address by `part`, its separator included. */
  noteParam(_part: string, _name: string): void {
    // As `note`.
  }
}
