import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { blocksOf, readPage } from '../docs/markdown.js';
import { screensOf } from './harness.js';

const screens = screensOf('react');

const row = (id: number) => ({ id, no: `A-${String(id).padStart(2, '0')}`, total: id, due: null });
const orders = (count: number) =>
  restServer({ collections: { '/api/orders': Array.from({ length: count }, (_, at) => row(count - at)) } });

const numbers = (page: Page) =>
  expect.poll(() =>
    page.locator('input[name=no]').evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)),
  );

describe.each([
  ['as written', {}],
  ['compiled by the React Compiler', { compiler: true }],
  ['in StrictMode, with the warnings of React', { mode: 'development' }],
] as const)('the screen of the README, %s', (_, options) => {
  test('asks for a sorted page, searches, edits and saves', async () => {
    const server = orders(60);
    screens.answerFrom(server);
    const page = await screens.open('readme', options);
    await numbers(page).toHaveLength(25);
    await numbers(page).toEqual(Array.from({ length: 25 }, (_each, at) => row(at + 1).no));
    const lists = () => screens.server.requests.filter(({ url }) => url.includes('?')).map(({ url }) => url);
    expect(lists().every((url) => url.includes('sort=no') && url.includes('limit=25'))).toBe(true);
    const total = page.locator('input[name=total]').first();
    await total.fill('12.05');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await expect.poll(() => server.rows('/api/orders').find((each) => each['id'] === 1)?.['total']).toBe(12.05);
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).first().isDisabled()).toBe(true);
    await page.getByRole('searchbox').fill('A-07');
    await expect.poll(() => lists().at(-1)).toContain('A-07');
  });

  test('says in one sentence that the load has failed, and tries again', async () => {
    screens.server.always(() => ({ status: 500 }));
    const page = await screens.open('readme', options);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The server could not do this.');
    screens.answerFrom(orders(3));
    await page.getByRole('button', { name: 'Try again' }).click();
    await numbers(page).toEqual(['A-01', 'A-02', 'A-03']);
  });

  test('keeps the input of a search that fails, and the rows beside its error', async () => {
    screens.answerFrom(orders(60));
    const page = await screens.open('readme', options);
    await numbers(page).toHaveLength(25);
    screens.server.always(() => ({ status: 500 }));
    await page.getByRole('searchbox').pressSequentially('A-02');
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    expect(await page.getByRole('searchbox').inputValue()).toBe('A-02');
    await numbers(page).toHaveLength(25);
    screens.answerFrom(orders(60));
    await page.getByRole('button', { name: 'Try again' }).click();
    await numbers(page).toEqual(['A-02']);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});

test('README shows this screen', () => {
  const screen = blocksOf(readPage('README.md').text).find(({ language }) => language === 'tsx');
  expect(`${screen?.code}\n`).toBe(readPage('test/frameworks/screens/react/readme.tsx').text);
});
