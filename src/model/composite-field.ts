import { hintOf } from '../dev/checks.js';
import { DefinitionError } from '../errors/mistakes.js';
import { isValidId } from '../http/url.js';
import { type CompositeId, compositeId } from '../util/composite-id.js';
import type { Data } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import { createField, type FieldDefinition, type FieldOwner } from './field-definition.js';
import { cachedValue, cacheValue, exactValue, type InnerRecord } from './record.js';
import { CORE } from './symbols.js';

/** The member that holds an id of several fields. */
const COMPOSITE = 'id';

/** Checks the names of an id of several fields. Throws `DefinitionError`. */
export function checkIdParts(names: readonly unknown[], declared: ReadonlyMap<string, unknown>, model: string): void {
  const known = [...declared.keys()];
  const unknown = names.find((each) => typeof each !== 'string' || !declared.has(each));
  if (unknown !== undefined)
    throw new DefinitionError('id-property', {
      field: String(unknown),
      model,
      hint: hintOf(String(unknown), known, 'its fields'),
    });
  if (names.length < 2 || new Set(names).size < names.length) throw new DefinitionError('id-parts-few', { model });
  if (declared.has(COMPOSITE)) throw new DefinitionError('id-parts-name', { model });
}

/** The id in the values of its parts; undefined if one of them is missing. */
export function idOfParts(
  parts: readonly FieldDefinition[],
  readPart: (field: FieldDefinition) => unknown,
): CompositeId | undefined {
  const values: unknown[] = [];
  for (const field of parts) {
    const value = readPart(field);
    // Different long numbers may be rounded to the same number, so the digits are the id.
    const part = value instanceof LongNumber ? value.digits : value;
    if (!isValidId(part) || typeof part === 'object') return undefined;
    values.push(part);
  }
  return compositeId(values);
}

/** Makes the field of an id of several fields: it has no member in the row, and follows its parts. */
export function createCompositeField(
  partsOf: () => readonly FieldDefinition[],
  names: readonly string[],
  owner: FieldOwner,
): FieldDefinition {
  const field: FieldDefinition = createField(
    COMPOSITE,
    {
      depends: names,
      mapping: (row) => idOfParts(partsOf(), (part) => part.raw(row as Data)),
      calculate: (record: InnerRecord) => {
        const id = idOfParts(partsOf(), (part) => exactValue(record, part));
        if (id === undefined) return record[CORE]?.temporaryId;
        // Screens compare ids by identity, so a record gives the same object until a part has changed.
        const cached = cachedValue(record, field);
        if (Array.isArray(cached) && id.every((part, at) => part === cached[at])) return cached;
        cacheValue(record, field, id);
        return id;
      },
    },
    owner,
  );
  return field;
}
