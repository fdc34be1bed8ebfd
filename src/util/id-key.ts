import { compositeText, partText } from './composite-id.js';

/** The text by which ids are compared: `7` and `'7'` are the same id, and UUIDs are compared without case. */
export function idKey(id: unknown): string {
  return Array.isArray(id) ? compositeText(id) : partText(id);
}
