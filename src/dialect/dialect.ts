import type { Problem, ProblemReader } from '../errors/problem.js';
import type { Action } from '../operation/actions.js';
import type { Filter, Grouper, Sorter } from '../operation/query.js';
import type { ResultSet } from '../operation/result-set.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import type { JsonReader, JsonReaderConfig } from '../reader/json-reader.js';
import type { JsonWriter, JsonWriterConfig } from '../writer/json-writer.js';

/** What steps may read of the proxy they work for: its options, defaults filled in, and its small hooks. */
export interface DialectOptions {
  readonly dialect: Dialect;
  readonly idParam: string;
  readonly pageParam: string | null;
  readonly startParam: string | null;
  readonly limitParam: string | null;
  readonly sortParam: string | null;
  readonly filterParam: string | null;
  readonly groupParam: string | null;
  readonly searchParam: string | null;
  readonly tokenParam: string | null;
  readonly directionParam: string;
  readonly groupDirectionParam: string;
  readonly simpleSortMode: boolean;
  readonly simpleGroupMode: boolean;
  readonly batchActions: boolean;
  /** Undefined where the proxy has no such option. */
  readonly appendId?: boolean;
  readonly reader: JsonReader;
  readonly writer: JsonWriter;
  readonly readProblem: ProblemReader | undefined;
  /** What was made for a frozen list, kept until the list is another. */
  kept(list: readonly object[], make: () => string): string;
  /** A path with a slash behind it, unless it has one (§4 rule 3.1). */
  slashed(path: string): string;
  encodeId(id: unknown): string;
  encodeSorters(sorters: readonly Sorter[]): string;
  encodeFilters(filters: readonly Filter[]): string;
  encodeGrouper(grouper: Grouper): string;
}

/** Options of a proxy, as a dialect gives them. */
export interface DialectDefaults {
  readonly reader?: JsonReaderConfig | JsonReader;
  readonly writer?: JsonWriterConfig | JsonWriter;
  readonly actionMethods?: Readonly<Partial<Record<Action, string>>>;
  readonly batchActions?: boolean;
  readonly batchOrder?: string;
  /** Any other option of the proxy. */
  readonly [option: string]: unknown;
}

/** What every step takes. */
export interface StepContext {
  readonly request: ProxyRequest;
  readonly options: DialectOptions;
}

/** What a dialect can say beyond the least. */
export interface Capabilities {
  /** Queries use the field's own name instead of its `mapping`, and unknown names pass. @default false */
  readonly fieldNames?: boolean;
}

/**
 * How a family of servers speaks: a plain object of steps. A house dialect spreads one that is close and replaces a step.
 *
 * @example
 * ```ts
 * const house: Dialect = {
 *   ...plain(),
 *   name: 'house',
 *   params({ request }) {
 *     const { page, limit } = request.operation;
 *     request.collect('p', page, 'house', 'page');
 *     request.collect('size', limit, 'house', 'pageSize');
 *   },
 * };
 * ```
 */
export interface Dialect {
  /** What messages and traces call it. */
  readonly name: string;
  /** Options that proxies have with this dialect unless they are given; those in `reader`, `writer` and `actionMethods` one by one. */
  readonly defaults: DialectDefaults;
  /** Collects the query of a read that asks for a page, an order or a selection, with `request.collect`. Throws `UnsupportedQueryError` for what the server has no words for. */
  params(context: StepContext): void;
  /**
   * The address of a record: takes the base path in `request.url`, returns it with what names the record. Where `request.bulk` is true
   * it is that of several records, and must name none of them (H16).
   */
  address(context: StepContext): string;
  /** A path besides those below the base that `address` may give; the guard lets it pass (H3). */
  declared?(context: StepContext): string | undefined;
  /** The verb; undefined: the proxy's default (H13). */
  method?(context: StepContext): string | undefined;
  /** The body before it becomes JSON; undefined: none (H7). */
  body(context: StepContext): unknown;
  /** Reads the answer to a read. */
  readPage(context: StepContext): ResultSet;
  /** Reads the answer to a write. */
  readSaved(context: StepContext): ResultSet;
  /**
   * Reads the id out of the `Location` of a create, where the server writes it in a form of its own (`Users(4)`); undefined: by
   * the rule of H17. Never called for a 202.
   */
  readLocation?(context: StepContext, location: string): string | undefined;
  /** Reads the body of an answer that is no success. */
  readError(context: StepContext): Problem;
  readonly capabilities: Capabilities;
}
