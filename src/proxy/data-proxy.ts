import type { Messages } from '../errors/messages.js';
import { checkGiven, checkNames, checkValues, object, type Rule } from '../errors/option-rules.js';
import type { Extension, ExtensionEntry } from '../extension/extension.js';
import { ExtensionHooks } from '../extension/hooks.js';
import { resolveExtensions } from '../extension/resolve-extensions.js';
import type { Operation, OperationConfig } from '../operation/operation.js';
import type { ResultSet } from '../operation/result-set.js';
import { JsonReader, type JsonReaderConfig } from '../reader/json-reader.js';
import { type Clock, systemClock } from '../util/clock.js';
import { mergeOptions } from '../util/options.js';
import { JsonWriter, type JsonWriterConfig } from '../writer/json-writer.js';
import type { Explanation } from './explanation.js';
import { DATA_RULES } from './proxy-options.js';
import type { ProxyRequest } from './proxy-request.js';

/** Options of every proxy. */
export interface DataProxyConfig {
  /** Whether several records of one action may travel in one request (H16). @default false */
  batchActions?: boolean;
  /** Order in which `sync()` runs the actions. @default 'create,update,destroy' */
  batchOrder?: string;
  /** How answers are read: options, or a reader. */
  reader?: JsonReaderConfig | JsonReader;
  /** How bodies are written: options, or a writer. */
  writer?: JsonWriterConfig | JsonWriter;
  /**
   * Optional concerns: `retry()`, `auth()`, `rateLimit()`, `etags()`, `streaming()`, `telemetry()`, and those of the application. A model's list is appended
   * to that of its base; of two extensions with one name the later one counts; `off(name)` removes one. @default []
   */
  use?: readonly ExtensionEntry[] | undefined;
  /** Time; for tests. @default the system's */
  clock?: Clock;
  /** Texts that replace the built-in ones in errors. */
  messages?: Messages;
}

/** Options over options, key by key; lists of extensions add up. */
export function withExtensions<C extends object>(base: C, own: Partial<C>): C {
  const [before, after] = [(base as DataProxyConfig).use, (own as DataProxyConfig).use];
  return { ...base, ...own, ...(before && after && { use: [...before, ...after] }) };
}

/**
 * A type argument that no value decides, so that an unknown option in a literal is an error. TypeScript 5.4 cannot find the
 * options of a class behind `NoInfer`.
 */
export type Given<C> = [C][C extends unknown ? 0 : never];

/**
 * Where records come from and go to. Subclasses do the four actions; each takes an operation and resolves with a result set,
 * or rejects with a `DataError`.
 */
export abstract class DataProxy<C extends object = object> {
  readonly batchActions: boolean;
  readonly batchOrder: string;
  readonly messages: Messages | undefined;
  /** The extensions in use, outermost first. */
  readonly extensions: readonly Extension[];
  readonly clock: Clock;
  /** The hooks of the extensions. */
  readonly hooks: ExtensionHooks;
  protected readonly config: C;
  /** The extensions with a hook for requests, and those with one for answers: most proxies have none. */
  private readonly preparing: readonly Extension[];
  private readonly answering: readonly Extension[];

  constructor(config?: Given<C>) {
    this.config = config ?? ({} as C);
    const given = this.config as DataProxyConfig;
    const Class = this.constructor as typeof DataProxy;
    checkGiven(`The options of ${Class.name}`, this.config, object);
    checkNames(this.config, Class.name, Class.optionNames(), 'proxy');
    checkValues(this.config, Class.name, Class.optionRules());
    const fallback = this.dialectOptions();
    this.batchActions = given.batchActions ?? fallback.batchActions ?? false;
    this.batchOrder = given.batchOrder ?? fallback.batchOrder ?? 'create,update,destroy';
    this.messages = given.messages;
    this.extensions = resolveExtensions(given.use ?? []);
    this.preparing = this.extensions.filter(({ prepare }) => prepare);
    this.answering = this.extensions.filter(({ answered }) => answered);
    this.clock = given.clock ?? systemClock;
    this.hooks = new ExtensionHooks(this.extensions);
  }

  /**
   * The names of all options. A proxy class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'tenant']; }`.
   */
  static optionNames(): readonly string[] {
    return ['type', 'batchActions', 'batchOrder', 'reader', 'writer', 'messages', 'readProblem', 'use', 'clock'];
  }

  /** Rules for the values of options; those without a rule may have any value. */
  protected static optionRules(): Readonly<Record<string, Rule>> {
    return DATA_RULES;
  }

  abstract create(operation: Operation): Promise<ResultSet>;
  abstract read(operation: Operation): Promise<ResultSet>;
  abstract update(operation: Operation): Promise<ResultSet>;
  abstract erase(operation: Operation): Promise<ResultSet>;

  /** Runs an operation by its action. */
  execute(operation: Operation): Promise<ResultSet> {
    const { action } = operation;
    return this[action === 'destroy' ? 'erase' : action](operation);
  }

  /** What would be sent for an operation, part by part; nothing, where a proxy sends no requests. */
  explain(_operation: Operation | OperationConfig): Promise<Explanation> {
    return Promise.resolve({ parts: [], headers: [] });
  }

  /** Whether an extension adds to requests while they are built. */
  get prepares(): boolean {
    return this.preparing.length > 0;
  }

  /** Lets the extensions add headers and parameters to a request that is being built. */
  prepareRequest(request: ProxyRequest): void {
    for (const extension of this.preparing) request.prepareBy(extension, this);
  }

  /** Tells the extensions that a successful answer has been read. */
  reportAnswer(request: ProxyRequest, result: ResultSet): void {
    for (const extension of this.answering) extension.answered?.(request, result, this);
  }

  /** A proxy of the same class with other options over its own. */
  with(config: Partial<C>): this {
    const Class = this.constructor as new (config: C) => this;
    return new Class(withExtensions(this.config, config));
  }

  /** Options that hold where the proxy's own config says nothing: those of a dialect. Reads nothing but `config`. */
  protected dialectOptions(): DataProxyConfig {
    return {};
  }

  // Built on first use: a subclass's own fields are not there while the base constructor runs.
  private ownReader: JsonReader | undefined;
  private ownWriter: JsonWriter | undefined;

  /** Reads answers: by the proxy's options over those of the dialect, name by name. A reader is taken as it is. */
  get reader(): JsonReader {
    const { reader: own } = this.config as DataProxyConfig;
    return (this.ownReader ??= partOf(own, this.dialectOptions().reader, JsonReader));
  }

  /** Writes bodies: by the proxy's options over those of the dialect, name by name. A writer is taken as it is. */
  get writer(): JsonWriter {
    const { writer: own } = this.config as DataProxyConfig;
    return (this.ownWriter ??= partOf(own, this.dialectOptions().writer, JsonWriter));
  }
}

/** The reader or writer of a proxy, from options or as it was given. */
function partOf<O extends object, T extends object>(
  own: O | T | undefined,
  ofDialect: O | T | undefined,
  Part: new (options?: O) => T,
): T {
  if (own instanceof Part) return own;
  if (ofDialect instanceof Part) return own === undefined ? ofDialect : new Part(own as O);
  return new Part(mergeOptions(ofDialect as O | undefined, own as O | undefined));
}
