import { hasErrorBrand } from '../../errors/data-error.js';
import { DefinitionError } from '../../errors/definition-error.js';
import { describe } from '../../errors/messages.js';
import { ReadError } from '../../errors/read-error.js';
import type { StreamProgress } from '../../operation/stream-progress.js';
import { type Data, isData, parsePath, readPath } from '../../util/data-path.js';
import { parseJson } from '../../util/parse-json.js';
import type { RowBatch, RowCutter, RowPart } from './row-cutter.js';

/** What a stream of rows works with. */
export interface RowStreamConfig {
  readonly cutter: RowCutter;
  /** Status of the answer. */
  readonly status: number;
  /** Path of the size of the whole collection. */
  readonly totalProperty: string;
  /** Path from an item to its row. */
  readonly record: string;
  /** Content-Length, where that is the length of what arrives. */
  readonly totalBytes: number | undefined;
  readonly signal: AbortSignal;
  readonly onRows: (rows: readonly object[], progress: StreamProgress) => void | Promise<void>;
}

/** Rows that are parsed at once, in bytes. Engines do best by texts of about this length: more need a place of their own in memory. */
const PIECE = 104 << 10;
/** Bytes of rows that are handed over together, at most. */
const MOST = 1 << 20;

/** Turns a body that arrives in chunks into rows, and hands them over. */
export class RowStream {
  /** Rows that have been read. */
  records = 0;
  private bytes = 0;
  private total: number | undefined = undefined;
  /** Whether there were rows. */
  begun = false;
  /** Whether a row holds a number that JavaScript cannot hold. */
  long = false;
  /** Rows that wait to be handed over, and how many bytes they had. */
  private waiting: object[][] = [];
  private size = 0;
  /** How many bytes are to come together; grows, so that the first rows are there early and many rows cost few calls. */
  private goal = 1;

  constructor(private readonly config: RowStreamConfig) {}

  /** Whether rows wait to be handed over. */
  get waits(): boolean {
    return this.waiting.length > 0 || this.config.cutter.ready;
  }

  /** Takes in a chunk; resolves when no more rows wait than should. */
  async push(chunk: Uint8Array): Promise<void> {
    this.bytes += chunk.length;
    this.config.cutter.push(chunk);
    await this.drain(!this.begun);
  }

  /** The body is complete: hands over what is left. */
  async end(): Promise<void> {
    this.config.cutter.end();
    await this.flush();
  }

  /** Hands over the rows that wait. */
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

  /** Parses complete rows: whole pieces, or all that there are. */
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

  /** Reads what stands before the rows. */
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

  /** The rows of a batch; with an error, those before the one that is wrong. */
  private parse(batch: RowBatch): { rows: object[]; error?: ReadError } {
    try {
      const items = this.parseText(batch.text) as unknown[];
      const rows = this.rowsOf(items);
      if (items.length === batch.count && rows.every(isData)) return { rows };
    } catch {
      // Which row it is shows below.
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
