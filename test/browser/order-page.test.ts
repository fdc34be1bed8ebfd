import { expect, test } from 'vitest';
import type { ShopOptions, ShopPage } from './shop-page.js';
import { shopOfEachTest } from './shop-tests.js';

let shop: ShopPage;
const openPage = shopOfEachTest();

const open = async (options: ShopOptions) => {
  shop = await openPage(options);
  return { alice: shop.pane('Alice'), bob: shop.pane('Bob') };
};
const SAVE = { name: 'Save order and lines' };
const both = { alice: 'order/7', bob: 'order/7' };

test('saves an order with its lines, and the other pane follows', async () => {
  const { alice, bob } = await open({ places: both });
  await bob.getByLabel('Note').waitFor();
  await alice.getByLabel('Note').fill('Ring twice');
  await alice
    .getByLabel(/^Quantity of/)
    .first()
    .fill('3');
  await alice.getByRole('button', { name: 'Add a line' }).click();
  await shop.page.keyboard.type('Bread knife');
  await alice.getByLabel('Price of Bread knife').fill('9.5');
  expect(await alice.getByText('Edited').isVisible()).toBe(true);
  await alice.getByRole('button', SAVE).click();
  await alice.getByText('3 records are saved.').waitFor();
  await expect.poll(() => bob.getByLabel('Note').inputValue()).toBe('Ring twice');
  await bob.getByLabel('Article of Bread knife').waitFor();
  await bob.getByText('added the line 1 × Bread knife').waitFor();
  const { body } = await shop.send('GET', '/app/orders/7');
  const [whole, cents] = body.total.split('.');
  const shown = `${Number(whole).toLocaleString('en')}.${cents}`;
  await expect.poll(() => alice.locator('.total strong').textContent()).toBe(shown);
  await expect.poll(() => bob.locator('.total strong').textContent()).toBe(shown);
  expect(await shop.violations()).toEqual([]);
});

test('removes a line with the save, and brings everything back before it', async () => {
  const { alice } = await open({ places: both });
  const articles = alice.getByLabel(/^Article of/);
  await articles.first().waitFor();
  const before = await articles.count();
  await alice
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  await alice.getByLabel('Note').fill('Nothing');
  await alice.getByRole('button', { name: 'Discard edits' }).click();
  expect(await articles.count()).toBe(before);
  expect(await alice.getByLabel('Note').inputValue()).not.toBe('Nothing');
  await alice
    .getByRole('button', { name: /^Remove / })
    .first()
    .click();
  await alice.getByRole('button', SAVE).click();
  await alice.getByText('One record is saved.').waitFor();
  expect((await shop.send('GET', '/app/lines?orderId=7')).body).toHaveLength(before - 1);
});

test('shows errors in their place: those of the model before, those of the server after the request', async () => {
  const { alice } = await open({ places: both });
  await alice
    .getByLabel(/^Quantity of/)
    .first()
    .fill('0');
  await alice.getByRole('button', SAVE).click();
  await alice.getByText(/^quantity: /).waitFor();
  expect(
    await alice
      .getByLabel(/^Quantity of/)
      .first()
      .getAttribute('aria-invalid'),
  ).toBe('true');
  await alice.getByRole('button', { name: 'Discard edits' }).click();
  await shop.situation('Alice', { broken: '422' });
  await alice.getByLabel('Note').fill('Today');
  await alice.getByRole('button', SAVE).click();
  await alice.getByText('is refused by the server today').first().waitFor();
  expect(await alice.getByLabel('Note').inputValue()).toBe('Today');
  await shop.situation('Alice', { broken: null });
  await alice.getByRole('button', SAVE).click();
  await alice.getByText('One record is saved.').waitFor();
});

