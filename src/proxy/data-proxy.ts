import { inDevelopment } from '../dev/checks.js';
import type { Messages } from '../errors/message-format.js';
import { hideSecrets } from '../errors/quoted-text.js';
import type { Extension, ExtensionEntry } from '../extension/extension.js';
import { ExtensionHooks, resolveExtensions } from '../extension/hooks.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { ResultSet } from '../operation/result-set.js';
import { JsonReader, type JsonReaderConfig } from '../reader/json-reader.js';
import { type Clock, systemClock } from '../util/clock.js';
import { assignOptions, mergeOptions } from '../util/options.js';
import { showByJson } from '../util/show-by-json.js';
import { JsonWriter, type JsonWriterConfig } from '../writer/json-writer.js';
import { checkBatchActions, checkProxyOptions } from './proxy-options.js';
import type { WatchPlace } from './proxy-watch.js';

/** Whether several records may travel in one request, by action. An action that is not named is sent record by record. */
export interface BatchActions {
  create?: boolean;
  update?: boolean;
  destroy?: boolean;
}

/** Options of every proxy. */
export interface DataProxyConfig {
  /** Whether several records of one action may travel in one request: for all actions, or `{ update: true }`. @default false */
  batchActions?: boolean | BatchActions;
  /** Order in which `sync()` runs the actions. @default 'create,update,destroy' */
  batchOrder?: string;
  /** How responses are read: options, or a reader. Options are merged over those of the dialect, but replace those of a base model as a whole. */
  reader?: JsonReaderConfig | JsonReader;
  /** How bodies are written: options, or a writer. Options are merged over those of the dialect, but replace those of a base model as a whole. */
  writer?: JsonWriterConfig | JsonWriter;
  /**
   * Extensions: `retry()`, `auth()`, `rateLimit()`, `etags()`, `streaming()`, `formBodies()`, `telemetry()`, and the application's own. A model's list
   * is appended to the list of its base class. Among extensions with the same name the last one is used; `off(name)` removes one.
   * @default []
   */
  use?: readonly ExtensionEntry[] | undefined;
  /**
   * Names the owner of the rows that this proxy reads and writes, such as a user or tenant. Classes and stores with different scopes never show each
   * other's rows: not in a page that was rendered on a server, not by `recordQuery()`, not in an outbox, whose `scope` must be the same.
   * Give one where two proxies with the same address and parameters differ in their headers. It is not sent.
   *
   * @example
   * ```ts
   * const modelOf = (tenant: string) => User.with({ proxy: { scope: tenant, headers: { 'X-Tenant': tenant } } });
   * ```
   * @default none: the address and the parameters say whose rows they are
   */
  scope?: string;
  /** Source of the time, for tests. @default the system's clock */
  clock?: Clock;
  /** Texts that replace the built-in texts of errors. */
  messages?: Messages;
}

/** Merges options, key by key; `own` wins. The lists of extensions are joined. */
export function withExtensions<C extends object>(base: C, own: Partial<C>): C {
  const [before, after] = [(base as DataProxyConfig).use, (own as DataProxyConfig).use];
  return { ...base, ...own, ...(before && after && { use: [...before, ...after] }) };
}

/**
 * Keeps TypeScript from inferring a type argument from a value, so that an unknown option in a literal is a compile error.
 * `NoInfer` does not serve: with it TypeScript 5.4 cannot find the options of a class.
 */
export type Given<C> = [C][C extends unknown ? 0 : never];

/**
 * Base of all proxies: reads and writes records. Subclasses implement the four actions; each action takes an operation and resolves
 * with a result set, or rejects with a `DataError`.
 *
 * @example
 * ```ts
 * class FixedProxy extends DataProxy {
 *   override read = async () => new ResultSet({ rows: [{ id: 1, name: 'Ada' }] });
 *   override create = async ({ records }: Operation) =>
 *     new ResultSet({ rows: records.map((record) => ({ ...rowOf(record), id: 2 })) });
 *   override update = async () => new ResultSet(); // no row: the record keeps what was saved
 *   override erase = async () => new ResultSet();
 * }
 * const Fixed = User.with({ proxy: new FixedProxy() });
 * show((await Fixed.load(1)).name); // 'Ada'
 * ```
 */
export abstract class DataProxy<C extends object = object> {
  static {
    showByJson(this.prototype);
  }

  declare readonly batchActions: boolean | BatchActions;
  declare readonly batchOrder: string;
  declare readonly messages: Messages | undefined;
  /** The extensions in use, outermost first. */
  readonly extensions: readonly Extension[];
  declare readonly clock: Clock;
  /** Names the owner of the rows; undefined: the address and the parameters do. */
  declare readonly scope: string | undefined;
  /** The hooks of the extensions. */
  readonly hooks: ExtensionHooks;
  /** Reads responses. Built from the proxy's options, merged over those of the dialect; a reader instance is used unchanged. */
  readonly reader: JsonReader;
  /** Writes bodies. Built from the proxy's options, merged over those of the dialect; a writer instance is used unchanged. */
  readonly writer: JsonWriter;
  /**
   * Whether a write was sent, or a store of this proxy was told about a write by another one: what the platform's HTTP cache has of the
   * collection may be older.
   */
  hasWritten = false;
  protected readonly config: C;
  /** The inspector that follows the operations of this proxy, and of those that are made from it, if there is one. */
  protected watch: WatchPlace = { by: undefined };

