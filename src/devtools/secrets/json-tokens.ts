/** The kinds of tokens of JSON. `other`: a number, a literal, or text that is no JSON. */
export type TokenKind = 'open' | 'close' | 'colon' | 'comma' | 'string' | 'other';

const KINDS: Readonly<Record<string, TokenKind>> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ':': 'colon',
  ',': 'comma',
};

/** The end of a token that is neither a sign nor a string. */
const END = /["{}[\]:, \n\r\t]/g;

/**
 * Reads the tokens of JSON, also of JSON that was cut. `next()` moves on to the next token, whose members are then those of this object. Texts
 * are hostile: the time grows with their length only, and nothing recurses.
 */
export class JsonTokens {
  kind: TokenKind = 'other';
  start: number = 0;
  /** The place behind the token. */
  end: number;

  constructor(
    private readonly text: string,
    from: number = 0,
  ) {
    this.end = from;
  }

  /** Moves on to the next token; false if there is none. */
  next(): boolean {
    const { text } = this;
    let at = this.end;
    while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
    this.start = at;
    this.end = at;
    if (at === text.length) return false;
    const character = text[at] as string;
    if (character === '"') {
      this.kind = 'string';
      this.end = endOfString(text, at);
      return true;
    }
    this.kind = KINDS[character] ?? 'other';
    this.end = this.kind === 'other' ? endOfOther(text, at) : at + 1;
    return true;
  }
}

/** The place behind the string of JSON that begins at a place; that of the text if it was cut. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (first > start + 1 && text[first - 1] === '\\') first -= 1;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

function endOfOther(text: string, start: number): number {
  END.lastIndex = start + 1;
  return END.exec(text)?.index ?? text.length;
}

/** The text of a string of JSON, also of one that was cut. */
export function stringOf(literal: string): string {
  if (literal.length > 1 && literal.endsWith('"') && !literal.includes('\\')) return literal.slice(1, -1);
  for (const whole of [literal, `${literal}"`, `${literal.replace(/\\[^\\]{0,5}$/, '')}"`]) {
    try {
      return JSON.parse(whole) as string;
    } catch {
      // The next form.
    }
  }
  return literal.slice(1);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
