import { type DateCodec, type FieldFormat, fieldFormatOf } from './field-format.js';
import { isDate } from './field-types.js';

/** How the values of a date field travel, as `dateFormat()` gives it. */
export interface DateFormat {
  readonly pattern: string;
  /** Makes the functions of a field of this type. Returns, as a text, what is wrong with the pattern or the type. */
  readonly compile: (type: unknown) => FieldFormat | string;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
const SHORT_MONTHS = /* @__PURE__ */ MONTHS.map((name) => name.slice(0, 3));

/** The parts of a date, in UTC. */
type Part = 'year' | 'month' | 'day' | 'hour' | 'half' | 'minute' | 'second' | 'millisecond' | 'zone';

/** A letter of a pattern: which part of the date it stands for, and how that is written and read. */
interface Letter {
  readonly part: Part;
  readonly pattern: string;
  /** Whether the number of digits varies, so that a digit behind it would be read as a part of it. */
  readonly open?: boolean;
  write(date: Date): string;
  read(text: string): number;
}

const digits = (part: Part, length: number, partOf: (date: Date) => number, offset = 0): Letter => ({
  part,
  pattern: `\\d{${length}}`,
  write: (date) => String(partOf(date)).padStart(length, '0'),
  read: (text) => Number(text) - offset,
});
const open = (part: Part, partOf: (date: Date) => number, offset = 0): Letter => ({
  part,
  pattern: '[1-9]?\\d',
  open: true,
  write: (date) => String(partOf(date)),
  read: (text) => Number(text) - offset,
});
const word = (part: Part, words: readonly string[], partOf: (date: Date) => number): Letter => ({
  part,
  pattern: words.join('|'),
  write: (date) => words[partOf(date)] as string,
  read: (text) => words.indexOf(text),
});
const zone = (colon: string): Letter => ({
  part: 'zone',
  pattern: `[+-]\\d\\d${colon}[0-5]\\d`,
  write: () => `+00${colon}00`,
  read: (text) => Number(`${text[0]}1`) * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))),
});

const month = (date: Date) => date.getUTCMonth();
const half = (date: Date) => (date.getUTCHours() < 12 ? 0 : 1);
const hour12 = (date: Date) => date.getUTCHours() % 12 || 12;

/** The letters of Ext JS that can be read as they are written. */
function lettersOf(): Readonly<Record<string, Letter>> {
  return {
    Y: digits('year', 4, (date) => date.getUTCFullYear()),
    m: digits('month', 2, (date) => month(date) + 1, 1),
    n: open('month', (date) => month(date) + 1, 1),
    M: word('month', SHORT_MONTHS, month),
    F: word('month', MONTHS, month),
    d: digits('day', 2, (date) => date.getUTCDate()),
    j: open('day', (date) => date.getUTCDate()),
    H: digits('hour', 2, (date) => date.getUTCHours()),
    G: open('hour', (date) => date.getUTCHours()),
    h: digits('hour', 2, hour12),
    g: open('hour', hour12),
    A: word('half', ['AM', 'PM'], half),
    a: word('half', ['am', 'pm'], half),
    i: digits('minute', 2, (date) => date.getUTCMinutes()),
    s: digits('second', 2, (date) => date.getUTCSeconds()),
    u: digits('millisecond', 3, (date) => date.getUTCMilliseconds()),
    P: zone(':'),
    O: zone(''),
  };
}

/** Each part, and those that a pattern with it needs: without them it names no certain instant. */
const NEEDS: Readonly<Record<Part, readonly Part[]>> = {
  year: [],
  month: ['year'],
  day: ['month'],
  hour: ['day'],
  half: ['hour'],
  minute: ['hour'],
  second: ['minute'],
  millisecond: ['second'],
  zone: ['hour'],
};

/**
 * The form in which the dates of a field travel: a pattern, `'timestamp'` for seconds since 1970, or `'time'` for milliseconds.
 *
 * @example
 * ```ts
 * class Invoice extends Model.define({
 *   fields: { id: 'int', due: { type: 'dateonly', format: dateFormat('d.m.Y') } },
 * }) {}
 * Invoice.fromRow({ id: 1, due: '21.11.2026' }).due; // '2026-11-21'
 * ```
 */
