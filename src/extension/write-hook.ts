import type { DataError } from '../errors/data-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { Action, RecordId } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import type { OperationRecord } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/** The actions that write. */
export type WriteAction = Exclude<Action, 'read'>;

/**
 * The conclusion about the server that the end of a write allows. `done`: the server wrote it. `refused`: the server rejected it and
 * wrote nothing. `unconfirmed`: the server may or may not have written it. `noNews`: nothing new is known about the server, for example
 * because the write was never sent.
 */
export type Ending = 'done' | 'refused' | 'unconfirmed' | 'noNews';

/** How the write of one record ended: with the row of the response, if it had one, or with an error. */
export type Outcome =
  | {
      readonly row: unknown;
      /** The raw id that the create sent on purpose. The new record gets this id if the response names no other. */
      readonly sentId?: unknown;
      readonly error?: undefined;
    }
  | {
      readonly error: DataError;
      /** Whether a read has shown that no earlier attempt of the write was carried out. @default false */
      readonly isRefuted?: boolean;
    };

/** How the write of one record ended, and what this says about the server. */
export type SettledOutcome = Outcome & { readonly ending: Ending };

/** Runs a write and resolves with an outcome for each record. An error that a hook throws becomes the outcome of all its records. */
export type WriteStep = (write: Write) => Promise<readonly Outcome[]>;

/** A record of any model, as hooks see it. `instanceof` gives it the fields of its model. */
export interface WrittenRecord extends OperationRecord {
  readonly dirty: boolean;
  readonly erased: boolean;
  getId(): RecordId | undefined;
  get(name: string): unknown;
  set(path: string, value: unknown): this;
  set(values: Readonly<Record<string, unknown>>): this;
  load(options?: object): Promise<this>;
  save(options?: object): Promise<this>;
  erase(options?: object): Promise<this>;
  commit(): void;
  reject(...names: string[]): void;
  on(event: 'set' | 'commit' | 'erase', listener: (event: { readonly record: WrittenRecord }) => void): () => void;
  toJSON(): object;
  /** The state of the record. */
  readonly $: {
    readonly key: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly modified: Readonly<Record<string, unknown>>;
    readonly previousValues: Readonly<Record<string, unknown>>;
    readonly saving: boolean;
    readonly loading: boolean;
    readonly queued: boolean;
    readonly error: DataError | undefined;
    readonly unconfirmed: boolean;
    readonly errors: Readonly<Record<string, readonly Issue[] | undefined>>;
    isValid(): boolean;
    validate(): readonly Issue[];
    abort(): void;
    reload(options?: object): Promise<unknown>;
  };
}

/** One write: of one record, or of several records in one request. While it runs, no other write of these records starts. */
export interface Write {
  /** The kind of write: `create`, `update` or `destroy`. */
  readonly action: WriteAction;
  /** The name of the records' model, as given to `define`. */
  readonly model: string;
  /** The records of the write. */
  readonly records: readonly WrittenRecord[];
  /** The proxy that sends the write. */
  readonly proxy: DataProxy;
  /** The operation of the write, with its request, answer and error. */
  readonly operation: Operation;
  /** Whether the write had to wait behind another write of its record. */
  readonly waited: boolean;
  /** Whether the caller asked to send an unconfirmed create again: `save({ repeat: true })`. */
  readonly repeat: boolean;
  /** Whether an outbox keeps the write; false for the rollback of another write. */
  readonly durable: boolean;
  /** Whether the server can recognise the create as a duplicate, so that it may be sent again while unconfirmed. @default false */
  repeatable: boolean;
  /** Whether the values that an earlier attempt sent are sent once more, without another check or capture. @default false */
  resend: boolean;
  /** Whether the record's row is read first, because the record has only a part of it. @default false */
  isReading: boolean;
  /**
   * The records as captured at the checks, from which the body is built; undefined: the body is built from the records as they are. They
   * can be read only: what changes them throws a `DefinitionError`, and fails the write.
   *
   * A hook that changes them, or gives another write to `next`, gets a `DefinitionError` that names the extension.
   */
  readonly frozen: readonly WrittenRecord[] | undefined;
  /** How the write ended for each record; empty until the write has settled. */
  outcomes: readonly SettledOutcome[];
  /**
   * The values that the write sends for each record: in hooks above `LAYERS.checks`, after `next(write)`, and in `settled`. Before, the
   * list is empty. The change of an erase has no values, but the row that is erased. A repeat of an unconfirmed create has the change of the
   * first attempt. They can be read only: what changes them throws, and fails the write.
   */
  readonly changes: readonly Change[];
}

/**
 * The values that a write sends for one record, as they were when the application asked for the write. A change is plain data and frozen
 * at every depth: what the application edits later belongs to another change, and no extension can change it.
 *
 * @example
 * ```ts
 * const journal: Extension = {
 *   name: 'journal',
 *   layer: LAYERS.checks + 1,
 *   write(write, next) {
 *     for (const { action, id, values } of write.changes) console.log(action, id, Object.keys(values));
 *     return next(write);
 *   },
 * };
 * ```
 */
export interface Change {
  /**
   * When the change was captured, on a clock that counts the reads and writes of the model. It is the same in each attempt at the change,
   * and no other change of the model has it.
   */
  readonly at: number;
  /** The kind of write: `create`, `update` or `destroy`. */
  readonly action: WriteAction;
  /** The id as the server knows it; undefined for a create. */
  readonly id: RecordId | undefined;
  /** The row on which the edits were made, or which is erased, as it was received. */
  readonly base: Readonly<Record<string, unknown>>;
  /** The edited fields, by name, in the form in which JSON carries them; an embedded record is a row. Empty for an erase. */
  readonly values: Readonly<Record<string, unknown>>;
}
