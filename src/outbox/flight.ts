import type { SettledOutcome } from '../extension/write.js';
import type { OutboxEntry } from './outbox-entry.js';
import type { Item } from './queue.js';

/** A write that is under way. */
export interface Flight {
  items: readonly { item: Item; entry: OutboxEntry }[];
  /** Whether it got so far that it may have been sent. */
  sent: boolean;
  release(): void;
}

/** What the end of an operation comes to. */
export interface Ending {
  readonly puts: OutboxEntry[];
  readonly drops: string[];
  readonly ends: (() => Promise<void> | void)[];
}

/** How the write of one record has ended. */
export interface EndedWrite {
  readonly outcome: SettledOutcome;
  /** How often it was sent. */
  readonly attempts: number;
  /** Whether it got so far that it may have been sent. */
  readonly isSent: boolean;
  readonly ending: Ending;
}
