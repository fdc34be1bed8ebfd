import { LongNumber } from '../util/long-number.js';

/** The most characters of a server that a message quotes. */
export const MOST_QUOTED: number = 300;

/** A server's text as messages quote it: its beginning, if it is long. */
export function quote(text: string): string {
  // A cut within a pair of surrogates would leave a text that cannot be encoded.
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** Matches the value of a parameter whose name says that it is secret, in an address. */
const SECRET_VALUE =
  /([?&;][^=&#\s'"]*(?:auth|code|credential|jwt|key|passw|pwd|secret|session|sid|sig|token)[^=&#\s'"]*=)[^&#\s'"]+/gi;

/** A text without the credentials of the addresses in it: names and passwords, and the values of parameters such as `access_token`. */
export function hideSecrets(text: string): string {
  return text.replace(/\/\/[^/\s'"]*@/g, '//…@').replace(SECRET_VALUE, '$1…');
}

/** A copy of an object with its texts changed, and long numbers as texts. */
export function changeTexts<T extends object>(source: T, change: (text: string) => string): T {
  const entries = Object.entries(source).map(([name, value]) => [
    name,
    typeof value === 'string' || value instanceof LongNumber ? change(String(value)) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
