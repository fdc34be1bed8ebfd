import { Model, type ModelType, plain, type RestProxyConfig } from 'repose';

/** A server with rows in pages, as a function, and a model of them. */
export interface PagedRows {
  rows: { id: number; name?: string }[];
  /** The pages and tokens that were asked for. */
  readonly asked: string[];
  readonly Task: ModelType<Model & { id: number }>;
}

/** Answers the page that an address asks for. */
export type Answer = (rows: PagedRows['rows'], query: URLSearchParams) => Response | Promise<Response>;

/** One page, by number, with the total. */
export const withTotal: Answer = (rows, query) => {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? rows.length)];
  const headers = { 'X-Total-Count': String(rows.length) };
  return Response.json(rows.slice((page - 1) * limit, page * limit), { headers });
};

/** One page behind a token, which is the id of the row before it. */
export const withCursor: Answer = (rows, query) => {
  const after = Number(query.get('cursor') ?? 0);
  const behind = rows.filter(({ id }) => id > after);
  const data = behind.slice(0, Number(query.get('limit')));
  return Response.json({ data, next: data.length < behind.length ? String(data.at(-1)?.id) : null });
};

export const CURSORS: RestProxyConfig = {
  tokenParam: 'cursor',
  pageParam: '',
  startParam: '',
  reader: { rootProperty: 'data', nextProperty: 'next' },
};

/** Serves rows with the ids from 1. A row that is created stands first. */
export function pagedRows(count: number, answer: Answer = withTotal, config: RestProxyConfig = {}): PagedRows {
  const server = { rows: Array.from({ length: count }, (_, at) => ({ id: at + 1 })), asked: [] as string[] };
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string' },
    proxy: {
      ...{ type: 'rest', baseUrl: 'http://rows.test', url: '/tasks', dialect: plain(), ...config },
      fetch: async (url, { method = 'GET', body } = {}) => {
        const { pathname, searchParams: query } = new URL(String(url));
        if (method === 'POST') {
          const row = { ...JSON.parse(String(body)), id: Math.max(0, ...server.rows.map(({ id }) => id)) + 1 };
          server.rows.unshift(row);
          return Response.json(row, { status: 201 });
        }
        if (method === 'DELETE') {
          server.rows = server.rows.filter(({ id }) => id !== Number(pathname.split('/')[2]));
          return new Response(null, { status: 204 });
        }
        server.asked.push(query.get('cursor') ?? query.get('page') ?? '');
        return await answer(server.rows, query);
      },
    },
  }) {}
  return Object.assign(server, { Task }) as never;
}
