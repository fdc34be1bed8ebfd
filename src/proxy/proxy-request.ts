import type { Extension } from '../extension/extension.js';
import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from './data-proxy.js';

/** A piece of an address, and what made it. */
export interface TracePart {
  /** The piece as it stands in the address. */
  readonly text: string;
  /** The rule: a clause of the document (`§4 rule 3`), a house rule (`H11`), or `override`. */
  readonly rule: string;
  /** The option or value that it comes from. */
  readonly option: string;
}

// Parameter names are data: nothing is inherited. An object made from this one is cheaper than one made from null.
const NOTHING: object = Object.freeze(Object.create(null) as object);

/** A set of parameters, still empty. */
function createParams(): Record<string, unknown> {
  return Object.create(NOTHING) as Record<string, unknown>;
}

/** What a request is made from. */
export interface ProxyRequestConfig {
  operation: Operation;
  /** @default the operation's */
  action?: Action;
}

/**
 * One HTTP message on its way: what `buildUrl(request)` and the dialect's steps read and fill in.
 *
 * @example
 * ```ts
 * const request = new ProxyRequest({ operation: new Operation({ action: 'read', id: 7 }), action: 'read' });
 * proxy.buildUrl(request); // '/users/7'
 * ```
 */
export class ProxyRequest {
  readonly operation: Operation;
  readonly action: Action;
  /** The address as it stands: what an override sets before `super.buildUrl` is the base. */
  url: string | undefined;
  /** Whether the parameters are complete; `buildUrl` collects what is missing. */
  collected: boolean;
  private given: Record<string, unknown> | undefined;
  /** Whether it follows a link to another origin, which the proxy's own headers are not for (H17). */
  declare foreign?: boolean;
  /** What the proxy's `pathParams` gave for this request; undefined: not asked yet. */
  declare pathParams?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its address is being built, which is done once (H3). */
  started: boolean;
  /** Whether several records travel in one body, to the collection (H16). */
  bulk: boolean;
  /** A segment behind the address, for calls that are no CRUD. */
  subpath: string | undefined;
  /** The base without its query, templates filled in (H3). */
  base: string;
  /** The base's own query with its `?`, or ''. */
  query: string;
  /**
   * The base that the proxy's options give, templates filled in: `base`, unless an override preset another one. Undefined until
   * `buildUrl` or the guard has needed it (H3).
   */
  ownBase: string | undefined;
  /** What the dialect's address step made of `base`: the guard looks for the text behind it. Undefined: the step was not asked. */
  recordAddress: string | undefined;
  /** Whether the address names the record: the address step wrote its id behind the base, or the proxy is a `singleton`. */
  addressed: boolean;
  method: string | undefined;
  headers: Record<string, string> | undefined;
  /** The body before it becomes JSON; undefined: none. */
  body: unknown;
  /** Whether the address must name a record; undefined: as the action says. */
  named: boolean | undefined;
  /** What the guard has let through: it looks at nothing twice (H3). */
  passed:
    | { readonly url: string; readonly bulk: boolean; readonly named: boolean; readonly target: string }
    | undefined;
  /** The answer, while it is read. */
  response: HttpResponse | undefined;

  constructor({ operation, action = operation.action }: ProxyRequestConfig) {
    // What building an address touches is made first, and so lies side by side: many requests are built from cold memory.
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
   * Query parameters. What stands here before they are collected is stronger; a set that is assigned is complete, unless it was
   * made from what stood here (`{ ...request.params, v: 2 }`).
   */
  get params(): Record<string, unknown> {
    return (this.given ??= createParams());
  }

  set params(params: Record<string, unknown>) {
    this.collected ||= this.given === undefined;
    // The caller's own stays as it is.
    this.given = Object.assign(createParams(), params);
  }

  /** The parameters, where there are any; for reading only. */
  get knownParams(): Readonly<Record<string, unknown>> | undefined {
    return this.given;
  }

  /**
   * Adds a parameter unless the name is taken or empty: earlier sources win, an empty name switches it off. Without a rule it is
   * that of the option.
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

  /** Is told which option made the address grow to `url`; returns it. Written down where it is to be explained. */
  note(url: string, _option: string): string {
    return url;
  }

  /** Is told which text the base `url` was made from, and whether by filling in a template. */
  noteBase(_url: string, _text: string, _template: boolean): void {
    // As `note`.
  }

  /** Is told which parameter made the address grow to `url`. */
  noteParam(_url: string, _name: string): void {
    // As `note`.
  }
}
