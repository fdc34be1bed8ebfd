import fc from 'fast-check';
import { TreeStore } from 'repose/tree';
import { expect, test } from 'vitest';
import { type Folder, type FolderRow, folders, shown } from './support.js';

const at = fc.nat({ max: 20 });
const parent = fc.option(at, { nil: null });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('expand' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('collapse' as const), at }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('append' as const), parent }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), at, parent }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reveal' as const), id: fc.integer({ min: 1, max: 12 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      method: fc.constantFrom('sync' as const, 'reload' as const, 'expandAll' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const rows = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }).map((all) =>
  all.map(
    (above, index): FolderRow => ({
      id: index + 1,
      parentId: index < above ? null : index + 1 - above,
      name: `n${index}`,
    }),
  ),
);

/** The tree that the rows of a server describe, as lines of names. */
function linesOf(all: readonly Record<string, unknown>[], parentId: unknown = null, depth: number = 0): string[] {
  return all
    .filter((row) => (row['parentId'] ?? null) === parentId)
    .sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1))
    .flatMap((row) => [`${'  '.repeat(depth)}${row['name']}`, ...linesOf(all, row['id'], depth + 1)]);
}

async function run(tree: TreeStore<Folder>, next: Step, number: number): Promise<unknown> {
  const records = [...tree.store];
  const pick = (index: number) => records[index % records.length];
  if (next.do === 'call') return tree[next.method]();
  if (next.do === 'reveal') return tree.reveal(next.id);
  if (next.do === 'append')
    return tree.append(next.parent === null ? null : (pick(next.parent) ?? null), { name: `new${number}` });
  const record = pick(next.at);
  if (!record) return undefined;
  if (next.do === 'expand') return tree.expand(record);
  if (next.do === 'collapse') return tree.collapse(record);
  if (next.do === 'rename') return record.set('name', `renamed${number}`);
  // The server keeps the children of a record whose children were not loaded, so these are loaded first.
  if (next.do === 'remove') {
    await tree.expandAll();
    // Another step may have removed the record meanwhile.
    return tree.nodeOf(record) && tree.remove(record);
  }
  const above = next.parent === null ? null : (pick(next.parent) ?? null);
  try {
    return tree.move(record, above);
  } catch (error) {
    expect(error).toMatchObject({ reason: 'tree-under-itself' });
    return undefined;
  }
}

test('a lazy tree and its server agree after any steps, and a last sync', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.array(fc.tuple(step, fc.boolean()), { maxLength: 15 }), async (given, steps) => {
      const { server, model } = folders(given);
      const lazy = (record: Folder | undefined) => ({ params: { parentId: record?.id ?? '' } });
      const tree = new TreeStore({ model, sorters: ['name'], lazy });
      await tree.load();
      const open: Promise<unknown>[] = [];
      for (const [number, [next, isAwaited]] of steps.entries()) {
        const done = run(tree, next, number);
        open.push(done);
        if (isAwaited) await done;
        expect(new Set(tree.list.get().slice()).size).toBe(tree.list.get().count);
      }
      await Promise.all(open);
      for (let left = 3; left > 0 && tree.store.status.get().pending > 0; left -= 1) (await tree.sync()).orThrow();
      expect(tree.store.status.get().pending).toBe(0);
      await tree.reload();
      await tree.expandAll();
      expect(tree.issues).toEqual([]);
      expect(shown(tree).map((line) => line.replace(/[-+](?=\S)/, ''))).toEqual(linesOf(server.rows('/folders')));
      tree.dispose();
    }),
    { numRuns: 60 },
  );
});
