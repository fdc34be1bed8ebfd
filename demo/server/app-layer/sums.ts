import type Libsql from 'libsql';
import type { Json } from '../data/json.js';
import { whereSql } from '../data/rows.js';
import { tables } from '../data/tables.js';
import { badParameter, single } from '../query/parameters.js';
import { formOf, readConditions } from '../query/query.js';

/** The values by which orders can be grouped, as SQL. */
const groups: ReadonlyMap<string, string> = new Map([
  ['status', '"status"'],
  ['customerId', '"customerId"'],
  ['categoryId', '"categoryId"'],
  ['urgent', '"urgent"'],
  ['month', 'substr("placed", 1, 7)'],
]);

const TOTALS = `count(*) AS "count", printf('%.2f', coalesce(sum(CAST(round("total" * 100) AS INTEGER)), 0) / 100.0) AS "total"`;

interface SumRow {
  readonly key: string | number | null;
  readonly count: number;
  readonly total: string;
}

/**
 * The number and the sum of the orders that a list request with the same filters finds, whole and by group:
 * `{ count, total, data: [{ id, key, label, count, total }] }`, the largest group first.
 */
export function sumsOfOrders(db: Libsql.Database, params: URLSearchParams): Json {
  const where = readConditions(tables.orders, withoutGroup(params), formOf(params));
  const values = where.flatMap((condition) => condition.values);
  const from = `FROM "orders"${whereSql(where)}`;
  const all = db.prepare(`SELECT ${TOTALS} ${from}`).get(values) as SumRow;
  const group = single(params, 'group');
  const key = groups.get(group ?? 'status');
  if (group === undefined || key === undefined)
    throw badParameter('group', `must be one of ${[...groups.keys()].join(', ')}`);
  const rows = db
    .prepare(`SELECT ${key} AS "key", ${TOTALS} ${from} GROUP BY 1 ORDER BY "count" DESC, 1`)
    .all(values) as SumRow[];
  const labels = db
    .prepare(`SELECT "id", "name" FROM "${group === 'categoryId' ? 'categories' : 'customers'}"`)
    .all([]) as { id: number; name: string }[];
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  const data = rows.map(({ key, count, total }) => {
    const value = group === 'urgent' ? key === 1 : key;
    const label = group === 'customerId' || group === 'categoryId' ? names.get(Number(key)) : value;
    return { id: String(value), key: value, label: String(label ?? 'none'), count, total };
  });
  return { count: all.count, total: all.total, data };
}

// The parameter `group` of a list is a list of sorters, this one is a name.
function withoutGroup(params: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(params);
  rest.delete('group');
  return rest;
}
