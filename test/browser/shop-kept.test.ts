import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ShopOptions, ShopPage } from './shop-page.js';
import { shopOfEachTest } from './shop-tests.js';

const [CUSTOMER, STATUS, NOTE] = [2, 4, 5] as const;

let shop: ShopPage;
const openPage = shopOfEachTest();

const open = async (options: ShopOptions = {}) => {
  shop = await openPage(options);
  const alice = shop.pane('Alice');
  await alice.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
  return alice;
};
const cell = (pane: Locator, row: number, column: number) =>
  pane.locator(`[data-row="${row}"][data-column="${column}"]`);
const press = (key: string) => shop.page.keyboard.press(key);
const order = async (id: number) => (await shop.send('GET', `/app/orders/${id}`)).body;
const status = (pane: Locator) => pane.locator('.footer').getByRole('status');
const progress = (pane: Locator) => pane.getByRole('region', { name: 'Progress of the bulk action' });
const outcome = (pane: Locator) => pane.getByRole('region', { name: 'Outcome of the save' });
const isRead = (pane: Locator, text: string) => pane.getByText(text).waitFor();

describe('an editor in the grid', () => {
  test('stays at its order when somebody else erases an order above', async () => {
    const alice = await open();
    const [fourth, fifth] = [await order(4), await order(5)];
    await cell(alice, 3, NOTE).click();
    await press('a');
    await shop.page.keyboard.type('bc');
    await shop.send('DELETE', '/app/orders/1');
    await expect.poll(() => cell(alice, 0, 1).textContent()).toContain('2');
    await shop.page.keyboard.type('def');
    expect(await alice.getByRole('textbox', { name: 'Note of order 4' }).inputValue()).toBe('abcdef');
    await press('Enter');
    await press('Control+s');
    await isRead(outcome(alice), '1 saved');
    expect([(await order(4)).note, (await order(5)).note]).toEqual(['abcdef', fifth.note]);
    await cell(alice, 2, NOTE).click();
    await press('x');
    await shop.send('DELETE', '/app/orders/2');
    await expect.poll(() => cell(alice, 0, 1).textContent()).toContain('3');
    await press('Escape');
    await expect.poll(() => alice.locator('.pending').textContent()).toBe('Nothing to save');
    expect(fourth.id).toBe(4);
  });

  test('chooses the customer that was typed, not one that the server found for an earlier text', async () => {
    // 100 customers, of whom 50 are loaded before anything is typed.
    const alice = await open({ orders: 5000 });
    const { body } = await shop.send('GET', '/app/customers/100');
    await alice.getByRole('button', { name: 'New order' }).click();
    const customer = alice.getByLabel('Customer of the new order');
    await customer.waitFor();
    await shop.situation('Alice', { slow: 1000 });
    await customer.fill(body.name);
    await customer.press('Enter');
    await customer.press('Enter');
    expect(await customer.count()).toBe(1);
    await expect.poll(() => alice.locator('datalist option').count(), { timeout: 10_000 }).toBeGreaterThan(0);
    await shop.situation('Alice', { slow: 0 });
    await customer.press('Enter');
    await expect.poll(() => cell(alice, 0, CUSTOMER).textContent()).toBe(body.name);
    await press('Control+s');
    await isRead(outcome(alice), '1 saved');
    const { body: created } = await shop.send('GET', '/app/orders/5001');
    expect(created.customerName).toBe(body.name);
  });

  test('forgets a customer whose text was changed afterwards', async () => {
    const alice = await open();
    await alice.getByRole('button', { name: 'New order' }).click();
    const customer = alice.getByLabel('Customer of the new order');
    const first = alice.locator('datalist option').first();
    await first.waitFor({ state: 'attached' });
    await customer.fill((await first.getAttribute('value')) ?? '');
    await customer.fill('nobody is called so');
    await customer.press('Tab');
    await isRead(cell(alice, 0, CUSTOMER), 'Choose a customer');
  });
});

test('shows the filters, the search and the groups again after an order was opened', async () => {
  const alice = await open();
  await alice.getByRole('button', { name: 'Filter' }).click();
  await alice.getByRole('checkbox', { name: 'shipped', exact: true }).check();
  await press('Escape');
  await alice.getByRole('searchbox').fill('a');
  await expect.poll(() => status(alice).textContent()).not.toBe('300 orders');
  await alice.getByRole('button', { name: 'Remove the filter Status: shipped' }).waitFor();
  await alice.getByLabel('Group by').selectOption('status');
  await alice.locator('.group-head').first().waitFor();
  const before = await status(alice).textContent();
  await shop.goTo({ alice: 'order/7' });
  await alice.getByLabel('Note').waitFor();
  await shop.goTo({ alice: 'orders' });
  await alice.getByRole('button', { name: 'Remove the filter Status: shipped' }).waitFor();
  expect(await alice.getByRole('searchbox').inputValue()).toBe('a');
  expect(await alice.getByLabel('Group by').inputValue()).toBe('status');
  await expect.poll(() => status(alice).textContent()).toBe(before);
});

