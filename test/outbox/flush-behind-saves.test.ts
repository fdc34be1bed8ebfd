import fc from 'fast-check';
import { Store } from 'repose';
import { expect, test } from 'vitest';
import { modelServer } from './server.js';
import { startApp } from './setting.js';

// Numbers of microtasks between two calls.
const gap = fc.nat(12);

/** The outcome of a promise; a promise that has not resolved after 20 real seconds is stuck, also on a busy machine. */
const unlessStuck = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(() => 'resolved'),
    new Promise((resolve) => setTimeout(resolve, 20_000, 'still waiting').unref()),
  ]);

test('flush() resolves, and all is sent, although a record is saved again while its save fails', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(gap, gap, gap, gap, gap), async (gaps) => {
      const left = [...gaps];
      const pass = async () => {
        for (let count = left.shift() as number; count > 0; count -= 1) await undefined;
      };
      const server = modelServer();
      let posts = 0;
      server.fault = (method) => {
        if (method === 'POST') posts += 1;
        return method === 'POST' && posts === 1 ? 503 : undefined;
      };
      const app = await startApp({ server });
      const users = new Store({ model: app.User });
      const [user] = users.add({ name: 'First' }) as [InstanceType<typeof app.User>];
      const saves: Promise<unknown>[] = [];
      const save = (name: string) => {
        user.name = name;
        saves.push(user.save().catch(() => undefined));
      };
      save('First');
      await pass();
      save('Second');
      await pass();
      await app.outbox.send();
      await pass();
      await app.outbox.send();
      await pass();
      save('Third');
      await pass();
      expect(await unlessStuck(app.outbox.send())).toBe('resolved');
      await Promise.all(saves);
      await app.outbox.send();
      expect(await unlessStuck(app.outbox.drained())).toBe('resolved');
      expect([...server.table('users').values()].map(({ name }) => name)).toEqual(['Third']);
      await app.outbox.close();
    }),
    { numRuns: 150, examples: [[[0, 0, 4, 0, 8]], [[2, 1, 0, 0, 10]]] },
  );
});
