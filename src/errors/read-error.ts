import { DataError } from './data-error.js';

/** The server answered with success, but the answer is not what was asked for. */
export class ReadError extends DataError {
  override readonly name = 'ReadError' as const;
  readonly code = 'read' as const;
}
