import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveOrders } from './adapters-server.js';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

async function open() {
  const server = serveOrders(screens);
  const page = await screens.open('react-admin');
  await page.getByText('Order A').waitFor();
  return { page, ...server };
}

const titles = (page: Page) =>
  expect.poll(() =>
    page
      .locator('tbody tr td.column-title')
      .allTextContents()
      .then((all) => all.map((text) => text.trim())),
  );

test('lists, sorts, filters and pages orders, with the customers that they refer to', async () => {
  const { page, asked } = await open();
  await titles(page).toEqual(['Order A', 'Order B', 'Order C', 'Order D', 'Order E']);
  await page.locator('tbody').getByText('Grace').first().waitFor();
  expect(asked()).toEqual(['GET /api/orders?page=1&limit=5&sort=title']);
  // The customers of all rows are read together.
  expect(screens.server.lines.filter((line) => line.includes('customers'))).toHaveLength(1);
  await page.getByLabel('Go to next page').click();
  await titles(page).toEqual(['Order F', 'Order G', 'Order H', 'Order I', 'Order J']);
  await page.getByRole('button', { name: 'Sort by Total ascending' }).click();
  await titles(page).toEqual(['Order L', 'Order K', 'Order J', 'Order I', 'Order H']);
  await page.getByLabel('Open only').check();
  await titles(page).toEqual(['Order J', 'Order G', 'Order D', 'Order A']);
  await page.getByPlaceholder('Search').fill('Order D');
  await titles(page).toEqual(['Order D']);
  expect(asked().at(-1)).toBe('GET /api/orders?page=1&limit=5&search=Order D&sort=total&open=true');
});

test('saves what was edited, and shows the errors of the server beside the field', async () => {
  const { page, memory, asked } = await open();
  await page.getByText('Order B').click();
  const total = page.getByLabel('Total');
  await expect.poll(() => total.inputValue()).toBe('99');
  await total.fill('2000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.ra-input-total').getByText('is too much').waitFor();
  await total.fill('7');
  await page.getByLabel('Title').fill('Order B2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Order B2').waitFor();
  const saved = asked().filter((line) => line.startsWith('PATCH'));
  expect(saved.at(-1)).toBe('PATCH /api/orders/2 {"title":"Order B2","total":7}');
  expect(memory.rows('/api/orders')[1]).toMatchObject({ title: 'Order B2', total: 7, customerId: 2 });
});

test('asks what to do if somebody else has changed the order', async () => {
  const { page, memory } = await open();
  await page.getByText('Order B').click();
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Order B');
  const rows = () => memory.rows('/api/orders') as { title: string; total: number }[];
  // The page reads the row more than once, so it is changed only when the page saves it.
  let isChanged = false;
  await page.route('**/api/orders/2', (route) => {
    if (route.request().method() === 'PATCH' && !isChanged) {
      isChanged = true;
      memory.setRows(
        '/api/orders',
        rows().map((row) => ({ ...row, total: 1 })),
      );
    }
    return route.continue();
  });
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return dialog.accept();
  });
  await page.getByLabel('Title').fill('Mine');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => rows()[1]).toMatchObject({ title: 'Mine', total: 1 });
  expect(asked).toEqual(['Row 2 is another by now. Save yours over it?']);
  await expect.poll(() => page.getByLabel('Total').inputValue()).toBe('1');
});

test('creates an order, and refuses what the model does not take without a request', async () => {
  const { page, asked } = await open();
  await page.getByLabel('Create', { exact: true }).click();
  // The list has a heading of this name.
  await page.getByRole('spinbutton', { name: 'Total' }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.ra-input-title').getByText('must not be empty').waitFor();
  expect(asked().filter((line) => line.startsWith('POST'))).toEqual([]);
  await page.getByLabel('Title').fill('Order 0');
  await page.getByRole('button', { name: 'Save' }).click();
  await titles(page).toEqual(['Order 0', 'Order A', 'Order B', 'Order C', 'Order D']);
  expect(asked().filter((line) => line.startsWith('POST'))).toEqual(['POST /api/orders {"title":"Order 0","total":3}']);
});

test('erases many orders', async () => {
  const { page, memory } = await open();
  const choose = (index: number) => page.locator('tbody').getByRole('checkbox').nth(index).check();
  await choose(0);
  await choose(1);
  await page.getByRole('button', { name: 'Delete' }).click();
  await titles(page).toEqual(['Order C', 'Order D', 'Order E', 'Order F', 'Order G']);
  // Until the user can no longer take it back, nothing is sent.
  await page.getByText('Order C').click();
  await expect.poll(() => memory.rows('/api/orders').length).toBe(10);
});

test('the guide shows the code of this screen', () => {
  expect(codeWithoutScreen('react-admin', 'tsx', ['react/react-admin.tsx'])).toEqual([]);
});
