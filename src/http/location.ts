/** The addresses that a `Location` header is compared with. */
interface LocationContext {
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

/** The text of a header, as it is read. */
type HeaderText = Pick<string, 'length' | 'charAt' | 'slice'>;

/**
 * The addresses in a `Link` header (RFC 8288) by their relations, which are in lower case: `<…?page=2>; rel="next"`. The header comes from
 * a server, which may be hostile: each character is read once, whatever the header holds.
 */
export function linkTargets(header: HeaderText): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  const { length } = header;
  let at = 0;
  while (at < length) {
    const opening = find(header, at, '<');
    const closing = find(header, opening, '>');
    if (closing >= length) break;
    at = closing + 1;
    const url = header.slice(opening + 1, closing);
    let relations: string | undefined;
    while (at < length && header.charAt(at) !== ',') {
      const end = endOfParameter(header, at);
      // The first parameter `rel` counts.
      relations ??= relationsIn(header.slice(at, end));
      at = end + (header.charAt(end) === ';' ? 1 : 0);
    }
    for (const relation of (relations ?? '').toLowerCase().split(/\s+/)) if (relation) targets.set(relation, url);
  }
  return targets;
}

/** The position of a character, or the end of the header. */
function find(header: HeaderText, start: number, wanted: string): number {
  let at = start;
  while (at < header.length && header.charAt(at) !== wanted) at += 1;
  return at;
}

/** The position of the `;` or `,` behind a parameter, or the end of the header. Between quotes, these characters are text. */
function endOfParameter(header: HeaderText, start: number): number {
  let isQuoted = false;
  let at = start;
  for (; at < header.length; at += 1) {
    const char = header.charAt(at);
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted && char === '\\') at += 1;
    else if (!isQuoted && (char === ';' || char === ',')) break;
  }
  return Math.min(at, header.length);
}

/** The relations that a parameter names; undefined if it is another parameter. */
function relationsIn(parameter: string): string | undefined {
  const middle = parameter.indexOf('=');
  if (middle < 0 || parameter.slice(0, middle).trim().toLowerCase() !== 'rel') return undefined;
  const value = parameter.slice(middle + 1).trim();
  return value.startsWith('"') ? value.slice(1, value.endsWith('"') && value.length > 1 ? -1 : undefined) : value;
}
