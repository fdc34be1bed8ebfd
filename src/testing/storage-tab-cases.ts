import type { OutboxStorage, StorageChange } from '../outbox/storage/outbox-storage.js';
import { assertRejects, assertSame, assertThat } from './refusal.js';
import type { StorageCase } from './storage-contract.js';
import { change, nextTurn, type StorageFixture, sent, textsOf } from './storage-fixture.js';

/** Turns within which another tab must be told of a change. */
const TURNS = 200;

/**
 * Contract tests about two tabs or processes. A storage that is not `shared` must refuse the second one; everything else then holds
 * because there is only one.
 */
export const storageTabCases: readonly StorageCase[] = [
  {
    title: 'a second tab shares the storage, or is refused and changes nothing',
    async run(fixture) {
      const first = await fixture.open();
      await first.append([change('r')]);
      if (first.shared) {
        const second = await fixture.open();
        assertSame(textsOf(await second.read({ scope: 'a' })), ['change of r'], 'the changes in the second tab');
      } else await assertRejects(fixture.open(), 'a second opening');
      await first.append([change('r', 'second')]);
      assertSame(textsOf(await first.read({ scope: 'a' })), ['change of r', 'second'], 'the changes in the first tab');
    },
  },
  inTwoTabs(
    'changes that two tabs append at the same time have one order, and none is lost',
    async ([first, second], fixture) => {
      const append = async (storage: OutboxStorage, name: string) => {
        for (let at = 0; at < 10; at += 1)
          await storage.append([change('r', `${name}${at}`), change('r', `${name}${at}+`)]);
      };
      await Promise.all([append(first, 'a'), append(second, 'b')]);
      const texts = textsOf(await first.read({ scope: 'a' }));
      assertSame(textsOf(await second.read({ scope: 'a' })), texts, 'the order in the second tab');
      assertSame(textsOf(await fixture.reopened()), texts, 'the order after closing');
      for (const name of ['a', 'b']) {
        const expected = Array.from({ length: 10 }, (_, at) => [`${name}${at}`, `${name}${at}+`]).flat();
        assertSame(
          texts.filter((text) => text.startsWith(name)),
          expected,
          `the changes of tab ${name}`,
        );
      }
      for (let at = 0; at < texts.length; at += 2)
        assertSame(texts[at + 1], `${texts[at]}+`, 'two changes of one step');
    },
  ),
  inTwoTabs('a removal in one tab leaves what another tab appends', async ([first, second], fixture) => {
    for (let round = 0; round < 10; round += 1) {
      const { items } = await first.read({ scope: 'a' });
      const keys = items.map(({ key }) => key);
      await Promise.all([first.remove(sent('r', keys)), second.append([change('r', String(round))])]);
      assertSame(textsOf(await first.read({ scope: 'a' })), [String(round)], 'the changes that wait');
    }
    assertSame((await fixture.reopened()).outcomes.length, 10, 'the number of outcomes');
  }),
  inTwoTabs('of two tabs that expect the same progress, one is refused', async ([first, second]) => {
    const [key = 0] = await first.append([change('r')]);
    const unchanged = [{ key, progress: undefined }];
    const results = await Promise.allSettled([
      first.update([{ key, progress: 'first' }], unchanged),
      second.update([{ key, progress: 'second' }], unchanged),
    ]);
    assertSame(results.filter(({ status }) => status === 'fulfilled').length, 1, 'the number of tabs that may send');
    const winner = results[0]?.status === 'fulfilled' ? 'first' : 'second';
    assertSame((await second.read({ scope: 'a' })).items[0]?.progress, winner, 'the progress');
    const [winning, losing] = winner === 'first' ? [first, second] : [second, first];
    const late = losing.remove(sent('r', [key]), {
      unchanged: [{ key, progress: winner === 'first' ? 'second' : 'first' }],
    });
    await assertRejects(late, 'the removal of the other tab', 'outbox-taken-over');
    await winning.remove(sent('r', [key]), { unchanged: [{ key, progress: winner }] });
  }),
  inTwoTabs('a view is of one moment', async ([first, second]) => {
    const [key = 0] = await first.append([change('r')]);
    let isRemoved = false;
    const removing = first.remove(sent('r', [key]), { identity: change('r', '7') }).then(() => {
      isRemoved = true;
    });
    while (!isRemoved) {
      const { items, identities, outcomes } = await second.read({ scope: 'a' });
      const counts = [items.length, identities.length, outcomes.length].join();
      assertThat(counts === '1,0,0' || counts === '0,1,1', `changes, identities and outcomes do not fit: ${counts}`);
      await nextTurn();
    }
    await removing;
  }),
  inTwoTabs('the other tab is told of each change, with its records', async ([first, second]) => {
    const told: StorageChange[] = [];
    const own: StorageChange[] = [];
    const end = second.watch((each) => told.push(each));
    first.watch((each) => own.push(each));
    const expectTold = async (records: readonly string[], what: string) => {
      for (let turn = 0; told.length === 0 && turn < TURNS; turn += 1) await nextTurn();
      const changed = told.splice(0).filter(({ scope }) => scope === 'a');
      assertSame([...new Set(changed.flatMap((each) => each.records))].sort(), records, `the records of ${what}`);
    };
    const [key = 0] = await first.append([change('r'), change('s')]);
    await expectTold(['r', 's'], 'an append');
    await first.update([{ key, progress: 'one' }]);
    await expectTold(['r'], 'an update');
    await first.remove(sent('r', [key]));
    await expectTold(['r'], 'a removal');
    assertSame(own, [], 'what the first tab was told of its own steps');
    end();
    await first.append([change('t')]);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    assertSame(told, [], 'what is told after the end');
  }),
];

/** A test with two tabs. It is empty for storages that only one tab may open. */
function inTwoTabs(
  title: string,
  run: (tabs: readonly [OutboxStorage, OutboxStorage], fixture: StorageFixture) => Promise<void>,
): StorageCase {
  return {
    title,
    async run(fixture) {
      const first = await fixture.open();
      if (first.shared) await run([first, await fixture.open()], fixture);
    },
  };
}
