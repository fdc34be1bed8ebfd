import type { ConflictError } from '../errors/conflict-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/issue.js';

/** A field of a record at one moment: the value of the source `record.$.field(name)`. Frozen. */
export interface FieldSnapshot<T> {
  readonly value: T;
  /** Problems of the value: the findings of the model, then those in the server's answer to the last write. */
  readonly errors: readonly Issue[];
  /** Whether the value is an edit that is not saved yet. */
  readonly dirty: boolean;
}

/** A record at one moment: the value of the source `record.$.state`. Frozen. */
export interface RecordSnapshot<V> {
  /** All values by field name. */
  readonly values: Readonly<V>;
  /** Problems of the values by field name, as in `record.$.errors`. */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  /** Whether the record has edits that a save would send. */
  readonly dirty: boolean;
  /** Whether the record is new. */
  readonly phantom: boolean;
  readonly erased: boolean;
  /** Whether a write is in flight or waits. */
  readonly saving: boolean;
  /** Why the last write failed. */
  readonly error: AnyOutcomeError | undefined;
  /** The same error if it is a conflict, with its methods `keepMine()`, `takeTheirs()` and `merge()`. */
  readonly conflict: ConflictError | undefined;
  /** Whether it is not known if the record exists on the server. */
  readonly unconfirmed: boolean;
}
