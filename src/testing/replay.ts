import type { RecordedAttempt, RecordedOperation, Recording } from '../devtools/recording.js';
import { MASK, SecretMask } from '../devtools/secrets/secret-mask.js';
import { off } from '../extension/hooks.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { Store } from '../store/store.js';
import { type Clock, systemClock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { BODILESS } from './faults.js';
import { misuse } from './refusal.js';

/** Any depth of a recording as a constant of a test has it. */
type Given<T> = T extends string | number | boolean | null | undefined
  ? T extends string
    ? string
    : T
  : { readonly [K in keyof T]: Given<T[K]> };

/** Answers the requests of a recording. */
export interface Replay {
  /** Value for the proxy's option `fetch`. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Value for the proxy's option `baseUrl`: the origin of the recorded requests. */
  readonly baseUrl: string;
  /** Value for the proxy's option `clock`: waits are a hundred times shorter than they are asked for. */
  readonly clock: Clock;
  /** The recorded requests that were not asked for, such as `GET https://…/users`. */
  readonly unused: readonly string[];
  /** The model with a proxy that is answered from the recording. Outboxes of the application take no part. */
  model<M extends typeof Model>(model: M): M;
  /**
   * The record that a recorded write wrote, as it was before: `number` is that of the operation, `index` the place among its records.
   *
   * @example
   * ```ts
   * import { replay } from 'repose/testing';
   *
   * const server = replay(recording);
   * const record = server.record(server.model(User), 3); // operation 3 of the recording was an update
   * await record.set('name', 'Grace').save(); // answered as it was then
   * ```
   */
  record<M extends Model>(model: ModelType<M>, number: number, index?: number): M;
  /**
   * The rows of the records that a recorded write wrote, as they were before.
   *
   * @example
   * ```ts
   * import { replay } from 'repose/testing';
   *
   * const server = replay(recording);
   * const people = new Store({ model: server.model(User) });
   * for (const user of people.setRecords(server.rows(4) as { id: number }[])) user.team = 'A'; // operation 4 wrote several records
   * await people.sync();
   * ```
   */
  rows(number: number): object[];
}

/** A recorded attempt that can answer a request. */
interface Answer {
  readonly attempt: RecordedAttempt;
  readonly key: string;
  isUsed: boolean;
}

/**
 * Answers requests from a recording of `repose/devtools`, as the server has answered them then: each recorded attempt answers one request with
 * the same method, path, parameters and body, in the recorded order. Masked secrets are equal to any value. A request that the recording does
 * not have rejects with a `DefinitionError` that names it. Throws `DefinitionError` for anything but a recording.
 *
 * @example
 * ```ts
 * import { replay } from 'repose/testing';
 *
 * const server = replay(recording);
 * const Tested = server.model(User);
 * await Tested.load(7);
 * show(server.unused); // []
 * ```
 */
export function replay(recording: Given<Recording> | Recording): Replay {
  const { operations, secrets } = checkedRecording(recording);
  const mask = new SecretMask(secrets);
  const cacheParams = new Set(operations.flatMap(({ cacheParam }) => cacheParam ?? []));
  const keyOf = (method: string, url: string, body: string | undefined) =>
    `${method} ${comparable(mask.address(url), cacheParams)} ${body === undefined ? '' : canonical(mask.text(body))}`;
  const answers = operations
    .flatMap(({ startedAt, attempts }) => attempts.map((attempt) => ({ attempt, sentAt: startedAt + attempt.at })))
    .filter(({ attempt }) => attempt.duration !== undefined)
    .sort((one, other) => one.sentAt - other.sentAt)
    .map(({ attempt }): Answer => {
      const { method, url, body } = attempt;
      return { attempt, isUsed: false, key: keyOf(method, url, body?.only === undefined ? body?.text : undefined) };
    });
  const [first] = answers;
  const baseUrl = first ? new URL(first.attempt.url).origin : 'http://test.local';

  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input instanceof Request ? input : new URL(input, baseUrl), init);
    const text = typeof init?.body === 'string' ? init.body : undefined;
    const key = keyOf(request.method, request.url, text);
    const left = answers.filter((each) => !each.isUsed);
    const answer = left.find((each) => each.key === key) ?? left.find((each) => fits(each.key, key));
    if (!answer) {
      const keys = left.map((each) => each.key.trim());
      throw misuse('replay-request', { request: key.trim(), left: keys.length > 0 ? keys.join('; ') : 'none' });
    }
    answer.isUsed = true;
    return responseOf(answer.attempt, request);
  };

  const rowsOf = (number: number): object[] => {
    const operation = operations.find((each) => each.number === number);
    return (operation?.records ?? []).map((record) => record.row ?? {});
  };

  return {
    fetch,
    baseUrl,
    clock: fastClock,
    get unused() {
      return answers.filter(({ isUsed }) => !isUsed).map(({ attempt: { method, url } }) => `${method} ${url}`);
    },
    model(model) {
      const own = innerModel(model).proxy as { readonly baseUrl?: string };
      const proxy = { fetch, clock: fastClock, use: [off('outbox'), off('outbox-order')] };
      return model.with({ proxy: own.baseUrl === undefined ? { ...proxy, baseUrl } : proxy } as never) as never;
    },
    record(model, number, index = 0) {
      const row = rowsOf(number)[index];
      if (!row) throw misuse('replay-record', { number, index });
      const store = new Store({ model });
      // As a response brings it: by the mapping of its fields, and with members that no field declares.
      const [record] = store.setRecords([row]);
      return record as never;
    },
    rows: rowsOf,
  };
}

