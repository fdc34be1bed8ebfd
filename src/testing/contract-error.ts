import type { DataError } from '../errors/data-error.js';
import { hasErrorBrand } from '../errors/data-error.js';
import { isSame } from '../util/values.js';

/** Thrown if a proxy breaks the contract. Test runners show the difference between `actual` and `expected`. */
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
