import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ShopOptions, ShopPage } from './shop-page.js';
import { shopOfEachTest } from './shop-tests.js';

const SCREENSHOTS = fileURLToPath(new URL('../../.cache/screenshots', import.meta.url));
const [CUSTOMER, STATUS, NOTE, TOTAL, URGENT] = [2, 4, 5, 7, 8] as const;

let shop: ShopPage;
const openPage = shopOfEachTest();
beforeAll(() => {
  mkdirSync(SCREENSHOTS, { recursive: true });
});

async function open(options: ShopOptions = {}): Promise<Locator> {
  shop = await openPage(options);
  const alice = shop.pane('Alice');
  await alice.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
  return alice;
}

function cell(pane: Locator, row: number, column: number): Locator {
  return pane.locator(`[data-row="${row}"][data-column="${column}"]`);
}

const press = (key: string) => shop.page.keyboard.press(key);
const focused = () =>
  shop.page.evaluate(() => [
    document.activeElement?.getAttribute('data-row'),
    document.activeElement?.getAttribute('data-column'),
  ]);
const status = (pane: Locator) => pane.locator('.footer').getByRole('status');
const stored = async (id: number) => (await shop.send('GET', `/app/orders/${id}`)).body;
const outcome = (pane: Locator) => pane.getByRole('region', { name: 'Outcome of the save' });

async function typeNote(pane: Locator, row: number, text: string): Promise<void> {
  await cell(pane, row, NOTE).click();
  await press('F2');
  await pane.getByRole('textbox', { name: 'Note of order' }).fill(text);
  await press('Enter');
}

