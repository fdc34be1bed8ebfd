import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveOrders } from './adapters-server.js';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

async function open() {
  const server = serveOrders(screens);
  const page = await screens.open('refine');
  await page.getByText('Order A').waitFor();
  return { page, ...server };
}

const titles = (page: Page) => expect.poll(() => page.locator('tbody tr td:nth-child(2)').allTextContents());
const status = (page: Page) => expect.poll(() => page.getByRole('status').textContent());
const row = (page: Page, title: string) => page.getByRole('row', { name: title });

test('lists, sorts, filters and pages orders', async () => {
  const { page, asked } = await open();
  await titles(page).toEqual(['Order A', 'Order B', 'Order C', 'Order D', 'Order E']);
  await status(page).toBe('page 1 of 3, 12 orders');
  await page.getByRole('button', { name: 'Next' }).click();
  await titles(page).toEqual(['Order F', 'Order G', 'Order H', 'Order I', 'Order J']);
  await page.getByRole('button', { name: 'By total' }).click();
  await page.getByLabel('Show').selectOption('open');
  await titles(page).toEqual(['Order A', 'Order D', 'Order G', 'Order J']);
  await status(page).toBe('page 1 of 1, 4 orders');
  expect(asked().at(-1)).toBe('GET /api/orders?page=1&limit=5&sort=-total&open=true');
});

test('saves what was edited, and shows the errors of the server beside the field', async () => {
  const { page, memory, asked } = await open();
  await row(page, 'Order B').getByRole('button', { name: 'Edit' }).click();
  const form = page.locator('form');
  await form.getByLabel('Total').fill('2000');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('is too much').waitFor();
  await form.getByLabel('Total').fill('7');
  await form.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Order B').getByText('7', { exact: true }).waitFor();
  expect(asked().filter((line) => line.startsWith('PATCH'))).toEqual([
    'PATCH /api/orders/2 {"total":2000}',
    'PATCH /api/orders/2 {"total":7}',
  ]);
  expect(memory.rows('/api/orders')[1]).toMatchObject({ title: 'Order B', total: 7 });
  await form.getByLabel('Title').fill('');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('must not be empty').waitFor();
});

test('tells that somebody else has changed the order', async () => {
  const { page, memory } = await open();
  await row(page, 'Order B').getByRole('button', { name: 'Edit' }).click();
  await page.locator('form').getByLabel('Title').fill('Mine');
  memory.setRows(
    '/api/orders',
    memory.rows('/api/orders').map((each) => ({ ...each, title: 'Theirs' })),
  );
  await page.locator('form').getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.locator('form').getByRole('alert').textContent()).toBe('Row 2 is another by now');
});

test('erases one order, and many', async () => {
  const { page, memory, asked } = await open();
  await row(page, 'Order A').getByRole('button', { name: 'Remove' }).click();
  await titles(page).toEqual(['Order B', 'Order C', 'Order D', 'Order E', 'Order F']);
  await page.getByLabel('Choose Order C').check();
  await page.getByLabel('Choose Order D').check();
  await page.getByRole('button', { name: 'Remove chosen' }).click();
  await titles(page).toEqual(['Order B', 'Order E', 'Order F', 'Order G', 'Order H']);
  expect(asked().filter((line) => line.startsWith('DELETE'))).toEqual([
    'DELETE /api/orders/1',
    'DELETE /api/orders/3',
    'DELETE /api/orders/4',
  ]);
  expect(memory.rows('/api/orders')).toHaveLength(9);
});

test('shows what the server says when it refuses a list', async () => {
  serveOrders(screens);
  screens.server.reply({ status: 403 }, { status: 403 });
  const page = await screens.open('refine');
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('You are not allowed to do this.');
});

test('the guide shows the code of this screen', () => {
  expect(codeWithoutScreen('refine', 'tsx', ['react/refine.tsx'])).toEqual([]);
});
