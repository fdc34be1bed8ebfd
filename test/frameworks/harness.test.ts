import type { Page } from 'playwright-core';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

const screens = screensOf('react');
const ROWS = [
  { id: 1, title: 'First' },
  { id: 2, title: 'Second' },
];

const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const status = (page: Page) => expect.poll(() => page.getByRole('status').textContent());

test('a screen talks to a server in memory', async () => {
  const memory = restServer({ collections: { '/api/tasks': ROWS } });
  screens.answerFrom(memory);
  const page = await screens.open('server');
  await press(page, 'Load');
  await status(page).toBe('done');
  expect(await page.getByRole('listitem').allTextContents()).toEqual(['First', 'Second']);
  await press(page, 'Save');
  await status(page).toBe('done');
  expect(memory.rows('/api/tasks')[0]).toEqual({ id: 1, title: 'Changed' });
  expect(screens.server.lines[1]).toMatch(/^PUT \/api\/tasks\/1\?/);
});

test('a fault of the server in memory cuts the connection to the page', async () => {
  screens.answerFrom(restServer({ collections: { '/api/tasks': ROWS }, faults: ['drop'] }));
  const page = await screens.open('server');
  await press(page, 'Load');
  await status(page).toBe('network');
  await press(page, 'Load');
  await status(page).toBe('done');
});

test('a scripted response comes before those of the server in memory, and can be held', async () => {
  screens.answerFrom(restServer({ collections: { '/api/tasks': ROWS } }));
  const held = screens.server.hold();
  const page = await screens.open('server');
  await press(page, 'Load');
  expect((await held.request).path).toBe('/api/tasks');
  expect(await page.getByRole('status').textContent()).toBe('waiting');
  held.answer({ status: 500 });
  await status(page).toBe('http');
});

test('a page can lose its network', async () => {
  screens.answerFrom(restServer({ collections: { '/api/tasks': ROWS } }));
  const page = await screens.open('server');
  await page.context().setOffline(true);
  await press(page, 'Load');
  await status(page).toBe('network');
  expect(screens.server.requests).toEqual([]);
  await page.context().setOffline(false);
  await press(page, 'Load');
  await status(page).toBe('done');
});

test('errors and warnings in the console are collected', async () => {
  const page = await screens.open('server');
  await page.evaluate(() => console.warn('A warning'));
  await page.evaluate(() => void setTimeout(() => Promise.reject(new Error('An error'))));
  await expect.poll(() => screens.complaints).toEqual(['A warning', 'An error']);
  screens.complaints.length = 0;
});

test('a build for development contains the warnings of the framework', async () => {
  const warning = 'Each child in a list should have a unique';
  expect((await screens.build('server', { mode: 'development' })).script).toContain(warning);
  expect((await screens.build('server')).script).not.toContain(warning);
});

test('a screen with a mistake is not built', async () => {
  await expect(screens.build('missing')).rejects.toThrow('missing.tsx');
});
