import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import { AddressError, DefinitionError, StateError } from '../errors/mistakes.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { Issue } from '../errors/validation-error.js';
import { BulkFailure, type FailedRecord } from './bulk-failure.js';

/** The parts of an error that a library needs to know. */
export interface ToldError {
  /** A sentence for the person at the screen. */
  readonly message: string;
  /** HTTP status; of an error that is no response, the one that means the same, or 0 if no response came. */
  readonly status: number;
  readonly issues: readonly Issue[];
  /** The records of a bulk action that could not be written; the others were. */
  readonly failed: readonly FailedRecord[];
}

/** The statuses that stand for errors without a response. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  validation: 422,
  conflict: 409,
  network: 0,
  timeout: 0,
};

/** Errors of calls that were wrong. Nothing was sent, and what to do stands in their messages. */
const MISTAKES = [AddressError, DefinitionError, StateError, UnsupportedQueryError];

/**
 * Runs a call for a library, and makes its `DataError` one of the library. An aborted call, and a call that was a mistake, reject as they are: a
 * library knows the first by its signal, and developers mend the second by its message.
 */
export async function asLibrary<T>(
  run: () => Promise<T> | T,
  toError: (told: ToldError, cause: DataError) => Error,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const { cause, failed, total } = thrown instanceof BulkFailure ? thrown : { cause: thrown, failed: [], total: 0 };
    if (!hasErrorBrand(cause)) throw cause;
    const mistake = mistakeIn(cause, failed, total);
    if (mistake || cause.code === 'abort') throw mistake ?? cause;
    throw toError(tell(cause, failed), cause);
  }
}

/** The mistake of a call, which developers have to mend: that of a bulk action, if all of its records failed for a mistake. */
function mistakeIn(error: DataError, failed: readonly FailedRecord[], total: number): DataError | undefined {
  const isMistake = (each: DataError) => MISTAKES.some((Mistake) => each instanceof Mistake);
  if (isMistake(error)) return error;
  const [first] = failed;
  return first && failed.length === total && failed.every((each) => isMistake(each.error)) ? first.error : undefined;
}

function tell(error: DataError, failed: readonly FailedRecord[]): ToldError {
  // If several records could not be written, the error of the first one says why.
  const [{ error: first } = { error }] = failed;
  const { status, issues = [] } = first as { readonly status?: number; readonly issues?: readonly Issue[] };
  return { message: error.userMessage, status: status ?? STATUS_BY_CODE[first.code] ?? 500, issues, failed };
}
