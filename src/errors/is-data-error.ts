import type { AbortError } from './abort-error.js';
import type { AddressError } from './address-error.js';
import type { AuthError } from './auth-error.js';
import type { ConflictError } from './conflict-error.js';
import { hasErrorBrand } from './data-error.js';
import type { DependencyError } from './dependency-error.js';
import type { HttpError } from './http-error.js';
import type { NetworkError } from './network-error.js';
import type { ReadError } from './read-error.js';
import type { SyncError } from './sync-error.js';
import type { TimeoutError } from './timeout-error.js';
import type { UnsupportedQueryError } from './unsupported-query-error.js';
import type { ValidationError } from './validation-error.js';

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

/** Why a record was not written: how its operation failed, or which other record kept it from being written. Branch on `code`. */
export type AnyOutcomeError = AnyDataError | DependencyError | SyncError;

/**
 * Whether something thrown is one of ours, also when another copy of the package made it; narrows by `code`.
 * Others pass too that are not in the union: `DefinitionError`, `StateError` and `BatchError`, which tell of a mistake in the
 * code, and `DependencyError` and `SyncError`, which tell of a record that another one kept from being written. Ask for them by
 * `instanceof` first: behind this, they are narrowed away.
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
