import type { HttpResponse } from '../http/http-response.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';

/** A piece of an address, and what made it. */
export interface TracePart {
  /** The piece as it stands in the address. */
  readonly text: string;
  /** The rule: a clause of the document (`§4 rule 3`), a house rule (`H11`), or `override`. */
  readonly rule: string;
  /** The option or value that it comes from. */
  readonly option: string;
}

/** What a request is made from. */
export interface ProxyRequestConfig {
  operation: Operation;
  /** @default the operation's */
  action?: Action;
  /** Where to write down what made each part. */
  trace?: TracePart[] | undefined;
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
  url: string | undefined = undefined;
  /** Query parameters; undefined until they are collected, which `buildUrl` does where nobody has. */
  declare params: Record<string, unknown>;
  method: string | undefined = undefined;
  headers: Record<string, string> | undefined = undefined;
  /** The body before it becomes JSON; undefined: none. */
  body: unknown = undefined;
  /** What made each part of the address; undefined unless it is to be explained. */
  readonly trace: TracePart[] | undefined;
  /** Whether several records travel in one body, to the collection (H16). */
  bulk: boolean = false;
  /** A segment behind the address, for calls that are no CRUD. */
  subpath: string | undefined = undefined;
  /** Whether it is a call of the application's own, which may name the collection with any verb. */
  free: boolean = false;
  /** The base without its query, templates filled in (H3). */
  base: string = '';
  /** The base's own query with its `?`, or ''. */
  query: string = '';
  /** What the address step wrote behind the base (H3). */
  written: string = '';
  /** How far the address is: a request is built once (H3). */
  stage: 'new' | 'started' | 'built' = 'new';
  /** The answer, while it is read. */
  response: HttpResponse | undefined = undefined;

  constructor({ operation, action = operation.action, trace }: ProxyRequestConfig) {
    this.operation = operation;
    this.action = action;
    this.params = undefined as never;
    this.trace = trace;
  }

  /** Adds a parameter unless the name is taken or empty: earlier sources win, an empty name switches it off. */
  collect(name: string | null | undefined, value: unknown, rule: string, option: string): void {
    if (!name || value === undefined) return;
    // No prototype: parameter names are data.
    this.params ??= Object.create(null) as Record<string, unknown>;
    if (this.params[name] !== undefined) return;
    this.params[name] = value;
    if (this.trace) this.origins().set(name, { rule, option });
  }

  /** Writes down what made a part, if this request is to be explained. */
  note(text: string, rule: string, option: string): void {
    if (this.trace && text) this.trace.push({ text, rule, option });
  }

  /** What a parameter comes from; only known while explaining. */
  originOf(name: string): { rule: string; option: string } {
    return this.origins().get(name) ?? { rule: '§4 rule 6', option: 'params' };
  }

  private from: Map<string, { rule: string; option: string }> | undefined = undefined;

  private origins(): Map<string, { rule: string; option: string }> {
    this.from ??= new Map();
    return this.from;
  }
}
