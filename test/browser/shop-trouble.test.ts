import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ShopOptions, ShopPage } from './shop-page.js';
import { sendNow, shopOfEachTest } from './shop-tests.js';

let shop: ShopPage;
const openPage = shopOfEachTest();

const open = async (options: ShopOptions) => {
  shop = await openPage(options);
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
    await shop.withoutFeeds();
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
    await shop.withoutFeeds();
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
    // The list of customers, which is closed, may have the same sentence.
    await alice.getByText(sentence).filter({ visible: true }).first().waitFor();
    await expectRest(alice);
    await shop.goTo({ alice: 'outbox' });
    await alice.getByText('note: Not lost').waitFor();
    await shop.situation('Alice', { broken: null });
    if (broken === 'html') await alice.getByRole('button', { name: 'Send again' }).click();
    else await sendNow(alice);
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    expect(await noteOf()).toBe('Not lost');
  });
});

describe.each([
  ['500', 'answers 500'],
  ['html', 'answers HTML for JSON'],
  ['down', 'is down'],
])('under an order that is shown, the server that %s', (broken, title) => {
  test(`(${title}) leaves a sentence and a way on in each part of the page`, async () => {
    const { alice } = await open({ places: { alice: 'orders' } });
    await alice.getByRole('button', { name: 'Open order 7', exact: true }).waitFor();
    await shop.withoutFeeds();
    await shop.situation('Alice', { broken });
    await shop.goTo({ alice: 'order/7' });
    // The order is known from the grid; its category, lines, files and history are not.
    for (const part of ['.fields', '.lines', '.attachments', '.history']) {
      const notice = alice.locator(part).getByRole('alert').filter({ hasText: 'Try again' });
      await notice.waitFor();
      expect(await notice.textContent()).toMatch(/^[A-Z][^<{]+\.Try again$/);
    }
    await expectRest(alice);
    const customer = alice.getByRole('combobox', { name: 'Customer' });
    await customer.click();
    await shop.page.keyboard.type('a');
    await alice.locator('.picker-list').getByRole('alert').waitFor();
    await shop.situation('Alice', { broken: null });
    await shop.page.keyboard.type('r');
    await alice.locator('.picker-list [role=option]').first().waitFor();
    await shop.page.keyboard.press('Escape');
    for (const part of ['.fields', '.lines', '.attachments', '.history'])
      await alice.locator(part).getByRole('button', { name: 'Try again' }).click();
    await alice.getByText('No files yet.').waitFor();
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .waitFor();
    await expect.poll(() => alice.getByRole('alert').count()).toBe(0);
    await expectRest(alice);
  });

  test(`(${title}) refuses an upload, which is sent again`, async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByText('No files yet.').waitFor();
    await shop.situation('Alice', { broken });
    const buffer = Buffer.alloc(1000);
    await alice.getByLabel('Files to attach').setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer });
    await alice
      .getByRole('alert')
      .filter({ hasText: /[a-z]\.$/ })
      .waitFor();
    await expectRest(alice);
    await shop.situation('Alice', { broken: null });
    await alice.getByRole('button', { name: 'Send plan.pdf again' }).click();
    await alice.getByRole('button', { name: 'Remove plan.pdf' }).waitFor();
  });

  test(`(${title}) keeps a category that was moved onto one that cannot be opened`, async () => {
    const { alice } = await open({ places: { alice: 'categories' } });
    const item = (name: string) => alice.getByRole('treeitem', { name, exact: true });
    await item('Kitchen').waitFor();
    await shop.situation('Alice', { broken });
    await item('Textiles').dragTo(item('Kitchen'));
    if (broken === 'html') await alice.getByRole('alert').first().waitFor();
    else await alice.getByText('Textiles is moved, and sent as soon as there is a network.').waitFor();
    await expectRest(alice);
    if (broken === 'html') return;
    await shop.goTo({ alice: 'outbox' });
    await alice.getByText('Change of category').waitFor();
    await shop.situation('Alice', { broken: null });
    await sendNow(alice);
    expect((await shop.send('GET', '/app/categories/29')).body.parentId).toBe(22);
  });
});