test('finds a customer by a part of the name, with the keyboard', async () => {
  const { alice } = await open({ places: both });
  const { body } = await shop.send('GET', '/app/customers/20');
  const customer = alice.getByRole('combobox', { name: 'Customer' });
  await customer.click();
  await shop.page.keyboard.type(body.name.slice(0, -1));
  await alice
    .getByRole('option', { name: new RegExp(`^${body.name}`) })
    .first()
    .waitFor();
  expect(await shop.violations()).toEqual([]);
  await shop.page.keyboard.press('ArrowDown');
  await shop.page.keyboard.press('ArrowUp');
  await shop.page.keyboard.press('Enter');
  await expect.poll(() => customer.inputValue()).toBe(body.name);
  await customer.click();
  await shop.page.keyboard.type('nobody is called so');
  await alice.getByText('No customer has this name.').waitFor();
  await shop.page.keyboard.press('Escape');
  expect(await customer.inputValue()).toBe(body.name);
  await alice.getByRole('button', SAVE).click();
  await alice.getByText('One record is saved.').waitFor();
  await alice.locator('.history q', { hasText: body.name }).waitFor();
});

test('finds only customers that have the text, also while the server is slow', async () => {
  const { alice } = await open({ places: both });
  const customer = alice.getByRole('combobox', { name: 'Customer' });
  await expect.poll(() => customer.inputValue()).not.toBe('');
  await customer.click();
  await alice.locator('.picker-list [role=option]').first().waitFor({ state: 'attached' });
  await shop.situation('Alice', { slow: 1500 });
  const before = await customer.inputValue();
  await shop.page.keyboard.type('nobody is called so');
  await alice.getByText('Searching').waitFor();
  expect(await alice.locator('.picker-list [role=option]').count()).toBe(0);
  await shop.page.keyboard.press('Enter');
  expect(await customer.inputValue()).toBe('nobody is called so');
  await alice.getByText('No customer has this name.').waitFor();
  await shop.page.keyboard.press('Escape');
  expect(await customer.inputValue()).toBe(before);
});

test('takes an edit back, and a save, and does it again', async () => {
  const { alice } = await open({ places: both });
  const note = alice.getByLabel('Note');
  const undo = alice.getByRole('button', { name: 'Undo', exact: true });
  const saved = async () => (await shop.send('GET', '/app/orders/7')).body.note;
  await note.waitFor();
  const [shown, before] = [await note.inputValue(), await saved()];
  expect(await undo.isDisabled()).toBe(true);
  await note.fill('By mistake');
  await undo.click();
  await expect.poll(() => note.inputValue()).toBe(shown);
  await alice.getByRole('button', { name: 'Redo', exact: true }).click();
  await expect.poll(() => note.inputValue()).toBe('By mistake');
  await alice.getByRole('button', SAVE).click();
  await expect.poll(saved).toBe('By mistake');
  await undo.click();
  await expect.poll(saved).toBe(before);
  await expect.poll(() => note.inputValue()).toBe(shown);
});

test('tells at once what somebody else has saved under an edit, and takes it', async () => {
  const { alice, bob } = await open({ places: both });
  await bob.getByLabel('Note').fill('From Bob');
  await alice.getByLabel('Note').fill('From Alice');
  await alice.getByRole('button', SAVE).click();
  await bob.getByText('Somebody else has saved “From Alice”.').waitFor();
  expect(await bob.getByLabel('Note').inputValue()).toBe('From Bob');
  await bob.getByRole('button', { name: 'Take it' }).click();
  expect(await bob.getByLabel('Note').inputValue()).toBe('From Alice');
  await expect.poll(() => bob.getByText('Edited').isVisible()).toBe(false);
});

test('compares a conflict field by field, and merges it', async () => {
  const { alice, bob } = await open({ places: both });
  await shop.live('Bob');
  await bob.getByLabel('Note').fill('From Bob');
  // The next change does not reach Bob before his save.
  await shop.situation('Bob', { feed: 'silent' });
  await shop.send('PATCH', '/app/orders/7', { json: { note: 'From Dora', urgent: true } });
  await alice.getByText('changed note').waitFor();
  await bob.getByLabel('Status').selectOption('packed');
  await bob.getByRole('button', SAVE).click();
  await bob.getByText('Order 7 was changed by somebody else.').waitFor();
  await bob.getByRole('button', { name: 'Compare' }).click();
  const dialog = shop.page.getByRole('dialog', { name: 'Order 7: two versions' });
  await dialog.getByRole('row', { name: /^Note/ }).waitFor();
  expect(await dialog.getByRole('row', { name: /^Urgent/ }).textContent()).toMatch(/no *no *yes/);
  expect(await dialog.getByRole('row', { name: /^Status/ }).textContent()).toMatch(/packed/);
  expect(await dialog.getByRole('button', { name: 'Merge and save' }).isDisabled()).toBe(true);
  expect(await shop.violations()).toEqual([]);
  await dialog.getByRole('radio', { name: 'From Dora' }).check();
  await dialog.getByRole('button', { name: 'Merge and save' }).click();
  await bob.getByText('Both versions were merged and saved.').waitFor();
  const { body } = await shop.send('GET', '/app/orders/7');
  expect(body).toMatchObject({ note: 'From Dora', urgent: true, status: 'packed' });
});

