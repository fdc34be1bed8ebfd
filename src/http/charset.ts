/** The charset that a `Content-Type` names. */
export function charsetOf(type: string | null): string | undefined {
  return /;\s*charset="?([^\s";]+)/i.exec(type ?? '')?.[1];
}

/**
 * The charset to try first for a body: the one of its byte order mark, else UTF-8, in which servers send JSON whatever its label says. Bodies
 * in UTF-16 and in ISO 2022 may look like UTF-8, so that their labels come first.
 */
export function firstCharset([first, second]: Uint8Array, label: string = ''): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return /16|2022/.test(label) ? label : 'utf-8';
}

/**
 * The text of a body. Throws an error if it is in neither of its possible charsets, because a PUT would write replaced letters back;
 * those of a failure are only shown.
 */
export function decodeBody(bytes: Uint8Array, type: string | null, isFailure: boolean): string {
  const label = charsetOf(type);
  try {
    return new TextDecoder(firstCharset(bytes, label), { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(label, { fatal: !isFailure }).decode(bytes);
  }
}