describe.each([
  ['500', 'answers 500'],
  ['html', 'answers HTML for JSON'],
  ['down', 'is down'],
])('in the grid, the server that %s', (broken, title) => {
  const openGrid = async () => {
    const { alice } = await open({ places: { alice: 'orders' } });
    await alice.getByRole('button', { name: 'Open order 7', exact: true }).waitFor();
    return alice;
  };

  test(`(${title}) leaves a sentence and a way on where groups are wanted`, async () => {
    const alice = await openGrid();
    await shop.withoutFeeds();
    await shop.situation('Alice', { broken });
    await alice.getByLabel('Group by').selectOption('status');
    const notice = alice.getByRole('alert').filter({ hasText: 'Try again' });
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(/^[A-Z][^<{]+\.Try again$/);
    await expectRest(alice);
    await shop.situation('Alice', { broken: null });
    await notice.getByRole('button', { name: 'Try again' }).click();
    await alice.locator('.group-head').first().waitFor();
    await expect.poll(() => notice.count()).toBe(0);
  });

  test(`(${title}) leaves a sentence where a step cannot be undone`, async () => {
    const alice = await openGrid();
    await alice.getByLabel('Urgent, order 7', { exact: true }).click();
    await alice.getByRole('button', { name: 'Save all' }).click();
    await alice.getByRole('region', { name: 'Outcome of the save' }).getByText('1 saved', { exact: true }).waitFor();
    await shop.situation('Alice', { broken });
    await alice.locator('.footer').getByRole('button', { name: 'Undo' }).click();
    const told = alice.getByRole('alert').filter({ hasText: 'This could not be undone: ' });
    if (broken === 'html') {
      await told.getByRole('button', { name: 'Forget the steps' }).click();
      await expect.poll(() => told.count()).toBe(0);
    }
    await expectRest(alice);
    await shop.situation('Alice', { broken: null });
  });

  test(`(${title}) leaves a sentence where a customer is looked for`, async () => {
    const alice = await openGrid();
    await shop.situation('Alice', { broken });
    await alice.getByRole('button', { name: 'New order' }).click();
    await alice.getByLabel('Customer of the new order').fill('a');
    const told = alice.locator('.cell-error').filter({ hasText: /^[A-Z].*\.$/ });
    await told.waitFor();
    await shop.situation('Alice', { broken: null });
    await alice.getByLabel('Customer of the new order').fill('ar');
    await expect.poll(() => alice.locator('datalist option').count(), { timeout: 10_000 }).toBeGreaterThan(0);
    await expect.poll(() => told.count()).toBe(0);
  });
});

test('a conflict that cannot be read says so, and is compared at another try', async () => {
  const { alice } = await open({ places: { alice: 'order/7' } });
  await alice.getByLabel('Note').waitFor();
  await shop.situation('Alice', { broken: '409' });
  await alice.getByLabel('Note').fill('Mine');
  await save(alice);
  await alice.getByRole('button', { name: 'Compare' }).waitFor();
  await shop.situation('Alice', { broken: '500' });
  await alice.getByRole('button', { name: 'Compare' }).click();
  const dialog = shop.page.getByRole('dialog', { name: 'Order 7: two versions' });
  await dialog.getByRole('alert').waitFor();
  await expectRest(alice);
  await dialog.getByRole('button', { name: 'Decide later' }).click();
  await shop.situation('Alice', { broken: null });
  await alice.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByRole('row', { name: /^Note/ }).waitFor();
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await expect.poll(noteOf).toBe('Mine');
});

test('an order that somebody erases under an edit keeps the edit on the screen', async () => {
  const { alice } = await open({ places: { alice: 'order/7' } });
  await alice.getByLabel('Note').fill('Not saved yet');
  await alice.getByText('Live', { exact: true }).waitFor();
  await shop.send('DELETE', '/app/orders/7');
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect(await alice.getByLabel('Note').inputValue()).toBe('Not saved yet');
  await save(alice);
  await alice.getByRole('alert').first().waitFor();
  await expectRest(alice);
  expect(await alice.getByLabel('Note').inputValue()).toBe('Not saved yet');
});

test('an order that the server refuses to erase says why, and stays', async () => {
  const { alice } = await open({ places: { alice: 'order/7' } });
  await alice.getByLabel('Note').waitFor();
  await shop.situation('Alice', { broken: '422' });
  shop.page.on('dialog', (dialog) => void dialog.accept());
  await alice.getByRole('button', { name: 'Erase order' }).click();
  await alice.getByText('is refused by the server today').waitFor();
  await expectRest(alice);
  await shop.situation('Alice', { broken: null });
  await alice.getByRole('button', { name: 'Erase order' }).click();
  await alice.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
  expect((await shop.send('GET', '/app/orders/7')).status).toBe(404);
});

test('a 409 in the grid is a conflict of its row, and saved once somebody has decided', async () => {
  const { alice } = await open({ places: { alice: 'orders' } });
  await alice.getByRole('button', { name: 'Open order 7', exact: true }).waitFor();
  await alice.getByLabel('Urgent, order 7', { exact: true }).click();
  await shop.situation('Alice', { broken: '409' });
  await alice.getByRole('button', { name: 'Save all' }).click();
  await alice.getByText('Conflict', { exact: true }).waitFor();
  await alice.getByRole('region', { name: 'Outcome of the save' }).getByText('1 not saved').waitFor();
  await expectRest(alice);
  await shop.situation('Alice', { broken: null });
  await alice.getByRole('button', { name: 'Mine', exact: true }).click();
  await expect.poll(() => alice.locator('.pending').textContent()).toBe('Nothing to save');
  await expect.poll(async () => (await shop.send('GET', '/app/orders/7')).body.version).toBe(2);
});

test('orders whose first read has failed are not being counted, until another try', async () => {
  const { alice } = await open({ places: { alice: 'outbox' } });
  await alice.getByText('Everything that you saved is on the server.').waitFor();
  // A feed that becomes live reads again what is on show.
  await shop.live('Alice');
  let failed = 0;
  await shop.page.route('**/app/orders?*', (route) => {
    failed += 1;
    return route.abort();
  });
  await shop.goTo({ alice: 'orders' });
  const again = alice.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await expectRest(alice);
  // The grid has lost some of its height to the sentence, which is no reason to ask again.
  expect(failed).toBe(1);
  expect(await alice.locator('.footer').getByRole('status').textContent()).toBe('Orders not counted');
  await shop.page.unroute('**/app/orders?*');
  await again.click();
  await alice.getByText('300 orders').waitFor();
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

  test('that skips every second change overwrites nothing, and agrees with the server after a reload', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await shop.live('Alice');
    await shop.situation('Alice', { feed: 'skip' });
    for (const note of ['one', 'two', 'three', 'four']) await change(note);
    await alice.getByLabel('Urgent').click();
    await save(alice);
    await expectRest(alice);
    await expect.poll(noteOf).toBe('four');
    await shop.situation('Alice', { feed: null });
    await shop.page.reload();
    await expect.poll(() => alice.getByLabel('Note').inputValue()).toBe('four');
  });

  test('that skips changes overwrites nothing: the save is a conflict', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await shop.live('Alice');
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
