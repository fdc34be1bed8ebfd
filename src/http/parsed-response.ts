import type { ParsedJson } from '../util/parse-json.js';
import { rounded } from '../util/rounded.js';
import type { HttpResponse } from './http-response.js';

/** An answer with its parsed body. */
export function responseOf(
  { value, long }: ParsedJson,
  text: string,
  head: Omit<HttpResponse, 'text' | 'body'>,
): HttpResponse {
  // New members stand before the spread: behind it, Node 20 takes microseconds for each.
  if (!long) return { text, body: value, ...head };
  let body: unknown;
  return {
    text,
    exact: value,
    // Lists are read from the exact body: most rounded ones are never asked for.
    get body() {
      return (body ??= rounded(value));
    },
    ...head,
  };
}
