import { countRows, listRows } from '../data/rows.js';
import { formOf, type ListQuery, readListQuery } from '../query/query.js';
import type { Exchange } from './exchange.js';
import { jsonReply, send } from './reply.js';

function linkHeader(url: URL, { rows, page }: ListQuery, total: number): string | undefined {
  if (rows.limit === undefined) return undefined;
  const last = Math.max(1, Math.ceil(total / rows.limit));
  const link = (target: number, relation: string): string => {
    const params = new URLSearchParams(url.searchParams);
    params.set('page', String(target));
    return `<${url.pathname}?${params}>; rel="${relation}"`;
  };
  return [
    link(1, 'first'),
    ...(page > 1 ? [link(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next')] : []),
    link(last, 'last'),
  ].join(', ');
}

/** GET on a collection. */
export function list({ db, table, address, url }: Exchange): Response {
  const query = readListQuery(table, url.searchParams, address.form ?? formOf(url.searchParams));
  const total = countRows(db, table, query.rows.where);
  const data = listRows(db, table, query.rows);
  if (query.form === 'classic') return send(jsonReply(200, { success: true, total, data }));
  const link = linkHeader(url, query, total);
  return send(jsonReply(200, data, { 'X-Total-Count': String(total), ...(link === undefined ? {} : { Link: link }) }));
}
