import { expect, test } from 'vitest';
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

test('the guide shows the code of this screen', () => {
  expect(codeWithoutScreen('tanstack-query', 'tsx', ['react/tanstack-query.tsx'])).toEqual([]);
});
