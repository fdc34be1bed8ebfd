import { randomInt } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, member } from '../data/json.js';
import { inTransaction } from '../data/open.js';
import { findRow } from '../data/rows.js';
import type { WriteScope } from '../data/scope.js';
import type { Row } from '../data/table.js';
import { tables } from '../data/tables.js';
import { orderNotes } from '../data/words.js';
import { changeRow } from '../data/writes.js';
import { readId } from '../http/address.js';
import { Problem } from '../problem.js';

/** The name of the person who changes orders elsewhere. */
export const SOMEBODY_ELSE = 'Carol';

const STATUSES = ['open', 'packed', 'shipped', 'paid'];

/**
 * Changes one of the orders `ids` of the body, as somebody who uses another program. The member `values` says to what; otherwise the next
 * status or another note.
 */
export function changeElsewhere(scope: WriteScope, body: Json): Row {
  const ids = listOf(body, 'ids').flatMap((id) => readId(id) ?? []);
  const there = ids.filter((id) => findRow(scope.db, tables.orders, id));
  const id = there[there.length > 0 ? randomInt(there.length) : 0];
  if (id === undefined)
    throw new Problem(422, 'None of the orders exists', { errors: { ids: ['must name an order'] } });
  const given = isJsonObject(body) ? member(body, 'values') : undefined;
  const order = findRow(scope.db, tables.orders, id) as Row;
  const values = isJsonObject(given) ? given : anotherValue(order);
  return inTransaction(scope.db, () => changeRow({ ...scope, table: tables.orders }, 'merge', id, values));
}

/**
 * Changes many orders in one transaction: each entry of `changes` in the body names an order by `id`, and its new `values`. An order may be
 * named more than once. Returns the rows in the order of the entries.
 */
export function changeManyElsewhere(scope: WriteScope, changes: readonly Json[]): Row[] {
  return inTransaction(scope.db, () =>
    changes.map((change, at) => {
      const { id, values } = isJsonObject(change) ? change : {};
      const known = readId(id);
      if (known === undefined || values === undefined || !isJsonObject(values))
        throw new Problem(422, 'A change is not valid', {
          errors: { [`changes.${at}`]: ['must have an id and values'] },
        });
      return changeRow({ ...scope, table: tables.orders }, 'merge', known, values);
    }),
  );
}

function listOf(body: Json, name: string): readonly Json[] {
  const list = isJsonObject(body) ? member(body, name) : undefined;
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

function anotherValue({ status, note }: Row): JsonObject {
  const next = STATUSES[STATUSES.indexOf(String(status)) + 1];
  if (next !== undefined && randomInt(2) === 0) return { status: next };
  const others = orderNotes.filter((text) => text !== note);
  return { note: others[randomInt(others.length)] ?? null };
}
