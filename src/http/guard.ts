import { AddressError } from '../errors/address-error.js';
import { isAbsolute, joinUrl } from './url.js';

/** What the guard compares (H3). */
export interface GuardInput {
  readonly method: string;
  /** The address as built. */
  readonly url: string;
  /** The base without its query, templates filled in. */
  readonly base: string;
  readonly baseUrl: string | undefined;
  readonly format: string | undefined;
  /** What the address step wrote behind the base; undefined: anything below the base will do. */
  readonly written: string | undefined;
  /** A path that the dialect declares besides those below the base. */
  readonly declared?: string | undefined;
}

/**
 * Resolves the final address with the platform's `URL` and makes sure that it stays inside its collection,
 * whoever built it (H3). Returns the absolute address.
 */
export function guardUrl(input: GuardInput): string {
  const target = resolveUrl(input.url, input.baseUrl);
  const base = resolveUrl(input.base, input.baseUrl);
  const outside = () => new AddressError('url-outside', { method: input.method, url: input.url, base: input.base });
  if (target.origin !== base.origin || target.username !== base.username || target.password !== base.password)
    throw outside();
  const { pathname } = target;
  const from = base.pathname;
  const below = from.endsWith('/') ? from : `${from}/`;
  const suffixed = input.format && (from.endsWith('.') ? from + input.format : `${from}.${input.format}`);
  const declared = input.declared !== undefined && pathname === resolveUrl(input.declared, input.baseUrl).pathname;
  if (!declared && pathname !== from && pathname !== suffixed && !pathname.startsWith(below)) throw outside();
  // A written id that normalisation swallowed, or that an override dropped, would address the whole collection.
  if (input.written !== undefined && !declared) {
    const rest = pathname.slice(from.length);
    const written = resolveUrl(input.base + input.written, input.baseUrl).pathname.slice(from.length);
    if (!written || !rest.includes(written)) {
      throw new AddressError('url-collection', { method: input.method, url: input.url });
    }
  }
  return target.href;
}

/** The absolute address: from `baseUrl`, else from the document, else an `AddressError` (H5). */
export function resolveUrl(url: string, baseUrl: string | undefined): URL {
  const joined = joinUrl(baseUrl ?? '', url);
  const document = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (!isAbsolute(joined) && !document) throw new AddressError('url-relative', { url });
  try {
    return new URL(joined, document);
  } catch (cause) {
    throw new AddressError('url-invalid', { url }, { cause });
  }
}
