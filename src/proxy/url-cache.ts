import type { ParamEncoder } from '../http/params.js';
import { encodeText, parseUrl, type UrlParts } from '../http/url.js';

/** What addresses are made of again and again: parsed bases, encoded sorters and filters. */
export class UrlCache implements ParamEncoder {
  private readonly bases: Map<string, UrlParts> = new Map();
  private readonly names: Map<string, string> = new Map();
  private readonly encoded: Map<string, string> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();
  private lastBase: string | undefined = undefined;
  private lastParts: UrlParts = { path: '', query: '', template: false };

  /** The parts of a base. */
  parts(text: string): UrlParts {
    if (text === this.lastBase) return this.lastParts;
    const parts = keep(this.bases, text, parseUrl);
    this.lastBase = text;
    return (this.lastParts = parts);
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

  /** Encodes the name of a parameter: there are few, and they come with every request. */
  name(text: string): string {
    return keep(this.names, text, encodeText);
  }

  /** Encodes the value of a parameter; the long ones are mostly sorters and filters, which come again. */
  value(text: string): string {
    return text.length < 24 ? encodeText(text) : keep(this.encoded, text, encodeText);
  }
}

/** Makes a value once per text; a map that grows too large begins anew. */
function keep<T>(map: Map<string, T>, text: string, make: (text: string) => T): T {
  let value = map.get(text);
  if (value === undefined) {
    value = make(text);
    if (map.size > 100) map.clear();
    map.set(text, value);
  }
  return value;
}
