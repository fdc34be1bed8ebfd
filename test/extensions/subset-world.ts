import {
  auth,
  confirm,
  conflicts,
  type DataProxy,
  type ExtensionEntry,
  etags,
  idempotency,
  isDataError,
  Model,
  Operation,
  type OperationEvent,
  plain,
  rateLimit,
  retry,
  Store,
  streaming,
  telemetry,
} from 'repose';
import { memoryStorage, type Outbox, type OutboxStorage } from 'repose/outbox';
import { type Fault, type RestServer, restServer, type SeenRequest } from 'repose/testing';
import { openOutbox } from '../outbox/open-outbox.js';
import { VirtualTime } from './virtual-time.js';

/** Extensions that can be chosen, each alone or with any of the others. */
export const NAMES = [
  'retry',
  'rateLimit',
  'auth',
  'telemetry',
  'streaming',
  'idempotency',
  'conflicts',
  'confirm',
  'outbox',
  'etags',
] as const;
export type Name = (typeof NAMES)[number];

/** Requests to the host in a second, with `rateLimit()`. */
export const RATE = 3;

/** Faults that can happen to one request. */
export const FAULTS = {
  drop: { type: 'drop' },
  lose: { type: 'lose' },
  busy: { type: 'status', status: 503 },
  limited: { type: 'status', status: 429, headers: { 'Retry-After': '2' } },
  unauthorized: { type: 'status', status: 401 },
  conflict: { type: 'status', status: 412 },
} as const satisfies Record<string, Fault>;
export type FaultKey = keyof typeof FAULTS;

export interface UserRow {
  readonly id: number;
  readonly label: string;
  readonly name: string;
  readonly note: string;
}

/** A request in a form that two runs of a script can compare: random keys are numbered in order of appearance. */
export interface TracedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: number | string;
  readonly time: number;
}

const UserModel = Model.define({
  name: 'user',
  fields: { id: 'int', label: 'string', name: 'string', note: 'string' },
});

/** A new model with its extensions, a server and a clock. */
export class World {
  readonly time = new VirtualTime();
  readonly server: RestServer;
  readonly events: OperationEvent[] = [];
  /** When each request was sent. */
  readonly times: number[] = [];
  /** Writes that were sent before the outbox had stored them. */
  readonly unkept: string[] = [];
  readonly store: Store<UserRecord>;
  private readonly proxy: DataProxy;
  /** How often the sign-in was renewed. */
  renewals = 0;
  private faults: readonly FaultKey[] = [];

  private constructor(
    readonly names: ReadonlySet<Name>,
    readonly outbox: Outbox | undefined,
    private readonly storage: OutboxStorage,
    time: VirtualTime,
    order: readonly Name[],
  ) {
    this.time = time;
    this.server = restServer({ collections: { '/users': [] }, faults: ({ method }) => this.takeFault(method) });
    const entries: Record<Name, () => ExtensionEntry> = {
      retry: () => retry({ random: () => 0.5 }),
      rateLimit: () => rateLimit({ requests: RATE, per: 1000 }),
      auth: () => auth({ renew: () => void (this.renewals += 1) }),
      telemetry: () => telemetry({ operation: (event) => void this.events.push(event) }),
      streaming: () => streaming(),
      idempotency: () => idempotency(),
      conflicts: () => conflicts(),
      confirm: () => confirm(),
      outbox: () => outbox as Outbox,
      etags: () => etags(),
    };
    const fetch = time.timeless(async (input, init) => {
      if (!(await this.isKept(input, init))) this.unkept.push(`${init?.method} ${input}`);
      this.times.push(time.now());
      return this.server.fetch(input, init);
    });
    const User = class extends UserModel.with({
      proxy: {
        ...{ type: 'rest', url: '/users', baseUrl: this.server.baseUrl, dialect: plain(), clock: time, timeout: 0 },
        fetch: fetch as typeof globalThis.fetch,
        headers: () => ({ Authorization: `Bearer ${this.renewals}` }),
        reader: { stream: names.has('streaming') },
        use: order.map((name) => entries[name]()),
      },
    }) {};
    this.proxy = User.proxy;
    this.store = new Store({ model: User }) as unknown as Store<UserRecord>;
  }

