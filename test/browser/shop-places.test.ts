import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ShopOptions, ShopPage } from './shop-page.js';
import { shopOfEachTest } from './shop-tests.js';

let shop: ShopPage;
const openPage = shopOfEachTest();

const open = async (options: ShopOptions) => {
  shop = await openPage(options);
  return { alice: shop.pane('Alice'), bob: shop.pane('Bob') };
};
const save = (pane: Locator) => pane.getByRole('button', { name: 'Save order and lines' }).click();
const rowOf = async (address: string) => (await shop.send('GET', `/app/${address}`)).body;

describe('the tree of categories', () => {
  const trees = { alice: 'categories', bob: 'categories' };
  const item = (pane: Locator, name: string) => pane.getByRole('treeitem', { name, exact: true });
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await shop.page.keyboard.press(key);
  };

  test('loads the categories below one when it is opened, and finds those that were not loaded', async () => {
    const { alice } = await open({ places: trees });
    await item(alice, 'Kitchen').focus();
    expect(await alice.getByRole('treeitem').count()).toBe(5);
    await press('ArrowRight');
    await item(alice, 'Cookware').waitFor();
    await press('ArrowRight', 'ArrowRight');
    await item(alice, 'Pans').waitFor();
    expect(await item(alice, 'Pans').getAttribute('aria-level')).toBe('3');
    expect(await shop.violations()).toEqual([]);
    await alice.getByRole('searchbox', { name: 'Find a category' }).fill('rug');
    await item(alice, 'Rugs').waitFor();
    await expect
      .poll(() => alice.getByRole('treeitem').allTextContents())
      .toEqual([expect.stringContaining('Textiles'), 'Rugs']);
    await alice.getByRole('searchbox', { name: 'Find a category' }).fill('spoons');
    await alice.getByText('No category has this name.').waitFor();
    await alice.getByRole('searchbox', { name: 'Find a category' }).fill('');
    await item(alice, 'Decoration').waitFor();
  });

  test('moves a category by keyboard, and the other pane follows', async () => {
    const { alice, bob } = await open({ places: trees });
    await item(alice, 'Garden').focus();
    await press('ArrowRight');
    await item(alice, 'Planters').focus();
    await press('m');
    await alice.getByText('Moving Planters').waitFor();
    await item(alice, 'Decoration').focus();
    await press('Enter');
    await alice.getByText('Planters is now below Decoration.').waitFor();
    expect(await rowOf('categories/20')).toMatchObject({ name: 'Planters', parentId: 9 });
    await item(bob, 'Decoration').focus();
    await press('ArrowRight');
    await item(bob, 'Planters').waitFor();
    await item(alice, 'Planters').focus();
    await press('m', '0');
    await alice.getByText('Planters is now at the top.').waitFor();
    await expect.poll(() => item(bob, 'Planters').getAttribute('aria-level')).toBe('1');
  });

  test('moves a category by dragging it', async () => {
    const { alice } = await open({ places: trees });
    await item(alice, 'Textiles').dragTo(item(alice, 'Kitchen'));
    await alice.getByText('Textiles is now below Kitchen.').waitFor();
    await expect.poll(() => item(alice, 'Textiles').getAttribute('aria-level')).toBe('2');
    expect((await rowOf('categories/29')).parentId).toBe(22);
  });

  test('puts a category back that the server refuses to move, and says why', async () => {
    const { alice } = await open({ places: trees });
    await item(alice, 'Kitchen').waitFor();
    await shop.situation('Alice', { broken: '422' });
    await item(alice, 'Textiles').dragTo(item(alice, 'Kitchen'));
    await alice.getByRole('alert').first().waitFor();
    expect(await alice.getByRole('alert').first().textContent()).toContain('is refused by the server today');
    await expect.poll(() => item(alice, 'Textiles').getAttribute('aria-level')).toBe('1');
    await shop.situation('Alice', { broken: null });
    await item(alice, 'Textiles').dragTo(item(alice, 'Kitchen'));
    await alice.getByText('Textiles is now below Kitchen.').waitFor();
  });

  test('compares a move with that of somebody else', async () => {
    const { bob } = await open({ places: trees });
    await item(bob, 'Kitchen').waitFor();
    await shop.live('Bob');
    await shop.situation('Bob', { feed: 'silent' });
    await shop.send('PATCH', '/app/categories/29', { json: { parentId: 13 } });
    await item(bob, 'Textiles').dragTo(item(bob, 'Kitchen'));
    await bob.getByRole('button', { name: 'Compare' }).click();
    const dialog = shop.page.getByRole('dialog', { name: 'Textiles: two versions' });
    await dialog.getByRole('radio', { name: 'Garden' }).waitFor();
    await dialog.getByRole('button', { name: 'Take theirs' }).click();
    await expect.poll(() => bob.getByRole('button', { name: 'Compare' }).count()).toBe(0);
    expect((await rowOf('categories/29')).parentId).toBe(13);
  });
});

