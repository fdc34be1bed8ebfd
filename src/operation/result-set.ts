/** How the rows behind those of an answer are asked for: by its parameters, or an address of the server's (H17). */
export interface NextPage {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

/** What the answer to a bulk write says of one record (H16). */
export interface BulkEntry {
  /** The entry as it came. */
  readonly item: Readonly<Record<string, unknown>>;
  /** How it ended; undefined: well. */
  readonly status?: number | undefined;
  /** The record's row, where the entry holds it. */
  readonly row: Record<string, unknown> | undefined;
  /** What is wrong, as a body of an answer with that status would say it. @default the entry */
  readonly problem?: unknown;
}

/** What a reader makes of an answer: raw rows, before they become records. */
export interface ResultSetConfig {
  rows?: readonly unknown[];
  /** Number of rows, where some were handed over before. @default that of `rows` */
  count?: number;
  total?: number | undefined;
  /** Where the rows go on; null: nowhere; undefined: the server does not tell. */
  next?: NextPage | null | undefined;
  success?: boolean;
  message?: string | undefined;
  /** What the answer to a bulk write says of each record, where a dialect reads it. @default read by the reader's options */
  entries?: readonly BulkEntry[] | undefined;
}

/** What an operation came back with. */
export class ResultSet<M = unknown> {
  /** The rows as the server sent them, but for those that `operation.onRows` was given. */
  readonly rows: readonly unknown[];
  /** Number of rows that were sent. */
  readonly count: number;
  /** Size of the whole collection; undefined where the server does not tell. */
  readonly total: number | undefined;
  /** Where the rows go on; null: nowhere; undefined: the server does not tell. */
  next: NextPage | null | undefined;
  readonly success: boolean;
  /** What the server had to say. */
  readonly message: string | undefined;
  /** Of a bulk write, what the answer says of each record, once it was read. */
  entries: readonly BulkEntry[] | undefined;
  /** The id that the answer's `Location` names; of a create only (H17). */
  locationId: string | undefined;
  /** The records that the rows became; filled in by the model or store that asked. */
  records: readonly M[] = [];

  constructor({ rows = [], count = rows.length, total, next, success = true, message, entries }: ResultSetConfig = {}) {
    this.rows = rows;
    this.count = count;
    this.total = total;
    this.next = next;
    this.success = success;
    this.message = message;
    this.entries = entries;
  }
}
