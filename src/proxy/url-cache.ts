import { encodeParam } from '../http/params.js';
import { encodeText, parseUrl, type UrlParts } from '../http/url.js';

/** What addresses are made of again and again: parsed bases, encoded sorters and filters. */
export class UrlCache {
  private readonly bases: Map<string, UrlParts> = new Map();
  private readonly encoded: Map<string, string> = new Map();
  private readonly texts: WeakMap<object, string> = new WeakMap();
  private lastNames: string[] = [];
  private lastValues: unknown[] = [];
  private lastQuery: string = '';
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

  /** Parameters as they stand in an address; those of the last request are at hand. */
  query(params: Record<string, unknown>): string {
    if (this.isLast(params)) return this.lastQuery;
    this.lastNames = Object.keys(params);
    this.lastValues = this.lastNames.map((name) => params[name]);
    const parts = this.lastNames.map((name) => this.param(name, params[name])).filter(Boolean);
    return (this.lastQuery = parts.join('&'));
  }

  /** One parameter as it stands in an address; '' for nothing. */
  param(name: string, value: unknown): string {
    return encodeParam(name, value, this.encode);
  }

  private isLast(params: Record<string, unknown>): boolean {
    const { lastNames, lastValues } = this;
    let at = 0;
    for (const name in params) {
      const value = params[name];
      // Objects may have changed inside.
      if (name !== lastNames[at] || value !== lastValues[at] || typeof value === 'object') return false;
      at += 1;
    }
    return at === lastNames.length;
  }

  /** Long texts are mostly sorters and filters, which come again on every page. */
  private readonly encode = (text: string): string =>
    text.length < 24 ? encodeText(text) : keep(this.encoded, text, encodeText);
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
