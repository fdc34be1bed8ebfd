import type { LogView } from '../outbox/storage/outbox-storage.js';
import { assertSame, assertThat } from './refusal.js';
import type { StorageCase } from './storage-contract.js';
import { change, nextTurn, type StorageFixture, sent, textsOf } from './storage-fixture.js';
import { stepsOf } from './storage-step-cases.js';

/** The moments of a step at which its tab is killed, in turns of the queue of tasks. */
const MOMENTS = 8;

/** The contents before and after each step of `stepsOf`, as far as they differ. */
const CONTENTS: Readonly<Record<string, { readonly before: string; readonly after: string }>> = {
  append: { before: '1 -; 1 s; 1', after: '1 -,new -,newer -; 1 s; 1' },
  update: { before: '1 -; 1 s; 1', after: '1 attempted; 1 s; 1' },
  remove: { before: '1 -; 1 s; 1', after: '; 2 r,s; 2' },
  prune: { before: '1 -; 1 s; 1', after: '1 -; 0 ; 0' },
};

/** Contract tests about tabs and processes that are killed. */
export const storageKillCases: readonly StorageCase[] = Object.keys(CONTENTS).flatMap((name) => [
  {
    title: `${name}: a tab that is killed in the middle leaves all of the step or nothing`,
    run: (fixture) => killAtEachMoment(fixture, name),
  },
  {
    title: `${name}: a step that has resolved is kept when the tab is killed right after it`,
    async run(fixture) {
      const { storage, key } = await prepared(fixture);
      await stepsOf(storage, key)[name]?.();
      await fixture.kill(storage);
      assertSame(shown(await fixture.reopened()), CONTENTS[name]?.after, 'the contents');
    },
  },
]);

/** Kills a tab at each moment of a step. Each round works on what the rounds before have left. */
async function killAtEachMoment(fixture: StorageFixture, name: string): Promise<void> {
  const { before, after } = CONTENTS[name] as { before: string; after: string };
  for (let moment = 0; moment < MOMENTS; moment += 1) {
    const { storage, key } = await prepared(fixture);
    let isDone = false;
    const step = stepsOf(storage, key)
      [name]?.()
      .then(
        () => {
          isDone = true;
        },
        // A step of a tab that is gone may fail.
        () => undefined,
      );
    for (let turn = 0; turn < moment; turn += 1) await nextTurn();
    const wasDone = isDone;
    await fixture.kill(storage);
    const view = await fixture.reopened();
    const contents = shown(view);
    assertThat(
      contents === before || contents === after,
      `after ${moment} turns, the contents are neither old nor new: ${contents}`,
    );
    if (wasDone) assertSame(contents, after, `the contents after ${moment} turns, when the step had resolved`);
    await step;
    // A step of a tab that was killed must not be done later, when others have read what is stored.
    assertSame(
      shown(await fixture.reopened()),
      contents,
      `the contents when the killed tab has ended, after ${moment} turns`,
    );
    await emptied(fixture);
  }
}

/** A storage with one change of `r`, and with an outcome and an identity of `s`. */
async function prepared(fixture: StorageFixture) {
  const storage = await fixture.open();
  const [key = 0] = await storage.append([change('r', '1')]);
  await storage.remove(sent('s', []), { identity: change('s', '7') });
  return { storage, key };
}

async function emptied(fixture: StorageFixture): Promise<void> {
  const storage = await fixture.open();
  const { items, identities, place } = await storage.read({ scope: 'a' });
  await storage.remove(
    sent(
      'r',
      items.map(({ key }) => key),
    ),
  );
  await storage.prune({ scope: 'a', before: place + 2, records: identities.map(({ record }) => record) });
  await fixture.close(storage);
}

/** The contents as a text: changes with their progress, the number of identities with their records, the number of outcomes. */
function shown(view: LogView): string {
  const { items, identities, outcomes } = view;
  const changes = textsOf(view).map((text, at) => `${text} ${items[at]?.progress ?? '-'}`);
  const records = identities.map(({ record }) => record).sort();
  return `${changes.join()}; ${records.length} ${records.join()}; ${outcomes.length}`;
}
