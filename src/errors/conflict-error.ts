import { isData } from '../util/data-path.js';
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

  constructor(
    reason: MessageKey,
    params: MessageParams,
    options: HttpErrorOptions & { [K in keyof Conflict]?: unknown },
  ) {
    super(reason, params, options);
    this.base = isData(options.base) ? options.base : {};
    this.mine = isData(options.mine) ? options.mine : {};
    this.theirs = isData(options.theirs) ? options.theirs : undefined;
  }
}
