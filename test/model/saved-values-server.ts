import { deferred } from '../helpers/rest-server.js';

/** The fate of a request: done, refused, lost before it was done, lost after. */
export type Fate = 'done' | 'refused' | 'lost before' | 'lost after';

/** A row on the server. `c` and `at.z` belong to other users. */
export interface Row {
  id: number;
  a?: string;
  b?: string;
  c: string;
  at: { x?: string; y?: string; z: string };
  lines: { id: number; name: string; text: string }[];
}

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly text: string;
  readonly key: string | null;
  readonly body: Partial<Row>;
  readonly id: number | undefined;
}

/** A server with ETags and idempotency keys that orders lines as it likes, and whose responses come when the test says so. */
export class FaultServer {
  readonly rows: Map<number, Row> = new Map();
  /** The fates of the next requests; done and answered at once when there is no more. */
  fates: { readonly fate: Fate; readonly isSlow: boolean }[] = [];
  /** Called with each write before it is done, and with each that was done. */
  onSend: (sent: Sent) => void = () => undefined;
  onTake: (sent: Sent, row: Row) => void = () => undefined;
  /** Called with the id of each row that is read, before it is answered. */
  onRead: (id: number | undefined) => void = () => undefined;
  private readonly held: (() => void)[] = [];
  private readonly byKey = new Map<string, number>();
  private readonly versions = new Map<number, number>();
  private lastId = 100;

  readonly fetch: typeof globalThis.fetch = async (input, { method = 'GET', body, headers } = {}) => {
    const url = String(input);
    const at = new Headers(headers);
    const text = typeof body === 'string' ? body : '';
    const number = Number(new URL(url).pathname.split('/')[2]);
    const sent = {
      ...{ method, url, text, key: at.get('Idempotency-Key') },
      ...{ body: text ? JSON.parse(text) : {}, id: Number.isNaN(number) ? undefined : number },
    };
    if (method === 'GET') this.onRead(sent.id);
    else this.onSend(sent);
    const { fate, isSlow } = this.fates.shift() ?? { fate: 'done', isSlow: false };
    // An erase that was done without a response would only end the story.
    const isDone = fate === 'done' || (fate === 'lost after' && method !== 'DELETE');
    const refused = () => Response.json({}, { status: method === 'GET' ? 500 : 422 });
    const answer = isDone ? this.answer(sent, at.get('If-Match')) : refused();
    if (isSlow) {
      const { promise, resolve } = deferred<void>();
      this.held.push(() => resolve());
      await promise;
    }
    if (fate.startsWith('lost')) throw new TypeError('the connection broke');
    return answer;
  };

  /** Answers the request that was held first. */
  release(): void {
    this.held.shift()?.();
  }

  /** Answers every request from now on at once. */
  recover(): void {
    this.fates = [];
    for (const answer of this.held.splice(0)) answer();
  }

  /** Changes a row as another user does. */
  change(id: number, change: (row: Row) => void): void {
    const row = this.rows.get(id);
    if (!row) return;
    change(row);
    this.versions.set(id, (this.versions.get(id) ?? 1) + 1);
  }

  private answer(sent: Sent, match: string | null): Response {
    const { method, id, key, body } = sent;
    if (method === 'POST') {
      const known = key === null ? undefined : this.byKey.get(key);
      if (known !== undefined) return this.show(known, 201);
      const created = (this.lastId += 1);
      if (key !== null) this.byKey.set(key, created);
      this.rows.set(created, { ...this.merged({ at: { z: 'z0' }, lines: [] }, body), c: 'c0', id: created });
      this.onTake(sent, this.rows.get(created) as Row);
      return this.show(created, 201);
    }
    const row = this.rows.get(id as number);
    if (!row || id === undefined) return new Response(null, { status: 404 });
    if (match !== null && match !== this.tagOf(id)) return new Response(null, { status: 412 });
    if (method === 'GET') return this.show(id);
    if (method === 'DELETE') {
      this.rows.delete(id);
      return new Response(null, { status: 204 });
    }
    this.change(id, (before) => Object.assign(before, this.merged(before, body)));
    this.onTake(sent, row);
    return this.show(id);
  }

  /** A row after a write: lines without an id are new ones; they come in the order of their names, backwards. */
  private merged(before: Pick<Row, 'at' | 'lines'>, body: Partial<Row>): Partial<Row> & Pick<Row, 'at' | 'lines'> {
    const lines = (body.lines ?? before.lines).map((line) => ({ ...line, id: line.id ?? (this.lastId += 1) }));
    return {
      ...body,
      at: { ...before.at, ...body.at },
      lines: lines.sort((one, other) => other.name.localeCompare(one.name)),
    };
  }

  private tagOf(id: number): string {
    return `"${id}.${this.versions.get(id) ?? 1}"`;
  }

  private show(id: number, status = 200): Response {
    return Response.json(this.rows.get(id), { status, headers: { ETag: this.tagOf(id) } });
  }
}