/** Whether a request is a recorded one, whose masked values are equal to any. A value may be masked because another place has told it. */
function fits(recorded: string, request: string): boolean {
  const [first = '', ...rest] = recorded.split(MASK);
  const last = rest.pop();
  if (last === undefined || !request.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = request.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return request.length - last.length >= at && request.endsWith(last);
}

/** Waits are shorter, so that a replay of repeated requests takes no time; an order of waits stays as it is. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  after: (ms, callback) => systemClock.after(ms / 100, callback),
};

function checkedRecording(recording: unknown): {
  readonly operations: readonly RecordedOperation[];
  readonly secrets: readonly string[];
} {
  const { format, version, operations, secrets } = (isObject(recording) ? recording : {}) as Partial<Recording>;
  if (format !== 'repose-recording' || version !== 1 || !Array.isArray(operations) || !Array.isArray(secrets))
    throw misuse('replay-recording', {});
  return { operations, secrets };
}

/** An address without its origin and without the parameter that differs in each request; parameters in the order of their names. */
function comparable(url: string, cacheParams: ReadonlySet<string>): string {
  const { pathname, searchParams } = new URL(url, 'http://test.local');
  const params = [...searchParams]
    .filter(([name]) => !cacheParams.has(name))
    .map(([name, value]) => `${name}=${value}`);
  return params.length > 0 ? `${pathname}?${params.sort().join('&')}` : pathname;
}

/** A body as text, with the members of JSON in the order of their names. */
function canonical(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      isObject(value) && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    );
  } catch {
    return text;
  }
}

/** Headers that describe the body as it travelled, not as it was recorded, and those whose values were masked. */
function keptHeaders(headers: Readonly<Record<string, string>> = {}): [string, string][] {
  return Object.entries(headers).filter(
    ([name, value]) =>
      value !== MASK && !/^(content-encoding|content-length|transfer-encoding|set-cookie)$/i.test(name),
  );
}

async function responseOf(
  { status, responseHeaders, responseBody, error, method, url }: RecordedAttempt,
  request: Request,
): Promise<Response> {
  if (status === undefined) {
    const { code = 'network', message = '' } = error ?? {};
    if (code === 'timeout' || code === 'abort') return await untilAborted(request.signal);
    throw new TypeError(`fetch failed (recorded: ${message})`);
  }
  if (responseBody?.only !== undefined)
    throw misuse('replay-body', { request: `${method} ${url}`, only: responseBody.only });
  const body = BODILESS.includes(status) || method === 'HEAD' ? null : (responseBody?.text ?? '');
  const response = new Response(body, { status, headers: keptHeaders(responseHeaders) });
  return Object.defineProperty(response, 'url', { value: request.url });
}

/** Never answers, as the server did. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
