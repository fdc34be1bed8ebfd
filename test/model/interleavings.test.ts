import { Model } from 'repose';
import { describe, expect, test } from 'vitest';
import type { Held, Received, Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  fields: { id: 'int', name: 'string', note: 'string', other: 'string' },
  proxy: server.proxy('/tasks'),
}) {}
interface Row {
  id: number;
  name: string;
  note: string;
  other: string;
}

/** All orders of the actors' steps that keep each actor's own order. */
function interleave(...actors: readonly (readonly string[])[]): string[][] {
  const unfinished = actors.filter((steps) => steps.length > 0);
  if (unfinished.length === 0) return [[]];
  return unfinished.flatMap((steps) => {
    const rest = unfinished.map((each) => (each === steps ? each.slice(1) : each));
    return interleave(...rest).map((order) => [steps[0] as string, ...order]);
  });
}

const WRITE = ['write starts', 'write is served', 'write ends'];
const READ = ['read starts', 'read is served', 'read ends'];

/** A server with one row, which handles a request at one step and answers it at a later one. */
class World {
  row: Row | undefined = { id: 7, name: 'old', note: 'old', other: 'old' };
  readonly task: Task = Task.fromRow({ ...(this.row as Row) });
  private readonly on: Record<string, { held: Held; call: Promise<unknown>; reply: Reply }> = {};

  async start(name: string, method: 'save' | 'erase' | 'load'): Promise<void> {
    const held = server.hold();
    const call = this.task[method]().catch((error) => error);
    // An erased record sends nothing.
    const sent = await Promise.race([held.request, call]);
    if (sent instanceof Error) server.reset();
    else this.on[name] = { held, call, reply: {} };
  }

  /** The server handles the request. */
  async serve(name: string, how: (request: Received) => Reply): Promise<void> {
    const one = this.on[name];
    if (one) one.reply = how(await one.held.request);
  }

  async end(name: string): Promise<void> {
    this.on[name]?.held.answer(this.on[name].reply);
    await this.on[name]?.call;
  }

  read = (): Reply => (this.row ? { json: this.row } : { status: 404 });
  put = ({ body }: Received): Reply => {
    this.row = body;
    return { json: body };
  };
}

/** The kinds of writes: the method of the record, and what the server does. */
const WRITES: Record<string, { method: 'save' | 'erase'; serve: (world: World) => (request: Received) => Reply }> = {
  'a save with a full reply': { method: 'save', serve: (world) => world.put },
  'a save with an empty reply': {
    method: 'save',
    serve: (world) => (request) => {
      world.put(request);
      return { status: 204 };
    },
  },
  'a save that is refused': { method: 'save', serve: () => () => ({ status: 422, json: {} }) },
  'a save that is done, but not answered': {
    method: 'save',
    serve: (world) => (request) => {
      world.put(request);
      return { drop: true };
    },
  },
  'an erase': {
    method: 'erase',
    serve: (world) => () => {
      world.row = undefined;
      return { status: 204 };
    },
  },
  'an erase that is refused': { method: 'erase', serve: () => () => ({ status: 412 }) },
};

async function play(
  order: readonly string[],
  write: (typeof WRITES)[string],
  steps: Record<string, (world: World) => unknown>,
) {
  server.reset();
  const world = new World();
  world.task.name = 'sent';
  const all: Record<string, (world: World) => unknown> = {
    'write starts': () => world.start('write', write.method),
    'write is served': () => world.serve('write', write.serve(world)),
    'write ends': () => world.end('write'),
    'read starts': () => world.start('read', 'load'),
    'read is served': () => world.serve('read', world.read),
    'read ends': () => world.end('read'),
    ...steps,
  };
  for (const step of order) await all[step]?.(world);
  return world;
}

describe.each(Object.entries(WRITES))('%s and a read', (name, write) => {
  test.each(['name', 'note'] as const)(
    'lose nothing, in every order with an edit of `%s` at any step',
    async (field) => {
      const orders = interleave(WRITE, READ, ['edit']);
      expect(orders.length).toBe(140);
      for (const order of orders) {
        const world = await play(order, write, {
          edit: ({ task }) => {
            if (!task.erased) task.set({ [field]: 'edited' });
          },
        });
        const { task } = world;
        const late = order.indexOf('edit') > order.indexOf('write ends');
        const erased = name === 'an erase';
        const wanted = { name: 'sent', note: 'old', ...(!(erased && late) && { [field]: 'edited' }) };
        const context = order.join(', ');
        expect([context, task.erased, task.name, task.note]).toEqual([context, erased, wanted.name, wanted.note]);
        if (erased) continue;
        // A record that differs from the server must be dirty, so that a save makes both equal.
        const { name: there, note: noted } = world.row as Row;
        const same = there === wanted.name && noted === wanted.note;
        expect([context, task.dirty || same]).toEqual([context, true]);
        if (task.dirty) {
          server.always(world.put);
          await task.save();
        }
        expect([context, task.dirty, world.row]).toEqual([context, false, { id: 7, other: 'old', ...wanted }]);
        expect([context, task.toJSON()]).toEqual([context, { id: 7, other: 'old', ...wanted }]);
      }
    },
  );

  test('never let a stale row win, in every order with a change by another user at any step', async () => {
    for (const order of interleave(WRITE, READ, ['change'])) {
      const world = await play(order, write, {
        change: (each) => {
          if (each.row) each.row = { ...each.row, other: 'changed' };
        },
      });
      const { task } = world;
      const at = (step: string) => order.indexOf(step);
      const context = order.join(', ');
      expect([context, task.erased, task.name]).toEqual([context, name === 'an erase', 'sent']);
      // A read that started last must show its result.
      if (at('read starts') > at('write ends') && at('read is served') > at('change') && world.row)
        expect([context, task.other]).toEqual([context, world.row.other]);
      // A read that started before the write ended must not override the response of the write.
      if (at('read starts') < at('write ends') && at('read ends') > at('write ends') && /reply/.test(name)) {
        const expected = name.includes('full') && at('change') < at('write is served') ? 'old' : task.other;
        expect([context, task.other]).toEqual([context, expected]);
      }
    }
  });
});

describe('two saves and an edit', () => {
  test('end with the newest values on both sides after at most three requests, in every order', async () => {
    for (const order of interleave(['save 1', 'save 2'], ['edit name', 'edit note'], ['served', 'answered'])) {
      server.reset();
      const world = new World();
      const { task } = world;
      task.name = 'first';
      const held = server.hold();
      server.always(world.put);
      const calls: Promise<unknown>[] = [];
      let reply: Reply = {};
      const steps: Record<string, () => unknown> = {
        'save 1': () => calls.push(task.save()),
        'save 2': () => calls.push(task.save()),
        'edit name': () => task.set({ name: 'second' }),
        'edit note': () => task.set({ note: 'second' }),
        served: async () => {
          if (calls.length) reply = world.put(await held.request);
        },
        answered: async () => {
          if (calls.length === 0) return;
          reply = reply.json ? reply : world.put(await held.request);
          held.answer(reply);
          await calls[0];
        },
      };
      for (const step of order) await steps[step]?.();
      if (!reply.json) reply = world.put(await held.request);
      held.answer(reply);
      await Promise.all(calls);
      const context = order.join(', ');
      if (task.dirty) await task.save();
      expect([context, task.dirty, task.toJSON()]).toEqual([
        context,
        false,
        { id: 7, name: 'second', note: 'second', other: 'old' },
      ]);
      expect([context, world.row, server.requests.length <= 3]).toEqual([context, task.toJSON(), true]);
    }
  });
});
