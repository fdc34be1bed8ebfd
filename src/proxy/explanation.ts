import type { DataError } from '../errors/data-error.js';
import type { OperationConfig } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import type { ProxyRequest, TracePart } from './proxy-request.js';

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
 * console.log(printExplanation(await User.proxy.explain({ action: 'read', id: 7 })));
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