test('asks before a reload that would lose an edit', async () => {
  const alice = await open();
  await cell(alice, 0, NOTE).click();
  await press('x');
  await press('Enter');
  const asked = shop.page.waitForEvent('dialog');
  const reload = shop.page.getByRole('button', { name: 'Reload now' }).click();
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await reload;
  expect(await cell(alice, 0, NOTE).textContent()).toContain('x (edited)');
  await alice.getByRole('button', { name: 'Discard' }).click();
  await shop.page.getByRole('button', { name: 'Reload now' }).click();
  await shop.page.waitForLoadState();
  await alice.getByText('Nothing to save').waitFor();
});

test('reads again what has failed as soon as there is a network', async () => {
  shop = await openPage({ places: { alice: 'outbox' } });
  const alice = shop.pane('Alice');
  await alice.getByText('Everything that you saved is on the server.').waitFor();
  const offline = shop.page.getByRole('button', { name: 'Offline' });
  await offline.click();
  await shop.goTo({ alice: 'order/7' });
  await alice.getByRole('alert').waitFor();
  await offline.click();
  await alice.getByLabel('Note').waitFor();
  await alice.getByText('No files yet.').waitFor();
  expect(await alice.getByRole('button', { name: 'Try again' }).count()).toBe(0);
});

test('says that the list has changed, and shows it anew on demand', async () => {
  const alice = await open();
  await alice.getByText('Live', { exact: true }).waitFor();
  await shop.send('POST', '/app/orders', { json: { customerId: 1, placed: '2026-01-02' } });
  const notice = alice.getByRole('region', { name: 'Changes of the list' });
  await isRead(notice, 'The list has changed.');
  await notice.getByRole('button', { name: 'Show it anew' }).click();
  await expect.poll(() => status(alice).textContent()).toBe('301 orders');
  await expect.poll(() => notice.count()).toBe(0);
});

test('keeps the outcome of a save, which is no error for what waits in the outbox', async () => {
  const alice = await open();
  await shop.page.getByLabel('For whom').selectOption('Alice');
  await shop.page.getByRole('button', { name: 'Offline' }).click();
  await cell(alice, 0, NOTE).click();
  await press('x');
  await press('Enter');
  await press('Control+s');
  await press('Control+s');
  const entry = outcome(alice).getByRole('listitem').filter({ hasText: 'kept in the outbox' });
  await entry.waitFor();
  expect(await entry.getAttribute('data-end')).toBe('queued');
  await entry.getByRole('button', { name: 'Open' }).click();
  // The list, which has columns and filters of this name, may be there for a moment.
  await alice.locator('.detail').getByLabel('Note').waitFor();
  await shop.goTo({ alice: 'orders' });
  await entry.waitFor();
  await shop.page.getByRole('button', { name: 'Offline' }).click();
  await isRead(outcome(alice), '1 saved');
  expect(await entry.count()).toBe(0);
});

