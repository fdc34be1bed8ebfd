import { checkOptions } from '../dev/checks.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { callable, milliseconds, type Rule, wholeFrom } from '../errors/option-rules.js';
import type { Extension, Send } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import type { Clock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { confirm } from './confirm.js';
import { parseWait, sleep } from './waiting.js';

/** How long `retry()` waits before a repeat, unless the response names a time. */
export interface BackoffConfig {
  /** The longest wait before the first repeat, in milliseconds. The bound doubles for each further repeat. @default 300 */
  base?: number;
  /** The longest wait before any repeat, in milliseconds. @default 20000 */
  max?: number;
}

/** Options of {@link retry}. */
export interface RetryConfig {
  /** The most repeats of one call. @default 3 */
  limit?: number;
  /** The statuses after which a call is repeated. A call that got no response is always repeated. @default [408, 429, 502, 503, 504] */
  statuses?: readonly number[];
  /** The waits between repeats: random, from 0 to a bound that doubles (full jitter), and never shorter than `Retry-After`. */
  backoff?: BackoffConfig;
  /**
   * The time for all attempts of a call and the waits between them, in milliseconds, including the waits of `rateLimit()`. A repeat
   * that would start later is not made, even if `Retry-After` asks for it: the call then ends at once with the last response or error.
   * The time limit of a repeat is at most the time that is left.
   * @default 60000
   */
  deadline?: number;
  /** Returns a random number from 0 to below 1, for the jitter; for tests. @default Math.random */
  random?: () => number;
}

const statusList: Rule = {
  expected: 'a list of statuses',
  holds: (value) =>
    Array.isArray(value) && value.every((each) => Number.isInteger(each) && Number(each) >= 100 && Number(each) <= 599),
};

/**
 * Repeats calls that got no response, or a response that says to try later. Only calls that can be repeated without creating a duplicate
 * are repeated: reads, PUT, PATCH of edited fields, DELETE, and calls that carry an idempotency key (`idempotency()`). Each repeat
 * sends the same body and key, and evaluates `headers` again. Includes `confirm()`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({
 *   proxy: { use: [retry({ limit: 5, backoff: { base: 500 }, deadline: 30_000 })] },
 * }) {}
 * ```
 */
export function retry(config: RetryConfig = {}): readonly Extension[] {
  const settings = settingsOf(config);
  const repeat = Object.freeze<Extension>({
    name: 'retry',
    layer: LAYERS.retry,
    send: (request, next, { clock }) => sendRepeatedly(request, next, settings, clock),
  });
  return Object.freeze([repeat, confirm()]);
}

async function sendRepeatedly(
  request: ProxyRequest,
  next: Send,
  settings: Required<RetryConfig>,
  clock: Clock,
): Promise<HttpResponse> {
  const { limit, statuses, backoff, deadline, random } = settings;
  const { base, max } = backoff as Required<BackoffConfig>;
  const { operation } = request;
  const end = clock.now() + deadline;
  let last: AttemptResult = {};
  for (let repeats = 0; ; repeats += 1) {
    const { attempts } = operation;
    const result = await resultOf(next(request));
    // A repeat that timed out while it waited for `rateLimit()` was never sent, so the outcome of the attempt before it counts.
    if (repeats === 0 || operation.attempts > attempts || !isTimeout(result.error)) last = result;
    const { response, error } = last;
    const isTransient = response ? statuses.includes(response.status) : isTransientError(error);
    const retryAfter = (response && parseWait(response.headers.get('Retry-After'), clock.now())) ?? 0;
    const wait = Math.max(retryAfter, random() * Math.min(max, base * 2 ** repeats));
    if (!(isTransient && request.repeatable && !request.delivered) || repeats >= limit || clock.now() + wait >= end) {
      if (response) return response;
      throw error;
    }
    await sleep(clock, wait, request.signal);
    operation.repeated = true;
    request.until = end;
    const timeLeft = end - clock.now();
    if (timeLeft < (request.timeout || Number.POSITIVE_INFINITY)) request.timeout = Math.max(1, timeLeft);
  }
}

function settingsOf(config: RetryConfig): Required<RetryConfig> {
  checkOptions('retry', config, {
    limit: wholeFrom(0),
    statuses: statusList,
    backoff: { expected: 'an object', holds: isObject },
    deadline: milliseconds(0),
    random: callable,
  });
  const { limit = 3, statuses = [408, 429, 502, 503, 504], backoff = {}, deadline = 60_000 } = config;
  checkOptions('retry.backoff', backoff, { base: milliseconds(0), max: milliseconds(0) });
  const { base = 300, max = 20_000 } = backoff;
  return { limit, statuses, backoff: { base, max }, deadline, random: config.random ?? Math.random };
}

/** How one attempt ended: with a response, or with an error. */
interface AttemptResult {
  readonly response?: HttpResponse | undefined;
  readonly error?: unknown;
}

async function resultOf(attempt: Promise<HttpResponse>): Promise<AttemptResult> {
  try {
    return { response: await attempt };
  } catch (error) {
    return { error };
  }
}

function isTransientError(error: unknown): boolean {
  return isTimeout(error) || (hasErrorBrand(error) && error.code === 'network');
}

function isTimeout(error: unknown): boolean {
  return hasErrorBrand(error) && error.code === 'timeout';
}
