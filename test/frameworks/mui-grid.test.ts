import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveOrders } from './adapters-server.js';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

async function open() {
  const server = serveOrders(screens);
  const page = await screens.open('mui-grid');
  await page.getByText('Order A').waitFor();
  return { page, ...server };
}

const titles = (page: Page) => expect.poll(() => page.locator('[role=gridcell][data-field=title]').allTextContents());
const cell = (page: Page, id: number, field: string) => page.locator(`[data-id="${id}"] [data-field=${field}]`);

test('lists, sorts and pages orders', async () => {
  const { page, asked } = await open();
  await titles(page).toEqual(['Order A', 'Order B', 'Order C', 'Order D', 'Order E']);
  await page.getByText('1–5 of 12').waitFor();
  expect(asked()).toEqual(['GET /api/orders?page=1&limit=5']);
  await page.getByRole('button', { name: 'next page' }).click();
  await titles(page).toEqual(['Order F', 'Order G', 'Order H', 'Order I', 'Order J']);
  await page.getByRole('columnheader', { name: 'total' }).click();
  await titles(page).toEqual(['Order L', 'Order K', 'Order J', 'Order I', 'Order H']);
  expect(asked().at(-1)).toBe('GET /api/orders?page=1&limit=5&sort=total');
});

test('filters by the panel of the grid, and searches by its quick filter', async () => {
  const { page, asked } = await open();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Column' }).click();
  await page.getByRole('option', { name: 'total' }).click();
  await page.getByRole('spinbutton', { name: 'Value' }).fill('98');
  await titles(page).toEqual(['Order C']);
  expect(asked().at(-1)).toBe('GET /api/orders?page=1&limit=5&total=98');
  await page.keyboard.press('Escape');
});

test('saves an edited cell, and tells which field the server refuses', async () => {
  const { page, memory, asked } = await open();
  const edit = async (text: string) => {
    await cell(page, 2, 'total').dblclick();
    await cell(page, 2, 'total').getByRole('spinbutton').fill(text);
    await page.keyboard.press('Enter');
  };
  await edit('7');
  await expect.poll(() => memory.rows('/api/orders')[1]).toMatchObject({ total: 7 });
  expect(asked().at(-1)).toBe('PATCH /api/orders/2 {"total":7}');
  // The grid keeps its input until the save is answered.
  await expect.poll(() => page.getByRole('spinbutton').count()).toBe(0);
  await edit('2000');
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('total is too much');
});

test('tells that the server cannot apply a filter, without asking it', async () => {
  const { page, asked } = await open();
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Operator' }).click();
  await page.getByRole('option', { name: 'starts with' }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('x');
  await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/./);
  expect(asked().every((line) => !line.includes('x'))).toBe(true);
});

test('the guide shows the code of this screen', () => {
  expect(codeWithoutScreen('mui-grid', 'tsx', ['react/mui-grid.tsx'])).toEqual([]);
});
