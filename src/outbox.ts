/**
 * A durable queue of writes: each write is stored until the server has answered it, survives the end of the process, and is retried
 * automatically.
 *
 * @module
 */

export type { WireValues } from './model/parts/wire-values.js';
export { Outbox } from './outbox/outbox-class.js';
export type {
  Connection,
  DiscardedWrite,
  FailedWrite,
  OutboxBackoff,
  OutboxConfig,
  OutboxEvents,
  OutboxRecord,
} from './outbox/outbox-config.js';
export type { EntryState, OutboxEntry } from './outbox/outbox-entry.js';
export { type OutboxCode, OutboxError } from './outbox/outbox-error.js';
export type { OutboxStatus } from './outbox/outbox-status.js';
export type { LockManager } from './outbox/record-locks.js';
export { fileStorage } from './outbox/storage/file-storage.js';
export { indexedDbStorage } from './outbox/storage/indexed-db-storage.js';
export { memoryStorage } from './outbox/storage/memory-storage.js';
export type {
  ItemProgress,
  Leaving,
  LoggedItem,
  LogQuery,
  LogView,
  OutboxStorage,
  Outcome,
  ProblemListener,
  PruneQuery,
  RemovalOptions,
  StorageChange,
  StoredIdentity,
  StoredItem,
  StoredOutcome,
} from './outbox/storage/outbox-storage.js';
export type { EntryParameters, StoredChange } from './outbox/stored-change.js';