test('keeps mine, or takes theirs', async () => {
  const { bob } = await open({ places: both });
  await bob.getByLabel('Note').waitFor();
  await shop.live('Bob');
  for (const [choice, sentence, note] of [
    ['Keep mine', 'Your version was saved.', 'Bob 1'],
    ['Take theirs', 'You have taken the version of the server.', 'Dora 2'],
  ] as const) {
    const at = note.slice(-1);
    await bob.getByLabel('Note').fill(`Bob ${at}`);
    await shop.situation('Bob', { feed: 'silent' });
    await shop.send('PATCH', '/app/orders/7', { json: { note: `Dora ${at}` } });
    await bob.getByRole('button', SAVE).click();
    const compare = bob.getByRole('button', { name: 'Compare' });
    await compare.click();
    await shop.page.getByRole('button', { name: choice }).click();
    await bob.getByText(sentence).waitFor();
    expect((await shop.send('GET', '/app/orders/7')).body.note).toBe(note);
    await expect.poll(() => bob.getByLabel('Note').inputValue()).toBe(note);
    await shop.situation('Bob', { feed: null });
  }
});

test('says that an order was erased by somebody else, and leads back', async () => {
  const { alice } = await open({ places: both });
  await alice.getByLabel('Note').waitFor();
  await shop.send('DELETE', '/app/orders/7');
  await alice.getByText('Somebody has erased order 7.').waitFor();
  await alice.getByRole('button', { name: 'Back to the orders' }).click();
  await expect.poll(() => shop.page.url()).toContain('alice=orders');
  await shop.goTo({ alice: 'order/999999' });
  await alice.getByText('There is no order 999999 any more.').waitFor();
});

test('sends files with their progress, stops one, and sends it again', async () => {
  const { alice } = await open({ places: both });
  await alice.getByText('No files yet.').waitFor();
  const keys: (string | undefined)[] = [];
  shop.page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/attachments'))
      keys.push(request.headers()['idempotency-key']);
  });
  // The server does not begin to read before the upload is stopped, however long the checks take.
  await shop.situation('Alice', { slow: 60_000 });
  const files = alice.getByLabel('Files to attach');
  const buffer = Buffer.alloc(12_000_000);
  await files.setInputFiles({ name: 'plan.pdf', mimeType: 'application/pdf', buffer });
  const progress = alice.getByRole('progressbar', { name: 'Sending plan.pdf' });
  await progress.waitFor();
  expect(await shop.violations()).toEqual([]);
  await alice.getByRole('button', { name: 'Stop sending plan.pdf' }).click();
  await alice.getByText('The upload was stopped.').waitFor();
  expect(await progress.count()).toBe(0);
  await shop.situation('Alice', { slow: 0 });
  expect((await shop.send('GET', '/app/attachments?orderId=7')).body).toEqual([]);
  await alice.getByRole('button', { name: 'Send plan.pdf again' }).click();
  await alice.getByRole('button', { name: 'Remove plan.pdf' }).waitFor();
  await alice.getByText('added the attachment plan.pdf').waitFor();
  expect(keys).toEqual([expect.any(String), keys[0]]);
  await alice.getByRole('button', { name: 'Remove plan.pdf' }).click();
  await alice.getByText('No files yet.').waitFor();
  // The row goes at once, before the answer to its DELETE.
  await expect.poll(async () => (await shop.send('GET', '/app/attachments?orderId=7')).body).toEqual([]);
});
