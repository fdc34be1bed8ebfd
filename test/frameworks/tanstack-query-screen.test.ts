import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

test('a screen loads once, edits and saves through TanStack Query', async () => {
  screens.server.reply({ json: [{ id: 1, title: 'First' }] });
  const page = await screens.open('tanstack-query');
  await page.getByRole('button', { name: 'Open 1' }).click();
  const title = page.getByLabel('Title');
  expect(await title.inputValue()).toBe('First');
  await title.fill('Changed');
  const held = screens.server.hold();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByRole('status').textContent()).toBe('saving');
  expect((await held.request).body).toEqual({ id: 1, title: 'Changed' });
  held.answer({ json: { id: 1, title: 'Changed' } });
  await expect.poll(() => page.getByRole('status').textContent()).toBe('saved');
  expect(screens.server.requests.filter(({ method, path }) => method === 'GET' && path === '/api/tasks')).toHaveLength(
    1,
  );
});

/** The screen of the guide before and after its steps. */
describe.each(['tanstack-query-before', 'tanstack-query-after'])('%s', (screen) => {
  const rows = ['Ask', 'Book', 'Call', 'Draw'].map((title, index) => ({ id: index + 1, title }));

  test('shows a page, keeps what is typed when a save fails, saves the edited field, and shows the next page', async () => {
    const memory = restServer({ collections: { '/api/tasks': rows } });
    screens.answerFrom(memory);
    const page = await screens.open(screen);
    const titles = () =>
      expect.poll(() =>
        page.getByLabel('Title').evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value)),
      );
    await titles().toEqual(['Ask', 'Book']);
    await page.getByLabel('Title').first().fill('Answer');
    screens.server.reply({ status: 500 });
    const save = page.getByRole('button', { name: 'Save' }).first();
    await save.click();
    await expect.poll(() => page.getByRole('listitem').first().textContent()).not.toBe('Save');
    await titles().toEqual(['Answer', 'Book']);
    await save.click();
    await expect.poll(() => memory.rows('/api/tasks')[0]?.['title']).toBe('Answer');
    expect(memory.requests.findLast(({ method }) => method === 'PATCH')?.body).toBe('{"title":"Answer"}');
    await page.getByRole('button', { name: 'Next' }).click();
    await titles().toEqual(['Call', 'Draw']);
  });

  test('shows that a load has failed, and loads again', async () => {
    screens.server.reply({ status: 500 }, { json: rows.slice(0, 2) });
    const page = await screens.open(screen);
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.getByLabel('Title').count()).toBe(2);
  });
});

test('the guide shows the code of these screens', () => {
  const files = ['tanstack-query-before', 'tanstack-query', 'tanstack-query-after'].map((name) => `react/${name}.tsx`);
  expect(codeWithoutScreen('tanstack-query', 'tsx', files)).toEqual([]);
});