describe('the groups', () => {
  test('are gone as soon as others are wanted', async () => {
    const alice = await open();
    await alice.getByLabel('Group by').selectOption('status');
    const heads = alice.locator('.group-head');
    await heads.filter({ hasText: 'cancelled' }).waitFor();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await shop.page.route('**/app/orders/sums?*', async (route) => {
      await held;
      await route.continue();
    });
    const asked = shop.page.waitForRequest((request) => request.url().includes('group=customerId'));
    await alice.getByLabel('Group by').selectOption('customerId');
    await asked;
    expect(await heads.count()).toBe(0);
    await isRead(alice, 'Counting the orders');
    goOn();
    await heads.first().waitFor();
    expect(await heads.filter({ hasText: 'cancelled' }).count()).toBe(0);
    await isRead(alice, '300 orders');
  });

  test('give way to one list, also if they fill the screen', async () => {
    // So wide that the footer stays on one line with the sums, and the grid keeps its height.
    const alice = await open({ orders: 1000, width: 1600 });
    await alice.getByLabel('Group by').selectOption('month');
    // As many as there were orders.
    await expect.poll(() => alice.locator('.group-head').count()).toBeGreaterThan(25);
    await alice.getByLabel('Group by').selectOption('');
    await alice.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
    await expect.poll(() => alice.locator('.placeholder').count()).toBe(0);
  });

  test('follow the changes of others', async () => {
    const alice = await open();
    await alice.getByLabel('Group by').selectOption('status');
    const cancelled = alice.locator('.group-head', { hasText: 'cancelled' });
    await cancelled.waitFor();
    const before = await cancelled.textContent();
    const { body } = await shop.send('GET', '/app/orders?status=open&page=1&limit=2');
    for (const { id } of body) await shop.send('PATCH', `/app/orders/${id}`, { json: { status: 'cancelled' } });
    await expect.poll(() => cancelled.textContent(), { timeout: 10_000 }).not.toBe(before);
    const { body: sums } = await shop.send('GET', '/app/orders/sums?group=status');
    const { count } = sums.data.find(({ key }: { readonly key: string }) => key === 'cancelled');
    await isRead(cancelled, `${count} orders`);
  });

  test('that were open show their orders when a filter that hid them is removed', async () => {
    const alice = await open();
    await alice.getByLabel('Group by').selectOption('status');
    const shipped = alice.locator('.group-head', { hasText: 'shipped' });
    await shipped.click();
    await expect.poll(() => alice.locator('.grid-body .order-link').count()).toBeGreaterThan(1);
    await alice.getByRole('button', { name: 'Filter' }).click();
    await alice.getByRole('checkbox', { name: 'open', exact: true }).check();
    await expect.poll(() => shipped.count()).toBe(0);
    await alice.getByRole('checkbox', { name: 'open', exact: true }).uncheck();
    await shipped.waitFor();
    await expect.poll(() => alice.locator('.grid-body .order-link').count()).toBeGreaterThan(1);
    expect(await cell(alice, 0, 0).count()).toBe(1);
  });
});

