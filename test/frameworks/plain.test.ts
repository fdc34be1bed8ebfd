import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

// The example has no framework. The plugin of React leaves plain TypeScript as it is.
const screens = screensOf('react');

const titles = (page: Page) =>
  expect.poll(() =>
    page.getByLabel('Title').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)),
  );
const status = (page: Page) => expect.poll(() => page.locator('p').textContent());
const row = (page: Page, index: number) => page.getByRole('listitem').nth(index);
const note = (page: Page, index: number) => expect.poll(() => row(page, index).locator('output').textContent());
const press = (page: Page, index: number, name: string) => row(page, index).getByRole('button', { name }).click();

test('the plain page shows the tasks, and edits, saves and undoes them', async () => {
  const page = await screens.open('examples/plain');
  await titles(page).toEqual(['Call', 'Book', 'Draw']);
  await status(page).toBe('0 to save');
  await row(page, 0).getByLabel('Title').fill('');
  await note(page, 0).toBe('A task needs a title');
  await press(page, 0, 'Undo');
  await titles(page).toEqual(['Call', 'Book', 'Draw']);
  await row(page, 1).getByLabel('Title').fill('Changed');
  await note(page, 1).toBe('edited');
  await status(page).toBe('1 to save');
  await press(page, 1, 'Save');
  await note(page, 1).toBe('saved');
  await status(page).toBe('0 to save');
  await titles(page).toEqual(['Call', 'Changed', 'Draw']);
});

test('the plain page adds and removes tasks, and a character typed in the middle keeps the caret there', async () => {
  const page = await screens.open('examples/plain');
  await titles(page).toEqual(['Call', 'Book', 'Draw']);
  await page.getByRole('button', { name: 'Add' }).click();
  await titles(page).toHaveLength(4);
  const added = page.getByRole('listitem').filter({ has: page.getByText('new', { exact: true }) });
  await added.getByRole('button', { name: 'Save' }).click();
  await status(page).toBe('0 to save');
  await press(page, 0, 'Remove');
  await titles(page).toHaveLength(3);
  const input = row(page, 0).getByLabel('Title');
  const before = await input.inputValue();
  await input.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('xyz');
  expect(await input.inputValue()).toBe(`${before[0]}xyz${before.slice(1)}`);
});
