import fc from 'fast-check';
import { historyOf } from 'repose/history';
import { expect, test } from 'vitest';
import { openWorld, type Task, turn, type World } from './support.js';

type Field = 'title' | 'note';
type Step =
  | { readonly type: 'edit'; readonly at: number; readonly field: Field; readonly value: string }
  | { readonly type: 'save' | 'erase' | 'remove' | 'reject'; readonly at: number }
  | { readonly type: 'add' | 'sync' | 'rejectAll' | 'undo' | 'redo' | 'group' };

const at = fc.nat(5);
const field = fc.constantFrom<Field>('title', 'note');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('edit' as const), at, field, value: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ type: fc.constantFrom('save', 'erase', 'remove', 'reject'), at }),
  fc.record({ type: fc.constantFrom('add', 'sync', 'rejectAll', 'undo', 'redo', 'group') }),
);

async function take(world: World, taken: Step, isAwaited: boolean): Promise<void> {
  const { tasks, session } = world;
  const record = 'at' in taken ? [...tasks][taken.at % Math.max(1, tasks.count)] : undefined;
  const quiet = (promise: Promise<unknown> | undefined) => {
    const caught = promise?.catch(() => undefined);
    return isAwaited ? caught : undefined;
  };
  switch (taken.type) {
    case 'edit':
      if (record) record[taken.field] = taken.value;
      return turn();
    case 'save':
      return void (await quiet(record?.save()));
    case 'erase':
      return void (await quiet(record?.erase()));
    case 'remove':
      if (record) tasks.remove(record);
      return turn();
    case 'reject':
      record?.reject();
      return turn();
    case 'add':
      tasks.add({ title: 'new' });
      return turn();
    case 'sync':
      return void (await quiet(session.sync()));
    case 'rejectAll':
      session.reject();
      return turn();
    case 'group':
      historyOf(session).group('All', () => {
        for (const each of tasks) each.note = `${each.note}!`;
      });
      return turn();
    default:
      return void (await quiet(historyOf(session)[taken.type]()));
  }
}

const shown = ({ tasks }: World) => [...tasks].map(({ title, note }: Task) => `${title} ${note}`).sort();
const saved = ({ server }: World) =>
  server
    .rows('/tasks')
    .map((row) => `${row['title']} ${row['note']}`)
    .sort();

async function all(world: World, direction: 'undo' | 'redo'): Promise<void> {
  const history = historyOf(world.session);
  while (direction === 'undo' ? history.canUndo : history.canRedo) await history[direction]();
}

test('undoing everything shows what was there before, and redoing everything what was there last', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.boolean(), async (steps, versions) => {
      const world = await openWorld({ pause: 0, limit: 1000, versions });
      const before = shown(world);
      for (const each of steps) await take(world, each, true);
      await all(world, 'redo');
      const latest = shown(world);
      await all(world, 'undo');
      expect(shown(world)).toEqual(before);
      (await world.session.sync()).orThrow();
      expect(saved(world)).toEqual(before);
      await all(world, 'redo');
      expect(shown(world)).toEqual(latest);
      (await world.session.sync()).orThrow();
      expect(saved(world)).toEqual(latest);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});

test('with requests in flight, client and server are equal in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 20 }), async (steps) => {
      const world = await openWorld({ pause: 0 });
      for (const [each, isAwaited] of steps) await take(world, each, isAwaited);
      for (let turns = 0; turns < 30; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      await world.session.sync();
      await world.session.sync();
      const open = [...world.tasks].filter((task) => task.dirty || task.phantom);
      expect(open.map(({ $ }) => $.error?.message)).toEqual([]);
      expect(shown(world)).toEqual(saved(world));
    }),
    { numRuns: Number(process.env['RUNS'] ?? 60) },
  );
});
