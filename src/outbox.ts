/**
 * A durable queue of writes: each write is stored until the server has answered it, survives the end of the process, and is retried
 * automatically.
 *
 * @module
 */
export { fileStorage } from './outbox/file-storage.js';
export { indexedDbStorage } from './outbox/indexed-db-storage.js';
export { memoryStorage } from './outbox/memory-storage.js';
export { Outbox } from './outbox/outbox.js';
export type {
  Connection,
  DroppedWrite,
  FailedWrite,
  OutboxBackoff,
  OutboxConfig,
  OutboxEvents,
  OutboxRecord,
} from './outbox/outbox-config.js';
export type { EntryParameters, EntryState, OutboxEntry, WireValues } from './outbox/outbox-entry.js';
export { type OutboxCode, OutboxError } from './outbox/outbox-error.js';
export type { OutboxStatus } from './outbox/outbox-status.js';
export type { OutboxStorage, ProblemListener, StorageChange, StoredItem } from './outbox/outbox-storage.js';
export type { LockManager } from './outbox/record-locks.js';
