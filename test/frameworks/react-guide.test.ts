import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { blocksOf, readPage } from '../docs/markdown.js';
import type { Reply } from '../helpers/rest-server.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

const row = (id: number) => ({ id, title: `Task ${String(id).padStart(2, '0')}`, done: id % 2 === 0, due: null });
const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index + 1));
const listed = (count: number): Reply => ({ json: rows(count), headers: { 'X-Total-Count': String(count) } });

const title = (page: Page, index = 0) => page.getByLabel('Title', { exact: true }).nth(index);
const titles = (page: Page) =>
  expect.poll(() =>
    page
      .getByLabel('Title', { exact: true })
      .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)),
  );
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first();
const status = (page: Page) => expect.poll(() => page.getByRole('status').textContent());
/** The code of the error that the first row shows; null without one. */
const rowError = (page: Page) =>
  expect.poll(() => page.locator('tr strong').evaluateAll(([error]) => error?.getAttribute('title') ?? null));

describe.each([
  ['as written', {}],
  ['compiled by the React Compiler', { compiler: true }],
  ['in StrictMode, with the warnings of React', { mode: 'development' }],
] as const)('the screen of the guide, %s', (_, options) => {
  test('sorts, filters and turns pages', async () => {
    screens.answerFrom(restServer({ collections: { '/api/tasks': rows(25) } }));
    const page = await screens.open('guide', options);
    await titles(page).toHaveLength(10);
    expect(await page.getByText('Page 1 of 3').count()).toBe(1);
    await button(page, 'Next').click();
    await expect.poll(() => title(page).inputValue()).toBe('Task 11');
    await page.getByLabel('Open only').check();
    await titles(page).toEqual(Array.from({ length: 10 }, (_each, i) => row(2 * i + 1).title));
    expect(await page.getByText('Page 1 of 2').count()).toBe(1);
    await page.getByLabel('Sort by').selectOption('due');
    await expect.poll(() => screens.server.requests.at(-1)?.query.get('sort')).toBe('due');
    await status(page).toBe('idle, 0 to save');
  });

  test('edits, saves, undoes, adds and removes', async () => {
    const memory = restServer({ collections: { '/api/tasks': rows(2) } });
    screens.answerFrom(memory);
    const page = await screens.open('guide', options);
    await title(page).fill('');
    await expect.poll(() => page.locator('tr em').count()).toBe(1);
    await button(page, 'Undo').click();
    await titles(page).toEqual(['Task 01', 'Task 02']);
    await title(page).fill('Changed');
    await page.getByLabel('Done').first().check();
    await status(page).toBe('idle, 1 to save');
    await button(page, 'Save').click();
    await status(page).toBe('idle, 0 to save');
    await button(page, 'Add').click();
    await expect.poll(() => page.locator('form em').count()).toBe(1);
    await page.getByLabel('New title').fill('Added');
    await page.getByLabel('New due').fill('2026-12-24');
    await button(page, 'Add').click();
    await titles(page).toEqual(['Changed', 'Task 02', 'Added']);
    expect(await page.getByLabel('New title').inputValue()).toBe('');
    expect(await page.locator('form em').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove' }).nth(1).click();
    await titles(page).toEqual(['Changed', 'Added']);
    await status(page).toBe('idle, 0 to save');
    expect(memory.rows('/api/tasks')).toMatchObject([
      { id: 1, title: 'Changed', done: true },
      { id: 3, title: 'Added', due: '2026-12-24T00:00:00.000Z' },
    ]);
  });
});

/** Answers that a screen must survive, and the code of the error that it shows. */
const bad: readonly (readonly [string, Reply, string])[] = [
  ['401', { status: 401 }, 'auth'],
  ['422', { status: 422, json: { errors: { title: ['is taken'] } } }, 'validation'],
  ['412', { status: 412 }, 'conflict'],
  ['412', { status: 412 }, 'conflict'],
  ['500', { status: 500 }, 'http'],
  ['HTML instead of JSON', { text: '<!doctype html><p>Hello', headers: { 'Content-Type': 'text/html' } }, 'read'],
  ['a connection that is lost', { drop: true }, 'network'],
];

describe('a save on the screen', () => {
  const openEdited = async () => {
    screens.server.reply(listed(1));
    const page = await screens.open('guide');
    await title(page).fill('Changed');
    return page;
  };
  /** Saves again, and expects that this succeeds. */
  const saveAgain = async (page: Page) => {
    screens.server.reply({ json: { ...row(1), title: 'Changed' } });
    await button(page, 'Save').click();
    await rowError(page).toBeNull();
    await status(page).toBe('idle, 0 to save');
  };

  test.each(bad)('that ends with %s says so, keeps the edit, and can be repeated', async (_, reply, code) => {
    const page = await openEdited();
    // A conflict reads the row of the server.
    screens.server.always(({ method }) => (method === 'GET' ? { json: row(1) } : reply));
    await button(page, 'Save').click();
    // A field shows its own errors, so the row does not say it again.
    const isMarked = code === 'validation';
    await expect.poll(() => page.locator('tr em').allTextContents()).toEqual(isMarked ? ['is taken'] : []);
    await rowError(page).toBe(isMarked ? null : code);
    await status(page).toBe('idle, 1 to save');
    expect(await title(page).inputValue()).toBe('Changed');
    expect(await button(page, 'Stop saving').count()).toBe(0);
    await saveAgain(page);
  });

  test('that finds the server down says so, and succeeds when the server is back', async () => {
    const page = await openEdited();
    await page.route('**/api/**', (route) => route.abort('connectionrefused'));
    await button(page, 'Save').click();
    await rowError(page).toBe('network');
    await status(page).toBe('idle, 1 to save');
    await page.unroute('**/api/**');
    await saveAgain(page);
  });

  test('that is slow is shown, and can be stopped', async () => {
    const page = await openEdited();
    const held = screens.server.hold();
    await button(page, 'Save').click();
    await held.request;
    await status(page).toBe('saving, 1 to save');
    await button(page, 'Stop saving').click();
    await rowError(page).toBe('abort');
    await status(page).toBe('idle, 1 to save');
    held.answer({ json: row(1) });
    await saveAgain(page);
  });

  test('that conflicts is decided by a button', async () => {
    const page = await openEdited();
    const theirs = { ...row(1), title: 'Theirs' };
    screens.server.reply({ status: 412 }, { json: theirs });
    await button(page, 'Save').click();
    await button(page, 'Take theirs').click();
    await titles(page).toEqual(['Theirs']);
    await rowError(page).toBeNull();
    await status(page).toBe('idle, 0 to save');
  });
});

describe('a load of the screen', () => {
  const alert = (page: Page) => expect.poll(() => page.getByRole('alert').getAttribute('title'));
  const loadAgain = async (page: Page) => {
    screens.server.reply(listed(2));
    await button(page, 'Try again').click();
    await titles(page).toEqual(['Task 01', 'Task 02']);
    await status(page).toBe('idle, 0 to save');
    expect(await page.getByRole('alert').count()).toBe(0);
  };

  test.each(bad)('that ends with %s says so, and can be repeated', async (_, reply, code) => {
    screens.server.reply(reply);
    const page = await screens.open('guide');
    await alert(page).toBe(code);
    await status(page).toBe('idle, 0 to save');
    await loadAgain(page);
  });

  test('that is slow is shown', async () => {
    const held = screens.server.hold();
    const page = await screens.open('guide');
    await held.request;
    await status(page).toBe('loading, 0 to save');
    held.answer(listed(1));
    await titles(page).toEqual(['Task 01']);
    await status(page).toBe('idle, 0 to save');
  });
});

test('the guide shows parts of this screen, and of that of README', () => {
  const code = ['guide', 'readme'].flatMap((name) =>
    readPage(`test/frameworks/screens/react/${name}.tsx`)
      .text.split('\n\n')
      .map((part) => part.trim()),
  );
  const parts = blocksOf(readPage('docs/guide/react.md').text).flatMap((block) => block.code.split('\n\n'));
  expect(parts).toHaveLength(4);
  expect(parts.filter((part) => !code.includes(part))).toEqual([]);
});
