import fc from 'fast-check';
import { Store } from 'repose';
import type { OutboxStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import type { Fault, ModelServer } from './server.js';
import { modelServer } from './server.js';
import { type App, startApp } from './setting.js';
import { disk } from './shared-storage.js';

const FAULTS: readonly Fault[] = [undefined, undefined, 'before', 'after', 503, 429];

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), at: fc.nat(9) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('edit' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('draft' as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('erase' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('child' as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flush' as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), at: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('load' as const), at: fc.nat(9) }) },
);

/** A storage that ignores the process once it has crashed. */
function crashable(inner: OutboxStorage): OutboxStorage & { crash(): void } {
  let crashed = false;
  const unlessCrashed = <T>(act: () => Promise<T>): Promise<T> => (crashed ? new Promise<T>(() => undefined) : act());
  return {
    shared: false,
    open: (problem) => inner.open(problem),
    append: (items) => unlessCrashed(() => inner.append(items)),
    read: (query) => unlessCrashed(() => inner.read(query)),
    update: (...given) => unlessCrashed(() => inner.update(...given)),
    remove: (...given) => unlessCrashed(() => inner.remove(...given)),
    prune: (query) => unlessCrashed(() => inner.prune(query)),
    watch: () => () => undefined,
    close: () => Promise.resolve(),
    crash() {
      crashed = true;
    },
  };
}

/** Runs one process after the other, each until it crashes. */
class World {
  readonly server: ModelServer = modelServer();
  private readonly disk: OutboxStorage = disk();
  private storage: ReturnType<typeof crashable> = crashable(this.disk);
  app: App | undefined = undefined;
  private users: Store<never> | undefined = undefined;
  private tasks: Store<never> | undefined = undefined;
  private count = 0;
  /** The names saved for each record in their order, and how many of these saves are known to be done. */
  readonly saved: Map<string, { names: string[]; done: number; table: string; erased: boolean }> = new Map();
  /** Edits that were not saved, by record. */
  readonly drafts: Map<string, string[]> = new Map();
  /** Ids of records that were erased successfully. */
  readonly gone: Set<number> = new Set();
  readonly asked: Set<string> = new Set();
  unsettled = 0;

  constructor(private readonly faults: readonly Fault[]) {
    let at = 0;
    this.server.fault = (method) => {
      at += 1;
      return method === 'GET' ? undefined : this.faults[at % this.faults.length];
    };
  }

  async start(): Promise<void> {
    this.storage = crashable(this.disk);
    this.unsettled = 0;
    const storage = this.storage;
    const world = this;
    const base = this.server.fetch;
    // A crashed process receives no responses; its requests may still arrive.
    const server: ModelServer = {
      ...this.server,
      get fault() {
        return world.server.fault;
      },
      set fault(fault) {
        world.server.fault = fault;
      },
      fetch: (...given) => {
        const mine = world.storage === storage;
        return base(...given).then(
          (answer) => (mine && world.storage === storage ? answer : new Promise<Response>(() => undefined)),
          (error: unknown) => {
            if (world.storage !== storage) return new Promise<Response>(() => undefined);
            throw error;
          },
        );
      },
    };
    this.app = await startApp({ server, storage, maxAttempts: 1000 });
    this.users = new Store({ model: this.app.User }) as never;
    this.tasks = new Store({ model: this.app.Task }) as never;
  }

  async run(action: string, at: number): Promise<void> {
    const app = this.app as App;
    const users = this.users as unknown as Store<InstanceType<App['User']>>;
    const user = [...users][at % Math.max(users.count, 1)];
    this.count += 1;
    const name = `n${this.count}`;
    if (action === 'create') {
      const [made] = users.add({ name });
      this.asked.add(name);
      if (made) this.save(made.$.key, 'users', name, made.save());
    } else if (action === 'edit' && user && !user.erased) {
      const key = this.keyOf(user);
      user.name = name;
      this.asked.add(name);
      this.save(key, 'users', name, user.save());
    } else if (action === 'draft' && user && !user.erased) {
      user.mail = `draft ${name}`;
      // A waiting save is sent with the newest values.
      if (!user.$.saving) this.drafts.set(this.keyOf(user), [...(this.drafts.get(this.keyOf(user)) ?? []), user.mail]);
    } else if (action === 'erase' && user && !user.erased) {
      // A load may have created another object for a record whose create is unconfirmed.
      for (const [key, saved] of this.saved)
        if (key === user.$.key || saved.names.includes(user.name as string)) saved.erased = true;
      this.note(user.erase(), () => this.gone.add(user.id));
    } else if (action === 'child' && user) {
      const tasks = this.tasks as unknown as Store<InstanceType<App['Task']>>;
      const [made] = tasks.add({ title: name, userId: user.id });
      this.asked.add(name);
      if (made) this.save(made.$.key, 'tasks', name, made.save());
    } else if (action === 'wait') await new Promise((resolve) => setImmediate(resolve));
    else if (action === 'flush') await app.outbox.send();
    else if (action === 'load' && users.pending.created.length === 0)
      // Otherwise a load creates another object for the row of an unconfirmed create.
      await users.load().catch(() => undefined);
    else if (action === 'crash') {
      this.storage.crash();
      await this.start();
    }
  }

  /** The expectations for a record, even if another process has read it as a new object. */
  private keyOf(user: { readonly name: string | undefined; readonly $: { readonly key: string } }): string {
    if (this.saved.has(user.$.key)) return user.$.key;
    return [...this.saved].find(([, { names }]) => names.includes(user.name as string))?.[0] ?? user.$.key;
  }

  private save(key: string, table: string, name: string, promise: Promise<unknown>): void {
    const saved = this.saved.get(key) ?? { names: [], done: 0, table, erased: false };
    this.saved.set(key, saved);
    this.drafts.delete(key);
    const count = saved.names.push(name);
    this.note(promise, () => {
      saved.done = Math.max(saved.done, count);
    });
  }

  private note(promise: Promise<unknown>, done: () => void): void {
    const { storage } = this;
    this.unsettled += 1;
    void promise.then(
      () => {
        if (this.storage !== storage) return;
        this.unsettled -= 1;
        done();
      },
      () => {
        if (this.storage === storage) this.unsettled -= 1;
      },
    );
  }

  /** Ends the faults and drains the outbox. */
  async end(): Promise<void> {
    this.server.fault = () => undefined;
    // Every promise must settle.
    await expect.poll(() => this.unsettled, { interval: 1 }).toBe(0);
    await (this.app as App).outbox.send();
    await (this.app as App).outbox.drained();
    this.storage.crash();
    await this.start();
    await (this.app as App).outbox.send();
    await (this.app as App).outbox.drained();
  }
}

describe('an outbox with idempotency keys, under any sequence of faults and crashes', () => {
  test('loses and duplicates no acknowledged write, sends no draft, and settles every write', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 30 }),
        fc.array(fc.constantFrom(...FAULTS), { minLength: 1, maxLength: 7 }),
        async (steps, faults) => {
          const world = new World(faults);
          await world.start();
          // All names that each row ever had, by table.
          const seen = new Map<string, Set<string>>();
          const base = world.server.fetch;
          Object.assign(world.server, {
            fetch: async (...given: Parameters<typeof fetch>) => {
              const answer = await base(...given).catch((error: unknown) => error);
              for (const table of world.server.rows.values())
                for (const row of table.values()) {
                  const name = String(row.name ?? row.title);
                  const ids = seen.get(name) ?? new Set<string>();
                  ids.add(`${row.title === undefined ? 'user' : 'task'} ${row.id}`);
                  seen.set(name, ids);
                }
              if (answer instanceof Response) return answer;
              throw answer;
            },
          });
          await world.run('crash', 0);
          for (const { do: action, at } of steps) await world.run(action, at);
          await world.end();
          const { outbox } = world.app as App;
          // The server must hold the last acknowledged name, or one that was saved later.
          for (const { names, done, table, erased } of world.saved.values()) {
            if (done === 0 || erased) continue;
            const standing = [...world.server.table(table).values()].map((row) => String(row.name ?? row.title));
            expect(names.slice(done - 1).filter((name) => standing.includes(name))).toHaveLength(1);
          }
          for (const id of world.gone) expect(world.server.table('users').has(id)).toBe(false);
          // The server must hold no duplicate, and no row that no process created.
          for (const [name, ids] of seen) {
            expect(ids.size).toBe(1);
            expect(world.asked.has(name)).toBe(true);
          }
          // An edit must not be sent unless it was saved.
          const mails = [...world.server.table('users').values()].map(({ mail }) => mail);
          for (const draft of [...world.drafts.values()].flat()) expect(mails).not.toContain(draft);
          // No request may contain a temporary id.
          for (const { body } of world.server.log) expect(Number(body?.userId ?? 1)).toBeGreaterThan(0);
          // No entry may be left that could have been sent.
          expect(
            outbox.entries.filter(({ state, dependsOn }) => state === 'queued' && Object.keys(dependsOn).length === 0),
          ).toEqual([]);
          expect(
            outbox.failed.filter(
              ({ state, error }) =>
                state !== 'held' &&
                (error as unknown as { status?: number }).status !== 404 &&
                (error as unknown as { reason?: string }).reason !== 'parent-gone',
            ),
          ).toEqual([]);
          await outbox.close();
        },
      ),
      { numRuns: 150, timeout: 20_000 },
    );
  });
});
