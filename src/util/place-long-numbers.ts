import { getMember, setMember } from './data-path.js';
import { copyText, isLong, isNumeric, LongNumber } from './long-number.js';
import { endOfNumber } from './long-runs.js';
import type { ParsedJson } from './parse-json.js';

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** A number of at most this length loses no digits, unless it has an exponent or is a negative zero. */
const SHORT_LENGTH = 15;

/** An array or object that is being read. */
interface Container {
  /** The index of the current item; undefined in an object. */
  item: number | undefined;
  /** Whether the next string is the name of a member. */
  awaitsName: boolean;
  /** The name of the current member as the text has it, with quotes. */
  name: string;
}

/** Replaces the rounded numbers that `JSON.parse` has made by the long numbers of the text, by reading the text a second time. */
export function placeLongNumbers(text: string, parsed: unknown): ParsedJson {
  const open: Container[] = [];
  let value = parsed;
  let long = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(text, at + 1);
      nameMember(open.at(-1), text, at, end + 1);
      at = end;
    } else if (code === MINUS || (code >= 48 && code <= 57)) {
      const digits = text.slice(at, endOfNumber(text, at + 1));
      at += digits.length - 1;
      if (!isLongToken(digits)) continue;
      const literal = new LongNumber(copyText(digits));
      if (open.length === 0) value = literal;
      else place(literal, value, open);
      long = true;
    } else readStructure(code, open);
  }
  return { value, long };
}

/** Sets the name of the current member to the string between `start` and `end`, if a name is expected there. */
function nameMember(container: Container | undefined, text: string, start: number, end: number): void {
  if (!container?.awaitsName) return;
  container.name = text.slice(start, end);
  container.awaitsName = false;
}

/** Counts items, and opens and closes arrays and objects. */
function readStructure(code: number, open: Container[]): void {
  const container = open.at(-1);
  if (code === COMMA && container) {
    if (container.item === undefined) container.awaitsName = true;
    else container.item += 1;
  } else if (code === OPEN_OBJECT) open.push({ item: undefined, awaitsName: true, name: '' });
  else if (code === OPEN_LIST) open.push({ item: 0, awaitsName: false, name: '' });
  else if (code === CLOSE_OBJECT || code === CLOSE_LIST) open.pop();
}

/** Puts a long number at the place that the containers lead to, unless a later member of the same name has another value. */
function place(literal: LongNumber, value: unknown, open: readonly Container[]): void {
  let container = value;
  for (const each of open.slice(0, -1)) container = getMember(container, nameIn(each));
  const name = nameIn(open.at(-1) as Container);
  const rounded = getMember(container, name);
  if (isNumeric(rounded) && Object.is(Number(rounded), Number(literal))) setMember(container as object, name, literal);
}

function nameIn({ item, name }: Container): string | number {
  return item ?? (JSON.parse(name) as string);
}

function isLongToken(digits: string): boolean {
  return (digits.length > SHORT_LENGTH || /e|^-0/i.test(digits)) && isLong(digits);
}

/** The index of the quote that ends a JSON string. */
function endOfText(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
