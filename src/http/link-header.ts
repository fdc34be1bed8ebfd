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
