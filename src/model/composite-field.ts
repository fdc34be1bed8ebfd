import { hintOf } from '../dev/checks.js';
import { DefinitionError } from '../errors/mistakes.js';
import { isValidId } from '../http/url.js';
import { type CompositeId, idOfValues } from '../util/composite-id.js';
import type { Data } from '../util/data-path.js';
import { LongNumber } from '../util/long-number.js';
import { createField, type FieldDefinition, type FieldOwner } from './field-definition.js';
import { isSameId } from './model-definition.js';
import { cachedValue, cacheValue, exactValue, type InnerRecord } from './record.js';
import { CORE, ID_PARTS } from './symbols.js';

/** The member that holds an id of several fields. */
const COMPOSITE = 'id';

/** The fields that make up the id of a record, as `compositeId()` names them. */
export interface IdParts<N extends readonly string[] = readonly string[]> {
  readonly names: N;
  readonly [ID_PARTS]: IdPartsCode;
}

/** The code of an id of several fields. */
export interface IdPartsCode {
  /** Checks the names of the fields. Throws `DefinitionError`. */
  check(names: readonly unknown[], declared: ReadonlyMap<string, unknown>, model: string): void;
  /** Makes the field of the id: it has no member in the row, and follows its parts. */
  createField(partsOf: () => readonly FieldDefinition[], names: readonly string[], owner: FieldOwner): FieldDefinition;
  /** The id in the values of its parts; undefined if one of them is missing. */
  idOf(parts: readonly FieldDefinition[], readPart: (field: FieldDefinition) => unknown): CompositeId | undefined;
  /** The parts of an id that a response holds, perhaps not all of them; undefined if it holds none. */
  received(parts: readonly FieldDefinition[], row: Data): CompositeId | undefined;
  /** Whether an id names the record of a received one, as far as that is known. */
  isSame(parts: readonly FieldDefinition[], id: CompositeId, received: CompositeId): boolean;
}

/**
 * Names the fields that make up the id of a record: `id` is then a frozen list of their values.
 *
 * The parts fill the `{name}`s of the address, and a part that is left is the id in the path. If several are left, `odata4()` and
 * `postgrest()` write them all; elsewhere that is an `AddressError`, unless the proxy overrides `encodeId`. Parts are ordinary fields:
 * creates send those that are known, and until all are known a new record has a temporary id. An edited part is sent, and the address
 * stays that of the saved ones. `id` cannot be set, and no other field can be called so.
 *
 * @example
 * ```ts
 * class Line extends Model.define({
 *   fields: { orderId: 'int', line: 'int', sku: 'string' },
 *   idProperty: compositeId('orderId', 'line'),
 *   proxy: { url: '/orders/{orderId}/lines' },
 * }) {}
 * const line = await Line.load([7, 1]); // GET /orders/7/lines/1
 * ```
 */
export function compositeId<const N extends readonly string[]>(...names: N): IdParts<N> {
  return { names, [ID_PARTS]: { check, createField: createCompositeField, idOf, received, isSame } };
}

function check(names: readonly unknown[], declared: ReadonlyMap<string, unknown>, model: string): void {
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

function idOf(
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
  return idOfValues(values);
}

function createCompositeField(
  partsOf: () => readonly FieldDefinition[],
  names: readonly string[],
  owner: FieldOwner,
): FieldDefinition {
  const field: FieldDefinition = createField(
    COMPOSITE,
    {
      depends: names,
      mapping: (row) => idOf(partsOf(), (part) => part.raw(row as Data)),
      calculate: (record: InnerRecord) => {
        const id = idOf(partsOf(), (part) => exactValue(record, part));
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

function received(parts: readonly FieldDefinition[], row: Data): CompositeId | undefined {
  const values = parts.map((field) => field.raw(row) ?? undefined);
  return values.every((value) => value === undefined) ? undefined : idOfValues(values);
}

function isSame(parts: readonly FieldDefinition[], id: CompositeId, receivedId: CompositeId): boolean {
  return parts.every((field, at) => receivedId[at] === undefined || isSameId(field, id[at], receivedId[at]));
}
