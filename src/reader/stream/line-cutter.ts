import { RowCutter } from './row-cutter.js';

const NEWLINE = 10;

/** Cuts rows out of NDJSON: each line is a row. */
export class LineCutter extends RowCutter {
  readonly head = '[]';
  readonly rest = '[]';
  /** Index of the first byte of the incomplete line. */
  private line = 1;

  constructor() {
    super();
    // One extra byte for the `[` before the first row.
    super.push(new Uint8Array(1));
    this.base = -1;
    this.from = this.at = 1;
  }

  override push(chunk: Uint8Array): void {
    const { base } = this;
    super.push(chunk);
    this.line -= this.base - base;
  }

  override end(): void {
    this.push(Uint8Array.of(NEWLINE));
  }

  protected scan(least: number): boolean {
    const { buffer, base, from } = this;
    const bytes = buffer.bytes.subarray(0, buffer.length);
    for (;;) {
      const end = bytes.indexOf(NEWLINE, this.at);
      this.at = end < 0 ? bytes.length : end + 1;
      if (end < 0) return false;
      if (base + this.line === 0) dropMark(bytes.subarray(1, 4));
      const blank = isBlank(bytes, this.line, end);
      this.line = end + 1;
      // A blank line becomes white space before the next row.
      bytes[end] = blank ? 32 : 44;
      if (blank) continue;
      this.ends.push(base + end);
      if (end - from >= least) return true;
    }
  }
}

/** Whether all bytes are JSON white space. Zero bytes are not: at the end of a file they are a sign of lost rows. */
export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    if (byte !== 32 && byte !== 13 && byte !== 10 && byte !== 9) return false;
  }
  return true;
}

/** Replaces a UTF-8 byte order mark by spaces. */
function dropMark(start: Uint8Array): void {
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) start.fill(32);
}
