import { readFileSync } from 'node:fs';
import { isDataError } from 'repose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from '../helpers/error-page.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';
import { mistakesAt } from './javascript.js';

// Each mistake is refused with its remedy before anything is sent. The table is read by people: look at each new message.

const messages: Record<string, string> = JSON.parse(
  readFileSync(new URL('javascript-messages.json', import.meta.url), 'utf8'),
);
const titles = Object.keys(mistakesAt(''));

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
afterAll(() => server.stop());

/** The error of a mistake, thrown or rejected with. */
async function errorOf(run: (() => unknown) | undefined): Promise<unknown> {
  try {
    await run?.();
  } catch (error) {
    return error;
  }
  return expect.unreachable('the mistake was swallowed');
}

describe('a mistake in JavaScript is refused with its remedy', () => {
  test.each(titles)('%s', async (title) => {
    server.reset();
    const error = await errorOf(mistakesAt(server.url)[title]);
    expect(isDataError(error) && `${error.name}: ${error.message}`).toBe(
      isDataError(error) && messages[title] + pageOf(error.reason),
    );
    expect(server.requests).toHaveLength(0);
  });

  test('are at least 60 in the table, and each message belongs to one', () => {
    expect(titles.length).toBeGreaterThanOrEqual(60);
    expect(Object.keys(messages)).toEqual(titles);
  });
});
