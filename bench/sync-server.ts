import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Milliseconds until a request is answered. */
const LATENCY = 5;

interface Row {
  id: number;
  version: number;
  [member: string]: unknown;
}

/** Allows a number of requests in a second, and at once those of a tenth of a second. */
class Limit {
  private left: number;
  private last = performance.now();

  constructor(private readonly perSecond: number) {
    this.left = this.burst;
  }

  /** Takes one request; false where none is left. */
  take(): boolean {
    const now = performance.now();
    this.left = Math.min(this.burst, this.left + ((now - this.last) / 1000) * this.perSecond);
    this.last = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  private get burst(): number {
    return Math.max(1, this.perSecond / 10);
  }
}

/** A collection in memory: it writes one row by its address, or several rows in a body. */
class Collection {
  private readonly rows = new Map<number, Row>();
  private lastId = 0;

  answer(method: string, id: number, body: unknown): { status: number; body?: unknown } {
    if (method === 'POST') return { status: 201, body: each(body, (row) => this.put((this.lastId += 1), row, 1)) };
    if (method === 'PUT') {
      return {
        status: 200,
        body: each(body, (row) => this.put(row.id, row, (this.rows.get(row.id)?.version ?? 0) + 1)),
      };
    }
    const ids = Array.isArray(body) ? body.map((entry) => Number((entry as Row).id ?? entry)) : [id];
    const there = ids.map((each) => this.rows.delete(each));
    return { status: there.every(Boolean) ? 204 : 404 };
  }

  private put(id: number, row: Row, version: number): Row {
    const stored = { ...row, id, version };
    this.rows.set(id, stored);
    return stored;
  }
}

function each(body: unknown, put: (row: Row) => Row): unknown {
  return Array.isArray(body) ? body.map(put) : put(body as Row);
}

/** Serves a collection at /rows, in a process of its own. `POST /reset?limit=N` empties it, and sets requests per second (0: any). */
export function serveSync(): void {
  let collection = new Collection();
  let limit: Limit | undefined;
  let refused = 0;
  const handle = (request: IncomingMessage, response: ServerResponse, text: string) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/reset') {
      const perSecond = Number(searchParams.get('limit'));
      response.end(JSON.stringify({ refused }));
      collection = new Collection();
      limit = perSecond ? new Limit(perSecond) : undefined;
      refused = 0;
      return;
    }
    if (limit && !limit.take()) {
      refused += 1;
      response.writeHead(429, { 'Retry-After': '1' }).end();
      return;
    }
    setTimeout(() => {
      const id = Number(pathname.split('/')[2]);
      const { status, body } = collection.answer(request.method ?? '', id, text ? JSON.parse(text) : undefined);
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    }, LATENCY);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks).toString()));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('disconnect', () => process.exit());
}
