const ZERO = 48;
const NINE = 57;
const POINT = 46;
/** A JavaScript number always keeps this many digits. */
const KEPT_DIGITS = 15;

/**
 * Finds where numbers of more than 15 digits may stand in a JSON text, as pairs of start and end; undefined if there are none.
 * Some of them may be parts of JSON strings. Reads only about every sixteenth character.
 */
export function findLongRuns(text: string): number[] | undefined {
  let found: number[] | undefined;
  // A window of 16 characters is read backwards; the first character that is not a digit moves the window behind that character.
  for (let end = KEPT_DIGITS, at = end; end < text.length; ) {
    const code = text.charCodeAt(at);
    if (!isDigitOrPoint(code)) at = end = at + KEPT_DIGITS + 1;
    else if (at > end - KEPT_DIGITS) at -= 1;
    else {
      const start = startOfNumber(text, at);
      const stop = endOfNumber(text, end + 1);
      // Digits beside a quote or a letter are part of a JSON string.
      if (mayPrecede(text.charCodeAt(start - 1)) && mayFollow(text.charCodeAt(stop))) {
        if (found) found.push(start, stop);
        else found = [start, stop];
      }
      at = end = stop + KEPT_DIGITS;
    }
  }
  return found;
}

/** Whether a JSON text may contain a number whose exponent is too large or too small for JavaScript, such as `1e400`. */
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

/** The index after the last character of the number that continues at `from`. */
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

/** Whether a character can be part of a number: a digit, a point, a sign, or the `e` before an exponent. */
function isPartOfNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT || code === 45 || code === 43 || code === 101 || code === 69;
}

/** Whether a character may stand before a number: a colon, a comma, a bracket, white space, or nothing. */
function mayPrecede(code: number): boolean {
  return code === 58 || code === 44 || code === 91 || isBlankOrNothing(code);
}

/** Whether a character may stand after a number: a comma, a closing bracket or brace, white space, or nothing. */
function mayFollow(code: number): boolean {
  return code === 44 || code === 93 || code === 125 || isBlankOrNothing(code);
}

function isBlankOrNothing(code: number): boolean {
  return code <= 32 || Number.isNaN(code);
}