export function dateFormat(pattern: string): DateFormat {
  return { pattern, compile: (type) => fieldFormatOf(type, () => codecOf(pattern)) };
}

function codecOf(pattern: string): DateCodec | string {
  if (pattern === 'timestamp') return numericFormat(1000);
  if (pattern === 'time') return numericFormat(1);
  return patternFormat(pattern);
}

/** Seconds or milliseconds since 1970, as a number or as the text of one. */
function numericFormat(unit: number): DateCodec {
  return {
    read(raw) {
      const isNumber = typeof raw === 'number' || (typeof raw === 'string' && /^-?\d+(\.\d+)?$/.test(raw));
      const date = new Date(isNumber ? Math.round(Number(raw) * unit) : Number.NaN);
      return isDate(date) ? date : undefined;
    },
    write: (date, raw) => (typeof raw === 'string' ? String(date.getTime() / unit) : date.getTime() / unit),
  };
}

/** The mistake in the parts of a pattern, because of which a text could be read in two ways, or in none. */
function wrongItems(items: readonly (Letter | string)[], known: Readonly<Record<string, Letter>>): string | undefined {
  const letters = items.filter((item) => typeof item !== 'string');
  const parts = letters.map(({ part }) => part);
  if (!parts.includes('year')) return 'has no year (Y), so it names no instant';
  for (const [at, part] of parts.entries()) {
    if (parts.indexOf(part) !== at) return `names the ${part} twice`;
    const missing = NEEDS[part].find((each) => !parts.includes(each));
    if (missing) return `has a ${part} without a ${missing}`;
  }
  const isTwelve = letters.some((letter) => letter === known['h'] || letter === known['g']);
  if (isTwelve !== parts.includes('half')) return 'needs A or a with the hours h and g, and only with these';
  for (const [at, item] of items.entries()) {
    const next = items[at + 1];
    const isDigit = typeof next === 'string' ? /\d/.test(next) : next?.pattern.includes('\\d') && next.part !== 'zone';
    if (typeof item !== 'string' && item.open && isDigit)
      return 'has a number of one or two digits before another digit';
  }
  return undefined;
}

function patternFormat(format: string): DateCodec | string {
  const known = lettersOf();
  const items: (Letter | string)[] = [];
  for (const [, escaped, char = ''] of format.matchAll(/\\(.)|(.)/gs)) {
    if (escaped === undefined && /[a-zA-Z\\]/.test(char)) {
      const letter = Object.hasOwn(known, char) ? known[char] : undefined;
      if (!letter) return `has the letter '${char}', which cannot be read as it is written`;
      items.push(letter);
    } else items.push(escaped ?? char);
  }
  const wrong = wrongItems(items, known);
  if (wrong) return wrong;
  const letters = items.filter((item) => typeof item !== 'string');
  const source = items.map((item) =>
    typeof item === 'string' ? item.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : `(${item.pattern})`,
  );
  const expression = new RegExp(`^${source.join('')}$`);
  const write = (date: Date) => items.map((item) => (typeof item === 'string' ? item : item.write(date))).join('');
  return {
    read(raw) {
      const found = typeof raw === 'string' ? expression.exec(raw) : null;
      if (!found) return undefined;
      const read: Partial<Record<Part, number>> = {};
      for (const [at, { part, read: readPart }] of letters.entries()) read[part] = readPart(found[at + 1] as string);
      const { year = 0, day = 1, hour = 0, half: afternoon, minute = 0, second = 0, millisecond = 0 } = read;
      const hours = afternoon === undefined ? hour : (hour % 12) + afternoon * 12;
      const date = new Date(0);
      date.setUTCFullYear(year, read.month ?? 0, day);
      date.setUTCHours(hours, minute, second, millisecond);
      // A text that is written in another way stands for no date: 30 February, or 25 o'clock.
      const isSame = letters.every(
        ({ part, write: writePart }, at) => part === 'zone' || writePart(date) === found[at + 1],
      );
      if (!isSame) return undefined;
      return new Date(date.getTime() - (read.zone ?? 0) * 60_000);
    },
    write,
  };
}
