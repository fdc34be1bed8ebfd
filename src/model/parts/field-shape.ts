import { idFieldsOf } from '../../operation/operation-record.js';
import { type Data, type DataPath, deletePath } from '../../util/data-path.js';
import { idKey } from '../../util/id-key.js';
import type { List, Shape } from '../../util/merge3.js';
import { isSame } from '../../util/values.js';
import type { FieldDefinition } from '../field-definition.js';
import type { ModelDefinition } from '../model-definition.js';
import { isInner } from '../record.js';
import { CORE, ROW } from '../symbols.js';

/** How the raw values of a field are merged. `whole`: values are replaced as a whole, but for embedded records. `lists` as for {@link rowShape}. */
export function fieldShape(field: FieldDefinition, whole: boolean = false, ...lists: readonly LinesOfList[]): Shape {
  const { embedding } = field;
  if (!embedding) return { whole, isSame: (a, b) => isSame(field.readExact(a), field.readExact(b)) };
  const row = rowShape(embedding.model, whole, ...lists);
  return { ...row, item: row };
}

/** The rows of a list, and the records that were made of them, or of which they were made. */
export type LinesOfList = readonly [rows: List, records: List];

/** How the rows of a model are merged. The rows of a record of `lists` are one line: it may know an id that they lack. */
export function rowShape(model: ModelDefinition, whole: boolean, ...lists: readonly LinesOfList[]): Shape {
  const recordOf = new Map(lists.flatMap(([rows, records]) => rows.map((row, at) => [row, records[at]] as const)));
  const places = new Map([...new Set(recordOf.values())].map((record, at) => [record, `#${at}`]));
  const idOf = (row: object) => {
    const record = recordOf.get(row);
    const id = isInner(record) ? (model.rowId(record[ROW]) ?? record[CORE]?.temporaryId) : model.rowId(row);
    if (id !== undefined) return idKey(id);
    return isInner(record) ? places.get(record) : undefined;
  };
  const idPaths = idFieldsOf(model).flatMap(({ path }) => (path ? [path] : []));
  const withoutId = (row: Data) => {
    const rest = { ...row };
    for (const path of idPaths) deletePath(rest, path);
    return rest;
  };
  return { member: memberShape(model.fields, [], whole), idOf, withoutId };
}

/** The shapes of the members of an object in a row: that of a field, or of the object in which fields lie. */
function memberShape(
  fields: readonly FieldDefinition[],
  at: DataPath,
  whole: boolean,
): (name: string) => Shape | undefined {
  return (name) => {
    const path = [...at, name];
    const inside = fields.filter((field) => path.every((each, i) => String(field.path?.[i]) === each));
    const field = inside.find((each) => each.path?.length === path.length);
    if (field) return fieldShape(field, whole);
    return inside.length > 0 ? { member: memberShape(inside, path, whole) } : undefined;
  };
}
