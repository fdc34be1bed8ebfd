/** The addresses that a `Location` header is compared with (H17). */
export interface LocationContext {
  /** The absolute address of the collection: a relative header is resolved against it. */
  readonly collection: URL;
  /** The last segments of the collection's addresses; undefined for an address without a path. */
  readonly names: readonly (string | undefined)[];
  /** The suffix that addresses end with, without its dot. */
  readonly format: string | undefined;
}

/**
 * The id that a `Location` header names; undefined where it names no record of the collection (H17). The segment before the last
 * must be the collection's last segment, or the header must be one bare segment. Origin, prefix, query and format are ignored,
 * because the id is used on our own address only.
 */
export function idFromLocation(header: string, { collection, names, format }: LocationContext): string | undefined {
  // Several headers arrive as one text, and nothing says which of them counts.
  if (/,\s/.test(header) || !URL.canParse(header, collection.href)) return undefined;
  const target = new URL(header, collection);
  if (!/^https?:$/.test(target.protocol) && target.protocol !== collection.protocol) return undefined;
  const segments = segmentsOf(target);
  const last = segments.pop() ?? '';
  const suffix = format ? `.${format}` : '';
  const id = suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last;
  if (!isBareSegment(header) && !names.includes(segments.at(-1))) return undefined;
  // In a collection `/users/users` this address is that of the collection, not of a record called `users`.
  const path = [...segments, id].join('/');
  return isEndOf(path, segmentsOf(collection).join('/')) ? undefined : id || undefined;
}

/** The decoded last segment of an address; undefined where its path is empty. */
export function lastSegment(address: URL): string | undefined {
  return segmentsOf(address).at(-1);
}

/** Whether a header is one segment without a slash: `12`, but neither `/12` nor `..` nor `urn:12`. */
function isBareSegment(header: string): boolean {
  const [, text = ''] = /^([^/\\:?#]+)\/?(?:[?#]|$)/.exec(header) ?? [];
  return text !== '' && !/^(?:\.|%2e){1,2}$/i.test(text);
}

/** Whether a path is the last part of another one, or all of it. */
function isEndOf(path: string, whole: string): boolean {
  return `/${whole}`.endsWith(`/${path}`);
}

/** The decoded segments of a path; slashes at its end do not count. */
function segmentsOf({ pathname }: URL): string[] {
  const path = pathname.replace(/^\//, '').replace(/\/+$/, '');
  return path === '' ? [] : path.split('/').map(decode);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
