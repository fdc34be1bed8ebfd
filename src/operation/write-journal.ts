import type { DataError } from '../errors/data-error.js';
import type { Action } from './actions.js';
import type { Operation } from './operation.js';

/**
 * Keeps writes until the server has answered them, so that none is lost when the process ends: what an outbox is to records,
 * proxies and stores. Records, models and stores are those of the layers above.
 */
export interface WriteJournal {
  /** Makes a write durable before it is sent. Where it rejects, nothing is to be sent. */
  begin(records: readonly object[], operation: Operation, proxy: object): Promise<void>;
  /** Makes an update durable whose row is read before it is sent; `begin` follows. Never rejects. */
  prepare(record: object, operation: Operation, proxy: object): Promise<void>;
  /** A write has ended, and its records say how. Never rejects. */
  end(records: readonly object[], operation: Operation): Promise<void>;
  /**
   * Makes a write durable that waits, behind another of its record or of a record that it refers to; `error` then says that it is
   * queued. Never rejects.
   */
  stage(record: object, action: Exclude<Action, 'read'>, proxy: object, error?: DataError): Promise<void>;
  /**
   * Notes what is queued of a record; returns what makes it so again when a write has failed. What may have been created is not
   * forgotten, nor sent.
   */
  note(record: object): () => void;
  /**
   * Keeps a new record that may be on the server, and is sent only when somebody has decided that it is not there: its create was
   * undone, and the undoing got no answer. Never rejects.
   */
  keepInDoubt(record: object, proxy: object, error: DataError): Promise<void>;
  /** Whether a record is erased as soon as its create is certain: what else is edited is not to be sent. */
  erases(record: object): boolean;
  /** Whether a queued write gives a field another value than the record's base has. */
  queuesChange(record: object, field: string): boolean;
  /** Forgets the write of a record that was dropped before the server knew it. */
  forget(record: object): Promise<void>;
  /** The record of a write that waits, by its id. */
  recordOf(model: object, id: unknown): object | undefined;
  /** A store is made: gives it the new records that wait, and takes part in it from now on. */
  attach(store: object): void;
}
