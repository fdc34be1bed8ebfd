import type { Row } from './rows.js';

/** The outcome of a request: lost before or after it was done, answered with a status or a response, or normal (`undefined`). */
export type Fault = 'before' | 'after' | number | Response | undefined;

/** A REST server as a `fetch` function, which honours idempotency keys. */
export interface ModelServer {
  readonly fetch: typeof globalThis.fetch;
  readonly rows: Map<string, Map<number, Row>>;
  /** Methods, paths, bodies and idempotency keys of the requests, in their order. */
  readonly log: { method: string; path: string; body: Row | undefined; key: string | null }[];
  /** Decides what happens to each request. */
  fault: (method: string, path: string) => Fault | Promise<Fault>;
  table(name: string): Map<number, Row>;
}

export function modelServer(): ModelServer {
  const done = new Map<string, { text: string; row: Row }>();
  let last = 100;
  const server: ModelServer = {
    rows: new Map(),
    log: [],
    fault: () => undefined,
    table(name) {
      const table = server.rows.get(name) ?? new Map<number, Row>();
      server.rows.set(name, table);
      return table;
    },
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const method = init?.method ?? 'GET';
      const text = init?.body === undefined || init.body === null ? undefined : String(init.body);
      const body = text === undefined ? undefined : (JSON.parse(text) as Row);
      const key = new Headers(init?.headers).get('Idempotency-Key');
      server.log.push({ method, path: pathname, body, key });
      const fault = await server.fault(method, pathname);
      if (fault === 'before') throw new TypeError('lost before');
      if (typeof fault === 'number') return Response.json({ detail: 'fault' }, { status: fault });
      if (fault instanceof Response) return fault;
      const match = new Headers(init?.headers).get('If-Match');
      const [, name = '', id] = pathname.split('/');
      const stands = server.table(name).get(Number(id));
      if (match !== null && stands && match !== tagOf(stands)) return Response.json(stands, { status: 412 });
      const answer = run(method, pathname, body, key, text ?? '');
      if (fault === 'after') throw new TypeError('lost after');
      return answer;
    },
  };
  function run(method: string, path: string, body: Row | undefined, key: string | null, text: string): Response {
    const [, name = '', id] = path.split('/');
    const table = server.table(name);
    if (method === 'POST') {
      const before = key === null ? undefined : done.get(key);
      if (before) return before.text === text ? Response.json(before.row, { status: 201 }) : status(422);
      last += 1;
      const row = { ...body, id: last };
      table.set(last, row);
      if (key !== null) done.set(key, { text, row });
      return Response.json(row, { status: 201 });
    }
    if (id === undefined) return Response.json([...table.values()]);
    const row = table.get(Number(id));
    if (!row) return status(404);
    if (method === 'DELETE') {
      table.delete(Number(id));
      return new Response(null, { status: 204 });
    }
    if (method === 'GET') return Response.json(row, { headers: { ETag: tagOf(row) } });
    const next = { ...row, ...body, id: Number(id) };
    table.set(Number(id), next);
    return Response.json(next);
  }
  return server;
}

function tagOf(row: Row): string {
  return `"${encodeURIComponent(JSON.stringify(row))}"`;
}

function status(code: number): Response {
  return Response.json({ detail: 'no' }, { status: code });
}
