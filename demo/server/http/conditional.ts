import { createHash } from 'node:crypto';
import type { Row, Table } from '../data/table.js';
import { Problem } from '../problem.js';

/** The strong entity tag of a row: the same row has the same tag at every address. */
export function entityTag(row: Row): string {
  return `"${createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, 22)}"`;
}

function tagsIn(header: string): string[] {
  return header.match(/(W\/)?"[^"]*"|\*/g) ?? [];
}

/** Whether `If-None-Match` says that the client already has this row. */
export function isFresh(request: Request, row: Row): boolean {
  const header = request.headers.get('If-None-Match');
  if (header === null) return false;
  const tag = entityTag(row);
  // RFC 9110: this header compares weakly, `If-Match` strongly.
  return tagsIn(header).some((sent) => sent === '*' || sent.replace(/^W\//, '') === tag);
}

/** Throws a 412 with the current row when `If-Match` names another state of it, or another `version` if the table has versions. */
export function assertMatch(request: Request, table: Table, row: Row): void {
  const header = request.headers.get('If-Match');
  if (header === null) return;
  const tag = entityTag(row);
  const tags = ['*', tag, ...(table.versioned ? [`"${row['version']}"`] : [])];
  if (tagsIn(header).some((sent) => tags.includes(sent))) return;
  throw new Problem(412, 'The row has changed since it was read', { current: row }, { ETag: tag });
}

/** Throws a 400 for `If-Match` on a request about several rows: it would silently protect none of them. */
export function refuseMatch(request: Request): void {
  if (request.headers.has('If-Match')) throw new Problem(400, 'If-Match needs the address of one row');
}