  /** Starts with an empty server. `order` is the order of the list in `use`. */
  static async begin(order: readonly Name[]): Promise<World> {
    const time = new VirtualTime();
    const storage = memoryStorage();
    const outbox = order.includes('outbox')
      ? await openOutbox({
          ...{ scope: 'me', storage, clock: time, random: () => 0.5 },
          // The outbox sends nothing by itself until the script says so.
          autoStart: false,
        })
      : undefined;
    return new World(new Set(order), outbox, storage, time, order);
  }

  has(name: Name): boolean {
    return this.names.has(name);
  }

  get requests(): readonly SeenRequest[] {
    return this.server.requests;
  }

  get rows(): readonly UserRow[] {
    return this.server.rows('/users') as unknown as UserRow[];
  }

  rowOf(label: string): UserRow | undefined {
    return this.rows.find((row) => row.label === label);
  }

  /** The rows as the server lists them. */
  async list(): Promise<string[]> {
    const rows: object[] = [];
    const operation = new Operation({ action: 'read', onRows: (some) => void rows.push(...some) });
    const result = await this.proxy.read(operation);
    return [...rows, ...result.rows].map((row) => `${(row as UserRow).label}: ${(row as UserRow).name}`);
  }

  /** Somebody else writes into a row. */
  changeBehind(label: string, note: string): void {
    this.server.setRows(
      '/users',
      this.rows.map((row) => (row.label === label ? { ...row, note } : row)),
    );
  }

  /** Runs an action whose first requests meet these faults, and lets time pass until it has ended. */
  async suffer<T>(faults: readonly FaultKey[], act: () => Promise<T>): Promise<Ended<T>> {
    const from = this.requests.length;
    this.faults = faults;
    const ended = await this.time.until(
      act().then(
        (value): Ended<T> => ({ value, error: undefined, requests: [] }),
        (error: unknown): Ended<T> => ({ value: undefined, error, requests: [] }),
      ),
    );
    this.faults = [];
    return { ...ended, requests: this.requests.slice(from) };
  }

  /** Each request that was sent, with its result. */
  trace(): TracedRequest[] {
    const keys: string[] = [];
    return this.requests.map(({ method, url, body, headers, status, error }, at) => {
      const all = Object.fromEntries(headers);
      const key = all['idempotency-key'];
      if (key !== undefined && !keys.includes(key)) keys.push(key);
      if (key !== undefined) all['idempotency-key'] = `key ${keys.indexOf(key)}`;
      const answer = status ?? (error ? 'nothing' : 'open');
      return { method, url, body, headers: all, answer, time: this.times[at] as number };
    });
  }

  /** Whether a write was stored before it is sent, if there is an outbox. */
  private async isKept(url: string, { method = 'GET', body }: RequestInit = {}): Promise<boolean> {
    if (!this.outbox || method === 'GET') return true;
    const { items } = await this.storage.read({ scope: this.outbox.scope });
    const stored = items.map(({ data }) => (JSON.parse(data) as { change: { key: string } }).change.key);
    const { label } = body ? (JSON.parse(String(body)) as Partial<UserRow>) : {};
    return this.outbox.entries.some(
      ({ key, id, values }) =>
        stored.includes(key) && (method === 'POST' ? values['label'] === label : url.endsWith(`/${id}`)),
    );
  }

  private takeFault(method: string): Fault | undefined {
    const [first, ...rest] = this.faults;
    // Reads have no conflicts.
    if (first === 'conflict' && method === 'GET') return undefined;
    this.faults = rest;
    return first && FAULTS[first];
  }
}

export type UserRecord = InstanceType<typeof UserModel>;

/** How something ended, and the requests that it made. */
export interface Ended<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly requests: readonly SeenRequest[];
}

/** The part of an error that the guides promise. */
export function describeEnd(error: unknown): string {
  if (error === undefined) return 'done';
  if (!isDataError(error)) return `thrown: ${String(error)}`;
  const { status } = error as { status?: number };
  return [error.code, status, error.queued && 'queued'].filter(Boolean).join(' ');
}
