import type { SettledOutcome } from '../extension/write.js';
import type { OutboxEntry } from './outbox-entry.js';
import type { Item } from './queue.js';

/** A write that is in flight, or about to be. */
export interface ActiveWrite {
  items: readonly { item: Item; entry: OutboxEntry }[];
  /** Whether the write got so far that it may have been sent. */
  isSent: boolean;
  /** Releases the locks of its records. */
  release(): void;
}

/** The consequences of an ended operation: entries to store, keys of entries to drop, and listeners to call afterwards. */
export interface QueueChanges {
  readonly puts: OutboxEntry[];
  readonly drops: string[];
  readonly notifications: (() => Promise<void> | void)[];
}

/** How the write of one record has ended. */
export interface EndedWrite {
  readonly outcome: SettledOutcome;
  /** How often the write was sent. */
  readonly attempts: number;
  /** Whether the write got so far that it may have been sent. */
  readonly isSent: boolean;
  readonly changes: QueueChanges;
}
