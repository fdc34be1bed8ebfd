import fc from 'fast-check';
import { idempotency, Model, plain, Store } from 'repose';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { settled } from '../live/support.js';
import { sessionWith, turn } from './support.js';

type Step =
  | { readonly type: 'edit' | 'save' | 'erase'; readonly at: number; readonly value: string }
  | { readonly type: 'add' | 'undo' | 'redo' | 'online' | 'offline' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constantFrom('edit', 'save', 'erase'),
    at: fc.nat(2),
    value: fc.constantFrom('a', 'b', 'c'),
  }),
  fc.record({ type: fc.constantFrom('add', 'undo', 'undo', 'redo', 'online', 'offline') }),
);

test('with an outbox, the server ends as the screen, whatever was undone offline', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const server = restServer({ collections: { '/tasks': [1, 2].map((id) => ({ id, title: `t${id}` })) } });
      let isOnline = true;
      // Repeats that are due as soon as the one before has failed would leave the other work of the process no time.
      const backoff = { base: 20, max: 20 };
      const outbox = new Outbox({ storage: memoryStorage(), scope: 'me', backoff });
      class Task extends Model.define({
        name: 'task',
        fields: { id: 'int', title: 'string' },
        proxy: {
          ...{ type: 'rest', url: '/tasks', dialect: plain(), baseUrl: server.baseUrl, use: [outbox, idempotency()] },
          fetch: async (...args: Parameters<typeof fetch>) => {
            if (!isOnline) throw new TypeError('offline');
            return await server.fetch(...args);
          },
        },
      }) {}
      await outbox.ready;
      const session = new (sessionWith({ pause: 0 }))();
      const tasks = new Store({ model: Task, session, pageSize: 0 });
      await tasks.load();
      const quiet = (promise: Promise<unknown> | undefined) => void promise?.catch(() => undefined);
      for (const each of steps) {
        const record = 'at' in each ? [...tasks][each.at % Math.max(1, tasks.count)] : undefined;
        if (each.type === 'edit' && record) record.title = each.value;
        else if (each.type === 'save') {
          if (record) record.title = each.value;
          quiet(record?.save());
        } else if (each.type === 'erase') quiet(record?.erase());
        else if (each.type === 'add') quiet(tasks.add({ title: 'new' })[0]?.save());
        else if (each.type === 'undo' || each.type === 'redo') quiet(historyOf(session)[each.type]());
        else {
          isOnline = each.type === 'online';
          if (isOnline) void outbox.send();
        }
        await turn();
        await settled();
      }
      isOnline = true;
      for (let times = 0; times < 3; times += 1) {
        void outbox.send();
        await outbox.drained();
        await settled();
        await session.sync();
        await settled();
      }
      const shown = [...tasks].map(({ title }) => title).sort();
      const saved = server.rows('/tasks').map(({ title }) => title as string);
      expect([shown, outbox.failed.length, [...tasks].filter(({ dirty, phantom }) => dirty || phantom).length]).toEqual(
        [saved.sort(), 0, 0],
      );
      await outbox.close();
      session.dispose();
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40) },
  );
});
