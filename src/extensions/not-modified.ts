/**
 * Lets a server answer 304 to a read with `If-None-Match`, by setting `Cache-Control: max-age=0`. Without this header, `fetch` adds
 * `Cache-Control: no-cache`, and servers such as Express then always send the whole body. In a browser the header is set only for the
 * page's own origin: any other origin would have to allow it by CORS, or the request would fail.
 */
export function allowNotModified(headers: Headers, url: string): void {
  if (!headers.has('If-None-Match') || headers.has('Cache-Control')) return;
  const page = globalThis.location?.origin;
  if (page === undefined || page === new URL(url).origin) headers.set('Cache-Control', 'max-age=0');
}
