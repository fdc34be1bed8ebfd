import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { codeWithoutScreen } from './guide-code.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

const orders = () =>
  restServer({
    collections: {
      '/api/orders': [
        { id: 7, no: 'A-7', total: 12, customerId: 1 },
        { id: 8, no: 'A-8', total: 5, customerId: null },
        { id: 9, no: 'A-9', total: 5, customerId: 99 },
      ],
      '/api/customers': [{ id: 1, name: 'Ada' }],
    },
  });
const choose = (page: Page, id: string) => page.getByLabel('Number').fill(id);
const shown = (page: Page) => expect.poll(() => page.locator('#root').textContent());
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe.each([
  ['as written', {}],
  ['compiled by the React Compiler', { compiler: true }],
  ['in StrictMode, with the warnings of React', { mode: 'development' }],
] as const)('the detail screen of the guide, %s', (_, options) => {
  test('shows an order with the name of its customer, saves and erases it', async () => {
    const server = orders();
    screens.answerFrom(server);
    const page = await screens.open('detail', options);
    await shown(page).toContain('Choose an order.');
    await choose(page, '7');
    await shown(page).toContain('Customer: Ada');
    await page.getByLabel('Total').fill('-1');
    await button(page, 'Save').click();
    await expect.poll(() => page.locator('em').allTextContents()).toEqual(['', 'must be at least 0']);
    await page.getByLabel('Total').fill('12.05');
    await button(page, 'Save').click();
    await expect.poll(() => server.rows('/api/orders')[0]?.['total']).toBe(12.05);
    await expect.poll(() => button(page, 'Save').isDisabled()).toBe(true);
    await button(page, 'Remove').click();
    await shown(page).toContain('Choose an order.');
    expect(server.rows('/api/orders').map(({ id }) => id)).toEqual([8, 9]);
  });

  test('says that there is no such order, no customer, and that the server has failed', async () => {
    screens.answerFrom(orders());
    const page = await screens.open('detail', options);
    await choose(page, '70');
    await shown(page).toContain('There is no order 70.');
    await choose(page, '8');
    await shown(page).toContain('No customer');
    await choose(page, '9');
    await shown(page).toContain('Customer: unknown');
    screens.server.always(() => ({ status: 500 }));
    await choose(page, '7');
    await shown(page).toContain('The server could not do this.');
    screens.answerFrom(orders());
    await button(page, 'Try again').click();
    await shown(page).toContain('Customer: Ada');
  });
});

test('the guide shows this screen', () => {
  expect(codeWithoutScreen('detail-screen', 'tsx', ['react/detail.tsx'])).toEqual([]);
});
