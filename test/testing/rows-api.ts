import { getMember } from '../../src/util/data-path.js';
import type { Received, Reply } from '../helpers/rest-server.js';

type Row = Record<string, unknown>;

/**
 * A collection of rows as a server keeps it. Takes REST (`/rows`, `/rows/7`) and one address per action (`/rows/read?id=7`),
 * paging, sorting and filtering in the classic parameters.
 */
export function rowsApi(): (request: Received) => Reply {
  const rows = new Map<string, Row>();
  let lastId = 0;
  const missing: Reply = { status: 404, json: { message: 'no such row' } };

  const save = (id: string, row: Row): Reply => {
    const saved = { ...row, id: Number(id) };
    rows.set(id, saved);
    return { json: saved };
  };

  return ({ method, path, query, body }) => {
    const [, , last = ''] = path.split('/').map(decodeURIComponent);
    const given = query.get('id') ?? (body?.id === undefined ? null : String(body.id));
    const id = ['create', 'read', 'update', 'destroy', ''].includes(last) ? given : last;
    const verb = { POST: 'create', GET: 'read', PUT: 'update', DELETE: 'destroy' }[method];
    const action = last && last !== id ? last : verb;
    if (action === 'create') return { status: 201, ...save(String((lastId += 1)), body) };
    if (id === null) return { json: list([...rows.values()], query) };
    const row = rows.get(id);
    if (!row) return missing;
    if (action === 'read') return { json: row };
    if (action === 'update') return save(id, body);
    rows.delete(id);
    return { status: 204 };
  };
}

function list(all: readonly Row[], query: URLSearchParams): object {
  const param = (name: string) => JSON.parse(query.get(name) ?? '[]') as Record<string, string>[];
  const found = all.filter((row) => param('filter').every((each) => getMember(row, each.property!) === each.value));
  for (const { property, direction } of param('sort')) {
    found.sort((a, b) => (Number(a[property!]) - Number(b[property!])) * (direction === 'DESC' ? -1 : 1));
  }
  const start = Number(query.get('start') ?? 0);
  const limit = Number(query.get('limit') ?? found.length);
  return { total: found.length, data: found.slice(start, start + limit) };
}
