import { hasErrorBrand } from '../../errors/data-error.js';
import { DefinitionError } from '../../errors/definition-error.js';
import { describe } from '../../errors/messages.js';
import { ReadError } from '../../errors/read-error.js';
import type { StreamProgress } from '../../operation/stream-progress.js';
import { type Data, isData, parsePath, readPath } from '../../util/data-path.js';
import { parseJson } from '../../util/parse-json.js';
import type { RowBatch, RowCutter, RowPart } from './row-cutter.js';

/** Options of {@link RowStream}. */
export interface RowStreamConfig {
  readonly cutter: RowCutter;
  /** HTTP status of the response. */
  readonly status: number;
  /** Path of the number of rows in the whole collection. */
  readonly totalProperty: string;
  /** Path from an item of the list to its row. */
  readonly record: string;
  /** Content-Length; undefined if it is not sent, or if the content is compressed. */
  readonly totalBytes: number | undefined;
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly object[], progress: StreamProgress) => void | Promise<void>;
}

/** Bytes of rows that are parsed at once. V8 is fastest with texts of about this length: longer ones are allocated separately. */
const PIECE = 104 << 10;
/** Maximal number of bytes of rows that are delivered together. */
const MOST = 1 << 20;

/** Turns a body that arrives in chunks into rows, and delivers them. */
export class RowStream {
  /** Number of rows that have been read. */
  records = 0;
  private bytes = 0;
  private total: number | undefined = undefined;
  /** Whether the rows of the body have begun. */
  begun = false;
  /** Whether a row holds a number that JavaScript cannot represent. */
  long = false;
  /** Parsed rows that are not delivered yet, and their number of bytes. */
  private waiting: object[][] = [];
  private size = 0;
  /** Bytes to collect before a delivery. It grows, so that the first rows arrive early and many rows need few calls. */
  private goal = 1;

  constructor(private readonly config: RowStreamConfig) {}

  /** Whether rows are ready for delivery. */
  get waits(): boolean {
    return this.waiting.length > 0 || this.config.cutter.ready;
  }

  /** Adds a chunk. Resolves when enough rows have been delivered (back-pressure). */
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

  /** Delivers all complete rows. */
  async flush(): Promise<void> {
    await this.drain(true);
    await this.deliver();
  }

  private async deliver(): Promise<void> {
    const { waiting, bytes, records, total, config } = this;
    if (waiting.length === 0) return;
    const rows = waiting.length === 1 ? (waiting[0] as object[]) : waiting.flat();
    this.waiting = [];
    this.size = 0;
    this.goal = Math.min(MOST, Math.max(PIECE, this.goal * 2));
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

  /** Parses complete rows: only full pieces, or all of them. */
  private async drain(all: boolean): Promise<void> {
    const { cutter } = this.config;
    for (let batch: RowBatch | undefined; (batch = cutter.take(PIECE) ?? (all ? cutter.take(0) : undefined)); ) {
      this.begin();
      const { rows, error } = this.parse(batch);
      this.records += rows.length;
      if (rows.length) this.waiting.push(rows);
      this.size += batch.text.length;
      if (error || this.size >= this.goal) await this.deliver();
      if (error) throw error;
    }
  }

  /** Reads the part of the body before the rows. */
  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    const { cutter, status, totalProperty } = this.config;
    const head = cutter.head as string;
    try {
      const total = readPath(JSON.parse(head), parsePath(totalProperty));
      if (/^\d+$/.test(String(total))) this.total = Number(total);
    } catch (cause) {
      const what = /^\s*</.test(head) ? 'HTML' : `malformed text (${(cause as Error).message})`;
      throw new ReadError('reply-json', { status, what }, { cause });
    }
  }

  /** Parses a batch. With an error, `rows` holds the rows before the invalid one. */
  private parse(batch: RowBatch): { rows: object[]; error?: ReadError } {
    try {
      const items = this.parseText(batch.text) as unknown[];
      const rows = this.rowsOf(items);
      if (items.length === batch.count && rows.every(isData)) return { rows };
    } catch {
      // The invalid row is found by parsing each row separately.
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
      const [item] = this.rowsOf([this.parseText(text)]);
      if (!isData(item)) return new ReadError('reply-row', { row, offset, what: describe(item) });
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
