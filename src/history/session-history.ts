import type { DataError } from '../errors/data-error.js';
import type { Model } from '../model/model.js';
import type { Source } from '../util/value-source.js';

/** One change of a step, for a screen that lists what can be undone. */
export interface HistoryChange {
  /** The kind of change: `restore` takes a removal back that was not saved. */
  readonly kind: 'edit' | 'add' | 'remove' | 'restore';
  readonly record: Model;
  /** The field that was edited; undefined for the other kinds. */
  readonly field?: string;
  /** The value of the field before the edit. */
  readonly before?: unknown;
  /** The value of the field after the edit. */
  readonly after?: unknown;
}

/** A step of the user, which is undone at once. */
export interface HistoryStep {
  /** The label that `group()` gave; undefined: the step was made of the edits of one turn, or of one field that were typed within a moment. */
  readonly label: string | undefined;
  /** When the step was last added to, in milliseconds since 1970. */
  readonly at: number;
  /** The changes, in the order in which they were made. */
  readonly changes: readonly HistoryChange[];
}

/** The steps that can be undone and redone at one moment: the value of the source `steps.state`. Frozen. */
export interface HistoryState {
  /** Whether `undo()` has a step to take back. */
  readonly canUndo: boolean;
  /** Whether `redo()` has a step to do again. */
  readonly canRedo: boolean;
  /** The steps that can be undone, the oldest first: `undo()` begins with the last one. */
  readonly done: readonly HistoryStep[];
  /** The steps that can be done again: `redo()` begins with the last one. */
  readonly undone: readonly HistoryStep[];
  /** Whether an `undo()` or `redo()` waits for the server. */
  readonly running: boolean;
  /** Why the last `undo()` or `redo()` failed; the next one that succeeds, or the next step, clears it. */
  readonly error: DataError | undefined;
}

/** Options of `undo()` and `redo()`. */
export interface UndoOptions {
  /**
   * Writes over what somebody else has changed since. Without it, such a change is a conflict.
   * @default false
   */
  readonly overwrite?: boolean;
}

/** The steps of the user in a session, to undo and redo them. */
export interface SessionHistory {
  /** The steps that can be undone and redone as a source, for a screen. */
  readonly state: Source<HistoryState>;
  /** Whether there is a step to undo. */
  readonly canUndo: boolean;
  /** Whether there is a step to do again. */
  readonly canRedo: boolean;
  /**
   * Takes the last step back. What was not saved is as before at once, in the same call. What was saved is written back; the promise
   * resolves with the step when the server has taken that. If a row has changed since, nothing of it is written, and the step stays. With
   * other errors it stays as well; of a step of which some writes failed, these stay. Resolves with undefined if there is no step. Rejects
   * with the `ConflictError` of a row that has changed, with the `DataError` of another write that failed, and with one `BatchError` for
   * several records.
   *
   * @example
   * ```ts
   * const step = await steps.undo();
   * if (step) console.log(`Undone: ${step.label ?? 'the last edit'}`);
   * ```
   */
  undo(options?: UndoOptions): Promise<HistoryStep | undefined>;
  /**
   * Does the step again that was undone last, under the same rules as `undo()`. A new step of the user ends what could be done again.
   * Rejects as `undo()` does.
   *
   * @example
   * ```ts
   * await steps.undo();
   * if (steps.canRedo) await steps.redo(); // as before the `undo()`
   * ```
   */
  redo(options?: UndoOptions): Promise<HistoryStep | undefined>;
  /**
   * Makes one step of everything that the user does in a function, under a label. If the function returns a promise, until that has settled.
   * A group inside another one belongs to the outer one. Returns what the function returns.
   *
   * @example
   * ```ts
   * steps.group('Ship all', () => {
   *   for (const task of tasks) task.title = 'Shipped';
   * });
   * ```
   */
  group<T>(label: string, work: () => T): T;
  /**
   * Runs a function whose edits are no steps of the user, such as defaults that a program sets. It ends when the function returns, and does not
   * wait for a promise. Returns what the function returns.
   *
   * @example
   * ```ts
   * const order = session.create(Order); // a step of the user
   * steps.ignore(() => order.set('customer', 'unknown')); // undone with that step, not by itself
   * ```
   */
  ignore<T>(work: () => T): T;
  /**
   * Forgets one step, which `state` has told, for example one whose row somebody else has changed. What it changed stays as it is.
   *
   * @example
   * ```ts
   * await steps.undo().catch((error) => {
   *   const step = steps.state.get().done.at(-1);
   *   if (error.code === 'conflict' && step) steps.forget(step); // the steps before it can be undone again
   * });
   * ```
   */
  forget(step: HistoryStep): void;
  /**
   * Forgets all steps. What they changed stays as it is.
   *
   * @example
   * ```ts
   * (await session.sync()).orThrow();
   * steps.clear(); // what has been saved can no longer be undone
   * ```
   */
  clear(): void;
}