  constructor(config?: Given<C>) {
    this.config = config ?? ({} as C);
    const given = this.config as DataProxyConfig;
    inDevelopment(checkProxyOptions, this.config, this.constructor as typeof DataProxy);
    const ofDialect = this.dialectOptions();
    assignOptions(this, given, ofDialect, this.optionDefaults());
    inDevelopment(checkBatchActions, this);
    this.extensions = resolveExtensions(given.use ?? []);
    this.hooks = new ExtensionHooks(this.extensions);
    this.reader = partOf(given.reader, ofDialect.reader, JsonReader);
    this.writer = partOf(given.writer, ofDialect.writer, JsonWriter);
  }

  /**
   * The names of all options. A proxy class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'tenant']; }`.
   */
  static optionNames(): readonly string[] {
    return ['type', 'reader', 'writer', 'use', ...Object.keys(this.prototype.optionDefaults())];
  }

  /** Every option that the proxy takes over as it is given, with its default. A subclass adds its own options. */
  protected optionDefaults(): object {
    return {
      batchActions: false,
      batchOrder: 'create,update,destroy',
      messages: undefined,
      scope: undefined,
      clock: systemClock,
    };
  }

  /** Creates the records of an operation on the server. Resolves with the rows of the response. Rejects with a `DataError`. */
  abstract create(operation: Operation): Promise<ResultSet>;
  /**
   * Reads what an operation asks for: the row with an id, or a list. Changes no record; a model or store makes records of the rows. Rejects
   * with a `DataError`.
   *
   * @example
   * ```ts
   * const { rows, total } = await proxy.read(new Operation({ action: 'read', page: 1, limit: 20 }));
   * show(`${rows.length} of ${total}`);
   * ```
   */
  abstract read(operation: Operation): Promise<ResultSet>;
  /** Updates the records of an operation on the server. Resolves with the rows of the response. Rejects with a `DataError`. */
  abstract update(operation: Operation): Promise<ResultSet>;
  /** Erases the records of an operation on the server. Rejects with a `DataError`. */
  abstract erase(operation: Operation): Promise<ResultSet>;

  /** Whether several records of an action may travel in one request. */
  batches(action: Action): boolean {
    const { batchActions } = this;
    return typeof batchActions === 'object' ? action !== 'read' && batchActions[action] === true : batchActions;
  }

  /** Runs an operation by its action. Resolves and rejects as `create`, `read`, `update` or `erase` does. */
  execute(operation: Operation): Promise<ResultSet> {
    const { action } = operation;
    return this[action === 'destroy' ? 'erase' : action](operation);
  }

  /**
   * The address of the collection that an operation reads or writes, without ids and parameters, to tell collections apart. A proxy
   * without addresses returns `''`.
   */
  placeOf(_operation: Operation): string {
    return '';
  }

  /** Whether an extension adds to requests while they are built. */
  get prepares(): boolean {
    return this.hooks.prepare.length > 0;
  }

  /** Lets the extensions add headers and parameters to a request while it is built. */
  prepareRequest(request: ProxyRequest): void {
    for (const extension of this.hooks.prepare) {
      const prepare = () => extension.prepare?.(request, this);
      if (request.trace) request.trace.notePrepared(request, extension.name, prepare);
      else prepare();
    }
  }

  /** Notifies the extensions that a successful response has been read. */
  reportAnswer(request: ProxyRequest, result: ResultSet): void {
    this.watch.by?.answered(request, result);
    for (const extension of this.hooks.answered) extension.answered?.(request, result, this);
  }

  /** The form of logs for a proxy: its address and the names of its extensions, without headers, parameters and functions. */
  toJSON(): object {
    const { url, baseUrl } = this as { url?: unknown; baseUrl?: unknown };
    const address = (value: unknown) => (typeof value === 'string' ? hideSecrets(value) : undefined);
    return { url: address(url), baseUrl: address(baseUrl), use: this.extensions.map(({ name }) => name) };
  }

  /**
   * Creates a proxy of the same class with other options. Each given option replaces its own one as a whole, also one that is an object,
   * such as `reader`; only the lists of `use` are joined.
   *
   * @example
   * ```ts
   * const north = proxy.with({ headers: { 'X-Tenant': 'north' } }); // the same address, other headers
   * const people = new Store({ model: User, proxy: north });
   * ```
   */
  with(config: Partial<C>): this {
    const Class = this.constructor as new (config: C) => this;
    const made = new Class(withExtensions(this.config, config));
    made.watch = this.watch;
    return made;
  }

  /** Defaults that a dialect sets; the proxy's own options win. An implementation may read `config` only. */
  protected dialectOptions(): DataProxyConfig {
    return {};
  }
}

/** The reader or writer of a proxy: the given instance, else one that is created from the options. */
function partOf<O extends object, T extends object>(
  own: O | T | undefined,
  ofDialect: O | T | undefined,
  Part: new (options?: O) => T,
): T {
  if (own instanceof Part) return own;
  if (ofDialect instanceof Part) return own === undefined ? ofDialect : new Part(own as O);
  return new Part(mergeOptions(ofDialect as O | undefined, own as O | undefined));
}