test('the search of the tree ends when its text is removed, also while categories are loaded', async () => {
  const { alice } = await open({ places: { alice: 'categories' } });
  const search = alice.getByRole('searchbox', { name: 'Find a category' });
  await alice.getByRole('treeitem', { name: 'Kitchen', exact: true }).waitFor();
  await shop.situation('Alice', { slow: 700 });
  await search.fill('rug');
  await search.fill('');
  await expect.poll(() => alice.locator('[aria-busy="true"]').count(), { timeout: 15_000 }).toBe(0);
  expect(await alice.getByRole('treeitem', { name: 'Kitchen', exact: true }).count()).toBe(1);
});

test('the search of the tree opens nothing for good, and stays while another place is shown', async () => {
  const { alice } = await open({ places: { alice: 'categories' } });
  const search = alice.getByRole('searchbox', { name: 'Find a category' });
  const names = () => alice.locator('.tree-name').allTextContents();
  await alice.getByRole('treeitem', { name: 'Kitchen', exact: true }).waitFor();
  const before = await names();
  let seen = before.length;
  await shop.page.route('**/app/categories?*', async (route) => {
    seen = Math.max(seen, (await names()).length);
    await route.continue();
  });
  await search.fill('rug');
  await alice.getByRole('treeitem', { name: 'Rugs', exact: true }).waitFor();
  expect(seen).toBe(before.length);
  await shop.goTo({ alice: 'outbox' });
  await alice.getByText('Everything that you saved is on the server.').waitFor();
  await shop.goTo({ alice: 'categories' });
  await alice.getByRole('treeitem', { name: 'Rugs', exact: true }).waitFor();
  expect([await search.inputValue(), await names()]).toEqual(['rug', ['Textiles', 'Rugs']]);
  await search.fill('');
  await expect.poll(names).toEqual(before);
});

test('a search of the tree that failed is repeated by another try', async () => {
  const { alice } = await open({ places: { alice: 'categories' } });
  await alice.getByRole('treeitem', { name: 'Kitchen', exact: true }).waitFor();
  await shop.withoutFeeds();
  await shop.situation('Alice', { broken: '500' });
  await alice.getByRole('searchbox', { name: 'Find a category' }).fill('rug');
  const again = alice.getByRole('alert').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await shop.situation('Alice', { broken: null });
  await again.click();
  await expect.poll(() => alice.locator('.tree-name').allTextContents()).toEqual(['Textiles', 'Rugs']);
  expect(await again.count()).toBe(0);
});

