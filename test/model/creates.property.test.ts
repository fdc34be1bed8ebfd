import fc from 'fast-check';
import { type Extension, idempotency, Model } from 'repose';
import { describe, expect, test } from 'vitest';

/** The step at which a request fails, if it fails: before the server, at the server, or with its response. */
const faults = fc.constantFrom(
  'pass',
  'pass',
  'drop',
  'lose',
  'refuse',
  'break',
  'cut',
  'busy',
  'unauthorized' as const,
);
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'save' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'together' as const }) },
  fc.record({ type: fc.constant('set' as const), field: fc.constantFrom('name', 'note'), value: fc.string() }),
  fc.constant({ type: 'reject' as const }),
  fc.constant({ type: 'abort' as const }),
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** A server with idempotency keys as in the IETF draft. */
class KeyedServer {
  readonly rows: Record<string, unknown>[] = [];
  requests = 0;
  private readonly known = new Map<string, { text: string; row: object }>();

  constructor(private readonly faults: string[]) {}

  readonly fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
    this.requests += 1;
    const fault = this.faults.shift() ?? 'pass';
    await Promise.resolve();
    init.signal?.throwIfAborted();
    if (fault === 'drop') throw new TypeError('fetch failed');
    if (fault === 'refuse') return new Response(null, { status: 503 });
    if (fault === 'unauthorized') return new Response(null, { status: 401 });
    if (fault === 'busy' && this.known.size > 0) return new Response(null, { status: 409 });
    const response = this.answer(init);
    if (fault === 'lose') throw new TypeError('fetch failed');
    if (fault === 'break') return new Response(null, { status: 502 });
    if (fault === 'cut') return new Response('{"id": 1', { status: 200 });
    return response;
  };

  private answer({ method, body, headers }: RequestInit): Response {
    const text = String(body);
    if (method === 'PUT') {
      this.rows[0] = JSON.parse(text);
      return Response.json(this.rows[0]);
    }
    const key = new Headers(headers).get('Idempotency-Key');
    const before = this.known.get(String(key));
    if (before && before.text !== text) return Response.json({ title: 'another body' }, { status: 422 });
    const row = before?.row ?? { ...JSON.parse(text), id: this.rows.length + 1 };
    if (!before) this.rows.push(row);
    if (key) this.known.set(key, { text, row });
    return Response.json(row, { status: 201 });
  }
}

function taskOf(server: KeyedServer, use: readonly Extension[]) {
  const Task = class extends Model.define({
    name: 'task',
    fields: { id: 'int', name: 'string', note: 'string' },
    proxy: {
      type: 'rest',
      url: 'http://h.test/tasks',
      noCache: false,
      fetch: server.fetch as never,
      use,
    },
  }) {};
  return new Task({ name: 'a', note: 'n' });
}

async function play(task: ReturnType<typeof taskOf>, todo: readonly Step[]): Promise<void> {
  for (const step of todo) {
    if (step.type === 'set') task.set({ [step.field]: step.value });
    else if (step.type === 'reject') {
      // After an update without a response, the test cannot know the values that a reject restores.
      if (task.phantom) task.reject();
    } else {
      const saves = [task.save()];
      if (step.type === 'together') saves.push(task.save());
      if (step.type === 'abort') task.$.abort();
      // Every promise must settle.
      await Promise.allSettled(saves);
    }
  }
}

describe('with any requests or answers lost', () => {
  test('a create with an idempotency key is done once, and no edit is lost', async () => {
    const property = fc.asyncProperty(fc.array(faults, { maxLength: 8 }), fc.array(steps), async (lost, todo) => {
      const server = new KeyedServer([...lost]);
      const task = taskOf(server, [idempotency()]);
      await play(task, todo);
      for (let times = 0; times < 12 && (task.phantom || task.dirty); times += 1)
        await task.save().catch(() => undefined);
      expect(server.rows).toEqual([{ id: 1, name: task.name, note: task.note }]);
      expect([task.id, task.dirty, task.$.unconfirmed, task.$.saving]).toEqual([1, false, false, false]);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test('a create without a key is repeated only if the caller asks for it', async () => {
    const property = fc.asyncProperty(fc.array(faults, { maxLength: 8 }), fc.array(steps), async (lost, todo) => {
      const server = new KeyedServer([...lost]);
      const task = taskOf(server, []);
      await play(task, todo);
      expect(server.rows.length).toBeLessThanOrEqual(1);
      if (!task.$.unconfirmed) return;
      const { requests } = server;
      await expect(task.save()).rejects.toThrow();
      expect(server.requests).toBe(requests);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
