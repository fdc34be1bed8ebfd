import { isJsonObject } from '../data/json.js';
import { inTransaction } from '../data/open.js';
import type { Row } from '../data/table.js';
import { changeRow, removeRow, requireRow } from '../data/writes.js';
import { Problem } from '../problem.js';
import { readId } from './address.js';
import { requireBody } from './body.js';
import { assertMatch, entityTag, isFresh } from './conditional.js';
import { type Exchange, scopeOf } from './exchange.js';
import { rowReply, send } from './reply.js';

function addressed(exchange: Exchange): Row {
  const id = readId(exchange.address.id);
  if (id === undefined) throw new Problem(404, `There is no such ${exchange.table.singular}`);
  return requireRow(scopeOf(exchange), id);
}

/** GET on one row. */
export function read(exchange: Exchange): Response {
  const row = addressed(exchange);
  if (!isFresh(exchange.request, row)) return send(rowReply(200, row));
  return new Response(null, { status: 304, headers: { ETag: entityTag(row), 'Cache-Control': 'no-cache' } });
}

/** PUT or PATCH on one row. */
export async function change(exchange: Exchange, mode: 'replace' | 'merge'): Promise<Response> {
  const body = await requireBody(exchange.request);
  if (!isJsonObject(body)) throw new Problem(400, 'The body must be an object');
  return inTransaction(exchange.db, () => {
    const row = addressed(exchange);
    assertMatch(exchange.request, exchange.table, row);
    return send(rowReply(200, changeRow(scopeOf(exchange), mode, row.id, body)));
  });
}

/** DELETE on one row. */
export function remove(exchange: Exchange): Response {
  return inTransaction(exchange.db, () => {
    const row = addressed(exchange);
    assertMatch(exchange.request, exchange.table, row);
    removeRow(scopeOf(exchange), row.id);
    return new Response(null, { status: 204 });
  });
}
