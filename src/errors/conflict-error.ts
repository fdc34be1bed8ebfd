import { isData } from '../util/data-path.js';
import { rounded } from '../util/rounded.js';
import { HttpError, type HttpErrorOptions } from './http-error.js';
import type { MessageKey, MessageParams } from './messages.js';
import { StateError } from './state-error.js';

/** The two sides of a conflict, and what both started from: raw rows, member by member. */
export interface Conflict {
  /** The row as the server gave it before the write. */
  base: object;
  /** The row as the write would have left it; of an erase, nothing. */
  mine: object;
  /** The row as the server has it now, where that is known. */
  theirs: object | undefined;
}

/** A field that both sides changed, each to another value. */
export interface FieldConflict {
  /** Name of the field; of one in an embedded model a path, `address.street`. */
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** Says what a field that both sides changed is to be; undefined: it cannot be decided so. */
export type MergeDecision = (conflict: FieldConflict) => unknown;

/** How a conflict of one record ends. */
export interface ConflictResolver {
  keepMine(): Promise<void>;
  takeTheirs(): void | Promise<void>;
  merge(decide?: MergeDecision): Promise<void>;
}

/**
 * The server has another version of the record: 409, 412, 428. The record keeps its edits, and sends nothing more by itself.
 *
 * @example
 * ```ts
 * user.name = 'Ada';
 * await user.save().catch((error) => {
 *   if (!isDataError(error) || error.code !== 'conflict') throw error;
 *   return error.merge(({ mine }) => mine);
 * });
 * ```
 */
export class ConflictError extends HttpError<'conflict'> implements Conflict {
  override readonly name = 'ConflictError' as const;
  override readonly code = 'conflict' as const;
  readonly base: object;
  readonly mine: object;
  readonly theirs: object | undefined;
  /** Whether the record is no longer on the server. */
  readonly gone: boolean = false;
  /** The fields that `merge()` could not decide. */
  readonly fields: readonly FieldConflict[] = [];
  /** The row as the server has it now, with every digit of its numbers; `theirs` has the nearest ones. */
  declare readonly exactTheirs: object | undefined;
  declare private readonly resolver: ConflictResolver | undefined;

  constructor(
    reason: MessageKey,
    params: MessageParams,
    options: HttpErrorOptions & { [K in keyof Conflict]?: unknown },
  ) {
    super(reason, params, options);
    const { base, mine, theirs } = options;
    this.base = isData(base) ? (rounded(base) as object) : {};
    this.mine = isData(mine) ? (rounded(mine) as object) : {};
    this.theirs = undefined;
    this.tell({ theirs: isData(theirs) ? theirs : undefined });
  }

  /** Completes what the error tells of the rows, in which every digit is kept. */
  tell(rows: Partial<Conflict>): void {
    if ('theirs' in rows) {
      // Not enumerable: logs show `theirs`.
      Object.defineProperty(this, 'exactTheirs', { value: rows.theirs, configurable: true });
    }
    Object.assign(this, rounded({ ...rows }));
  }

  /**
   * Writes again what was to be written, over what the server has now: its row, read where the answer did not hold it, becomes
   * the base, the edits stay on top and are saved; an erase is done. Rejects with a new `ConflictError` where the server has
   * changed once more or the record is `gone`, and with `StateError` where this conflict is over.
   */
  async keepMine(): Promise<void> {
    await this.by().keepMine();
  }

  /**
   * Drops the edits: the record is what the server has now. At once where `theirs` is known; else it is read first, and what is
   * returned is a promise of that. A record that is gone from the server is erased here. Throws `StateError` where this conflict is
   * over.
   */
  takeTheirs(): void | Promise<void> {
    return this.by().takeTheirs();
  }

  /**
   * Merges field by field, and saves: a field that one side changed takes that side's value. Of one that both changed, each to
   * another value, `decide` gives the value, or a promise of it. Where any is left undecided nothing is changed, and it rejects with
   * this error, whose `fields` tell which. Rejects as `keepMine` does, too. An erase goes through where nothing was changed.
   */
  async merge(decide?: MergeDecision): Promise<void> {
    await this.by().merge(decide);
  }

  /** Says how the conflict of a record can end. */
  resolveBy(resolver: ConflictResolver): void {
    // Not enumerable: it knows the record, and logs should not.
    Object.defineProperty(this, 'resolver', { value: resolver, configurable: true });
  }

  private by(): ConflictResolver {
    if (!this.resolver) throw new StateError('unresolvable', 'conflict-unbound', {});
    return this.resolver;
  }
}
