/** A stored write, in the form that storages handle. */
export interface StoredItem {
  /** The key of the item, unique within the storage. */
  readonly key: string;
  /** The user or tenant to whom the write belongs. */
  readonly scope: string;
  /** The write as JSON, or the text into which `encrypt` turned this JSON. */
  readonly data: string;
}

/** A change in a storage: `put` adds an item or replaces the item with its key, `delete` removes the item with a key. */
export type StorageChange = { readonly put: StoredItem } | { readonly delete: string };

/** Receives the problems that a storage found and repaired while it was opened, without any loss. */
export type ProblemListener = (error: Error) => void;

/**
 * The place in which an outbox keeps its writes. {@link memoryStorage}, {@link fileStorage} and {@link indexedDbStorage} are built in;
 * an application may write its own. Its methods reject with `OutboxError`.
 */
export interface OutboxStorage {
  /**
   * Whether other tabs or processes may use the storage at the same time. An outbox then locks each record and reads its entry again
   * before it sends a write.
   */
  readonly shared: boolean;
  /** Opens the storage. Rejects if it cannot be read or written, or is in use. */
  open(problem: ProblemListener): Promise<void>;
  /** Resolves with all items, in any order. */
  all(): Promise<readonly StoredItem[]>;
  /** Resolves with the item with a key; undefined: there is none. */
  get(key: string): Promise<StoredItem | undefined>;
  /** Makes all changes or none. Resolves when they would survive a crash of the process or the machine. */
  change(changes: readonly StorageChange[]): Promise<void>;
  /** Closes the storage. */
  close(): Promise<void>;
}
