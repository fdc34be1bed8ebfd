import { isJsonObject, type Json } from '../data/json.js';
import { inTransaction } from '../data/open.js';
import { createRow } from '../data/writes.js';
import { Problem } from '../problem.js';
import { requireBody } from './body.js';
import { type Exchange, scopeOf } from './exchange.js';
import { findReply, fingerprint, idempotencyKey, storeReply } from './idempotency.js';
import { jsonReply, rowReply, type StoredReply, send } from './reply.js';
import { forEachEntry } from './several.js';

function store(exchange: Exchange, body: Json): StoredReply {
  const scope = scopeOf(exchange);
  if (Array.isArray(body)) {
    return jsonReply(
      201,
      forEachEntry(body as readonly Json[], (entry) => createRow(scope, entry)),
    );
  }
  const row = createRow(scope, body);
  return rowReply(201, row, { Location: `${exchange.address.base}/${row.id}` });
}

/** POST on a collection: one row or an array of rows, at most once per idempotency key. */
export async function create(exchange: Exchange): Promise<Response> {
  const key = idempotencyKey(exchange.request);
  const body = await requireBody(exchange.request);
  if (!Array.isArray(body) && !isJsonObject(body))
    throw new Problem(400, 'The body must be an object or an array of objects');
  // Rows and key in one transaction: a crash leaves both or neither.
  return inTransaction(exchange.db, () => {
    if (key === undefined) return send(store(exchange, body));
    const print = fingerprint(exchange.table, body);
    const known = findReply(exchange.db, key, print);
    if (known) return send({ ...known, headers: { ...known.headers, 'Idempotent-Replay': 'true' } });
    const reply = store(exchange, body);
    storeReply(exchange.db, key, print, reply);
    return send(reply);
  });
}
