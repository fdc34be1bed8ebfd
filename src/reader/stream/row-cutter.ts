import { ByteBuffer } from './byte-buffer.js';

/** Complete rows as one text, and where they stood. */
export interface RowBatch {
  /** A JSON array of the rows. */
  readonly text: string;
  /** How many rows are to be in it. */
  readonly count: number;
  /** Each row by itself, to find the one that is wrong. To be asked before the cutter gets more. */
  parts(): readonly RowPart[];
}

/** The text of a row. */
export interface RowPart {
  readonly text: string;
  /** Where it begins in the body. */
  readonly offset: number;
}

/** Cuts complete rows out of a body that arrives in chunks. */
export abstract class RowCutter {
  protected readonly buffer: ByteBuffer = new ByteBuffer();
  /** Where the buffer begins in the body. */
  protected base: number = 0;
  /** Where in the buffer the next batch begins; the byte before it takes the bracket. */
  protected from: number = 0;
  /** Up to where the buffer has been looked through. */
  protected at: number = 0;
  /** Where in the body the complete rows end that are still to be given out. */
  protected ends: number[] = [];
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** The body up to its rows, and as if it ended with them; undefined: they have not begun. */
  abstract readonly head: string | undefined;
  /** The body with `[]` in place of its rows; undefined: they have not ended. */
  abstract readonly rest: string | undefined;

  /** Takes in the next chunk. */
  push(chunk: Uint8Array): void {
    const dropped = this.from > 0 ? this.buffer.dropBefore(this.from - 1) : 0;
    this.base += dropped;
    this.from -= dropped;
    this.at -= dropped;
    this.buffer.append(chunk);
  }

  /** The body is complete. */
  abstract end(): void;

  /** The next complete rows of so many bytes or, at the end of the rows, fewer. Undefined: more chunks are needed. */
  take(least: number): RowBatch | undefined {
    const full = this.scan(least);
    const { ends, buffer, from, base, decoder } = this;
    const last = ends.at(-1);
    if (last === undefined || !(full || last - base - from >= least)) return undefined;
    const { bytes } = buffer;
    const cut = last - base;
    // Both bytes are separators that have been read.
    bytes[from - 1] = 91;
    bytes[cut] = 93;
    this.from = cut + 1;
    this.ends = [];
    const textOf = (start: number, end: number) => decoder.decode(bytes.subarray(start, end));
    return {
      text: textOf(from - 1, cut + 1),
      count: ends.length,
      parts: () =>
        ends.map((end, i) => {
          const offset = i ? (ends[i - 1] as number) + 1 : base + from;
          return { text: textOf(offset - base, end - base), offset };
        }),
    };
  }

  /** Whether there are complete rows that `take` has looked at, but not given out. */
  get ready(): boolean {
    return this.ends.length > 0;
  }

  /** Where the row begins that is not complete. */
  get offset(): number {
    return this.base + (this.ends.length ? (this.ends.at(-1) as number) - this.base + 1 : this.from);
  }

  /** Looks on for ends of rows; true as soon as there are so many bytes of rows, or the rows have ended. */
  protected abstract scan(least: number): boolean;
}
