const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The text by which ids are compared: `7` and `'7'` are the same id, and UUIDs are compared without case. */
export function idKey(id: unknown): string {
  const text = String(id);
  return UUID.test(text) ? text.toLowerCase() : text;
}
