import { ByteBuffer } from './byte-buffer.js';

/** Complete rows as one text, with their positions in the body. */
export interface RowBatch {
  /** A JSON array of the rows. Throws an error for bytes that are not UTF-8, and so do the parts. Must be called before the next `push`. */
  text(): string;
  /** Number of bytes of the rows. */
  readonly size: number;
  /** Expected number of rows. */
  readonly count: number;
  /** Each row separately, to find an invalid one. */
  parts(): readonly RowPart[];
}

/** The text of a row, with its position. */
export interface RowPart {
  text(): string;
  /** Byte offset of the row in the body. */
  readonly offset: number;
}

/** Cuts complete rows out of a body that arrives in chunks. */
export abstract class RowCutter {
  protected readonly buffer: ByteBuffer = new ByteBuffer();
  /** Offset of the buffer in the body. */
  protected base: number = 0;
  /** Index in the buffer where the next batch begins; the byte before it is overwritten with `[`. */
  protected from: number = 0;
  /** Index in the buffer up to which the bytes have been scanned. */
  protected at: number = 0;
  /** Offsets in the body of the ends of complete rows that have not been taken yet. */
  protected ends: number[] = [];
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

  /** The body before its rows, closed as if the rows were empty; undefined until the rows begin. */
  abstract readonly head: string | undefined;
  /** The body with `[]` instead of its rows; undefined until the rows end. */
  abstract readonly rest: string | undefined;

  /** Appends the next chunk. */
  push(chunk: Uint8Array): void {
    const dropped = this.from > 0 ? this.buffer.dropBefore(this.from - 1) : 0;
    this.base += dropped;
    this.from -= dropped;
    this.at -= dropped;
    this.buffer.append(chunk);
  }

  /** Called when the body is complete. */
  abstract end(): void;

  /** The next complete rows with at least `least` bytes (fewer at the end of the rows). Undefined if more chunks are needed. */
  take(least: number): RowBatch | undefined {
    const full = this.scan(least);
    const { ends, buffer, from, base, decoder } = this;
    const last = ends.at(-1);
    if (last === undefined || !(full || last - base - from >= least)) return undefined;
    const { bytes } = buffer;
    const cut = last - base;
    // Both bytes are separators that are no longer needed.
    bytes[from - 1] = 91;
    bytes[cut] = 93;
    this.from = cut + 1;
    this.ends = [];
    const textOf = (start: number, end: number) => () => decoder.decode(bytes.subarray(start, end));
    return {
      text: textOf(from - 1, cut + 1),
      size: cut - from,
      count: ends.length,
      parts: () =>
        ends.map((end, i) => {
          const offset = i ? (ends[i - 1] as number) + 1 : base + from;
          return { text: textOf(offset - base, end - base), offset };
        }),
    };
  }

  /** Whether there are complete rows that `take` has scanned but not returned. */
  get ready(): boolean {
    return this.ends.length > 0;
  }

  /** Offset in the body of the incomplete row. */
  get offset(): number {
    return this.base + (this.ends.length ? (this.ends.at(-1) as number) - this.base + 1 : this.from);
  }

  /** Continues the search for ends of rows. Returns true as soon as there are `least` bytes of rows, or the rows have ended. */
  protected abstract scan(least: number): boolean;
}
