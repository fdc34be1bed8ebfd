import type { DataPath } from '../../util/data-path.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;

/** A container on the way to the rows. */
interface Container {
  /** Number of the item that is being read; undefined in an object. */
  item: number | undefined;
  /** Name of the member that is being read. */
  name: string | undefined;
}

/** Looks for the array of rows in the bytes of a document: at a path, or the document itself. */
export class RootFinder {
  /** Containers along the path. */
  private readonly open: Container[] = [];
  /** How deep it stands in a container that is off the path. */
  private aside = 0;
  /** Where the text of a member name or value began; undefined: outside of one. */
  private quoted: number | undefined = undefined;
  private at = 0;

  constructor(private readonly path: DataPath) {}

  /** What closes the containers around the rows. */
  get closing(): string {
    return this.open.map(({ item }) => (item === undefined ? '}' : ']')).reduce((all, each) => each + all, '');
  }

  /** Searches on in all bytes that there are; returns the place of the array's bracket, or -1. */
  find(bytes: Uint8Array, length: number): number {
    for (; this.at < length; this.at += 1) {
      const byte = bytes[this.at] as number;
      if (this.quoted !== undefined) {
        if (byte === BACKSLASH) this.at += 1;
        else if (byte === QUOTE) this.endText(bytes);
      } else if (byte === QUOTE) this.quoted = this.at;
      else if (byte === COMMA) this.next();
      // Brackets and braces differ in this bit only.
      else if ((byte | 32) === 123) {
        if (this.enter(byte === OPEN_LIST)) return this.at;
      } else if ((byte | 32) === 125) this.leave();
    }
    return -1;
  }

  private endText(bytes: Uint8Array): void {
    const top = this.open.at(-1);
    if (!this.aside && top && top.item === undefined) {
      const text = new TextDecoder().decode(bytes.subarray(this.quoted, this.at + 1));
      top.name ??= text.includes('\\') ? readName(text) : text.slice(1, -1);
    }
    this.quoted = undefined;
  }

  private next(): void {
    const top = this.open.at(-1);
    if (this.aside || !top) return;
    if (top.item === undefined) top.name = undefined;
    else top.item += 1;
  }

  /** Notes a container that begins; whether it is the array of rows. */
  private enter(list: boolean): boolean {
    const { open, path } = this;
    const top = open.at(-1);
    const fits = !this.aside && (!top || (top.name ?? String(top.item)) === String(path[open.length - 1]));
    // A document that is an array is the rows, whatever the path says.
    if (fits && list && open.length === (top ? path.length : 0)) return true;
    if (fits && open.length < path.length) open.push({ item: list ? 0 : undefined, name: undefined });
    else this.aside += 1;
    return false;
  }

  private leave(): void {
    if (this.aside) this.aside -= 1;
    else this.open.pop();
  }
}

/** A member name as it is written in JSON; a malformed one is none that is looked for. */
function readName(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
