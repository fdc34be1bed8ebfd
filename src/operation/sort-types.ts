import { badValue } from '../errors/unsupported-query-error.js';
import type { Locale } from './query-parts.js';

/** Converts the values of a property to the values that are compared, in the order of that name. */
const sortTypes = {
  // A number is compared by its length first: each run of digits gets its length in front of it, and loses its leading zeros.
  natural: (text: string): unknown =>
    text.toLowerCase().replace(/0*(\d+)/g, (_, digits: string) => `${String(digits.length).padStart(5, '0')}${digits}`),
  numeric: (text: string): unknown => (text.trim() === '' ? Number.NaN : Number(text)),
  textCi: (text: string): unknown => text.toLowerCase(),
} as const;

/**
 * An order by name: `'natural'` compares the numbers in texts by their value and ignores case (`'Item 9'` before `'item 10'`), `'numeric'`
 * compares texts as the numbers that they are (another text counts as missing), `'textCi'` ignores case.
 */
export type SortTypeName = keyof typeof sortTypes;

/** Whether a value names an order. */
export function isSortTypeName(value: unknown): value is SortTypeName {
  return typeof value === 'string' && Object.hasOwn(sortTypes, value);
}

/** The names of all orders. */
export function sortTypeNames(): readonly SortTypeName[] {
  return Object.keys(sortTypes) as SortTypeName[];
}

/** The function of an order, which returns values other than texts as they are; undefined without a name. */
export function sortTypeOf(name: SortTypeName | undefined): ((value: unknown) => unknown) | undefined {
  if (name === undefined) return undefined;
  const convert = sortTypes[name];
  return (value) => (typeof value === 'string' ? convert(value) : value);
}

/** The collator of a language. Throws `UnsupportedQueryError` for a value that names no language. */
export function toCollator(locale: Locale | undefined): Intl.Collator | undefined {
  if (locale === undefined || typeof (locale as Intl.Collator | null)?.compare === 'function')
    return locale as Intl.Collator | undefined;
  try {
    if (typeof locale === 'string') return new Intl.Collator(locale);
  } catch {
    // The error of the platform only says that this is no language tag; the error below says what to give.
  }
  throw badValue('locale', locale, "a language tag such as 'de', or an Intl.Collator");
}
