import type { ConflictError } from './conflict-error.js';
import { hasErrorBrand } from './data-error.js';
import type { AddressError } from './mistakes.js';
import type { ReadError } from './read-error.js';
import type { AbortError, AuthError, HttpError, NetworkError, TimeoutError } from './request-errors.js';
import type { UnsupportedQueryError } from './unsupported-query-error.js';
import type { ValidationError } from './validation-error.js';
import type { DependencyError, SyncError } from './write-errors.js';

/** Every way in which an operation can fail; branch on `code`. */
export type AnyDataError =
  | AddressError
  | UnsupportedQueryError
  | NetworkError
  | TimeoutError
  | AbortError
  | HttpError
  | AuthError
  | ConflictError
  | ValidationError
  | ReadError;

/** Why a record was not written: its operation failed, or another record prevented it. Branch on `code`. */
export type AnyOutcomeError = AnyDataError | DependencyError | SyncError;

/**
 * Whether something thrown is an error of this package, also of another copy of it; narrows by `code`.
 * Also true for errors that are not in the union: `DefinitionError`, `StateError` and `BatchError`, which report a mistake in the code,
 * and `DependencyError` and `SyncError`, which report that another record prevented a write. Test for these with `instanceof` first,
 * because this function narrows them away.
 *
 * @example
 * ```ts
 * try { await user.save(); }
 * catch (error) { if (isDataError(error) && error.code === 'validation') show(error.issues); else throw error; }
 * ```
 */
export function isDataError(error: unknown): error is AnyDataError {
  return hasErrorBrand(error);
}
