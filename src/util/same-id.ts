const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The text by which two ids are compared: `7` and `'7'` are one id, and the case of a UUID does not count (H6). */
export function idKey(id: unknown): string {
  const text = String(id);
  return UUID.test(text) ? text.toLowerCase() : text;
}
