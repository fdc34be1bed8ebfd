import type { MessageParams, Messages } from './message-format.js';

/** The beginning of the addresses of the pages about errors. The site has a page for each key of a text, and for each code. */
const PAGES = 'https://repose.example/e/';

/** The page of an error at the end of its text. */
const PAGE_AT_END = / \(?https:\/\/repose\.example\/e\/[\w-]+\)?$/;

/** The address of the page about an error: what it means, and what to do. `key` is the error's `reason` or `code`. */
export function errorPage(key: string): string {
  return PAGES + key;
}

/** Texts of errors, each with the address of its page at the end. */
export function withPages<T extends Messages>(texts: T): T {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, `${text} (${errorPage(key)})`])) as T;
}

/** Values to fill into a text, where the text of another error has no address at its end: a message leads to one page, its own. */
export function withoutPages(params: MessageParams): MessageParams {
  const isQuoted = (value: unknown): value is string => typeof value === 'string' && PAGE_AT_END.test(value);
  if (!Object.values(params).some(isQuoted)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, isQuoted(value) ? value.replace(PAGE_AT_END, '') : value]),
  );
}
