import type { Messages } from './message-format.js';

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

/** The text of another error without the address at its end, to be filled into a text: a message leads to one page, its own. */
export function withoutPage(text: string): string {
  return text.replace(PAGE_AT_END, '');
}
