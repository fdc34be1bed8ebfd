import { idFieldsOf } from '../../operation/operation-record.js';
import { type Data, type DataPath, deletePath } from '../../util/data-path.js';
import { idKey } from '../../util/id-key.js';
import type { List, Shape } from '../../util/merge3.js';
import { isSame } from '../../util/values.js';
import type { FieldDefinition } from '../field-definition.js';
import type { ModelDefinition } from '../model-definition.js';
import { isInner } from '../record.js';
import { CORE, ROW } from '../symbols.js';

/** How the raw values of a field are merged. */
export function fieldShape(field: FieldDefinition): Shape {
  const { embedding } = field;
  if (!embedding) return { isSame: (a, b) => isSame(field.readExact(a), field.readExact(b)) };
  const row = rowShape(embedding.model);
  return { ...row, item: row };
}

/** The rows of a list, and the records that were made of them, or of which they were made. */
type LinesOfList = readonly [rows: List, records: List];

/** How the rows of a model are merged. The record of a line in `lists` may know an id that its row lacks. */
export function rowShape(model: ModelDefinition, ...lists: readonly LinesOfList[]): Shape {
  const recordOf = new Map(lists.flatMap(([rows, records]) => rows.map((row, at) => [row, records[at]] as const)));
  const idOf = (row: object) => {
    const record = recordOf.get(row);
    const id = isInner(record) ? (model.rowId(record[ROW]) ?? record[CORE]?.temporaryId) : model.rowId(row);
    return id === undefined ? undefined : idKey(id);
  };
  const idPaths = idFieldsOf(model).flatMap(({ path }) => (path ? [path] : []));
  const withoutId = (row: Data) => {
    const rest = { ...row };
    for (const path of idPaths) deletePath(rest, path);
    return rest;
  };
  return { member: memberShape(model.fields, []), idOf, withoutId };
}

/** The shapes of the members of an object in a row: that of a field, or of the object in which fields lie. */
function memberShape(fields: readonly FieldDefinition[], at: DataPath): (name: string) => Shape | undefined {
  return (name) => {
    const path = [...at, name];
    const inside = fields.filter((field) => path.every((each, i) => String(field.path?.[i]) === each));
    const field = inside.find((each) => each.path?.length === path.length);
    return field ? fieldShape(field) : inside.length > 0 ? { member: memberShape(inside, path) } : undefined;
  };
}