describe('a bulk action', () => {
  const selectAll = (pane: Locator) => pane.getByLabel('Select all orders that match').check();

  test('counts each order once, also if the orders leave the filter, and while another place is shown', async () => {
    const alice = await open({ orders: 3000 });
    await alice.getByRole('button', { name: 'Filter' }).click();
    await alice.getByRole('checkbox', { name: 'paid', exact: true }).check();
    await press('Escape');
    await expect.poll(() => status(alice).textContent()).not.toBe('3,000 orders');
    const total = (await status(alice).textContent())?.replace(/ orders$/, '');
    const { body: before } = await shop.send('GET', '/app/orders?status=packed&page=1&limit=1');
    expect(before.length).toBe(1);
    await selectAll(alice);
    await shop.situation('Alice', { slow: 300 });
    await alice.getByLabel('Set the status of the selected orders').selectOption('packed');
    await progress(alice)
      .getByText(new RegExp(`^[1-9][\\d,]* of ${total}$`))
      .waitFor();
    await progress(alice).getByRole('button', { name: 'Stop' }).click();
    await progress(alice)
      .getByText(/^Stopped at /)
      .waitFor();
    await shop.situation('Alice', { slow: 0 });
    await progress(alice).getByRole('button', { name: 'Resume' }).click();
    await shop.goTo({ alice: 'categories' });
    await alice.getByRole('treeitem').first().waitFor();
    await shop.goTo({ alice: 'orders' });
    await progress(alice).getByText(`Done: ${total} of ${total}`).waitFor({ timeout: 30_000 });
    expect((await shop.send('GET', '/app/orders?status=paid')).body).toEqual([]);
  });

  test('that erases is stopped and goes on, and erases nothing twice', async () => {
    const alice = await open({ orders: 2000 });
    await selectAll(alice);
    await shop.situation('Alice', { slow: 400 });
    await alice.getByRole('button', { name: 'Erase…' }).click();
    await alice.getByRole('button', { name: 'Erase 2,000' }).click();
    await progress(alice)
      .getByText(/^[1-9][\d,]* of 2,000$/)
      .waitFor();
    await progress(alice).getByRole('button', { name: 'Stop' }).click();
    await progress(alice)
      .getByText(/^Stopped at /)
      .waitFor();
    await shop.situation('Alice', { slow: 0 });
    await progress(alice).getByRole('button', { name: 'Resume' }).click();
    await progress(alice)
      .getByText(/^Done: /)
      .waitFor({ timeout: 30_000 });
    expect(await progress(alice).getByRole('status').textContent()).not.toContain('refused');
    expect((await shop.send('GET', '/app/orders?page=1&limit=1')).body).toEqual([]);
  });

  test('that erases goes on with all orders behind some that are gone', async () => {
    const alice = await open({ orders: 1600 });
    await selectAll(alice);
    let requests = 0;
    await shop.page.route('**/app/orders*', async (route) => {
      const request = route.request();
      // A part of the second page is erased before its request arrives, as by a request that was given up.
      if (request.method() === 'DELETE' && ++requests === 2)
        await shop.send('DELETE', '/app/orders', { json: (request.postDataJSON() as unknown[]).slice(0, 300) });
      await route.continue();
    });
    await alice.getByRole('button', { name: 'Erase…' }).click();
    await alice.getByRole('button', { name: 'Erase 1,600' }).click();
    await isRead(progress(alice), 'Done: 1,300 of 1,600');
    expect((await shop.send('GET', '/app/orders?page=1&limit=1')).body).toEqual([]);
  });

  test('ends if another selection has taken its place, and offers no try that cannot help', async () => {
    const alice = await open({ orders: 1200 });
    await selectAll(alice);
    await shop.situation('Alice', { slow: 500 });
    await alice.getByRole('button', { name: 'Mark urgent' }).click();
    await progress(alice).waitFor();
    await alice.getByLabel('Select all orders that match').uncheck();
    await progress(alice).getByRole('alert').getByText('The selection has changed, so this has stopped.').waitFor();
    await shop.situation('Alice', { slow: 0 });
    const offered = await progress(alice).getByRole('button').allTextContents();
    expect(offered).toEqual(['Close']);
    await progress(alice).getByRole('button', { name: 'Close' }).click();
    await selectAll(alice);
    await alice.getByRole('button', { name: 'Mark urgent' }).click();
    await isRead(progress(alice), 'Done: 1,200 of 1,200');
  });

  test('stops while the server fails, and goes on after that', async () => {
    const alice = await open({ orders: 1200 });
    await selectAll(alice);
    await shop.situation('Alice', { broken: '500' });
    await alice.getByRole('button', { name: 'Mark urgent' }).click();
    await progress(alice).getByRole('alert').waitFor();
    await isRead(progress(alice), 'Stopped at 0 of 1,200');
    await shop.situation('Alice', { broken: '422' });
    await progress(alice).getByRole('button', { name: 'Try again' }).click();
    // Those that were urgent already have nothing to send.
    await progress(alice)
      .getByText(/^Done: \d+ of 1,200, 1,\d+ refused$/)
      .waitFor();
    // The refused orders are named with the reason, and marked where they stand.
    const refused = progress(alice).getByRole('list', { name: 'Orders that were refused' }).getByRole('listitem');
    await refused.first().waitFor();
    const [first = '', ...others] = await refused.allTextContents();
    expect(first).toMatch(/^Order \d+\w.{10,}Open$/);
    expect(others.at(-1)).toMatch(/^and [\d,]+ more$/);
    const id = /\d+/.exec(first)?.[0];
    const row = alice.getByRole('row').filter({ has: shop.page.getByLabel(`Select order ${id}`, { exact: true }) });
    await expect.poll(() => row.getAttribute('data-refused')).toBe('true');
    expect(await row.locator('.state-cell').textContent()).toMatch(/^Refused: /);
    await progress(alice).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => alice.locator('[data-refused="true"]').count()).toBe(0);
    await shop.situation('Alice', { broken: null });
    await selectAll(alice);
    await alice.getByRole('button', { name: 'Mark urgent' }).click();
    await isRead(progress(alice), 'Done: 1,200 of 1,200');
    expect((await order(1200)).urgent).toBe(true);
  });
});

test('starts with columns as at first if the browser has stored nonsense', async () => {
  const alice = await open();
  const heads = () => alice.getByRole('columnheader').allTextContents();
  const before = await heads();
  for (const text of [
    '{',
    '7',
    '{"columnOrder":["id","id","nonsense"],"columnSizing":"x","columnVisibility":{"id":7}}',
  ]) {
    await shop.page.evaluate((stored) => localStorage.setItem('shop-columns-Alice', stored), text);
    await shop.page.reload();
    await expect.poll(heads).toEqual(before);
  }
});

test('has the status of a group in each of its rows', async () => {
  const alice = await open();
  await alice.getByLabel('Group by').selectOption('status');
  await alice.locator('.group-head', { hasText: 'open' }).click();
  await expect.poll(() => alice.locator(`.grid-body [data-column="${STATUS}"] .status`).count()).toBeGreaterThan(1);
});
