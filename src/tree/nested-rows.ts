import { treeMessages } from '../dev/texts.js';
import { describe } from '../errors/message-format.js';
import { ReadError } from '../errors/read-error.js';
import { notesOf, setNotes } from '../extension/row-notes.js';
import { isValidId } from '../http/url.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { MODEL } from '../operation/operation-record.js';
import { idKeyOf, serverId } from '../store/id-index.js';
import { type Data, type DataPath, getMember, isData, readPath, withPath } from '../util/data-path.js';

/** How rows hold the rows of their children. */
export interface NestedForm {
  /** The member with the rows of the children. */
  readonly member: string;
  readonly parentField: string;
}

/** Rows without their children, and what the children have told. */
export interface FlatRows {
  /** All rows, each one before those that were nested in it. */
  readonly rows: readonly Data[];
  /** The ids of the rows that told all their children, even if there are none. */
  readonly told: readonly unknown[];
}

/** A copy of a row that names its parent. */
function withParent(row: Data, path: DataPath, parent: unknown): Data {
  const copy = withPath(row, path, parent) as Data;
  setNotes(copy, notesOf(row));
  return copy;
}

/** The rows of the response to a request for the children of a record. A row that does not say where it belongs names this record as its parent. */
export function rowsBelow(rows: readonly Data[], parent: Model, parentField: string): readonly Data[] {
  const { [MODEL]: model } = inner(parent);
  const path = model.field(parentField)?.path;
  if (!path) return rows;
  const id = serverId(parent);
  const isOwn = (row: Data) => idKeyOf(model.rowId(row)) === idKeyOf(id);
  return rows.map((row) => (readPath(row, path) === undefined && !isOwn(row) ? withParent(row, path, id) : row));
}

/**
 * Takes nested rows apart: each child becomes a row of its own, which names its parent. The rows are copied without their children. Throws
 * `ReadError` for a child that is no object, for children that are no list, and for a row with children that has no id.
 */
export function flatRows(rows: readonly Data[], { member, parentField }: NestedForm, model: ModelDefinition): FlatRows {
  const flat: Data[] = [];
  const told: unknown[] = [];
  const path = model.field(parentField)?.path;
  // A stack instead of recursion, because chains can be as deep as there are rows.
  const stack: { row: unknown; parent: unknown; place: string }[] = [];
  const push = (items: readonly unknown[], parent: unknown, place: string) => {
    for (let at = items.length - 1; at >= 0; at -= 1) stack.push({ row: items[at], parent, place: `${place}[${at}]` });
  };
  push(rows, undefined, 'rows');
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { row, parent, place } = next;
    if (!isData(row))
      throw new ReadError('tree-nested-row', { place, what: describe(row) }, { messages: treeMessages });
    const children = getMember(row, member);
    const id = model.rowId(row);
    const { [member]: _children, ...own } = row;
    const isNamed = path === undefined || parent === undefined || (readPath(own, path) ?? undefined) !== undefined;
    const flatRow = isNamed ? own : withParent(own, path, parent);
    setNotes(flatRow, notesOf(row));
    flat.push(flatRow);
    if (children === undefined || children === null) continue;
    const at = `${place}.${member}`;
    if (!Array.isArray(children))
      throw new ReadError('tree-nested-list', { place: at, what: describe(children) }, { messages: treeMessages });
    if (!isValidId(id)) {
      // Nothing would name the parent of the rows below, so they would be shown as roots.
      if (children.length > 0) throw new ReadError('tree-nested-id', { place }, { messages: treeMessages });
      continue;
    }
    told.push(id);
    push(children, id, at);
  }
  return { rows: flat, told };
}
