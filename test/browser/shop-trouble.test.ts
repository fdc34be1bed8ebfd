import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from './chromium.js';
import { openShop, type ShopOptions, type ShopPage } from './shop-page.js';

let browser: Browser;
let shop: ShopPage;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());
afterEach(async () => {
  const { complaints } = shop;
  await shop.close();
  expect(complaints).toEqual([]);
});

const open = async (options: ShopOptions) => {
  shop = await openShop(browser, options);
  return { alice: shop.pane('Alice'), bob: shop.pane('Bob') };
};
const save = (pane: Locator) => pane.getByRole('button', { name: 'Save order and lines' }).click();
const noteOf = async () => (await shop.send('GET', '/app/orders/7')).body.note;
/** Nothing says any more that something is on its way. */
const expectRest = (pane: Locator) =>
  expect.poll(() => pane.locator('[aria-busy="true"]').count(), { timeout: 15_000 }).toBe(0);

describe.each([
  ['500', 'answers 500'],
  ['html', 'answers HTML for JSON'],
  ['down', 'is down'],
])('the server that %s', (broken, title) => {
  test(`(${title}) leaves a sentence and a way on where an order is opened`, async () => {
    const { alice } = await open({ places: { alice: 'outbox' } });
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    await shop.situation('Alice', { broken });
    await shop.goTo({ alice: 'order/7' });
    const notice = alice.getByRole('alert');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^[A-Z][^<{]+\.Try again$/);
    await expectRest(alice);
    await shop.situation('Alice', { broken: null });
    await notice.getByRole('button', { name: 'Try again' }).click();
    await alice.getByLabel('Note').waitFor();
    await expectRest(alice);
  });

  test(`(${title}) leaves a sentence and a way on in the tree`, async () => {
    const { alice } = await open({ places: { alice: 'outbox' } });
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    await shop.situation('Alice', { broken });
    await shop.goTo({ alice: 'categories' });
    const notice = alice.getByRole('alert');
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^[A-Z][^<{]+\.Try again$/);
    await expectRest(alice);
    await shop.situation('Alice', { broken: null });
    await notice.getByRole('button', { name: 'Try again' }).click();
    await alice.getByRole('treeitem', { name: 'Garden' }).waitFor();
    await expectRest(alice);
  });

  test(`(${title}) loses no save`, async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await shop.situation('Alice', { broken });
    await alice.getByLabel('Note').fill('Not lost');
    await save(alice);
    // A page of HTML is an answer, so that somebody has to decide; without an answer, the outbox sends the save again by itself.
    const sentence = broken === 'html' ? 'The server could not do this.' : 'One record is kept, and sent as soon as';
    await alice.getByText(sentence).waitFor();
    await expectRest(alice);
    await shop.goTo({ alice: 'outbox' });
    await alice.getByText('note: Not lost').waitFor();
    await shop.situation('Alice', { broken: null });
    await alice.getByRole('button', { name: broken === 'html' ? 'Send again' : 'Send now' }).click();
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    expect(await noteOf()).toBe('Not lost');
  });
});

test('a slow server shows that something is on its way, and then no longer', async () => {
  const { alice } = await open({ places: { alice: 'outbox' } });
  await alice.getByText('Everything that you saved is on the server.').waitFor();
  await shop.situation('Alice', { slow: 1500 });
  await shop.goTo({ alice: 'order/7' });
  await alice.getByText('Loading order 7').waitFor();
  await alice.getByLabel('Note').waitFor();
  await shop.situation('Alice', { slow: 0 });
  await expectRest(alice);
});

test('a 409 to a save is compared, and saved once the server agrees', async () => {
  const { alice } = await open({ places: { alice: 'order/7' } });
  await alice.getByLabel('Note').waitFor();
  await shop.situation('Alice', { broken: '409' });
  await alice.getByLabel('Note').fill('Insisted');
  await save(alice);
  await alice.getByRole('button', { name: 'Compare' }).click();
  const dialog = shop.page.getByRole('dialog', { name: 'Order 7: two versions' });
  await dialog.getByRole('row', { name: /^Note/ }).waitFor();
  await shop.situation('Alice', { broken: null });
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await alice.getByText('Your version was saved.').waitFor();
  expect(await noteOf()).toBe('Insisted');
});

test('a 401 that no sign-in mends is asked for, and nothing is lost', async () => {
  const { alice } = await open({ places: { alice: 'outbox' } });
  await alice.getByText('Everything that you saved is on the server.').waitFor();
  await shop.situation('Alice', { broken: '401' });
  await shop.goTo({ alice: 'order/7' });
  await alice.getByRole('button', { name: 'Sign in as Alice' }).click();
  await alice.getByLabel('Note').waitFor();
  await expectRest(alice);
});

describe('a feed', () => {
  const change = (note: string) => shop.send('PATCH', '/app/orders/7', { json: { note } });

  test.each(['repeat', 'reorder'])('that makes the mistake "%s" ends with what the server has', async (feed) => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await alice.getByText('Live', { exact: true }).waitFor();
    await shop.situation('Alice', { feed });
    for (const note of ['one', 'two', 'three']) await change(note);
    await expect.poll(() => alice.getByLabel('Note').inputValue()).toBe('three');
    await alice.locator('.history q', { hasText: 'three' }).waitFor();
    await alice.getByLabel('Note').fill('mine');
    await save(alice);
    await alice.getByText('One record is saved.').waitFor();
    expect(await noteOf()).toBe('mine');
  });

  test('that skips changes overwrites nothing: the save is a conflict', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await alice.getByText('Live', { exact: true }).waitFor();
    await shop.situation('Alice', { feed: 'silent' });
    await change('unseen');
    await alice.getByLabel('Note').fill('mine');
    await save(alice);
    await alice.getByRole('button', { name: 'Compare' }).waitFor();
    expect(await noteOf()).toBe('unseen');
    await expectRest(alice);
  });

  test('that was interrupted brings what was missed', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await alice.getByText('Live', { exact: true }).waitFor();
    await shop.situation('Alice', { broken: '500' });
    await alice.getByText('Connecting', { exact: true }).waitFor();
    await change('while it was away');
    await shop.situation('Alice', { broken: null });
    await expect.poll(() => alice.getByLabel('Note').inputValue(), { timeout: 15_000 }).toBe('while it was away');
    await alice.getByText('Live', { exact: true }).waitFor();
  });
});
