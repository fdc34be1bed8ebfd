import { DataError } from './data-error.js';

/** The server answered with success, but not with what was asked for. */
export class ReadError extends DataError {
  override readonly name = 'ReadError' as const;
  readonly code = 'read' as const;
}
