import { isPath, parsePath } from '../util/data-path.js';
import { MAX_DEPTH } from '../util/values.js';
import { DataError, type DataErrorOptions } from './data-error.js';
import type { MessageKey, MessageParams } from './message-format.js';

/**
 * A model, field or proxy is declared wrongly. This is a mistake in the code: correct the code instead of handling the error.
 *
 * @example
 * ```ts
 * try {
 *   new RestProxy({ url: '/users', timeout: -1 });
 * } catch (error) {
 *   show(error instanceof DefinitionError); // true: correct `timeout`
 * }
 * ```
 */
export class DefinitionError extends DataError {
  override readonly name = 'DefinitionError' as const;
  readonly code = 'definition' as const;
}

/** Codes of {@link StateError}. */
export type StateCode =
  | 'erased'
  | 'busy'
  | 'duplicate'
  | 'foreign'
  | 'field'
  | 'unresolvable'
  | 'disposed'
  | 'restricted';

/**
 * The state of a record or store does not allow the call. This is a mistake in the code: correct the code instead of handling the error.
 *
 * @example
 * ```ts
 * await user.erase(); // DELETE /users/7
 * try {
 *   user.name = 'Grace';
 * } catch (error) {
 *   if (error instanceof StateError) show(error.code); // 'erased'
 * }
 * ```
 */
export class StateError extends DataError {
  override readonly name = 'StateError' as const;
  readonly code: StateCode;

  constructor(code: StateCode, reason: MessageKey, params: MessageParams, options?: DataErrorOptions) {
    super(reason, params, options);
    this.code = code;
  }
}

/**
 * The request has no safe address: no url, an unsafe id, or an address outside its collection. Nothing was sent.
 *
 * @example
 * ```ts
 * class Note extends Model.define({ fields: { id: 'int' }, proxy: { url: '/tasks/{taskId}/notes' } }) {}
 * await Note.load(7).catch((error: unknown) => {
 *   show(error instanceof AddressError); // true: give `taskId` in `pathParams`
 * });
 * ```
 */
export class AddressError extends DataError {
  override readonly name = 'AddressError' as const;
  readonly code = 'address' as const;
}

/** Throws `DefinitionError` for a malformed path. The error names the `option` that holds the path. */
export function checkPath(path: string, option: string): void {
  if (path.length > MAX_DEPTH && parsePath(path).length > MAX_DEPTH)
    throw new DefinitionError('path-depth', { option, most: MAX_DEPTH });
  if (!isPath(path)) throw new DefinitionError('path-malformed', { path, option });
}
