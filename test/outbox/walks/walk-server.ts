import type { Gates, Picks } from './gates.js';

export type WalkRow = Record<string, unknown> & { id: number; mark: string };

/** The faults of the server and the network that are still allowed. */
export interface Faults {
  /** Requests or answers that get lost. */
  losses: number;
  /** Requests that are refused for good. */
  refusals: number;
  /** Requests that are answered with 503. */
  busy: number;
}

/** A REST server with idempotency keys and ETags, as far as a walk uses them. */
export class WalkServer {
  readonly rows: Map<number, WalkRow> = new Map();
  /** The marks of all created rows. */
  readonly created: string[] = [];
  /** All texts that it ever got in a field. */
  readonly seen: Set<string> = new Set();
  private readonly versions: Map<number, number> = new Map();
  private readonly answers: Map<string, { readonly text: string; readonly id: number }> = new Map();
  private nextId = 1;

  constructor(
    private readonly gates: Gates,
    private readonly random: Picks,
    private readonly faults: Faults,
    private readonly withTags: boolean,
  ) {}

  add(row: Omit<WalkRow, 'id'>): void {
    const id = this.nextId;
    this.nextId += 1;
    this.rows.set(id, { ...row, id } as WalkRow);
    this.versions.set(id, 1);
  }

  rowOf(mark: unknown): WalkRow | undefined {
    return [...this.rows.values()].find((row) => row.mark === mark);
  }

  /** The `fetch` of a tab. `mayArriveLate`: whether a request still reaches the server after its tab was closed, or has given it up. */
  ofTab(tab: object, name: string, mayArriveLate: () => boolean): typeof globalThis.fetch {
    return async (input, init) => {
      const { pathname } = new URL(String(input));
      const method = init?.method ?? 'GET';
      const what = `${method} ${pathname}${method === 'GET' ? '' : ` ${String(init?.body ?? '')}`}`;
      const isWrite = method !== 'GET';
      const isLate = isWrite && mayArriveLate();
      await this.gates.pass(`${name}: ${what} arrives`, isLate ? undefined : tab, isLate ? null : init?.signal);
      const fault = isWrite ? this.nextFault() : undefined;
      if (fault) this.gates.history.push(`  ${fault}`);
      if (fault === 'is lost') throw new TypeError('lost before');
      const status = fault === 'is refused' ? 422 : 503;
      const response =
        fault === 'is refused' || fault === 'is not served'
          ? Response.json({ title: 'no' }, { status })
          : this.serve(method, pathname, String(init?.body ?? ''), new Headers(init?.headers));
      await this.gates.pass(`${name}: answer ${response.status} to ${what}`, tab, init?.signal);
      if (fault === 'gets no response') throw new TypeError('lost after');
      return response;
    };
  }

  private nextFault(): 'is lost' | 'gets no response' | 'is refused' | 'is not served' | undefined {
    const { faults, random } = this;
    const dice = random.integer(0, 9);
    if (dice < 2 && faults.losses > 0) {
      faults.losses -= 1;
      return dice === 0 ? 'is lost' : 'gets no response';
    }
    if (dice === 2 && faults.refusals > 0) {
      faults.refusals -= 1;
      return 'is refused';
    }
    if (dice === 3 && faults.busy > 0) {
      faults.busy -= 1;
      return 'is not served';
    }
    return undefined;
  }

  private serve(method: string, path: string, text: string, headers: Headers): Response {
    const id = Number(path.split('/')[2]);
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (method === 'POST') return this.create(body, text, headers.get('Idempotency-Key'));
    if (method === 'GET' && !id) return Response.json([...this.rows.values()]);
    const row = this.rows.get(id);
    if (!row) return Response.json({ title: 'gone' }, { status: 404 });
    if (method === 'GET') return this.answer(row);
    const match = headers.get('If-Match');
    if (this.withTags && match !== null && match !== this.tagOf(id))
      return Response.json({ title: 'changed' }, { status: 412 });
    if (method === 'DELETE') {
      this.rows.delete(id);
      return new Response(null, { status: 204 });
    }
    const next = { ...row, ...body, id } as WalkRow;
    this.note(body);
    this.rows.set(id, next);
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    return this.answer(next);
  }

  private create(body: Record<string, unknown>, text: string, key: string | null): Response {
    const known = key === null ? undefined : this.answers.get(key);
    if (known) {
      if (known.text !== text) return Response.json({ title: 'another body under this key' }, { status: 422 });
      const row = this.rows.get(known.id);
      return row ? this.answer(row, 201) : Response.json({ ...body, id: known.id }, { status: 201 });
    }
    const id = this.nextId;
    this.add(body as Omit<WalkRow, 'id'>);
    this.note(body);
    this.created.push(String(body['mark']));
    if (key !== null) this.answers.set(key, { text, id });
    return this.answer(this.rows.get(id) as WalkRow, 201);
  }

  private note(body: Record<string, unknown>): void {
    for (const value of Object.values(body)) if (typeof value === 'string') this.seen.add(value);
  }

  private answer(row: WalkRow, status = 200): Response {
    return Response.json(row, { status, headers: this.withTags ? { ETag: this.tagOf(row.id) } : {} });
  }

  private tagOf(id: number): string {
    return `"${id}-${this.versions.get(id)}"`;
  }
}
