import type { testingMessages as allTestingMessages } from '../dev/messages/entries.js';
import { testingMessages } from '../dev/texts.js';
import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { DefinitionError } from '../errors/mistakes.js';
import { setMembers } from '../util/data-path.js';
import { isSame } from '../util/values.js';

/** Creates the error for wrong use of a test tool. */
export function misuse(
  reason: keyof typeof allTestingMessages,
  params: Readonly<Record<string, unknown>>,
): DefinitionError {
  return new DefinitionError(reason, params, { messages: testingMessages });
}

/**
 * Thrown if a proxy breaks the contract. Test runners show the difference between `actual` and `expected`.
 *
 * @example
 * ```ts
 * import { ContractError, proxyContract } from 'repose/testing';
 *
 * const test = async (title: string, run: () => unknown) => {
 *   try {
 *     await run();
 *   } catch (error) {
 *     if (error instanceof ContractError) show(title, error.message, error.actual, error.expected);
 *   }
 * };
 * proxyContract({ createProxy: () => new MemoryProxy() }, { test });
 * ```
 */
export class ContractError extends Error {
  override readonly name = 'ContractError' as const;

  constructor(
    message: string,
    readonly actual: unknown,
    readonly expected: unknown,
  ) {
    super(message);
  }
}

/** Throws unless two values are equal: dates by time, arrays and plain objects by content. */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  if (isSame(actual, expected)) return;
  throw new ContractError(`${what}: expected ${show(expected)}, got ${show(actual)}.`, actual, expected);
}

/** Throws unless the condition is true. */
export function assertThat(so: boolean, what: string): void {
  if (!so) throw new ContractError(`${what}.`, false, true);
}

/** Resolves with the `DataError` that a promise rejects with; throws if the promise does anything else. */
export async function assertRejects(running: Promise<unknown>, what: string, code?: string): Promise<DataError> {
  const [error, value] = await running.then(
    (result) => [undefined, result],
    (reason: unknown) => [reason ?? 'nothing', undefined],
  );
  const expected = code ? `a DataError with the code '${code}'` : 'a DataError';
  if (error === undefined) {
    throw new ContractError(`${what}: expected ${expected}, but it resolved with ${show(value)}.`, value, expected);
  }
  if (!hasErrorBrand(error) || (code && error.code !== code)) {
    throw new ContractError(`${what}: expected ${expected}, but it rejected with ${String(error)}.`, error, expected);
  }
  return error;
}

function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** A response of the test server before it becomes a `Response`. */
export interface Reply {
  readonly status: number;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  428: 'Precondition Required',
  500: 'Internal Server Error',
};

/** Thrown if the test server refuses a request; sent as `application/problem+json` (RFC 9457). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly more: { readonly headers?: Readonly<Record<string, string>>; readonly members?: object } = {},
  ) {
    super(message);
  }

  /** The body of the response, with the reason. */
  get problem(): object {
    const { status, message: detail } = this;
    const problem = { title: TITLES[status], status, detail };
    setMembers(problem, this.more.members);
    return problem;
  }

  get reply(): Reply {
    return {
      status: this.status,
      body: this.problem,
      headers: { 'Content-Type': 'application/problem+json', ...this.more.headers },
    };
  }
}
