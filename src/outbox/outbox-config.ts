import type { BaseModel } from '../model/base-model.js';
import type { AnyModel } from '../model/field.js';
import type { Typed } from '../model/infer.js';
import type { Clock } from '../util/clock.js';
import type { EntryState, OutboxEntry } from './outbox-entry.js';
import type { OutboxError } from './outbox-error.js';
import type { OutboxStorage } from './outbox-storage.js';
import type { LockManager } from './record-locks.js';

/** Tells whether there is a network. */
export interface Connection {
  /** Whether it is worth trying. */
  readonly online: boolean;
  /** Calls back when the network is back; returns the function that stops it. */
  onOnline(callback: () => void): () => void;
}

/** How long a write waits that got no answer. */
export interface OutboxBackoff {
  /** Milliseconds before it is sent again the first time, at most; twice as much each further time. @default 1000 */
  base?: number;
  /** The longest wait, in milliseconds. @default 60000 */
  max?: number;
}

/** Options of {@link Outbox.open}. */
export interface OutboxConfig {
  /** Whose writes these are, such as a user or tenant. Writes of another scope are never sent, shown or merged. */
  scope: string;
  /** Where writes are kept. */
  storage: OutboxStorage;
  /** The models whose writes may be found, so that they are sent also where no store asks for them. @default [] */
  models?: readonly AnyModel[];
  /** Version of the models' fields; stored writes of an older one go through `migrate`. @default 1 */
  version?: number;
  /** Turns a stored write of an older version into one of today: names of fields, values. */
  migrate?(entry: OutboxEntry, fromVersion: number): OutboxEntry;
  /** Makes what is stored unreadable to others. */
  encrypt?(text: string): string | Promise<string>;
  /** Undoes `encrypt`. What it throws for is kept, and not sent. */
  decrypt?(data: string): string | Promise<string>;
  /** Writes that are sent again in parallel. @default 4 */
  concurrency?: number;
  /** Waits are random, from half a bound that doubles to all of it, and never shorter than `Retry-After`. */
  backoff?: OutboxBackoff;
  /** How often a write may be answered by 5xx and its like before it counts as failed; no answer never does. @default 10 */
  maxAttempts?: number;
  /** Whether writes that are found are sent at once; otherwise with `resume()`. @default true */
  autoStart?: boolean;
  /** Keeps tabs apart where they share the storage: Web Locks, or their like; `false` where there is one tab only. @default navigator.locks */
  locks?: LockManager | false;
  /** Tells whether there is a network, so that nothing is sent without one. @default the browser's `navigator.onLine` and `online` events; elsewhere always online */
  connection?: Connection;
  /** Hears of what was found on opening and later: a file cut short by a crash, a storage that refuses. */
  onProblem?(problem: OutboxError): void;
  /** Time, for tests. */
  clock?: Clock;
  /** A number from 0 to below 1, for jitter; for tests. @default Math.random */
  random?: () => number;
}

/**
 * A record of whichever model; `instanceof` tells which.
 *
 * @example
 * ```ts
 * outbox.on('sent', ({ record }) => {
 *   if (record instanceof User) show(record.name);
 * });
 * ```
 */
export type OutboxRecord = BaseModel & Typed<Readonly<Record<string, unknown>>>;

/**
 * A write that is not sent by itself: it waits for a decision.
 *
 * @example
 * ```ts
 * for (const write of outbox.failed) {
 *   if (write.state === 'unconfirmed') show('Was it created?', write.record);
 *   else await outbox.drop(write);
 * }
 * ```
 */
export interface FailedWrite {
  readonly key: string;
  /**
   * Why it waits. `failed`: it was refused. `unconfirmed`: a create that may have been done. `held`: the record that it refers to was not
   * created. `unreadable`: it cannot be decrypted or migrated, or its model is not known here.
   */
  readonly state: Exclude<EntryState, 'queued'> | 'held' | 'unreadable';
  /** Undefined where it cannot be read. */
  readonly entry: OutboxEntry | undefined;
  /** What went wrong, as data. */
  readonly error: object;
  /** The record, with what was to be written over it. */
  readonly record: OutboxRecord | undefined;
}

/** A write that `clear()` dropped. */
export interface DroppedWrite {
  readonly key: string;
  readonly scope: string;
  /** Undefined where it cannot be read here. */
  readonly entry: OutboxEntry | undefined;
}

/** Events of an outbox. */
export interface OutboxEvents {
  /** There are other writes, or they stand otherwise. */
  change: { readonly size: number };
  /** The server has taken a write. */
  sent: { readonly entry: OutboxEntry; readonly record: OutboxRecord };
  /** A write is not sent by itself any more. */
  failed: FailedWrite;
  problem: OutboxError;
}