describe('the outbox', () => {
  const offline = async (name: string, isOff: boolean) => {
    await shop.page
      .getByRole('toolbar')
      .getByRole('combobox')
      .first()
      .selectOption({ label: `For ${name}` });
    const button = shop.page.getByRole('button', { name: 'Offline', exact: true });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe(String(isOff));
  };

  test('keeps what was saved without a network, and sends it when there is one', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await offline('Alice', true);
    await alice.getByLabel('Note').fill('Saved on the train');
    await save(alice);
    await alice.getByText('One record is kept, and sent as soon as the server can be reached.').waitFor();
    await shop.goTo({ alice: 'outbox' });
    await alice.getByText('One change kept here, also over a reload.').waitFor();
    await alice.getByText('note: Saved on the train').waitFor();
    expect(await shop.violations()).toEqual([]);
    await offline('Alice', false);
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    expect((await rowOf('orders/7')).note).toBe('Saved on the train');
  });

  test('says so beside the order until the save has reached the server', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .waitFor();
    await offline('Alice', true);
    await alice.getByLabel('Note').fill('On its way');
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .fill('8');
    await save(alice);
    await alice.getByText('2 records are kept').waitFor();
    await offline('Alice', false);
    await alice.getByText('2 records are saved.').waitFor();
    expect(await alice.getByText('2 records are kept').count()).toBe(0);
    expect((await rowOf('orders/7')).note).toBe('On its way');
  });

  test('keeps an order and its lines over a reload of the page', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .waitFor();
    await offline('Alice', true);
    await alice.getByLabel('Note').fill('Before the reload');
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .fill('8');
    await save(alice);
    await alice.getByText('2 records are kept').waitFor();
    await shop.goTo({ alice: 'outbox' });
    await alice.getByText('2 changes kept here').waitFor();
    await shop.page.reload();
    await alice.getByText('Everything that you saved is on the server.').waitFor();
    expect((await rowOf('orders/7')).note).toBe('Before the reload');
    expect((await rowOf('lines?orderId=7'))[0].quantity).toBe(8);
  });

  test('asks for a decision about a conflict', async () => {
    const { bob } = await open({ places: { bob: 'order/7' } });
    await bob.getByLabel('Note').waitFor();
    // The row of a feed, if it came before the save is sent, would be what the save is compared with.
    await shop.withoutFeeds();
    await offline('Bob', true);
    await bob.getByLabel('Note').fill('From Bob');
    await bob.getByLabel('Urgent').check();
    await save(bob);
    await bob.getByText('One record is kept').waitFor();
    await shop.send('PATCH', '/app/orders/7', { json: { note: 'From Dora' } });
    await shop.goTo({ bob: 'outbox' });
    await offline('Bob', false);
    await bob.getByRole('heading', { name: 'Needs your decision' }).waitFor();
    expect(await shop.violations()).toEqual([]);
    await bob.getByRole('button', { name: 'Compare' }).click();
    const dialog = shop.page.getByRole('dialog', { name: /two versions/ });
    await dialog.getByRole('radio', { name: 'From Bob' }).check();
    await dialog.getByRole('button', { name: 'Merge and save' }).click();
    await bob.getByText('Everything that you saved is on the server.').waitFor();
    expect(await rowOf('orders/7')).toMatchObject({ note: 'From Bob', urgent: true });
  });

  test('asks for a decision about a write that the server refuses: send again, or give up', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    const server = (label: string) => shop.page.getByRole('combobox', { name: 'The server' }).selectOption({ label });
    for (const [text, choice, saved] of [
      ['First', 'Send again', 'First'],
      ['Second', 'Give up', 'First'],
    ] as const) {
      await shop.goTo({ alice: 'order/7' });
      await alice.getByLabel('Note').waitFor();
      await offline('Alice', true);
      await server('Refuses values (422)');
      await alice.getByLabel('Note').fill(text);
      await save(alice);
      await alice.getByText('One record is kept').waitFor();
      await shop.goTo({ alice: 'outbox' });
      await offline('Alice', false);
      await alice.getByRole('heading', { name: 'Needs your decision' }).waitFor();
      await alice.getByText('is refused by the server today').waitFor();
      await server('Server works');
      await alice.getByRole('button', { name: choice }).click();
      await alice.getByText('Everything that you saved is on the server.').waitFor();
      expect((await rowOf('orders/7')).note).toBe(saved);
    }
    await shop.goTo({ alice: 'order/7' });
    await expect.poll(() => alice.getByLabel('Note').inputValue()).toBe('First');
  });
});

