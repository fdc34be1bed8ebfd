import { HttpError, type HttpErrorOptions } from './http-error.js';
import type { MessageKey, MessageParams } from './messages.js';

/** The two sides of a conflict. */
export interface Conflict {
  /** The row as the server last gave it. */
  base: object;
  /** The row as it was sent. */
  mine: object;
  /** The row as the server has it now, where the answer holds it. */
  theirs: object | undefined;
}

/** The server has another version of the record: 409, 412, 428. */
export class ConflictError extends HttpError<'conflict'> implements Conflict {
  override readonly name = 'ConflictError' as const;
  override readonly code = 'conflict' as const;
  readonly base: object;
  readonly mine: object;
  readonly theirs: object | undefined;

  constructor(reason: MessageKey, params: MessageParams, options: HttpErrorOptions & Partial<Conflict>) {
    super(reason, params, options);
    this.base = options.base ?? {};
    this.mine = options.mine ?? {};
    this.theirs = options.theirs;
  }
}
