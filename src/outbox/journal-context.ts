import type { DataError } from '../errors/data-error.js';
import type { EntryOutcome } from './classify-entry.js';
import type { OutboxEntry } from './outbox-entry.js';
import type { Item, Queue } from './queue.js';
import type { RecordLocks } from './record-locks.js';

/** The parts and settings of an outbox that its journal uses. */
export interface JournalContext {
  readonly queue: Queue;
  readonly locks: RecordLocks;
  readonly version: number;
  readonly maxAttempts: number;
  now(): number;
  isOnline(): boolean;
  isClosed(): boolean;
  /** Sends a queued write. Resolves when it has been tried. */
  sendNow(item: Item): Promise<void>;
  /** Called when another tab has sent a stored write. */
  sentElsewhere(item: Item): Promise<void>;
  /** Called when a write has ended. Resolves when the listeners have been called. */
  writeEnded(item: Item, entry: OutboxEntry, outcome: EntryOutcome, error: DataError | undefined): Promise<void> | void;
  /** Called when a write has begun or ended. */
  activityChanged(): void;
  /** Called when a create was confirmed: a write that follows it, and writes that refer to its record, can be sent now. */
  createConfirmed(item: Item): void;
  /** Called when the listeners have been called for every write that has ended. */
  allReported(): void;
  /** Reports a problem with the storage. */
  reportProblem(error: unknown): void;
}
