import type { DataPath } from '../../util/data-path.js';
import { ByteBuffer } from './byte-buffer.js';
import { isBlank } from './line-cutter.js';
import { RootFinder } from './root-finder.js';
import { RowCutter } from './row-cutter.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;

/** Cuts rows out of one large JSON document: out of the array at a path, or a document that is an array. */
export class DocumentCutter extends RowCutter {
  head: string | undefined = undefined;
  private readonly finder: RootFinder;
  private phase: 'head' | 'rows' | 'rest' = 'head';
  /** What is no row. */
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
    // What is missing shows in the rest.
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

  /** The loop that sees every byte: texts are skipped, brackets are counted, commas between rows end them. */
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

  /** The rows end at a bracket, which belongs to the rest. */
  private endRows(bracket: number): void {
    const { buffer, others, ends, base, from } = this;
    const { bytes, length } = buffer;
    this.phase = 'rest';
    others.append(bytes.subarray(bracket, length));
    const last = ends.at(-1);
    const start = last === undefined ? from : last - base + 1;
    // Blank space in an empty array is no row; behind a comma a row is missing.
    if (bytes[start - 1] !== OPEN_LIST || !isBlank(bytes, start, bracket)) ends.push(base + bracket);
  }
}

/** The place behind a text; its complement where the text goes on in the next chunk. */
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
