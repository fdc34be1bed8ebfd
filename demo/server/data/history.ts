import type Libsql from 'libsql';
import type { Json } from './json.js';
import { findRow, insertRow } from './rows.js';
import type { RowChange, WriteScope } from './scope.js';
import { statement } from './statements.js';
import { storedColumns, type Table } from './table.js';
import { tables } from './tables.js';

/** Notes a change of a row, with the changes that follow from it: the total of an order, and the entries of its history. */
export function recordChange(scope: WriteScope, change: RowChange): void {
  scope.changes.push(change);
  if (change.table.name === 'lines') for (const id of idsIn(change, 'orderId')) refreshTotal(scope, id);
  if (change.table.name === 'categories') tellParents(scope, change);
  recordHistory(scope, change);
}

/** The ids that a column had before and has now. */
function idsIn({ before, after }: RowChange, column: string): ReadonlySet<number> {
  const values = [before?.[column], after?.[column]];
  return new Set(values.flatMap((value) => (typeof value === 'number' ? [value] : [])));
}

/** A parent shows how many categories are below it. */
function tellParents({ db, changes }: WriteScope, change: RowChange): void {
  if (change.before?.['parentId'] === change.after?.['parentId']) return;
  for (const id of idsIn(change, 'parentId')) {
    const parent = findRow(db, tables.categories, id);
    if (parent) changes.push({ table: tables.categories, id, before: parent, after: parent });
  }
}

const TOTAL = `UPDATE "orders" SET "revision" = "revision" + 1, "total" = (
  SELECT printf('%.2f', coalesce(sum("quantity" * CAST(round(coalesce("price", 0) * 100) AS INTEGER)), 0) / 100.0)
  FROM "lines" WHERE "orderId" = "orders"."id") WHERE "id" = ?`;

function refreshTotal({ db, changes }: WriteScope, id: number): void {
  const before = findRow(db, tables.orders, id);
  statement(db, TOTAL).run([id]);
  const after = findRow(db, tables.orders, id);
  // Not compared, because the number of lines may have changed although the total has not.
  if (before && after) changes.push({ table: tables.orders, id, before, after });
}

/** An entry of the history of an order, without the time and the user. */
interface Entry {
  readonly subject: string;
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
}

function recordHistory(scope: WriteScope, change: RowChange): void {
  const { table, before, after, id } = change;
  const row = after ?? before;
  if (!row) return;
  const orderId = table.name === 'orders' ? id : Number(row['orderId']);
  // The history of an erased order goes with it.
  if (!findRow(scope.db, tables.orders, orderId)) return;
  for (const entry of entriesOf(scope.db, change)) {
    const values = { orderId, who: scope.who, when: scope.now, ...entry };
    const entryId = insertRow(scope.db, tables.changes, values);
    scope.changes.push({
      table: tables.changes,
      id: entryId,
      before: undefined,
      after: findRow(scope.db, tables.changes, entryId),
    });
  }
}

function entriesOf(db: Libsql.Database, { table, before, after }: RowChange): Entry[] {
  if (table.name === 'orders')
    return before ? fieldEntries(db, 'order', { table, before, after }) : [added('order', null)];
  if (table.name === 'attachments')
    return before ? [removed('attachment', before['name'] ?? null)] : [added('attachment', after?.['name'] ?? null)];
  if (table.name !== 'lines') return [];
  if (!before) return [added('line', nameOfLine(after))];
  if (!after) return [removed('line', nameOfLine(before))];
  return fieldEntries(db, `line ${String(before['article'])}`, { table, before, after });
}

const added = (subject: string, after: Json): Entry => ({ subject, field: 'added', before: null, after });
const removed = (subject: string, before: Json): Entry => ({ subject, field: 'removed', before, after: null });

function nameOfLine(row: RowChange['after']): Json {
  return row ? `${String(row['quantity'])} × ${String(row['article'])}` : null;
}

function fieldEntries(
  db: Libsql.Database,
  subject: string,
  { table, before = { id: 0 }, after = { id: 0 } }: Pick<RowChange, 'table' | 'before' | 'after'>,
): Entry[] {
  return storedColumns(table)
    .filter(({ name, managed }) => !managed && before[name] !== after[name])
    .map(({ name, references }) => {
      const shown = (value: Json | undefined): Json => shownValue(db, references && tables[references.table], value);
      return { subject, field: name, before: shown(before[name]), after: shown(after[name]) };
    });
}

/** A value as the history shows it: the name instead of an id. */
function shownValue(db: Libsql.Database, target: Table | undefined, value: Json | undefined): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const name = target && findRow(db, target, Number(value))?.['name'];
  return String(name ?? value);
}
