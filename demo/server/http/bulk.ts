import { isJsonObject, type Json, member } from '../data/json.js';
import { inTransaction } from '../data/open.js';
import { changeRow, removeRow } from '../data/writes.js';
import { Problem } from '../problem.js';
import { readId } from './address.js';
import { readBody } from './body.js';
import { refuseMatch } from './conditional.js';
import { type Exchange, scopeOf } from './exchange.js';
import { jsonReply, send } from './reply.js';
import { forEachEntry } from './several.js';

async function entriesOf({ request, table }: Exchange): Promise<readonly Json[]> {
  const body = await readBody(request);
  if (Array.isArray(body)) {
    refuseMatch(request);
    return body as readonly Json[];
  }
  // Without an array this never means "all rows": an address that lost its id must not empty the table.
  const detail = `${request.method} on all ${table.name} is refused; address one row, or send an array`;
  throw new Problem(405, detail, {}, { Allow: 'GET, HEAD, POST' });
}

function idOf(entry: Json): number {
  const id = readId(isJsonObject(entry) ? member(entry, 'id') : entry);
  if (id === undefined) throw new Problem(422, 'An entry has no id', { errors: { id: ['is required'] } });
  return id;
}

/** PUT or PATCH of an array on a collection: every entry names its row by `id`. */
export async function changeSeveral(exchange: Exchange, mode: 'replace' | 'merge'): Promise<Response> {
  const entries = await entriesOf(exchange);
  const scope = scopeOf(exchange);
  return inTransaction(exchange.db, () =>
    send(
      jsonReply(
        200,
        forEachEntry(entries, (entry) => changeRow(scope, mode, idOf(entry), entry)),
      ),
    ),
  );
}

/** DELETE of an array of ids, or of objects with an `id`, on a collection. */
export async function removeSeveral(exchange: Exchange): Promise<Response> {
  const entries = await entriesOf(exchange);
  const scope = scopeOf(exchange);
  const remove = (entry: Json): Json => {
    const id = idOf(entry);
    removeRow(scope, id);
    return { id };
  };
  return inTransaction(exchange.db, () => send(jsonReply(200, forEachEntry(entries, remove))));
}
