import type { DataError } from '../errors/data-error.js';
import type { Extension } from './extension.js';

/**
 * What an outbox is to records and stores: it keeps writes until they are answered, and the records that they belong to. Records,
 * models and stores are those of the layers above.
 */
export interface Keeper {
  /** The extensions of the outbox; they take part in the writes of its records, also through a proxy that does not use them. */
  readonly extensions: readonly Extension[];
  /** A store is made: it is given the new records whose writes wait, and the outbox takes part in it from now on. */
  opened(store: object): void;
  /** The record of a write that waits, by its id. */
  held(model: object, id: unknown): object | undefined;
  /** Forgets what is kept of a record that is none any more; resolves when that is durable. Never rejects. */
  forget(record: object): Promise<void>;
  /** Whether a write that waits gives a field of a record another value than its row has. */
  queuesChange(record: object, field: string): boolean;
  /**
   * Notes what is kept of a record; returns what makes it so again when a write of it has failed. What may have been created is
   * not forgotten, nor sent.
   */
  remember(record: object): () => void;
  /**
   * Keeps a new record that may be on the server, and is sent only when somebody has decided that it is not there: its create was
   * undone, and the undoing got no answer. Never rejects.
   */
  keepInDoubt(record: object, proxy: object, error: DataError): Promise<void>;
}
