import { expect, test } from 'vitest';
import { startRestServer } from '../helpers/rest-server.js';
import type { Answer, Asked } from './oracle.js';
import { Story, type StoryOptions } from './story.js';

/** `REPOSE_STORIES=5000 npx vitest run test/stories` runs more of them, and `REPOSE_SEED=7` others. */
const COUNT = Number(process.env['REPOSE_STORIES'] ?? 300);
const FIRST = 1 + 100_000 * (Number(process.env['REPOSE_SEED'] ?? 1) - 1);

/** Runs stories, and returns those that break a law. `npm run test:stories -- --seeds 7-7 --log` prints what happened in one of them. */
async function failures(first: number, count: number, options: Partial<StoryOptions> = {}): Promise<unknown[]> {
  const failed: unknown[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const { findings, world } = await new Story({ seed, steps: 80, ...options }).run();
    if (findings.length > 0) failed.push({ seed, world, findings });
  }
  return failed;
}

test('what users, strangers, the network and the server do in any order breaks no law', async () => {
  expect(await failures(FIRST, COUNT)).toEqual([]);
});

test('nor if pages are killed, storages fail, and lines are edited in several tabs', async () => {
  expect(await failures(FIRST, Math.ceil(COUNT / 5), { more: true })).toEqual([]);
});

test.each([
  [1388, 'a save that is being stored gives no value back for which another tab has saved a newer one'],
  [1996, 'a tab sends nothing over a value that was not seen by the user of the tab which has saved'],
  [2042, 'a save that has nothing left to send leaves the record as it was'],
  [2923, 'lines that the server has sorted are found again after an aborted update'],
  [9013, 'a save that was called before its tab knew of a conflict does not decide it'],
  [7028, 'reject() takes back nothing of a refused save that is being sent again'],
  [
    6255,
    'a line that was removed while it was sent again is found in the row that has it by an update without an answer',
  ],
  [3204, 'a tab that is told of a created record only by its next update creates it no second time'],
])('story %i: %s', async (seed) => {
  expect(await failures(seed, 1)).toEqual([]);
});

test.each([
  [1457, 'a list that was being edited when the lines of another page became known removes none of them'],
  [1603, 'what is typed into the row of a create stays when the two records become one'],
  [1988, 'the lines of a tab that does not know their ids yet are found where they were edited equally'],
  [2580, 'a create that is saved again while the storage is full is stored as its record shows it'],
  [2946, 'a drop leaves the record of a later save'],
  [3894, 'a save that is rejected while it is stored is not sent'],
  [6390, 'a line that a stranger has removed does not come back by a tab that has shown what another one has saved'],
])('story %i with all of that: %s', async (seed) => {
  expect(await failures(seed, 1, { more: true })).toEqual([]);
});

test('nor over HTTP', async () => {
  const server = await startRestServer();
  let answer: ((asked: Asked) => Answer) | undefined;
  server.always(({ method, path, text, headers }) => {
    const asked = { method, path, text, headers: new Headers(headers as Record<string, string>) };
    return answer?.(asked) ?? { status: 500 };
  });
  // One request at a time: the story decides about the order in which requests arrive.
  let turn: Promise<unknown> = Promise.resolve();
  const send: NonNullable<StoryOptions['send']> = (path, init, by) => {
    const sending = turn.then(async () => {
      answer = by;
      const { signal: _, ...rest } = init ?? {};
      const response = await fetch(server.url + path, rest);
      const { status, headers } = response;
      return new Response(status === 204 ? null : await response.arrayBuffer(), { status, headers });
    });
    turn = sending.catch(() => undefined);
    return sending;
  };
  try {
    expect(await failures(FIRST, Math.ceil(COUNT / 10), { send })).toEqual([]);
  } finally {
    await server.stop();
  }
});
