import { encodeParam } from '../http/params.js';
import { append, parseUrl, type UrlParts } from '../http/url.js';

/** A base address, its parts, and its path with a slash at the end. */
interface Base extends UrlParts {
  readonly text: string;
  readonly slashed: string;
}

/** Caches the repeated parts of addresses: parsed bases, encoded parameters. */
export class UrlCache {
  private readonly bases: Map<string, Base> = new Map();
  private readonly params: Map<string, { value: unknown; separator: string; text: string }> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();

  private last: Base = createBase('');
  private lastSeparator = '';
  private lastBuster = '';
  private busterText = '';

  /** The parts of a base. The last base is compared first, which is fastest. */
  parts(text: string): UrlParts {
    if (text !== this.last.text) this.last = this.bases.get(text) ?? keep(this.bases, text, createBase(text));
    return this.last;
  }

  /** A path with a slash at the end. The result is cached for the path of the last base. */
  slashed(path: string): string {
    return path === this.last.path ? this.last.slashed : append(path, '/', '');
  }

  /** An encoded parameter after its separator; `''` if the value is not sent. The last text of each name is cached. */
  param(separator: string, name: string, value: unknown): string {
    const last = this.params.get(name);
    // An object may have been mutated since, so its text is not reused.
    if (last && last.value === value && last.separator === separator && typeof value !== 'object') return last.text;
    const text = encodeParam(name, value);
    return keep(this.params, name, { value, separator, text: text && separator + text }).text;
  }

  /** The text before the time in the cache-buster; the last one is cached. */
  buster(separator: string, name: string): string {
    if (separator !== this.lastSeparator || name !== this.lastBuster) {
      this.busterText = separator + encodeParam(name, '');
      this.lastSeparator = separator;
      this.lastBuster = name;
    }
    return this.busterText;
  }

  /** The text that `make` returns for a list of sorters or filters. It is cached if the list is frozen, as long as the list exists. */
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

/** Adds a value to a cache, which is cleared first if it has grown too large. */
function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size > 100) map.clear();
  map.set(key, value);
  return value;
}
