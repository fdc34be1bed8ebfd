import type { DataError } from '../errors/data-error.js';
import type { AnyModel } from '../model/field.js';
import type { Typed } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { Clock } from '../util/clock.js';
import type { EntryState, OutboxEntry } from './outbox-entry.js';
import type { OutboxError } from './outbox-error.js';
import type { LockManager } from './record-locks.js';
import type { OutboxStorage } from './storage/outbox-storage.js';
import type { StoredChange } from './stored-change.js';

/** Reports whether there is a network. */
export interface Connection {
  /** Whether there is a network. While this is false, the outbox sends nothing. */
  readonly online: boolean;
  /** Calls the listener whenever the network is back. Returns the function that removes the listener. */
  onOnline(callback: () => void): () => void;
  /**
   * Calls the listener whenever the network is lost, for `outbox.status`. Returns the function that removes the listener. Without this
   * method, the status shows a lost network with its next change.
   */
  onOffline?(callback: () => void): () => void;
}

/** How long the outbox waits before it sends a write again. */
export interface OutboxBackoff {
  /** The longest wait before the first repeat, in milliseconds. The bound doubles for each further repeat. @default 1000 */
  base?: number;
  /** The longest wait before any repeat, in milliseconds. @default 60000 */
  max?: number;
}

/** Options of {@link Outbox}. */
export interface OutboxConfig {
  /** The user or tenant to whom the writes belong. Writes of another scope are never sent, shown or merged. */
  scope: string;
  /** The storage that keeps the writes. */
  storage: OutboxStorage;
  /**
   * The models of which writes may be stored. After a restart, a write of a model in this list is sent without a store of that model;
   * a write of another model waits until a store of it is created. @default []
   */
  models?: readonly AnyModel[];
  /** The version of the models' fields. Stored writes of an older version are converted by `migrate`. @default 1 */
  version?: number;
  /**
   * Converts a stored write of an older version to the present fields and values. A write for which it throws is kept and not sent.
   *
   * @example
   * ```ts
   * const outbox = new Outbox({
   *   scope: 'user-7',
   *   storage: indexedDbStorage(),
   *   version: 2,
   *   migrate(change) {
   *     const { mail, ...values } = change.values; // called `email` since version 2
   *     return mail === undefined ? change : { ...change, values: { ...values, email: mail } };
   *   },
   * });
   * ```
   */
  migrate?(change: StoredChange, fromVersion: number): StoredChange;
  /** Encrypts a write before it is stored. @default writes are stored as JSON */
  encrypt?(text: string): string | Promise<string>;
  /** Decrypts a text that `encrypt` returned. A write for which it throws is kept and not sent. */
  decrypt?(data: string): string | Promise<string>;
  /** How many writes the outbox sends in parallel. @default 4 */
  concurrency?: number;
  /** The waits before repeats: random, between half a bound that doubles and the whole bound, and never shorter than `Retry-After`. */
  backoff?: OutboxBackoff;
  /**
   * How often the server may answer a write with a temporary error, such as 503, before the write counts as failed. Attempts without an
   * answer are not counted. @default 10
   */
  maxAttempts?: number;
  /** Whether the stored writes are sent after opening; if false, call `resume()` to send them. @default true */
  autoStart?: boolean;
  /**
   * Keeps tabs that share the storage from sending the same write: Web Locks, or an object like them. Where there are none, one tab sends
   * and the others store. `false` if only one tab uses the storage.
   *
   * The order of an update after one that a killed tab had sent is certain only with `etags()`: a request of that tab may still reach the
   * server later.
   *
   * @default navigator.locks
   */
  locks?: LockManager | false;
  /** Reports whether there is a network. @default the browser's `navigator.onLine` and `online` events; elsewhere always online */
  connection?: Connection;
  /**
   * Called for each problem with the storage, on opening and later, such as a file cut short by a crash or a failed write.
   *
   * @example
   * ```ts
   * const outbox = new Outbox({
   *   scope: 'user-7',
   *   storage: indexedDbStorage(),
   *   onProblem: (problem) => navigator.sendBeacon('/log', JSON.stringify(problem)),
   * });
   * ```
   */
  onProblem?(problem: OutboxError): void;
  /** The source of time; for tests. */
  clock?: Clock;
  /** Returns a random number from 0 to below 1, for the jitter; for tests. @default Math.random */
  random?: () => number;
}

/**
 * A record of any model; use `instanceof` to find out which.
 *
 * @example
 * ```ts
 * outbox.on('sent', ({ record }) => {
 *   if (record instanceof User) show(record.name);
 * });
 * ```
 */
export type OutboxRecord = Model & Typed<Readonly<Record<string, unknown>>>;

/**
 * A write that the outbox does not send by itself, because the application has to decide about it.
 *
 * @example
 * ```ts
 * for (const write of outbox.failed) {
 *   if (write.state === 'unconfirmed') show('Was it created?', write.record);
 *   else await outbox.discard(write);
 * }
 * ```
 */
export interface FailedWrite {
  /** The record's `$.key`. */
  readonly key: string;
  /**
   * Why the write waits. `failed`: the server refused it. `unconfirmed`: a create that may have succeeded. `held`: the record that it
   * refers to could not be created. `unreadable`: it cannot be decrypted or migrated, or no model of its name is known.
   */
  readonly state: Exclude<EntryState, 'queued'> | 'held' | 'unreadable';
  /** The stored write; undefined: it cannot be read. */
  readonly entry: OutboxEntry | undefined;
  /** Why it waits. An error of an earlier process has what its JSON form has kept. */
  readonly error: DataError;
  /** The record, with the values of the write as its edits; undefined: it cannot be made. */
  readonly record: OutboxRecord | undefined;
}

/** A write that `clear()` dropped. */
export interface DiscardedWrite {
  /** The record's `$.key`. */
  readonly key: string;
  /** The scope of the outbox. */
  readonly scope: string;
  /** The stored write; undefined: it cannot be read here. */
  readonly entry: OutboxEntry | undefined;
}

/** Events of an outbox. */
export interface OutboxEvents {
  /** The number or the state of the writes has changed. */
  change: { readonly size: number };
  /** The server has carried out a write. */
  sent: { readonly entry: OutboxEntry; readonly record: OutboxRecord };
  /** The outbox no longer sends a write by itself; the application has to decide about it. */
  failed: FailedWrite;
  /** The storage has a problem; see `onProblem`. */
  problem: OutboxError;
}
