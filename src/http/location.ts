/** The addresses that a `Location` header is compared with. */
export interface LocationContext {
  /** The absolute address of the collection: a relative header is resolved against it. */
  readonly collection: URL;
  /** The last segments of the collection's addresses; undefined for an address without a path. */
  readonly names: readonly (string | undefined)[];
  /** The suffix that addresses end with, without its dot. */
  readonly format: string | undefined;
}

/**
 * The id in a `Location` header; undefined if the header names no record of the collection. Either the segment before the last
 * is the collection's last segment, or the header is one bare segment. Origin, prefix, query and format are ignored, because the id
 * is only used in our own address.
 */
export function idFromLocation(header: string, { collection, names, format }: LocationContext): string | undefined {
  // `fetch` joins several `Location` headers into one text, and nothing says which one counts.
  if (/,\s/.test(header) || !URL.canParse(header, collection.href)) return undefined;
  const target = new URL(header, collection);
  if (!/^https?:$/.test(target.protocol) && target.protocol !== collection.protocol) return undefined;
  const segments = segmentsOf(target);
  const last = segments.pop() ?? '';
  const suffix = format ? `.${format}` : '';
  const id = suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last;
  if (!isBareSegment(header) && !names.includes(segments.at(-1))) return undefined;
  // For a collection at `/users/users`, this address is the collection itself, not a record called `users`.
  const path = [...segments, id].join('/');
  return isEndOf(path, segmentsOf(collection).join('/')) ? undefined : id || undefined;
}

/** The decoded last segment of an address; undefined if the path is empty. */
export function lastSegment(address: URL): string | undefined {
  return segmentsOf(address).at(-1);
}

/** Whether a header is one segment without a slash, such as `12`. `/12`, `..` and `urn:12` are not. */
function isBareSegment(header: string): boolean {
  const [, text = ''] = /^([^/\\:?#]+)\/?(?:[?#]|$)/.exec(header) ?? [];
  return text !== '' && !/^(?:\.|%2e){1,2}$/i.test(text);
}

/** Whether a path is the last part of another one, or all of it. */
function isEndOf(path: string, whole: string): boolean {
  return `/${whole}`.endsWith(`/${path}`);
}

/** The decoded segments of a path. Slashes at its end are ignored. */
function segmentsOf({ pathname }: URL): string[] {
  const segments = pathname.split('/').slice(1);
  // A pattern such as `/+$` would read a run of slashes again from each of them.
  while (segments.at(-1) === '') segments.pop();
  return segments.map(decodeSegment);
}

/** The text of a percent-encoded segment; malformed text is returned unchanged. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
