/** An id of several parts, such as the number of an order and that of a line: frozen, and as text unambiguous. */
export type CompositeId = readonly (string | number)[];

/** Makes an id of its parts. */
export function idOfValues(parts: readonly unknown[]): CompositeId {
  const id = [...parts] as (string | number)[];
  // Not enumerable, so that an id equals a plain list of its parts.
  Object.defineProperty(id, 'toString', { value: () => compositeText(id) });
  return Object.freeze(id);
}

/** The text of an id of several parts: no two ids have the same one, and a part means the same as number and as text. */
export function compositeText(parts: readonly unknown[]): string {
  return parts.map((part) => partText(part).replace(/[\\,]/g, '\\$&')).join(',');
}

/** The parts in the text of an id of several parts, as texts. */
export function partsOfText(text: string): readonly string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\[\\,]|./gsu))
    if (piece === ',') parts.push('');
    else parts[parts.length - 1] += piece.length > 1 ? piece.slice(1) : piece;
  return parts;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The text by which ids of one part are compared: UUIDs are compared without case. */
export function partText(id: unknown): string {
  const text = String(id);
  return UUID.test(text) ? text.toLowerCase() : text;
}
