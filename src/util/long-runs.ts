const ZERO = 48;
const NINE = 57;
const POINT = 46;
/** So many digits are always kept by a number of JavaScript's. */
const KEPT_DIGITS = 15;

/**
 * Where numbers of more than 15 digits may stand in a JSON text, as pairs of a start and an end; undefined where there are none.
 * Some of them may be parts of texts. Looks at about every sixteenth character.
 */
export function findLongRuns(text: string): number[] | undefined {
  let found: number[] | undefined;
  // Sixteen characters are looked through from behind: one that is no digit there moves them past it.
  for (let end = KEPT_DIGITS, at = end; end < text.length; ) {
    const code = text.charCodeAt(at);
    if (!isDigitOrPoint(code)) at = end = at + KEPT_DIGITS + 1;
    else if (at > end - KEPT_DIGITS) at -= 1;
    else {
      const start = startOfNumber(text, at);
      const stop = endOfNumber(text, end + 1);
      // Quotes and letters around it are those of a text.
      if (mayPrecede(text.charCodeAt(start - 1)) && mayFollow(text.charCodeAt(stop))) {
        if (found) found.push(start, stop);
        else found = [start, stop];
      }
      at = end = stop + KEPT_DIGITS;
    }
  }
  return found;
}

/** Whether a text may hold a number that is too large or too small for JavaScript, written with an exponent: `1e400`. */
export function hasLongExponent(text: string): boolean {
  const exponents = /[eE][+-]?\d{3}/g;
  for (let found = exponents.exec(text); found; found = exponents.exec(text)) {
    const start = startOfNumber(text, found.index);
    const stop = endOfNumber(text, exponents.lastIndex);
    if (start < found.index && mayPrecede(text.charCodeAt(start - 1)) && mayFollow(text.charCodeAt(stop))) return true;
    exponents.lastIndex = stop;
  }
  return false;
}

/** The end of the number that goes on at a place. */
export function endOfNumber(text: string, from: number): number {
  let end = from;
  while (isPartOfNumber(text.charCodeAt(end))) end += 1;
  return end;
}

function startOfNumber(text: string, from: number): number {
  let start = from;
  while (isPartOfNumber(text.charCodeAt(start - 1))) start -= 1;
  return start;
}

function isDigitOrPoint(code: number): boolean {
  return code >= POINT && code <= NINE && code !== 47;
}

/** Digits, points, signs and the mark of an exponent. */
function isPartOfNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT || code === 45 || code === 43 || code === 101 || code === 69;
}

/** Whether a character may stand before a number: a colon, a comma, a bracket, white space, or nothing. */
function mayPrecede(code: number): boolean {
  return code === 58 || code === 44 || code === 91 || isBlankOrNothing(code);
}

/** Whether a character may stand behind a number: a comma, a closing bracket or brace, white space, or nothing. */
function mayFollow(code: number): boolean {
  return code === 44 || code === 93 || code === 125 || isBlankOrNothing(code);
}

function isBlankOrNothing(code: number): boolean {
  return code <= 32 || Number.isNaN(code);
}
