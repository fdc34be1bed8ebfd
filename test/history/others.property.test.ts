import fc from 'fast-check';
import { ConflictError } from 'repose';
import { historyOf } from 'repose/history';
import { expect, test } from 'vitest';
import { openWorld, turn } from './support.js';

type Step =
  | { readonly type: 'edit' | 'theirs'; readonly value: string }
  | { readonly type: 'save' | 'refused' | 'lost' | 'load' | 'undo' | 'redo' | 'commit' | 'reject' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('edit' as const), value: fc.constantFrom('a', 'b', 'c') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('theirs' as const), value: fc.constantFrom('x', 'y', 'a') }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom('save', 'save', 'refused', 'lost', 'load', 'undo', 'undo', 'redo', 'commit', 'reject'),
    }),
  },
);

test('undo and redo never write over what somebody else has saved', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, versions) => {
      const { session, tasks, task, change, server, serverTitles } = await openWorld({ pause: 0, versions });
      const history = historyOf(session);
      let isTheirs = false;
      for (const each of steps) {
        const before = serverTitles()[0];
        switch (each.type) {
          case 'edit':
            task(1).title = each.value;
            break;
          case 'theirs':
            change(1, { title: each.value });
            isTheirs ||= each.value !== before;
            break;
          case 'save':
          case 'refused':
          case 'lost': {
            const sent = server.requests.length;
            // With versions, the read before the write would be refused, and the write sent without a version.
            const isRefused = each.type === 'refused' && !versions;
            if (isRefused) server.fetch.plan({ type: 'status', status: 422 });
            if (each.type === 'lost') server.fetch.plan('lose');
            await task(1)
              .save()
              .catch((error: unknown) => (error instanceof ConflictError && versions ? error.keepMine() : undefined))
              .catch(() => undefined);
            server.heal();
            const written = server.requests
              .slice(sent)
              .some(({ method, body }) => method === 'PATCH' && body?.includes('title'));
            if (serverTitles()[0] !== before || (written && !isRefused)) isTheirs = false;
            break;
          }
          case 'load':
            await tasks.load();
            break;
          case 'commit':
            task(1).commit();
            break;
          case 'reject':
            task(1).reject();
            break;
          default:
            try {
              const taken = await history[each.type]();
              if (isTheirs) expect(serverTitles()[0]).toBe(before);
              else if (serverTitles()[0] !== before) isTheirs = false;
              // Values are compared: a step that leads to the value of somebody else has taken it over.
              if (taken && task(1).title === before) isTheirs = false;
            } catch (error) {
              if (!(error instanceof ConflictError)) throw error;
              const { done, undone } = history.state.get();
              const last = (each.type === 'undo' ? done : undone).at(-1);
              if (last) history.forget(last);
            }
        }
        await turn();
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});
