/** How to request the rows after those of a response: by parameters, or at an address that the server sent. */
export interface NextPage {
  /** Parameters that replace those of the request. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** The address of the next rows. */
  readonly url?: string;
}

/** The entry of one record in the response to a bulk write. */
export interface BulkEntry {
  /** The entry as it was received. */
  readonly item: Readonly<Record<string, unknown>>;
  /** The HTTP status of this record's write; undefined means success. */
  readonly status?: number | undefined;
  /** The record's row, if the entry contains it. */
  readonly row: Record<string, unknown> | undefined;
  /** 0 if the entry says that no row was changed: the record is missing. */
  readonly affected?: 0 | undefined;
  /** The error, in the form that the body of a response with this status would have. @default the entry */
  readonly problem?: unknown;
}

/** A row of another model that came with a response, such as the author of an article that was read. */
export interface IncludedRow {
  /** The class of the model. A `Session` makes a record of it. */
  readonly model: object;
  readonly row: Readonly<Record<string, unknown>>;
  /** Whether the row lacks members that the server has: then it is merged into a known record. @default false */
  readonly incomplete?: boolean;
}

/** The content of a result set, as a reader takes it from a response. */
export interface ResultSetConfig {
  rows?: readonly unknown[];
  /** Number of rows, if some were given to `operation.onRows` before. @default the number of `rows` */
  count?: number;
  total?: number | undefined;
  /** How to request further rows; null if there are none, undefined if the server does not say. */
  next?: NextPage | null | undefined;
  success?: boolean;
  /** 0 if the response to an update or destroy says that no row was changed; `success` is then false. */
  affected?: 0 | undefined;
  message?: string | undefined;
  /** The entries of the response to a bulk write, if a dialect reads them. @default read by the reader's options */
  entries?: readonly BulkEntry[] | undefined;
  /** Rows of other models that came with the response. */
  included?: readonly IncludedRow[] | undefined;
}

/**
 * The result of an operation: the raw rows of the response, and what the response says about them.
 *
 * @example
 * ```ts
 * const result = new ResultSet({ rows: [{ id: 7, name: 'Ada' }], total: 40 });
 * show(result.count, result.total, result.success); // 1 40 true
 * ```
 */
export class ResultSet<M = unknown> {
  /** The rows as the server sent them, without those that were given to `operation.onRows`. */
  readonly rows: readonly unknown[];
  /** Number of rows that the server sent. */
  readonly count: number;
  /** Number of rows in the whole collection; undefined if the server does not say. */
  total: number | undefined;
  /** Whether `total` is an estimate: then no list is `stale` because it has fewer rows. */
  isEstimate = false;
  /** How to request further rows; null if there are none, undefined if the server does not say. */
  next: NextPage | null | undefined;
  /** Whether the response says that the operation succeeded. */
  readonly success: boolean;
  /** 0 if the response to an update or destroy says that no row was changed: the record is missing. */
  readonly affected: 0 | undefined;
  /** The message of the server. */
  readonly message: string | undefined;
  /** The entries of the response to a bulk write, after they were read. */
  entries: readonly BulkEntry[] | undefined;
  /** Rows of other models that came with the response; undefined if there are none. */
  included: readonly IncludedRow[] | undefined;
  /** The id in the `Location` header of the response to a create. */
  locationId: string | undefined;
  /** The records of the rows; the model or store that runs the operation sets them. */
  records: readonly M[] = [];

  constructor(config: ResultSetConfig = {}) {
    const { rows = [] } = config;
    this.rows = rows;
    this.count = config.count ?? rows.length;
    this.total = config.total;
    this.next = config.next;
    this.success = config.success ?? true;
    this.affected = config.affected;
    this.message = config.message;
    this.entries = config.entries;
    this.included = config.included;
  }
}
