import { createHash } from 'node:crypto';
import type Libsql from 'libsql';
import { inTransaction } from '../data/open.js';
import { tables } from '../data/tables.js';
import { createRow } from '../data/writes.js';
import { type Exchange, scopeOf } from '../http/exchange.js';
import { findReply, fingerprint, idempotencyKey, storeReply } from '../http/idempotency.js';
import { rowReply, send } from '../http/reply.js';
import { Problem } from '../problem.js';

/** POST of a form with `orderId`, and with the file as `content`. */
export async function addAttachment(exchange: Exchange): Promise<Response> {
  const { request, db } = exchange;
  if (!request.headers.get('Content-Type')?.startsWith('multipart/form-data'))
    throw new Problem(415, 'An attachment is sent as multipart/form-data, with the file as "content"');
  let form: FormData;
  try {
    form = await request.formData();
  } catch {
    throw new Problem(400, 'The form is malformed');
  }
  const file = form.get('content');
  if (!(file instanceof File))
    throw new Problem(422, 'The attachment is not valid', { errors: { content: ['must be a file'] } });
  const bytes = Buffer.from(await file.arrayBuffer());
  const values = {
    orderId: Number(form.get('orderId')),
    name: file.name,
    size: bytes.length,
    type: file.type || 'application/octet-stream',
  };
  const key = idempotencyKey(request);
  return inTransaction(db, () => {
    const print = fingerprint(exchange.table, { ...values, digest: createHash('sha256').update(bytes).digest('hex') });
    const known = key === undefined ? undefined : findReply(db, key, print);
    if (known) return send({ ...known, headers: { ...known.headers, 'Idempotent-Replay': 'true' } });
    const row = createRow(scopeOf(exchange), values);
    db.prepare('INSERT INTO "contents" ("attachmentId", "bytes") VALUES (?, ?)').run([row.id, bytes]);
    const reply = rowReply(201, row, { Location: `/app/attachments/${row.id}` });
    if (key !== undefined) storeReply(db, key, print, reply);
    return send(reply);
  });
}

/** GET of the bytes of an attachment. */
export function contentOf(db: Libsql.Database, id: number | undefined): Response {
  const stored = db
    .prepare(
      'SELECT "bytes", "type", "name" FROM "contents" JOIN "attachments" ON "attachments"."id" = "attachmentId" WHERE "attachmentId" = ?',
    )
    .get([id ?? 0]) as { bytes: Uint8Array<ArrayBuffer>; type: string; name: string } | undefined;
  if (!stored) throw new Problem(404, `There is no such ${tables.attachments.singular}`);
  return new Response(stored.bytes, {
    headers: {
      'Content-Type': stored.type,
      // A page that somebody has attached must not run here.
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(stored.name)}`,
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
