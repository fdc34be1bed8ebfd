import type { DataPath } from '../../util/data-path.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;

/** An object or array on the path to the rows. */
interface Container {
  /** Index of the current item; undefined in an object. */
  item: number | undefined;
  /** Name of the current member. */
  name: string | undefined;
}

/** Finds the array of rows in the bytes of a document: at a path, or the document itself. */
export class RootFinder {
  /** The open containers along the path. */
  private readonly open: Container[] = [];
  /** Depth of the current position inside a container that is not on the path. */
  private aside = 0;
  /** Start of the current text (member name or value); undefined outside of a text. */
  private quoted: number | undefined = undefined;
  private at = 0;

  constructor(private readonly path: DataPath) {}

  /** The brackets that close the containers around the rows. */
  get closing(): string {
    return this.open.map(({ item }) => (item === undefined ? '}' : ']')).reduce((all, each) => each + all, '');
  }

  /** Continues the search in the bytes received so far. Returns the index of the array's bracket, or -1. */
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

  /** Enters a container. Returns whether it is the array of rows. */
  private enter(list: boolean): boolean {
    const { open, path } = this;
    const top = open.at(-1);
    const fits = !this.aside && (!top || (top.name ?? String(top.item)) === String(path[open.length - 1]));
    // A document that is an array is the array of rows, even if a path is set.
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

/** Parses a member name. A malformed name is returned unchanged, as it matches no path. */
function readName(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
