import type { OperationRecord } from '../operation/operation-record.js';
import { isData } from '../util/data-path.js';
import { rounded } from '../util/rounded.js';
import type { MessageKey, MessageParams } from './message-format.js';
import { StateError } from './mistakes.js';
import { HttpError, type HttpErrorOptions } from './request-errors.js';

/** The two sides of a conflict, and the row from which both started, as raw rows. */
export interface Conflict {
  /** The row as the server gave it before the write. */
  base: object;
  /** The row as the write would have left it; empty for an erase. */
  mine: object;
  /** The row as the server has it now; undefined if it is not known. */
  theirs: object | undefined;
}

/** The values of a field on both sides of a conflict. `merge()` asks about the fields that both sides changed to different values. */
export interface FieldConflict {
  /** Name of the field; for a field of an embedded model a path such as `address.street`. */
  readonly field: string;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/**
 * A field of a record that both sessions have changed to different values. In a record that one side has removed: a field that the other side
 * has changed.
 */
export interface RecordConflict extends FieldConflict {
  /** The record of the session that takes the changes. */
  readonly record: OperationRecord;
  /** The side that has removed the record; undefined: both have changed the field. */
  readonly removedBy?: 'mine' | 'theirs' | undefined;
}

/** Returns the value of a field that both sessions have changed, or undefined to leave the conflict open. */
export type RecordDecision = (conflict: RecordConflict) => unknown;

/** Returns the value of a field that both sides changed, or undefined to leave the conflict undecided. */
export type MergeDecision = (conflict: FieldConflict) => unknown;

/** The ways to end the conflict of one record. */
export interface ConflictResolver {
  inspect(): Promise<readonly FieldConflict[]>;
  keepMine(): Promise<void>;
  takeTheirs(): void | Promise<void>;
  merge(decide?: MergeDecision): Promise<void>;
}

/**
 * The server has another version of the record: 412, 428, and 409 to an update or erase that carried a version, without errors by field;
 * or what `conflicts({ when })` says. The record keeps its edits and is not sent again automatically. `base` and `mine` are rows, and with
 * `conflicts()` also `theirs`; `inspect()` gives all fields of both sides, and `merge()`, `keepMine()` or `takeTheirs()` ends the
 * conflict.
 *
 * A conflict is over once the record was saved or the conflict ended: the calls then fail with a `StateError` (`unresolvable`), and so do
 * those of a refused create, because there is nothing to merge with. The ETag in the header of an error response is never used.
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
  /** The row as the server gave it before the write. */
  readonly base: object;
  /** The row as the write would have left it; empty for an erase. */
  readonly mine: object;
  /** The row as the server has it now; undefined if it is not known. */
  readonly theirs: object | undefined;
  /** Whether the record is no longer on the server. */
  readonly gone: boolean = false;
  /** The fields that `merge()` could not decide. */
  readonly fields: readonly FieldConflict[] = [];
  /** The row as the server has it now, with every digit of its numbers. In `theirs`, long numbers are rounded. */
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

  /** Sets the rows of the error. The given rows hold every digit of their numbers. */
  tell(rows: Partial<Conflict>): void {
    if ('theirs' in rows) {
      // Not enumerable: logs show `theirs`.
      Object.defineProperty(this, 'exactTheirs', { value: rows.theirs, configurable: true });
    }
    Object.assign(this, rounded({ ...rows }));
  }

  /**
   * Resolves with all fields that the server knows, each with its values in `base`, `mine` and `theirs`: for a screen that shows both
   * sides. Nothing is saved, and the record does not change. The row is read if it is not known; it is then in `theirs`, and the other
   * calls need not read it. `mine` is undefined for an erase, and `theirs` for a record that is `gone`. Rejects with the error of the
   * read, and with `StateError` if this conflict is over.
   *
   * @example
   * ```ts
   * const { error } = user.$;
   * if (error?.code === 'conflict')
   *   for (const { field, base, mine, theirs } of await error.inspect()) console.log(field, base, mine, theirs);
   * ```
   */
  async inspect(): Promise<readonly FieldConflict[]> {
    return this.by().inspect();
  }

  /**
   * Repeats the write over the row that the server has now. That row, which is read if the response did not hold it, becomes the base;
   * the edits stay on top and are saved. An erase is sent again. Rejects with a new `ConflictError` if the record has changed once more
   * on the server or is `gone`, and with `StateError` if this conflict is over.
   *
   * @example
   * ```ts
   * await user.save().catch(async (error: unknown) => {
   *   if (!(error instanceof ConflictError)) throw error;
   *   await error.keepMine(); // "Overwrite"; for "Discard my changes", takeTheirs()
   * });
   * ```
   */
  async keepMine(): Promise<void> {
    await this.by().keepMine();
  }

  /**
   * Drops the edits, so that the record is as the server has it. Done at once if `theirs` is known; otherwise the record is read first,
   * and a promise is returned. A record that is gone from the server is erased here. Throws `StateError` if this conflict is over.
   *
   * @example
   * ```ts
   * const { error } = user.$;
   * if (error?.code === 'conflict') await error.takeTheirs(); // "Discard my changes"
   * show(user.dirty); // false
   * ```
   */
  takeTheirs(): void | Promise<void> {
    return this.by().takeTheirs();
  }

  /**
   * Keeps, for each field, the value from the side that changed it, then saves. For a field that both sides changed to different values,
   * `decide` returns the value, or a promise of it. An erase is done if the server has changed no field. Rejects with this error, and
   * changes nothing, if a field is left undecided: `fields` lists these fields. Rejects also as `keepMine` does.
   *
   * @example
   * ```ts
   * const { error } = user.$;
   * if (error?.code === 'conflict')
   *   await error.merge(({ field, mine, theirs }) => (window.confirm(`Keep your ${field}?`) ? mine : theirs));
   * ```
   */
  async merge(decide?: MergeDecision): Promise<void> {
    await this.by().merge(decide);
  }

  /** Attaches the ways to end the conflict of a record. */
  resolveBy(resolver: ConflictResolver): void {
    // Not enumerable: the resolver holds the record, which must not get into logs.
    Object.defineProperty(this, 'resolver', { value: resolver, configurable: true });
  }

  private by(): ConflictResolver {
    if (!this.resolver) throw new StateError('unresolvable', 'conflict-unbound', {});
    return this.resolver;
  }
}
