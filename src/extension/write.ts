import type { DataError } from '../errors/data-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { Typed } from '../model/infer.js';
import type { Action } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/** The actions that write. */
export type WriteAction = Exclude<Action, 'read'>;

/**
 * What the end of a write says of the server. `done`: it was written. `refused`: the server said no. `unconfirmed`: the server may
 * have done it, or may not. `noNews`: nothing was learned that was not known before, such as from a write that was never sent.
 */
export type Ending = 'done' | 'refused' | 'unconfirmed' | 'noNews';

/** How the write of one record ended: with the row that came back, if any, or with an error. */
export type Outcome =
  | {
      readonly row: unknown;
      /** The raw id that was sent on purpose; it is that of a created record whose answer names none (H14). */
      readonly sentId?: unknown;
      readonly error?: undefined;
    }
  | { readonly error: DataError };

/** How the write of one record ended, and what that says of the server. */
export type SettledOutcome = Outcome & { readonly ending: Ending };

/** Writes, and resolves with an outcome for each record. What a hook throws becomes the outcome of all records of its write. */
export type WriteStep = (write: Write) => Promise<readonly Outcome[]>;

/** A record of whichever model; `instanceof` tells which. */
export type WrittenRecord = BaseModel & Typed<Readonly<Record<string, unknown>>>;

/** One write: of one record, or of several in one request. The lane of each record is held while it runs. */
export interface Write {
  readonly action: WriteAction;
  /** The name of the records' model, as `define` was given it. */
  readonly model: string;
  readonly records: readonly WrittenRecord[];
  readonly proxy: DataProxy;
  /** The operation that the write is; its request, answer and error stand in it. */
  readonly operation: Operation;
  /** Whether it stood behind another write of its record. */
  readonly waited: boolean;
  /** Whether the caller asked to send a create again that is in doubt: `save({ repeat: true })`. */
  readonly repeat: boolean;
  /** Whether an outbox keeps it; false for the undoing of another write. */
  readonly durable: boolean;
  /** Whether values were given that are written in the place of the record's edits, which stay edits. */
  readonly isCopy: boolean;
  /** Whether the server can tell that it is the same create as before, so that one in doubt may be sent again. @default false */
  repeatable: boolean;
  /** Whether what was sent before is sent once more: nothing is checked or captured anew. @default false */
  resend: boolean;
  /** Whether the row is read before it is sent, since it is known in part only. @default false */
  isReading: boolean;
  /** The records as they were captured, from which bodies are made; undefined: as they are when the request is built. */
  frozen: readonly WrittenRecord[] | undefined;
  /** How it ended, record by record; empty until it has settled. */
  outcomes: readonly SettledOutcome[];
  /** Another write of the same record that the core runs in the same turn of its lane; set by a `settled` hook. */
  follow: 'update' | 'destroy' | undefined;
}
