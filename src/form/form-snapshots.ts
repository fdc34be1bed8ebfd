import type { ConflictError } from '../errors/conflict-error.js';
import type { DefinitionError } from '../errors/definition-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/issue.js';
import type { StateError } from '../errors/state-error.js';
import type { FieldSnapshot } from '../model/record-sources.js';

/** A field of a form at one moment: the value of the source `form.field(name)`. Frozen. */
export interface FormFieldSnapshot<T> extends FieldSnapshot<T> {
  /**
   * Problems of the value. Those that the model finds are in this list only once the field was touched or the form submitted; those in
   * the server's answer always are.
   */
  readonly errors: readonly Issue[];
  /** Whether the user has left the field (`touch(name)`) or submitted the form. */
  readonly touched: boolean;
}

/** A form at one moment: the value of the source `form.state`. Frozen. */
export interface FormSnapshot<V> {
  /** All values by field name. */
  readonly values: Readonly<V>;
  /** The problems that the fields show, by field name; problems that belong to no field have the name `''`. */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  /** Whether there are edits that a save would send. */
  readonly dirty: boolean;
  /** Whether the model finds nothing wrong with the new values, also in fields that do not show their errors yet. */
  readonly valid: boolean;
  /** Whether a write of the record is in flight or waits. */
  readonly saving: boolean;
  /** Whether `submit()` was called since the form was made or reset. */
  readonly submitted: boolean;
  /** Why the last save failed. The next edit, `submit()` or `reset()` clears it. */
  readonly error: AnyOutcomeError | StateError | DefinitionError | undefined;
  /** The same error if it is a conflict, with its methods `keepMine()`, `takeTheirs()` and `merge()`. */
  readonly conflict: ConflictError | undefined;
}
