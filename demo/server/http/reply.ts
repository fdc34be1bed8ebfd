import type { Json } from '../data/json.js';
import type { Row } from '../data/table.js';
import { entityTag } from './conditional.js';

/** A response that can be stored and given again. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A JSON reply, before it is sent. */
export function jsonReply(status: number, body: Json, headers: Readonly<Record<string, string>> = {}): StoredReply {
  return {
    status,
    // Without this header a browser may reuse a row that it read before an edit.
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache', ...headers },
    body: JSON.stringify(body),
  };
}

/** One row with its entity tag. */
export function rowReply(status: number, row: Row, headers: Readonly<Record<string, string>> = {}): StoredReply {
  return jsonReply(status, row, { ETag: entityTag(row), ...headers });
}

/** Sends a response. */
export function send({ status, headers, body }: StoredReply): Response {
  return new Response(body, { status, headers });
}
