import type { DataPath } from '../../util/data-path.js';
import { ByteBuffer } from './byte-buffer.js';
import { isBlank } from './line-cutter.js';
import { RootFinder } from './root-finder.js';
import { RowCutter } from './row-cutter.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;

/** Cuts rows out of one large JSON document: from the array at a path, or from a document that is an array. */
export class DocumentCutter extends RowCutter {
  head: string | undefined = undefined;
  private readonly finder: RootFinder;
  private phase: 'head' | 'rows' | 'rest' = 'head';
  /** The bytes of the document outside its rows. */
  private readonly others = new ByteBuffer();
  private depth = 0;
  private quoted = false;

  constructor(path: DataPath) {
    super();
    this.finder = new RootFinder(path);
  }

  get rest(): string | undefined {
    const { buffer, others, phase } = this;
    if (phase === 'rows') return undefined;
    return decode(phase === 'head' ? buffer : others);
  }

  override push(chunk: Uint8Array): void {
    if (this.phase === 'rest') this.others.append(chunk);
    else super.push(chunk);
  }

  end(): void {
    // An incomplete document is reported when the rest is parsed.
  }

  protected scan(least: number): boolean {
    if (this.phase === 'head') this.findRows();
    return this.phase === 'rows' && this.scanRows(least);
  }

  private findRows(): void {
    const { buffer, finder } = this;
    const bracket = finder.find(buffer.bytes, buffer.length);
    if (bracket < 0) return;
    this.others.append(buffer.bytes.subarray(0, bracket + 1));
    this.head = `${decode(this.others)}]${finder.closing}`;
    this.from = this.at = bracket + 1;
    this.phase = 'rows';
  }

  /** Finds the ends of rows: skips texts, counts brackets, and takes each comma between rows as an end. */
  private scanRows(least: number): boolean {
    const { base, from, ends } = this;
    const { bytes, length } = this.buffer;
    let { depth } = this;
    let at = this.quoted ? skipText(bytes, this.at, length) : this.at;
    let full = false;
    while (at >= 0 && at < length && !full) {
      const byte = bytes[at++] as number;
      if (byte === QUOTE) at = skipText(bytes, at, length);
      else if (byte === COMMA) {
        if (depth === 0) full = ends.push(base + at - 1) > 0 && at - 1 - from >= least;
      } else if (byte > 90) {
        // Brackets and braces differ in one bit.
        const bracket = byte | 32;
        if (bracket === 123) depth += 1;
        else if (bracket === 125) full = (depth -= 1) < 0;
      }
    }
    this.quoted = at < 0;
    this.at = this.quoted ? ~at : at;
    this.depth = depth;
    if (depth < 0) this.endRows(at - 1);
    return full;
  }

  /** Ends the rows at a closing bracket, which belongs to the rest of the document. */
  private endRows(bracket: number): void {
    const { buffer, others, ends, base, from } = this;
    const { bytes, length } = buffer;
    this.phase = 'rest';
    others.append(bytes.subarray(bracket, length));
    const last = ends.at(-1);
    const start = last === undefined ? from : last - base + 1;
    // White space in an empty array is no row; white space after a comma is a missing row, which must be reported.
    if (bytes[start - 1] !== OPEN_LIST || !isBlank(bytes, start, bracket)) ends.push(base + bracket);
  }
}

/** The index after a text, or its bitwise complement if the text continues in the next chunk. */
function skipText(bytes: Uint8Array, from: number, length: number): number {
  let at = from;
  while (at < length) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return ~at;
}

function decode({ bytes, length }: ByteBuffer): string {
  return new TextDecoder().decode(bytes.subarray(0, length));
}
