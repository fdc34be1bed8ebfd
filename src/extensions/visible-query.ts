import type { RecordModel } from '../operation/operation-record.js';
import { type Filter, operatorOf, type Sorter } from '../operation/query-parts.js';
import { type Data, isData, parsePath, readPath } from '../util/data-path.js';

/** Two instants that are nearer than this may belong to the same day of some time zone: servers may compare days only. */
const SAME_DAY = 26 * 3_600_000;
/** Numbers whose relative difference is smaller may be equal on a server that stores fewer digits. */
const SAME_NUMBER = 1e-6;

/** Whether a row meets a condition; undefined if servers may see it in different ways, as with letters of another case. */
type Answer = boolean | undefined;

/** The first condition that a row visibly breaks; undefined if there is none. */
export function brokenFilter(
  filters: readonly Filter[],
  row: unknown,
  model: RecordModel | undefined,
): Filter | undefined {
  return isData(row) ? filters.find((filter) => meets(filter, row, model) === false) : undefined;
}

/**
 * The first sorter by which two rows that follow each other are visibly in the wrong order; undefined if there is none. Only numbers
 * and instants are compared, because servers order texts by different rules, and missing values first or last.
 */
export function brokenSorter(
  sorters: readonly Sorter[],
  first: unknown,
  second: unknown,
  model: RecordModel | undefined,
): Sorter | undefined {
  if (!isData(first) || !isData(second)) return undefined;
  for (const sorter of sorters) {
    const { property, direction } = sorter;
    if (property === undefined) return undefined;
    const [a, b] = [first, second].map((row) => readNumber(row, property, model)) as [number, number];
    if (a === b) continue;
    return (direction === 'DESC' ? a < b : a > b) ? sorter : undefined;
  }
  return undefined;
}

function meets(filter: Filter, row: Data, model: RecordModel | undefined): Answer {
  const { property, and, or, not } = filter;
  if (and) return all(and.map((each) => meets(each, row, model)));
  if (or) return negated(all(or.map((each) => negated(meets(each, row, model)))));
  if (not) return negated(meets(not, row, model));
  if (property === undefined) return undefined;
  const given = rawValue(row, property, model);
  // A list may lack members that single rows have.
  if (given === undefined) return undefined;
  const { value } = filter;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const order = (than: unknown) => compare(given, than, property, model);
  switch (operatorOf(filter)) {
    case 'eq':
      return isEqual(order(value));
    case 'ne':
      return negated(isEqual(order(value)));
    case 'in':
      return negated(all(list.map((each) => negated(isEqual(order(each))))));
    case 'nin':
      return all(list.map((each) => negated(isEqual(order(each)))));
    case 'lt':
      return isBetween(order(value), -1, -1);
    case 'le':
      return isBetween(order(value), -1, 0);
    case 'gt':
      return isBetween(order(value), 1, 1);
    case 'ge':
      return isBetween(order(value), 0, 1);
    case 'between':
      return all([isBetween(order(list[0]), 0, 1), isBetween(order(list[1]), -1, 0)]);
    case 'isNull':
      return (given === null) === (value !== false);
    case 'contains':
      return matches(given, value, (text, part) => text.includes(part));
    case 'startsWith':
      return matches(given, value, (text, part) => text.startsWith(part));
    case 'endsWith':
      return matches(given, value, (text, part) => text.endsWith(part));
    default:
      return undefined;
  }
}

/** Whether all answers are true: false if one is false, undefined if one is unknown. */
function all(answers: readonly Answer[]): Answer {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function negated(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer;
}

/** How two values compare: by their order, `other` if they differ without an order, undefined if servers may see it in different ways. */
type Comparison = -1 | 0 | 1 | 'other' | undefined;

function isEqual(order: Comparison): Answer {
  return order === undefined ? undefined : order === 0;
}

function isBetween(order: Comparison, least: number, most: number): Answer {
  return typeof order === 'number' ? order >= least && order <= most : undefined;
}

function compare(given: unknown, value: unknown, property: string, model: RecordModel | undefined): Comparison {
  if (given === null || value === null) return given === value ? 0 : 'other';
  const a = timeOf(given, property, model, value instanceof Date);
  const b = timeOf(value, property, model, value instanceof Date);
  if (a !== undefined || b !== undefined) return a === undefined || b === undefined ? undefined : near(a, b, SAME_DAY);
  if (typeof given === 'number' && typeof value === 'number')
    return near(given, value, SAME_NUMBER * Math.max(Math.abs(given), Math.abs(value)));
  if (typeof given === 'object' || typeof value === 'object') return undefined;
  if (String(given) === String(value)) return 0;
  if (typeof given === 'boolean' && typeof value === 'boolean') return 'other';
  const areTexts = typeof given === 'string' && typeof value === 'string';
  return areTexts && folded(given) !== folded(value) ? 'other' : undefined;
}

/** The order of two numbers; undefined if their difference is not 0, but smaller than `distance`. */
function near(a: number, b: number, distance: number): Comparison {
  if (a === b) return 0;
  if (!(Math.abs(a - b) >= distance)) return undefined;
  return a < b ? -1 : 1;
}

/** Whether a text matches. A match that needs other letters, and a pattern with placeholders, are unknown. */
function matches(given: unknown, value: unknown, test: (text: string, part: string) => boolean): Answer {
  if (typeof given !== 'string' || typeof value !== 'string' || /[%_*?]/.test(value)) return undefined;
  if (test(given, value)) return true;
  return test(folded(given), folded(value)) ? undefined : false;
}

/** A text without differences of case, accents and spaces at its ends, which many servers ignore. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}

/** The value of a property as the server sent it: a converted value may have another order than the server's. */
function rawValue(row: Data, property: string, model: RecordModel | undefined): unknown {
  if (!model) return readPath(row, parsePath(property));
  const path = model.field(property)?.path;
  return path && readPath(row, path);
}

/** A number or the time of an instant; NaN, which has no order, for anything else. */
function readNumber(row: Data, property: string, model: RecordModel | undefined): number {
  const given = rawValue(row, property, model);
  if (given === null || given === undefined) return Number.NaN;
  const time = timeOf(given, property, model, false);
  return time ?? (typeof given === 'number' ? given : Number.NaN);
}

/** The time of an instant: a value of a field of the type `date`, or a value that is compared with a `Date`. */
function timeOf(
  given: unknown,
  property: string,
  model: RecordModel | undefined,
  isComparedWithDate: boolean,
): number | undefined {
  const field = model?.field(property);
  if (given instanceof Date) return given.getTime();
  if (field?.type !== 'date') return isComparedWithDate && typeof given === 'string' ? Date.parse(given) : undefined;
  const read = readSafely(() => field.read(given));
  return read instanceof Date ? read.getTime() : typeof read === 'number' ? read : Number.NaN;
}

/** The result of a function of the application, which must not fail the load. */
function readSafely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
