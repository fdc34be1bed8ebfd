import { hasErrorBrand } from '../../errors/data-error.js';
import { describe } from '../../errors/message-format.js';
import { DefinitionError } from '../../errors/mistakes.js';
import { ReadError } from '../../errors/read-error.js';
import type { StreamProgress } from '../../operation/operation.js';
import { type Data, isData, parsePath, readPath } from '../../util/data-path.js';
import { parseJson } from '../../util/json.js';
import type { RowBatch, RowCutter, RowPart } from './row-cutter.js';

/** Options of {@link RowStream}. */
export interface RowStreamConfig {
  /** Cuts complete rows out of the body. */
  readonly cutter: RowCutter;
  /** HTTP status of the response, for errors. */
  readonly status: number;
  /** Path of the total: the number of rows in the whole collection. */
  readonly totalProperty: string;
  /** Path from an item of the list to its row. */
  readonly record: string;
  /** Size of the whole body, from `Content-Length`; undefined if the server does not say it, or has compressed the body. */
  readonly totalBytes: number | undefined;
  readonly signal: AbortSignal;
  /** Receives each batch of rows. The next batch is delivered when the promise that it returned has resolved. */
  readonly onRows: (rows: readonly object[], progress: StreamProgress) => void | Promise<void>;
}

/** Bytes of rows that are parsed at once. V8 is fastest with texts of about this size: longer ones are allocated separately. */
const PARSE_SIZE = 104 << 10;
/** The largest value of `deliverySize`. */
const MAX_DELIVERY_SIZE = 1 << 20;

/** Parses the rows of a body that arrives in chunks, and delivers them in batches to `onRows`. */
export class RowStream {
  /** Number of rows that have been parsed. */
  records = 0;
  /** Number of bytes of the body that have arrived. */
  private bytes = 0;
  private total: number | undefined = undefined;
  /** Whether the first rows have been found. */
  begun = false;
  /** Whether a row contains a `LongNumber`: a number that a JavaScript number cannot represent exactly. */
  long = false;
  /** Parsed rows that wait for delivery. */
  private waiting: object[][] = [];
  /** Number of bytes of the rows that wait. */
  private waitingSize = 0;
  /**
   * Rows are delivered when they have at least this number of bytes. It grows, so that the first rows are delivered early, and a large body
   * needs few deliveries.
   */
  private deliverySize = 1;

  constructor(private readonly config: RowStreamConfig) {}

  /** Whether complete rows wait for delivery. */
  get waits(): boolean {
    return this.waiting.length > 0 || this.config.cutter.ready;
  }

  /** Adds a chunk. Resolves when the rows that are due are delivered, so that a slow `onRows` delays the next chunk (back-pressure). */
  async push(chunk: Uint8Array): Promise<void> {
    this.bytes += chunk.length;
    this.config.cutter.push(chunk);
    await this.drain(!this.begun);
  }

  /** Called when the body is complete: delivers the remaining rows. */
  async end(): Promise<void> {
    this.config.cutter.end();
    await this.flush();
  }

  /** Delivers all complete rows, however few they are. */
  async flush(): Promise<void> {
    await this.drain(true);
    await this.deliver();
  }

  private async deliver(): Promise<void> {
    const { waiting, bytes, records, total, config } = this;
    if (waiting.length === 0) return;
    const rows = waiting.length === 1 ? (waiting[0] as object[]) : waiting.flat();
    this.waiting = [];
    this.waitingSize = 0;
    this.deliverySize = Math.min(MAX_DELIVERY_SIZE, Math.max(PARSE_SIZE, this.deliverySize * 2));
    const { totalBytes, signal } = config;
    signal.throwIfAborted();
    try {
      await config.onRows(rows, {
        bytes,
        records,
        ...(totalBytes && { totalBytes }),
        ...(total !== undefined && { total }),
      });
    } catch (cause) {
      throw hasErrorBrand(cause) ? cause : new DefinitionError('hook', { why: cause }, { cause });
    }
  }

  /** Parses complete rows in pieces of `PARSE_SIZE`. A smaller last piece is parsed only if `all` is true. */
  private async drain(all: boolean): Promise<void> {
    const { cutter } = this.config;
    for (let batch: RowBatch | undefined; (batch = cutter.take(PARSE_SIZE) ?? (all ? cutter.take(0) : undefined)); ) {
      this.readHead();
      const { rows, error } = this.parse(batch);
      this.records += rows.length;
      if (rows.length) this.waiting.push(rows);
      this.waitingSize += batch.size;
      if (error || this.waitingSize >= this.deliverySize) await this.deliver();
      if (error) throw error;
    }
  }

  /** Reads the total from the part of the body before the first row. Throws `ReadError` if that part is not JSON. */
  private readHead(): void {
    if (this.begun) return;
    this.begun = true;
    const { cutter, status, totalProperty } = this.config;
    const head = cutter.head as string;
    try {
      const total = readPath(JSON.parse(head), parsePath(totalProperty));
      if (/^\d+$/.test(String(total))) this.total = Number(total);
    } catch (cause) {
      const what = /^\s*</.test(head) ? 'HTML' : `malformed text (${(cause as Error).message})`;
      throw new ReadError('response-json', { status, what, format: 'JSON' }, { cause });
    }
  }

  /** Parses the rows of a batch. If a row is invalid, returns an error, and the rows before it. */
  private parse(batch: RowBatch): { rows: object[]; error?: ReadError } {
    try {
      const items = this.parseText(batch.text()) as unknown[];
      const rows = this.rowsOf(items);
      if (items.length === batch.count && rows.every(isData)) return { rows };
    } catch {
      // The rows are parsed again below, one by one, to find the invalid one.
    }
    const rows: object[] = [];
    for (const part of batch.parts()) {
      const error = this.parsePart(part, rows);
      if (error) return { rows, error };
    }
    return { rows };
  }

  private parsePart({ text, offset }: RowPart, rows: object[]): ReadError | undefined {
    const row = this.records + rows.length;
    try {
      const [item] = this.rowsOf([this.parseText(text())]);
      if (!isData(item)) return new ReadError('response-row', { row, offset, what: describe(item) });
      rows.push(item);
      return undefined;
    } catch (cause) {
      return new ReadError('stream-row', { row, offset, why: (cause as Error).message }, { cause });
    }
  }

  private parseText(text: string): unknown {
    const { value, long } = parseJson(text);
    this.long ||= long;
    return value;
  }

  private rowsOf(items: unknown[]): Data[] {
    const { record } = this.config;
    return (record ? items.map((item) => readPath(item, parsePath(record))) : items) as Data[];
  }
}
