/** A stored write, as storages see it. */
export interface StoredItem {
  /** Unique among all items. */
  readonly key: string;
  /** Whose it is. */
  readonly scope: string;
  /** The write: JSON, or what `encrypt` made of it. */
  readonly data: string;
}

/** What is to be different in a storage: an item in the place of that with its key, or none any more. */
export type StorageChange = { readonly put: StoredItem } | { readonly delete: string };

/** Tells of what a storage found when it was opened, and mended without losing anything. */
export type ProblemListener = (error: Error) => void;

/**
 * Where an outbox keeps its writes. Built in are {@link memoryStorage}, {@link fileStorage} and {@link indexedDbStorage}; any
 * object of this form will do. Errors are `OutboxError`s.
 */
export interface OutboxStorage {
  /** Whether others may write to it at the same time: then outboxes lock what they send, and look again before. */
  readonly shared: boolean;
  /** Opens it. Rejects where it cannot be read or written, or is in use. */
  open(problem: ProblemListener): Promise<void>;
  /** All items as they are now, in any order. */
  all(): Promise<readonly StoredItem[]>;
  /** The item with a key, as it is now. */
  get(key: string): Promise<StoredItem | undefined>;
  /** Makes changes, all or none; resolves when they survive the end of the process and of the machine. */
  change(changes: readonly StorageChange[]): Promise<void>;
  /** Lets go of it. */
  close(): Promise<void>;
}
