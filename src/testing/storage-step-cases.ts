import type { OutboxStorage } from '../outbox/storage/outbox-storage.js';
import { assertRejects, assertSame, assertThat } from './refusal.js';
import type { StorageCase } from './storage-contract.js';
import { change, sent, textsOf } from './storage-fixture.js';

/** Texts that some forms of storing would change. */
const TEXTS: readonly string[] = ['', ' ', '"\\\n\r\t\u2028', '\0', 'Zoë 🦊', '\ud800', 'x'.repeat(70_000)];

/** Contract tests about single steps. */
export const storageStepCases: readonly StorageCase[] = [
  {
    title: 'a new place is empty',
    async run(fixture) {
      const storage = await fixture.open();
      const empty = { items: [], identities: [], outcomes: [], place: 0 };
      assertSame(await storage.read({ scope: 'a' }), empty, 'the contents');
      assertSame(await storage.append([]), [], 'the keys of no changes');
      assertSame(await storage.read({ scope: 'a' }), empty, 'the contents after appending no changes');
    },
  },
  {
    title: 'changes keep their order and their texts, also after closing',
    async run(fixture) {
      const storage = await fixture.open();
      const keys: number[] = [];
      for (const text of TEXTS) keys.push(...(await storage.append([change('r', text), change(text, 'x')])));
      assertThat(isGrowing(keys), `keys must grow, but are ${keys.join()}`);
      const expected = TEXTS.flatMap((text) => [change('r', text), change(text, 'x')]).map((item, at) => ({
        ...item,
        key: keys[at],
        progress: undefined,
      }));
      assertSame(bare((await storage.read({ scope: 'a' })).items), bare(expected), 'the changes');
      assertSame(bare((await fixture.reopened()).items), bare(expected), 'the changes after closing');
    },
  },
  {
    title: 'steps that begin at the same time are done in the order of the calls',
    async run(fixture) {
      const storage = await fixture.open();
      const numbers = Array.from({ length: 50 }, (_, at) => String(at));
      const keys = (await Promise.all(numbers.map((text) => storage.append([change(text, text)])))).flat();
      assertThat(isGrowing(keys), `keys must grow in the order of the calls, but are ${keys.join()}`);
      const [first = 0, second = 0] = keys;
      const steps = [
        storage.update([{ key: first, progress: 'one' }]),
        storage.update([{ key: first, progress: 'two' }], [{ key: first, progress: 'one' }]),
        storage.remove(sent('1', [second]), { progress: [{ key: first, progress: 'three' }] }),
        storage.update([{ key: second, progress: 'late' }]),
      ];
      await Promise.all(steps);
      const { items } = await storage.read({ scope: 'a' });
      assertSame(items.length, 49, 'the number of changes');
      assertSame(items[0]?.progress, 'three', 'the progress of the first one');
    },
  },
  {
    title: 'a query gets only its scope and its records',
    async run(fixture) {
      const storage = await fixture.open();
      await storage.append([change('r'), change('s'), change('r', 'of another scope', 'b'), change('r', 'second')]);
      await storage.remove({ ...sent('r', []), scope: 'b' }, { identity: change('r', 'id', 'b') });
      await storage.remove(sent('s', []), { identity: change('s', '7') });
      const read = async (scope: string, records?: readonly string[]) => {
        const { items, outcomes, identities } = await storage.read({ scope, records });
        return [items, outcomes, identities].map((each) => each.map(({ record }) => record).join());
      };
      assertSame(await read('a'), ['r,s,r', 's', 's'], 'one scope');
      assertSame(await read('b'), ['r', 'r', 'r'], 'another scope');
      assertSame(await read('c'), ['', '', ''], 'a scope without anything');
      assertSame(await read('a', []), ['', '', ''], 'no records');
      assertSame(await read('a', ['r', 'none', 'r']), ['r,r', '', ''], 'one record, named twice');
      assertSame(await read('a', ['s', 'r']), ['r,s,r', 's', 's'], 'two records, in the order of the keys');
    },
  },
  {
    title: 'progress is replaced, and belongs to stored changes only',
    async run(fixture) {
      const storage = await fixture.open();
      const [a = 0, b = 0] = await storage.append([change('r'), change('r')]);
      await storage.remove(sent('r', [b]));
      await storage.update([
        { key: a, progress: 'one' },
        { key: b, progress: 'of a change that is gone' },
        { key: b + 100, progress: 'of no change' },
      ]);
      assertSame((await storage.read({ scope: 'a' })).items[0]?.progress, 'one', 'the progress');
      assertSame((await fixture.reopened()).items.length, 1, 'the number of changes');
      const again = await fixture.open();
      assertSame((await again.read({ scope: 'a' })).items[0]?.progress, 'one', 'the progress after closing');
      await again.update([{ key: a, progress: undefined }]);
      assertSame((await again.read({ scope: 'a' })).items[0]?.progress, undefined, 'the progress that was taken back');
      assertSame((await fixture.reopened()).items[0]?.progress, undefined, 'the same after closing');
    },
  },
  {
    title: 'a removal removes exactly the changes of its outcome, in one step with everything else',
    async run(fixture) {
      const storage = await fixture.open();
      const [a = 0, b = 0, c = 0, d = 0] = await storage.append(['1', '2', '3', '4'].map((text) => change('r', text)));
      await storage.remove(sent('r', [a, c], 'answer'), {
        identity: change('r', '7'),
        progress: [{ key: d, progress: 'next' }],
      });
      for (const view of [await storage.read({ scope: 'a' }), await fixture.reopened()]) {
        assertSame(
          view.items.map(({ key, progress }) => [key, progress]),
          [
            [b, undefined],
            [d, 'next'],
          ],
          'the changes that stay',
        );
        assertSame(view.identities, [change('r', '7')], 'the identity');
        assertSame(
          view.outcomes.map(({ keys, type, data }) => [keys, type, data]),
          [[[a, c], 'sent', 'answer']],
          'the outcome',
        );
      }
    },
  },
  {
    title: 'a later identity replaces the one before',
    async run(fixture) {
      const storage = await fixture.open();
      await storage.remove(sent('r', []), { identity: change('r', '7') });
      await storage.remove({ ...sent('r', []), type: 'dropped' }, { identity: change('r', 'null') });
      assertSame((await fixture.reopened()).identities, [change('r', 'null')], 'the identities');
    },
  },
  {
    title: 'a step is refused as a whole if a change that it expects is gone or has another progress',
    async run(fixture) {
      const storage = await fixture.open();
      const [a = 0, b = 0] = await storage.append([change('r'), change('r')]);
      await storage.update([{ key: a, progress: 'one' }]);
      const progress = [{ key: b, progress: 'two' }];
      for (const unchanged of [
        { key: a, progress: undefined },
        { key: a, progress: 'other' },
        { key: b + 100, progress: undefined },
      ]) {
        const update = storage.update(progress, [{ key: b, progress: undefined }, unchanged]);
        await assertRejects(update, 'an update', 'outbox-taken-over');
        const remove = storage.remove(sent('r', [a, b]), {
          progress,
          unchanged: [unchanged],
          identity: change('r', '7'),
        });
        await assertRejects(remove, 'a removal', 'outbox-taken-over');
      }
      const { items, identities, outcomes } = await fixture.reopened();
      assertSame(
        items.map((item) => item.progress),
        ['one', undefined],
        'the progress',
      );
      assertSame([...identities, ...outcomes], [], 'identities and outcomes');
      const again = await fixture.open();
      await again.update(progress, [{ key: a, progress: 'one' }]);
      await again.remove(sent('r', [a]), { unchanged: [{ key: b, progress: 'two' }] });
      assertSame((await again.read({ scope: 'a' })).items.length, 1, 'the number of changes after the allowed steps');
    },
  },
  {
    title: 'outcomes are kept in order, and read after a place',
    async run(fixture) {
      const storage = await fixture.open();
      for (const text of ['1', '2', '3']) await storage.remove(sent(text === '2' ? 's' : 'r', [], text));
      const all = await storage.read({ scope: 'a' });
      const places = all.outcomes.map(({ place }) => place);
      assertThat(isGrowing(places), `places must grow, but are ${places.join()}`);
      assertSame(all.place, places[2], 'the greatest place');
      const texts = async (records?: readonly string[], after?: number) =>
        (await storage.read({ scope: 'a', records, after })).outcomes.map(({ data }) => data);
      assertSame(await texts(undefined, places[0]), ['2', '3'], 'those after the first');
      assertSame(await texts(['r'], places[0]), ['3'], 'those of one record after the first');
      assertSame(await texts(['s', 'r']), ['1', '2', '3'], 'those of two records');
      assertSame(await texts(undefined, all.place), [], 'those after the last');
    },
  },
  {
    title: 'pruning forgets outcomes before a place and identities, and nothing else',
    async run(fixture) {
      const storage = await fixture.open();
      await storage.append([change('r')]);
      for (const record of ['r', 's', 't'])
        await storage.remove(sent(record, [], record), { identity: change(record, '7') });
      await storage.remove({ ...sent('r', []), scope: 'b' }, { identity: change('r', '7', 'b') });
      const { outcomes, place } = await storage.read({ scope: 'a' });
      await storage.prune({ scope: 'a', before: outcomes[1]?.place as number, records: ['s', 'none'] });
      const after = await fixture.reopened();
      assertSame(after.outcomes.map(({ data }) => data).join(), 's,t', 'the outcomes');
      assertSame(after.identities.map(({ record }) => record).sort(), ['r', 't'], 'the identities');
      assertSame(textsOf(after), ['change of r'], 'the changes');
      const again = await fixture.open();
      const other = await again.read({ scope: 'b' });
      assertSame([other.outcomes.length, other.identities.length], [1, 1], 'another scope');
      await again.prune({ scope: 'a', before: place + 1, records: ['r', 's', 't'] });
      const { outcomes: left, place: last } = await again.read({ scope: 'a' });
      assertSame(left, [], 'the outcomes after pruning all');
      assertThat(last >= place, 'the greatest place stays');
    },
  },
  {
    title: 'keys and places are never given again',
    async run(fixture) {
      const keys: number[] = [];
      const places: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const storage = await fixture.open();
        const added = await storage.append([change('r'), change('r')]);
        keys.push(...added);
        await storage.remove(sent('r', added));
        const { place } = await storage.read({ scope: 'a' });
        places.push(place);
        await storage.prune({ scope: 'a', before: place + 1, records: [] });
        await fixture.close(storage);
      }
      assertThat(isGrowing(keys), `keys must grow, but are ${keys.join()}`);
      assertThat(isGrowing(places), `places must grow, but are ${places.join()}`);
    },
  },
  {
    title: 'a storage that is closed refuses each step, and can be opened again',
    async run(fixture) {
      const storage = await fixture.open();
      const [key = 0] = await storage.append([change('r')]);
      await fixture.close(storage);
      for (const [name, step] of Object.entries(stepsOf(storage, key)))
        await assertRejects(step(), name, 'outbox-closed');
      await storage.open(() => undefined);
      assertSame(textsOf(await storage.read({ scope: 'a' })), ['change of r'], 'the changes');
      await storage.close();
    },
  },
  {
    title: 'a storage that is open cannot be opened again, and stays open',
    async run(fixture) {
      const storage = await fixture.open();
      await storage.append([change('r')]);
      await assertRejects(
        storage.open(() => undefined),
        'a second opening',
      );
      assertSame(textsOf(await storage.read({ scope: 'a' })), ['change of r'], 'the changes');
    },
  },
];

/** Each step of a storage by its name. */
export function stepsOf(storage: OutboxStorage, key: number): Record<string, () => Promise<unknown>> {
  return {
    append: () => storage.append([change('n', 'new'), change('n', 'newer')]),
    read: () => storage.read({ scope: 'a' }),
    update: () => storage.update([{ key, progress: 'attempted' }]),
    remove: () => storage.remove(sent('r', [key]), { identity: change('r', '7') }),
    prune: () => storage.prune({ scope: 'a', before: 1000, records: ['s'] }),
  };
}

function isGrowing(numbers: readonly number[]): boolean {
  return numbers.every((each, at) => Number.isSafeInteger(each) && (at === 0 || each > (numbers[at - 1] as number)));
}

/** The parts of changes that a storage must keep. */
function bare(
  items: readonly { readonly record: string; readonly data: string; readonly key?: number | undefined }[],
): unknown {
  return items.map(({ record, data, key }) => [key, record, data]);
}
