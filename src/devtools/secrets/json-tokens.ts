/** A token of JSON. `other`: a number, a literal, or text that is no JSON. */
export interface JsonToken {
  readonly kind: 'open' | 'close' | 'colon' | 'comma' | 'string' | 'other';
  readonly start: number;
  readonly end: number;
}

const KINDS: Readonly<Record<string, JsonToken['kind']>> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ':': 'colon',
  ',': 'comma',
};

/** The tokens of JSON, also of JSON that was cut. Texts are hostile: the time grows with their length only, and nothing recurses. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  let at = 0;
  while (at < text.length) {
    const character = text[at] as string;
    const kind = KINDS[character];
    let end = at + 1;
    if (kind !== undefined) yield { kind, start: at, end };
    else if (character === '"') {
      while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
      end = Math.min(end + 1, text.length);
      yield { kind: 'string', start: at, end };
    } else if (!isSpace(character)) {
      while (end < text.length && !isEnd(text[end] as string)) end += 1;
      yield { kind: 'other', start: at, end };
    }
    at = end;
  }
}

/** The text of a string of JSON, also of one that was cut. */
export function stringOf(literal: string): string {
  for (const whole of [literal, `${literal}"`, `${literal.replace(/\\[^\\]{0,5}$/, '')}"`]) {
    try {
      return JSON.parse(whole) as string;
    } catch {
      // The next form.
    }
  }
  return literal.slice(1);
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function isEnd(character: string): boolean {
  return character === '"' || isSpace(character) || KINDS[character] !== undefined;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
