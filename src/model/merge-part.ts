import { type Data, type DataPath, isData, setMember } from '../util/data-path.js';
import type { FieldDefinition } from './field-definition.js';

/**
 * Merges an incomplete row into the known row. Where fields lie inside a member (`address.city`), the incomplete row may hold a part of
 * that member, so its other members stay; every other value is replaced.
 */
export function mergePart(known: Data, part: Data, fields: readonly FieldDefinition[], path: DataPath = []): Data {
  const merged: Data = { ...known };
  for (const [name, value] of Object.entries(part)) {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    const inside = [...path, name];
    const isPart = isData(value) && isData(before) && isSplit(fields, inside);
    setMember(merged, name, isPart ? mergePart(before, value, fields, inside) : value);
  }
  return merged;
}

/** Whether fields lie inside the object at a path, and none has the object as its value. */
export function isSplit(fields: readonly FieldDefinition[], at: DataPath): boolean {
  const inside = fields.filter(({ path }) => path !== undefined && at.every((name, i) => path[i] === name));
  return inside.length > 0 && inside.every(({ path }) => (path as DataPath).length > at.length);
}