describe('the sign-in', () => {
  const dialogOf = (pane: Locator) => pane.getByRole('dialog', { name: /^Sign in again/ });

  test('is renewed before it expires, and after it has, without a word', async () => {
    const { alice } = await open({ places: { alice: 'order/7' }, expiresIn: 5 });
    const addresses: string[] = [];
    shop.page.on('response', (response) => addresses.push(`${response.status()} ${new URL(response.url()).pathname}`));
    await alice.getByLabel('Note').fill('One');
    await save(alice);
    await alice.getByText('One record is saved.').waitFor();
    expect(addresses).toContain('200 /app/renew');
    expect(addresses.filter((address) => address.startsWith('401'))).toEqual([]);
    await shop.situation('Alice', { expire: true });
    await alice.getByLabel('Note').fill('Two');
    await save(alice);
    await expect.poll(async () => (await rowOf('orders/7')).note).toBe('Two');
    expect(await dialogOf(alice).count()).toBe(0);
  });

  test('that has ended is asked for in the pane, and the save goes on after it', async () => {
    const { alice, bob } = await open({ places: { alice: 'order/7', bob: 'categories' } });
    await alice.getByLabel('Note').waitFor();
    await bob.getByRole('treeitem', { name: 'Garden' }).waitFor();
    await alice.getByLabel('Note').fill('Written before');
    // The save is on its way before anything else could ask for a sign-in.
    await shop.situation('Alice', { slow: 1000 });
    const asked = shop.page.waitForRequest((request) => request.method() === 'PATCH');
    await save(alice);
    await asked;
    await shop.situation('Alice', { broken: '401', slow: 0 });
    await dialogOf(alice).waitFor();
    expect(await shop.violations()).toEqual([]);
    expect(await bob.getByRole('dialog').count()).toBe(0);
    await shop.page.keyboard.press('Enter');
    await alice.getByText('One record is saved.').waitFor();
    expect(await dialogOf(alice).count()).toBe(0);
    expect((await rowOf('orders/7')).note).toBe('Written before');
  });

  test('of one pane is renewed while the other asks for a sign-in', async () => {
    const { alice, bob } = await open({ places: { alice: 'order/7', bob: 'order/8' } });
    await alice.getByLabel('Note').fill('Goes on');
    await bob.getByLabel('Note').waitFor();
    await shop.situation('Bob', { broken: '401' });
    await dialogOf(bob).waitFor();
    await shop.situation('Alice', { expire: true });
    await save(alice);
    await alice.getByText('One record is saved.').waitFor();
    expect(await dialogOf(bob).count()).toBe(1);
  });

  test('stays ended if somebody signs out while it is renewed', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    // Whichever request of the pane is the first one after the end of the sign-in renews it.
    const asked = shop.page.waitForRequest((request) => request.url().endsWith('/app/renew'));
    const renewed = shop.page.waitForResponse((response) => response.url().endsWith('/app/renew'));
    await shop.situation('Alice', { expire: true, slow: 1500 });
    await alice.getByLabel('Note').fill('Not sent');
    await save(alice);
    await asked;
    await shop.page.getByLabel('For whom').selectOption('Alice');
    await shop.page.getByRole('button', { name: 'Sign out' }).click();
    await renewed;
    await shop.situation('Alice', { slow: 0 });
    await dialogOf(alice).waitFor();
    expect((await rowOf('orders/7')).note).not.toBe('Not sent');
    await alice.getByRole('button', { name: 'Sign in as Alice' }).click();
    await expect.poll(async () => (await rowOf('orders/7')).note).toBe('Not sent');
  });

  test('that the server has ended is no situation of the server any more after it', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await shop.page.getByLabel('For whom').selectOption('Alice');
    const server = shop.page.getByRole('combobox', { name: 'The server' });
    await alice.getByLabel('Note').fill('Any');
    // The save is on its way before anything else could ask for a sign-in.
    await shop.situation('Alice', { slow: 1000 });
    const asked = shop.page.waitForRequest((request) => request.method() === 'PATCH');
    await save(alice);
    await asked;
    await server.selectOption('401');
    await dialogOf(alice).waitFor();
    await shop.situation('Alice', { slow: 0 });
    await alice.getByRole('button', { name: 'Sign in as Alice' }).click();
    await expect.poll(() => server.inputValue()).toBe('');
  });

  test('that somebody ends while it begins is asked for again, with the reason', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').waitFor();
    await shop.page.getByLabel('For whom').selectOption('Alice');
    const signOut = shop.page.getByRole('button', { name: 'Sign out' });
    await signOut.click();
    const signIn = alice.getByRole('button', { name: 'Sign in as Alice' });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await shop.page.route('**/app/sign-in', async (route) => {
      await held;
      await route.continue();
    });
    const asked = shop.page.waitForRequest((request) => request.url().endsWith('/app/sign-in'));
    await signIn.click();
    await asked;
    await signOut.click();
    goOn();
    await alice.getByText('You have signed out meanwhile.').waitFor();
    await signIn.click();
    await expect.poll(() => dialogOf(alice).count()).toBe(0);
  });

  test.each([
    ['a page of HTML', { status: 200, contentType: 'text/html', body: '<!doctype html>' }],
    ['an error', { status: 500, json: {} }],
  ])('keeps the stream of changes when a renewal is answered with %s', async (_, answer) => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByText('Live', { exact: true }).waitFor();
    const renewals: number[] = [];
    await shop.page.route('**/app/renew', (route) =>
      renewals.push(1) === 1 ? route.fulfill(answer) : route.continue(),
    );
    const renewed = shop.page.waitForResponse((response) => response.url().endsWith('/app/renew'));
    // The server ends the stream of somebody whose sign-in it has let expire, as when it is started anew.
    await shop.situation('Alice', { expire: true, broken: '500' });
    await alice.getByText('Connecting', { exact: true }).waitFor();
    await shop.situation('Alice', { broken: null });
    await renewed;
    await alice.getByText('Live', { exact: true }).waitFor();
  });

  test('opens the stream of changes again, also if the server had refused it for good', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    const connection = (text: string) => alice.getByText(text, { exact: true }).waitFor();
    await connection('Live');
    let isRefused = true;
    await shop.page.route('**/app/events', (route) =>
      isRefused ? route.fulfill({ status: 401, json: {} }) : route.continue(),
    );
    await shop.page.getByLabel('For whom').selectOption('Alice');
    const signOut = shop.page.getByRole('button', { name: 'Sign out' });
    const signIn = alice.getByRole('button', { name: 'Sign in as Alice' });
    await signOut.click();
    await signIn.click();
    await alice.getByRole('button', { name: 'Connect again' }).waitFor();
    isRefused = false;
    await signOut.click();
    await signIn.click();
    await connection('Live');
  });

  test('says when the server cannot be reached, and succeeds when it can', async () => {
    const { alice } = await open({ places: { alice: 'order/7' } });
    await alice.getByLabel('Note').fill('Kept');
    await shop.page.getByRole('button', { name: 'Sign out' }).click();
    await dialogOf(alice).waitFor();
    await shop.situation('Alice', { broken: 'down' });
    await alice.getByRole('button', { name: 'Sign in as Alice' }).click();
    await alice.getByText('The server cannot be reached.').waitFor();
    await shop.situation('Alice', { broken: null });
    await alice.getByRole('button', { name: 'Sign in as Alice' }).click();
    await expect.poll(() => dialogOf(alice).count()).toBe(0);
    expect(await alice.getByLabel('Note').inputValue()).toBe('Kept');
    await save(alice);
    await alice.getByText('One record is saved.').waitFor();
  });
});
