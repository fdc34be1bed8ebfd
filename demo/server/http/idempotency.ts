import { createHash } from 'node:crypto';
import type Libsql from 'libsql';
import { canonicalJson, type Json } from '../data/json.js';
import type { Table } from '../data/table.js';
import { Problem } from '../problem.js';
import type { StoredReply } from './reply.js';

/** The idempotency key of a request, if it has one. */
export function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('Idempotency-Key');
  if (key === null) return undefined;
  if (key === '' || key.length > 255) throw new Problem(400, 'The Idempotency-Key must have 1 to 255 characters');
  return key;
}

/** A text that is the same for a request and its repeats. */
export function fingerprint(table: Table, body: Json): string {
  return createHash('sha256')
    .update(`${table.name}\n${canonicalJson(body)}`)
    .digest('base64url');
}

/** The response that was stored under a key; throws a 422 when the key was used for another request. */
export function findReply(db: Libsql.Database, key: string, print: string): StoredReply | undefined {
  const stored = db
    .prepare('SELECT "fingerprint", "status", "headers", "body" FROM "idempotency" WHERE "key" = ?')
    .get([key]) as { fingerprint: string; status: number; headers: string; body: string } | undefined;
  if (!stored) return undefined;
  if (stored.fingerprint !== print) throw new Problem(422, 'The Idempotency-Key was used for another request');
  return { status: stored.status, headers: JSON.parse(stored.headers) as StoredReply['headers'], body: stored.body };
}

/** Stores a response under a key. Refusals are not stored, so that a corrected request may use the key again. */
export function storeReply(db: Libsql.Database, key: string, print: string, reply: StoredReply): void {
  db.prepare(
    'INSERT INTO "idempotency" ("key", "fingerprint", "status", "headers", "body") VALUES (?, ?, ?, ?, ?)',
  ).run([key, print, reply.status, JSON.stringify(reply.headers), reply.body]);
}
