/** The most characters of a server that a message quotes. */
export const MOST_QUOTED: number = 300;

/** A server's text as messages quote it: its beginning, if it is long. */
export function quote(text: string): string {
  // A cut within a pair of surrogates would leave a text that cannot be encoded.
  return text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}
