import { hasErrorBrand } from '../errors/data-error.js';
import { callable, checkOptions, milliseconds, type Rule, wholeFrom } from '../errors/option-rules.js';
import type { Call, Send } from '../extension/call.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { HttpResponse } from '../http/http-response.js';
import { isObject } from '../util/data-path.js';
import { confirm } from './confirm.js';
import { sleep, waitOf } from './waiting.js';

/** How long a repeat waits where the answer does not say it. */
export interface BackoffConfig {
  /** Milliseconds before the first repeat, at most; twice as much before each further repeat. @default 300 */
  base?: number;
  /** The longest wait, in milliseconds. @default 20000 */
  max?: number;
}

/** When and how often `retry()` repeats a call. */
export interface RetryConfig {
  /** Repeats at most. @default 3 */
  limit?: number;
  /** Statuses after which a call is repeated, as it is where no answer came. @default [408, 429, 502, 503, 504] */
  statuses?: readonly number[];
  /** Waits are random, from 0 to a bound that doubles (full jitter), and never shorter than `Retry-After`. */
  backoff?: BackoffConfig;
  /**
   * Milliseconds for all attempts and the waits between them, waits for the rate included. A repeat that would start later is not
   * made, also where `Retry-After` asks for it: the call ends with the last answer or error at once. A repeat gets no more time
   * than is left.
   * @default 60000
   */
  deadline?: number;
  /** Gives a number from 0 to below 1, for the jitter; for tests. @default Math.random */
  random?: () => number;
}

const statusList: Rule = {
  expected: 'a list of statuses',
  holds: (value) =>
    Array.isArray(value) && value.every((each) => Number.isInteger(each) && Number(each) >= 100 && Number(each) <= 599),
};

/**
 * Repeats calls that got no answer, or an answer that may soon be another. Only calls that can be repeated without doubling are
 * repeated: reads, PUT, PATCH of edited fields, DELETE, and calls that carry an idempotency key (`idempotency()`). Each repeat
 * sends the same body and key, and asks for `headers` anew. Brings `confirm()` along. Throws `DefinitionError` for wrong options.
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
    send: (call, next) => sendRepeatedly(call, next, settings),
  });
  return Object.freeze([repeat, confirm()]);
}

async function sendRepeatedly(call: Call, next: Send, settings: Required<RetryConfig>): Promise<HttpResponse> {
  const { limit, statuses, backoff, deadline, random } = settings;
  const { base, max } = backoff as Required<BackoffConfig>;
  const { clock } = call.proxy;
  const end = clock.now() + deadline;
  let last: Outcome = {};
  for (let repeats = 0; ; repeats += 1) {
    const { attempt } = call;
    const outcome = await outcomeOf(next(call));
    // A repeat that timed out before its turn was never sent: the outcome before it stands.
    if (repeats === 0 || call.attempt > attempt || !isTimeout(outcome.error)) last = outcome;
    const { response, error } = last;
    const passing = response ? statuses.includes(response.status) : isPassing(error);
    const after = (response && waitOf(response.headers.get('Retry-After'), clock.now())) ?? 0;
    const wait = Math.max(after, random() * Math.min(max, base * 2 ** repeats));
    if (!(passing && call.repeatable && !call.delivered) || repeats >= limit || clock.now() + wait >= end) {
      if (response) return response;
      throw error;
    }
    await sleep(clock, wait, call.signal);
    call.repeated = true;
    call.until = end;
    const left = end - clock.now();
    if (left < (call.timeout || Number.POSITIVE_INFINITY)) call.timeout = Math.max(1, left);
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

/** An answer, or why there is none. */
interface Outcome {
  readonly response?: HttpResponse | undefined;
  readonly error?: unknown;
}

async function outcomeOf(attempt: Promise<HttpResponse>): Promise<Outcome> {
  try {
    return { response: await attempt };
  } catch (error) {
    return { error };
  }
}

function isPassing(error: unknown): boolean {
  return isTimeout(error) || (hasErrorBrand(error) && error.code === 'network');
}

function isTimeout(error: unknown): boolean {
  return hasErrorBrand(error) && error.code === 'timeout';
}
