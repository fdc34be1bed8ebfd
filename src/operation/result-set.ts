/** What a reader makes of an answer: raw rows, before they become records. */
export interface ResultSetConfig {
  rows?: readonly unknown[];
  total?: number | undefined;
  success?: boolean;
  message?: string | undefined;
}

/** What an operation came back with. */
export class ResultSet<M = unknown> {
  /** The rows as the server sent them. */
  readonly rows: readonly unknown[];
  /** Size of the whole collection; undefined where the server does not tell. */
  readonly total: number | undefined;
  readonly success: boolean;
  /** What the server had to say. */
  readonly message: string | undefined;
  /** The id that the answer's `Location` names; of a create only (H17). */
  locationId: string | undefined = undefined;
  /** The records that the rows became; filled in by the model or store that asked. */
  records: readonly M[] = [];

  constructor({ rows = [], total, success = true, message }: ResultSetConfig = {}) {
    this.rows = rows;
    this.total = total;
    this.success = success;
    this.message = message;
  }

  get count(): number {
    return this.rows.length;
  }
}
