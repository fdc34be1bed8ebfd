import type { DataError } from '../errors/data-error.js';
import type { Extension } from './extension.js';
import type { Write } from './write-hook.js';

/** The queued write that a record had before a `sync()`, if it had one. The methods resolve when the storage has it again, and never reject. */
export interface RememberedWrite {
  /** The turn of the write has come: what other calls have sent until now is not restored. */
  begun(): void;
  /**
   * Restores the queue after the write of the `sync()` has failed. A create that the server may have carried out is not dropped: it becomes
   * unconfirmed, and is not sent.
   */
  restoreFailed(): Promise<void>;
  /** Queues the remembered write again after the write of the `sync()` was undone. */
  restoreUndone(): Promise<void>;
}

/** The saves and the erase of a record that an outbox keeps and sends by itself. */
export interface QueuedWrite {
  /** Whether it ends with the erase of the record. */
  readonly erases: boolean;
  /** Whether the value that the record has for a field is saved: it is the one that the outbox sends. */
  holds(field: string): boolean;
  /** Whether the outbox sends a value for a field. */
  writes(field: string): boolean;
}

/**
 * The interface of an outbox to records and stores. An outbox keeps writes, and their records, until the server has answered.
 * Records, models and stores are typed as plain objects here, because they belong to layers above this one.
 */
export interface Keeper {
  /** The extensions of the outbox. They take part in every write of its records, also through a proxy that does not use the outbox. */
  readonly extensions: readonly Extension[];
  /** Called when a store is created: adds the new records that wait in the outbox to the store, and attaches the outbox to it. */
  opened(store: object): void;
  /**
   * Stores a save or erase that has to wait behind another write of its record, or behind a read of its row: it does not reject before. Resolves
   * with why it could not be stored. Never rejects.
   */
  store(write: Write): Promise<DataError | undefined>;
  /** The record with this id, if a write of it waits in the outbox. */
  held(model: object, id: unknown): object | undefined;
  /** Drops the queued write of a record that no longer exists. Resolves when the storage has done so. Never rejects. */
  forget(record: object): Promise<void>;
  /**
   * Takes the queued erase of a record back, so that the record is shown again; what was saved before it is sent. Rejects if the storage
   * fails. If the erase was carried out meanwhile, the record is erased.
   */
  withdrawErase(record: object): Promise<void>;
  /** The saves and the erase of a record that the outbox keeps and sends by itself; undefined: none. */
  queuedWrite(record: object): QueuedWrite | undefined;
  /**
   * Lets what the outbox keeps of a record be sent again, although the server has refused it with a conflict: the application has decided.
   * Rejects if it was dropped meanwhile.
   */
  decide(record: object): Promise<void>;
  /**
   * The application has decided a conflict about the row that a record has now: the saves that the outbox keeps of it are sent over this row, not
   * over one that is read later. Returns whether there are such saves, queued or refused.
   */
  overwrites(record: object): boolean;
  /** Gives fields of a record the values again that the outbox sends for them; undefined: all fields. */
  showSaved(record: object, fields: readonly string[] | undefined): void;
  /**
   * Whether a queued write of a record gives a field another value than the record's row has. `isAnswered`: the row has the values of the
   * write in flight, which does not count any more.
   */
  queuesChange(record: object, field: string, isAnswered: boolean): boolean;
  /** Remembers the queued write of a record before a `sync()` that may be rolled back. */
  remember(record: object): RememberedWrite;
  /**
   * Keeps the unconfirmed create of a new record whose rollback got no response: the record may be on the server. The create is sent
   * again only if the application decides so. Never rejects.
   */
  keepUnconfirmed(record: object, proxy: object, error: DataError): Promise<void>;
}
