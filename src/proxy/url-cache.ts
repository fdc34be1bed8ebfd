import { encodeParam } from '../http/params.js';
import { append, parseUrl, type UrlParts } from '../http/url.js';

/** A base, its parts, and its path with a slash. */
interface Base extends UrlParts {
  readonly text: string;
  readonly slashed: string;
}

/** What addresses are made of again and again: parsed bases, encoded parameters. */
export class UrlCache {
  private readonly bases: Map<string, Base> = new Map();
  private readonly params: Map<string, { value: unknown; separator: string; text: string }> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();

  private last: Base = createBase('');
  private lastSeparator = '';
  private lastBuster = '';
  private busterText = '';

  /** The parts of a base; those of the last one are at hand. */
  parts(text: string): UrlParts {
    if (text !== this.last.text) this.last = this.bases.get(text) ?? keep(this.bases, text, createBase(text));
    return this.last;
  }

  /** A path with its slash; that of the last base is at hand. */
  slashed(path: string): string {
    return path === this.last.path ? this.last.slashed : append(path, '/', '');
  }

  /** One parameter as it stands in an address, with what is before it, '' for nothing; the last one of a name is kept. */
  param(separator: string, name: string, value: unknown): string {
    const last = this.params.get(name);
    // Objects may have changed inside.
    if (last && last.value === value && last.separator === separator && typeof value !== 'object') return last.text;
    const text = encodeParam(name, value);
    return keep(this.params, name, { value, separator, text: text && separator + text }).text;
  }

  /** What stands before the time in the cache-buster; the last one is at hand. */
  buster(separator: string, name: string): string {
    if (separator !== this.lastSeparator || name !== this.lastBuster) {
      this.busterText = separator + encodeParam(name, '');
      this.lastSeparator = separator;
      this.lastBuster = name;
    }
    return this.busterText;
  }

  /** What was made for a frozen list, kept until the list is another. */
  kept(list: readonly object[], make: () => string): string {
    let text = this.texts.get(list);
    if (text === undefined) {
      text = make();
      if (Object.isFrozen(list)) this.texts.set(list, text);
    }
    return text;
  }
}

function createBase(text: string): Base {
  const parts = parseUrl(text);
  return { ...parts, text, slashed: append(parts.path, '/', '') };
}

/** Keeps a value; a map that grows too large begins anew. */
function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size > 100) map.clear();
  map.set(key, value);
  return value;
}