test('is usable by everybody, in light and dark, on small and large screens', async () => {
  for (const [width, dark] of [
    [390, false],
    [1280, true],
    [1920, false],
  ] as const) {
    if (width !== 390) await shop.close();
    const alice = await open({ width, dark });
    expect(await shop.violations()).toEqual([]);
    await alice.getByRole('button', { name: 'Filter' }).click();
    expect(await shop.violations()).toEqual([]);
    await shop.page.screenshot({ path: `${SCREENSHOTS}/grid-${width}-${dark ? 'dark' : 'light'}.png` });
    // Nothing is wider than the page.
    expect(await shop.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
});

test('moves by the keyboard to any of the orders', async () => {
  const alice = await open({ orders: 5000 });
  await cell(alice, 0, CUSTOMER).click();
  await press('ArrowDown');
  expect(await focused()).toEqual(['1', '2']);
  await press('Control+End');
  await expect.poll(focused).toEqual(['4999', '10']);
  await alice.getByRole('button', { name: 'Open order 5000', exact: true }).waitFor();
  // The cell keeps the focus when its order has arrived.
  expect(await focused()).toEqual(['4999', '10']);
  await press('Home');
  await press('PageUp');
  expect(Number((await focused())[0])).toBeLessThan(4990);
  await press('Control+Home');
  await press('ArrowUp');
  expect(await focused()).toEqual(['-1', '0']);
  expect(await alice.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001');
});

test('sorts by a click on a head, and by the keyboard', async () => {
  const alice = await open();
  const head = alice.getByRole('columnheader', { name: 'Total' });
  await head.click();
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('ascending');
  await head.press('Enter');
  await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
  const { body } = await shop.send('GET', '/app/orders?limit=1&page=1&sort=-total');
  const [largest] = (Array.isArray(body) ? body : body.data) as { readonly id: number }[];
  await expect.poll(() => cell(alice, 0, 1).textContent()).toContain(String(largest?.id));
});

test('searches, filters by columns, and removes a filter', async () => {
  const alice = await open();
  await alice.getByRole('button', { name: 'Filter' }).click();
  await alice.getByRole('checkbox', { name: 'shipped', exact: true }).check();
  await alice.getByLabel('Total from').fill('100');
  const all = status(alice);
  await expect.poll(() => all.textContent()).not.toBe('300 orders');
  await press('Escape');
  await expect.poll(() => cell(alice, 0, STATUS).textContent()).toContain('shipped');
  await alice.getByRole('button', { name: 'Remove the filter Status: shipped' }).click();
  await alice.getByRole('button', { name: 'Remove all' }).click();
  await expect.poll(() => all.textContent()).toBe('300 orders');
  await alice.getByRole('searchbox').fill('no such customer anywhere');
  await alice.getByText('No order matches.').waitFor();
});

test('groups with sums of the server, and loads the orders of an open group', async () => {
  const alice = await open();
  await alice.getByLabel('Group by').selectOption('status');
  const groups = alice.locator('.group-head');
  await groups.first().waitFor();
  const { body } = await shop.send('GET', '/app/orders/sums?group=status');
  expect(await groups.count()).toBe(body.data.length);
  await groups.first().click();
  await expect.poll(() => cell(alice, 1, STATUS).textContent()).toContain(body.data[0].label);
  await expect.poll(() => status(alice).textContent()).toContain('300 orders');
  expect(await shop.violations()).toEqual([]);
});

test('arranges columns, and keeps the arrangement over a reload', async () => {
  const alice = await open();
  await alice.getByRole('columnheader', { name: 'Note' }).focus();
  await press('Shift+ArrowRight');
  await press('Alt+ArrowLeft');
  await alice.getByRole('button', { name: 'Columns' }).click();
  await alice.getByRole('checkbox', { name: 'City' }).check();
  await alice.getByRole('checkbox', { name: 'Category' }).uncheck();
  const heads = () => alice.getByRole('columnheader').allTextContents();
  const before = await heads();
  expect(before.indexOf('Note')).toBeLessThan(before.indexOf('Urgent'));
  expect(before).toContain('City');
  expect(before).not.toContain('Category');
  await shop.page.reload();
  await expect.poll(heads).toEqual(before);
});

test('saves edits of several rows, says how each ended, and shows them to the other person', async () => {
  const alice = await open();
  await typeNote(alice, 0, 'By Alice');
  await cell(alice, 1, URGENT).focus();
  await press('Space');
  expect(await alice.locator('.pending').textContent()).toMatch(/^\d to save$/);
  expect(await cell(alice, 0, NOTE).textContent()).toContain('(edited)');
  await alice.getByRole('button', { name: 'Save all' }).click();
  await outcome(alice).getByText('2 saved', { exact: true }).waitFor();
  expect((await stored(1)).note).toBe('By Alice');
  await expect.poll(() => cell(shop.pane('Bob'), 0, NOTE).textContent()).toBe('By Alice');
  expect(await shop.violations()).toEqual([]);
});

test('undoes an edit by the keyboard, also one that was saved', async () => {
  const alice = await open();
  const before = (await stored(2)).note;
  await typeNote(alice, 1, 'To be undone');
  await press('Control+z');
  await expect.poll(() => alice.locator('.pending').textContent()).toBe('Nothing to save');
  await press('Control+Shift+Z');
  await expect.poll(() => cell(alice, 1, NOTE).textContent()).toContain('To be undone');
  await press('Control+s');
  await outcome(alice).getByText('1 saved', { exact: true }).waitFor();
  await cell(alice, 1, NOTE).click();
  await press('Control+z');
  await expect.poll(async () => (await stored(2)).note).toBe(before);
});

test('shows an error of the model at its cell, and one of the server at its row', async () => {
  const alice = await open();
  await typeNote(alice, 0, 'x'.repeat(201));
  await cell(alice, 0, NOTE).hover();
  await alice.getByText('Must be at most 200 characters long').waitFor();
  await alice.getByRole('button', { name: 'Save all' }).click();
  await outcome(alice).getByText('1 not saved').waitFor();
  await alice.getByRole('button', { name: 'Discard' }).click();
  await shop.situation('Alice', { broken: '422' });
  await typeNote(alice, 0, 'Refused');
  await alice.getByRole('button', { name: 'Save all' }).click();
  await outcome(alice).getByText('1 not saved').waitFor();
  await cell(alice, 0, NOTE).hover();
  await alice.getByText('Is refused by the server today').first().waitFor();
  await shop.situation('Alice', { broken: null });
  await typeNote(alice, 0, 'Taken');
  await alice.getByRole('button', { name: 'Save all' }).click();
  await expect.poll(async () => (await stored(1)).note).toBe('Taken');
});

test('adds an order with a customer, and erases another one', async () => {
  const alice = await open();
  await alice.getByRole('button', { name: 'New order' }).click();
  const customer = alice.getByLabel('Customer of the new order');
  await customer.waitFor();
  const { body } = await shop.send('GET', '/app/customers?limit=1&page=1');
  const [{ name }] = (Array.isArray(body) ? body : body.data) as [{ readonly name: string }];
  await customer.fill(name);
  await expect.poll(() => cell(alice, 0, CUSTOMER).locator('option').count()).toBeGreaterThan(0);
  await customer.press('Enter');
  await expect.poll(() => cell(alice, 0, CUSTOMER).textContent()).not.toContain('Choose');
  await cell(alice, 1, CUSTOMER).click();
  await press('Delete');
  await alice.getByRole('button', { name: 'Save all' }).click();
  await outcome(alice).getByText('2 saved', { exact: true }).waitFor();
  expect((await shop.send('GET', '/app/orders/1')).status).toBe(404);
  expect((await stored(301)).status).toBe('open');
});

test('edits all orders that match, can be stopped, and goes on', async () => {
  const alice = await open({ orders: 6000 });
  await typeNote(alice, 0, 'Not saved by the bulk action');
  await alice.getByLabel('Select all orders that match').check();
  await shop.situation('Alice', { slow: 300 });
  await alice.getByLabel('Set the status of the selected orders').selectOption('packed');
  const progress = alice.getByRole('region', { name: 'Progress of the bulk action' });
  await progress.getByText(/^[1-9][\d,]* of 6,000$/).waitFor();
  await progress.getByRole('button', { name: 'Stop' }).click();
  await progress.getByText(/^Stopped at /).waitFor();
  await shop.situation('Alice', { slow: 0 });
  await progress.getByRole('button', { name: 'Resume' }).click();
  await progress.getByText('Done: 6,000 of 6,000').waitFor({ timeout: 50_000 });
  expect((await stored(6000)).status).toBe('packed');
  expect((await stored(1)).note).not.toBe('Not saved by the bulk action');
  await progress.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => cell(alice, 1, STATUS).textContent()).toContain('packed');
  expect(await alice.locator('.pending').textContent()).toBe('1 to save');
});

test('erases the selected orders after a question', async () => {
  const alice = await open();
  await alice.getByRole('checkbox', { name: 'Select order 2', exact: true }).check();
  await alice.getByRole('checkbox', { name: 'Select order 3', exact: true }).check();
  await alice.getByRole('button', { name: 'Erase…' }).click();
  await alice.getByRole('button', { name: 'Erase 2' }).click();
  await alice.getByText('Done: 2 of 2').waitFor();
  await expect.poll(() => status(alice).textContent()).toBe('298 orders');
  expect((await shop.send('GET', '/app/orders/3')).status).toBe(404);
});

test('says that the server fails, and shows the orders after another try', async () => {
  const alice = await open({ orders: 5000 });
  await shop.withoutFeeds();
  for (const broken of ['500', 'html', 'down']) {
    await shop.situation('Alice', { broken });
    await alice.getByRole('columnheader', { name: 'Total' }).click();
    const notice = alice.getByRole('alert').filter({ has: shop.page.getByRole('button', { name: 'Try again' }) });
    await notice.first().waitFor();
    expect((await notice.first().textContent())?.length).toBeGreaterThan(20);
    await expect.poll(() => alice.getByRole('grid').getAttribute('aria-busy')).toBe('false');
    await shop.situation('Alice', { broken: null });
    await notice.first().getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => notice.count()).toBe(0);
    await expect.poll(() => cell(alice, 0, TOTAL).textContent()).toMatch(/\d/);
  }
});

test('keeps edits made offline in the outbox, and sends them when the network is back', async () => {
  const alice = await open();
  await shop.page.getByLabel('For whom').selectOption('Alice');
  await shop.page.getByRole('button', { name: 'Offline' }).click();
  await alice.getByText('Offline', { exact: true }).waitFor();
  await typeNote(alice, 0, 'Written offline');
  await alice.getByRole('button', { name: 'Save all' }).click();
  await outcome(alice).getByText('1 in the outbox').waitFor();
  expect((await stored(1)).note).not.toBe('Written offline');
  await shop.page.getByRole('button', { name: 'Offline' }).click();
  await expect.poll(async () => (await stored(1)).note, { timeout: 20_000 }).toBe('Written offline');
});

test('shows what somebody else changed, and the code that does it', async () => {
  const alice = await open();
  const rows = () => alice.locator('.grid-body').textContent();
  const before = await rows();
  await shop.page.getByRole('button', { name: 'Change something elsewhere' }).click();
  await shop.page.getByText(/^Carol has changed order \d+\.$/).waitFor();
  await expect.poll(rows).not.toBe(before);
  await alice.getByRole('button', { name: 'Show the code: A grid of 100,000 orders' }).click();
  const dialog = shop.page.getByRole('dialog', { name: 'A grid of 100,000 orders' });
  await dialog.getByText('class OrderSections').waitFor();
  expect(await shop.violations()).toEqual([]);
});

test('shows the note and the number of lines beside another pane at 1,280 pixels', async () => {
  const alice = await open({ width: 1280, height: 720 });
  const grid = await alice.getByRole('grid').boundingBox();
  for (const name of ['Note', 'Lines']) {
    const head = await alice.getByRole('columnheader', { name }).boundingBox();
    expect((head?.x ?? Number.NaN) + (head?.width ?? Number.NaN), name).toBeLessThanOrEqual(
      (grid?.x ?? Number.NaN) + (grid?.width ?? Number.NaN),
    );
  }
  await shop.goTo({ alice: 'order/7' });
  for (const place of [alice.getByLabel('Note'), alice.getByLabel(/^Quantity of/).first()])
    await expect.poll(async () => (await place.boundingBox())?.y).toBeLessThan(690);
});

test('folds the controls on a small screen', async () => {
  await open({ width: 390 });
  const controls = shop.page.getByRole('toolbar', { name: 'Make trouble' });
  const offline = controls.getByRole('button', { name: 'Offline' });
  expect(await offline.isVisible()).toBe(false);
  expect((await shop.page.locator('header.top').boundingBox())?.height).toBeLessThan(60);
  await controls.getByRole('button', { name: 'Make trouble' }).click();
  await offline.click();
  await expect.poll(() => offline.getAttribute('aria-pressed')).toBe('true');
});

test('shows one person at a time on a small screen', async () => {
  await open({ width: 390 });
  expect(await shop.pane('Bob').isVisible()).toBe(false);
  await shop.page.getByRole('button', { name: 'Bob', exact: true }).click();
  expect(await shop.pane('Alice').isVisible()).toBe(false);
  await cell(shop.pane('Bob'), 0, 1).waitFor();
});
