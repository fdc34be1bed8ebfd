/** One change of a record, as an outbox appends it to a storage. Nobody rewrites it. */
export interface StoredItem {
  /** The user or tenant to whom the change belongs. */
  readonly scope: string;
  /** The record that is changed. Changes of one record are sent in the order of their keys. */
  readonly record: string;
  /** The change as text, which `encrypt` may have encrypted. Storages never read it. */
  readonly data: string;
}

/** A stored change with its place in the order and its progress. */
export interface LoggedItem extends StoredItem {
  /** Given by the storage when the change is appended. It grows, and is never used again. */
  readonly key: number;
  /** The state of the change, its attempts and their errors, as text; undefined: it was never sent. */
  readonly progress: string | undefined;
}

/** The progress of a stored change. */
export interface ItemProgress {
  readonly key: number;
  /** Undefined: as if it was never sent. */
  readonly progress: string | undefined;
}

/** The end of changes, which are stored no longer. */
export interface Outcome {
  readonly scope: string;
  readonly record: string;
  /** The keys of the changes. */
  readonly keys: readonly number[];
  /** `sent`: the server has carried them out. `refused`: the server refused them, and they are given up. `dropped`: the application did. */
  readonly type: 'sent' | 'refused' | 'dropped';
  /** The response as text, such as the row of the server. Storages never read it. */
  readonly data: string;
}

/** A stored outcome with its place in the order. */
export interface StoredOutcome extends Outcome {
  /** Given by the storage. It grows, and is never used again. */
  readonly place: number;
}

/** The id that the server gave to a created record, or that the record was never created, as text. Storages never read the text. */
export interface StoredIdentity {
  readonly scope: string;
  readonly record: string;
  readonly data: string;
}

/** The part of a storage to read. */
export interface LogQuery {
  readonly scope: string;
  /** Only what belongs to these records. @default all records of the scope */
  readonly records?: readonly string[] | undefined;
  /** Only outcomes with a greater place. @default 0 */
  readonly after?: number | undefined;
}

/** The contents of a storage at one moment. */
export interface LogView {
  /** In the order of their keys. */
  readonly items: readonly LoggedItem[];
  readonly identities: readonly StoredIdentity[];
  /** In the order of their places. */
  readonly outcomes: readonly StoredOutcome[];
  /** The greatest place that the storage has given so far; 0: none. */
  readonly place: number;
}

/** Further changes in the same step as a removal. */
export interface RemovalOptions {
  /** The identity of the record, which replaces the one before. */
  readonly identity?: StoredIdentity | undefined;
  /** The progress of other changes. */
  readonly progress?: readonly ItemProgress[] | undefined;
  /** See {@link OutboxStorage.update}. */
  readonly unchanged?: readonly ItemProgress[] | undefined;
}

/** The part that a storage may forget. */
export interface PruneQuery {
  readonly scope: string;
  /** Outcomes with a smaller place are forgotten. */
  readonly before: number;
  /** The records whose identities are forgotten. */
  readonly records: readonly string[];
}

/** Tells which records somebody else has changed in a storage. */
export interface StorageChange {
  readonly scope: string;
  readonly records: readonly string[];
}

/**
 * Receives the problems of a storage: those that it found and repaired while it was opened, and those that come later, such as a
 * database that the browser has closed.
 */
export type ProblemListener = (error: Error) => void;

/** Returns the promise that an outbox has closed; undefined: it is not closing. */
export type Leaving = () => Promise<unknown> | undefined;

/**
 * The place in which an outbox keeps the changes that wait to be sent: an append-only log, the progress of each change, the outcomes of
 * those that were answered, and the ids of created records. {@link memoryStorage}, {@link fileStorage} and {@link indexedDbStorage} are
 * built in; an application may write its own, and test it with `storageContract` of `repose/testing`.
 *
 * Each method is one atomic step: it does everything or nothing, and no other step of any tab or process comes between its parts. The
 * methods reject with `OutboxError`. After a step that has resolved, its result survives a crash of the process or the machine.
 */
export interface OutboxStorage {
  /** Whether other tabs or processes may use the storage at the same time. */
  readonly shared: boolean;
  /**
   * Opens the storage, and converts what an older version of the package has stored. `leaving` tells it of the outbox that opens the
   * storage now. Rejects if the storage cannot be read or written, is of a newer version, or is open in this page or process already; if
   * the outbox that has it open is leaving, waits for that.
   */
  open(problem: ProblemListener, leaving?: Leaving): Promise<void>;
  /** Appends changes in the given order. Resolves with their keys. */
  append(items: readonly StoredItem[]): Promise<readonly number[]>;
  /** Resolves with what is stored. */
  read(query: LogQuery): Promise<LogView>;
  /**
   * Replaces the progress of changes. Changes that are stored no longer are left out.
   *
   * `unchanged` names changes that must still be stored with the given progress; otherwise nothing is changed, and it rejects with
   * `OutboxError` (`outbox-taken-over`). A tab that has lost the lock of a record without noticing can so do no harm,
   * as long as the progress of each attempt differs from that of all others.
   */
  update(progress: readonly ItemProgress[], unchanged?: readonly ItemProgress[]): Promise<void>;
  /** Removes exactly the changes of an outcome with their progress, and appends the outcome. */
  remove(outcome: Outcome, options?: RemovalOptions): Promise<void>;
  /** Forgets outcomes and identities. */
  prune(query: PruneQuery): Promise<void>;
  /** Calls the listener after other tabs or processes have changed something. Returns the function that ends this. */
  watch(listener: (change: StorageChange) => void): () => void;
  /** Closes the storage. */
  close(): Promise<void>;
}
