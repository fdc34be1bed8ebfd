import type { Locator, Page } from 'playwright-core';
import type { ShopOptions, ShopPage } from './shop-page.js';

/** The shop with its two panes, of which a narrow page shows one at a time. */
export interface Scene {
  readonly shop: ShopPage;
  readonly page: Page;
  readonly alice: Locator;
  readonly bob: Locator;
  /** Shows the pane of a person, where the page has room for one only. */
  show(name: 'Alice' | 'Bob'): Promise<void>;
}

/** A state of the application: what it starts with, and how it is reached. */
export interface PictureState {
  readonly name: string;
  readonly options?: ShopOptions;
  readonly reach: (scene: Scene) => Promise<unknown>;
}

const NOTE = 5;
const ORDER = { places: { alice: 'order/7', bob: 'order/7' } };
const TREES = { places: { alice: 'categories', bob: 'categories' } };

const cell = (pane: Locator, row: number, column: number) =>
  pane.locator(`[data-row="${row}"][data-column="${column}"]`);
const rows = (pane: Locator) => pane.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
const press = (pane: Locator, name: string) => pane.getByRole('button', { name, exact: true }).click();
const save = (pane: Locator) => press(pane, 'Save order and lines');

/** The controls that make trouble, which are folded on a narrow page. */
async function controls(page: Page): Promise<Locator> {
  const bar = page.getByRole('toolbar', { name: 'Make trouble' });
  const fold = bar.getByRole('button', { name: 'Make trouble', expanded: false });
  if (await fold.isVisible()) await fold.click();
  return bar;
}

async function typeNote({ page, alice }: Scene, row: number, text: string): Promise<void> {
  await cell(alice, row, NOTE).click();
  await page.keyboard.press('F2');
  await alice.getByRole('textbox', { name: 'Note of order' }).fill(text);
  await page.keyboard.press('Enter');
}

async function form({ alice }: Scene): Promise<void> {
  await alice.getByLabel('Note').waitFor();
  await alice
    .getByLabel(/^Quantity of/)
    .first()
    .waitFor();
}

/** Makes two versions of order 7: the one of Bob without a network, and the one of somebody else. */
async function twoVersions({ shop, bob, show }: Scene): Promise<void> {
  await show('Bob');
  await bob.getByLabel('Note').waitFor();
  await shop.live('Bob');
  await shop.situation('Bob', { feed: 'silent' });
  await shop.send('PATCH', '/app/orders/7', { json: { note: 'Deliver to the back door' } });
  await bob.getByLabel('Note').fill('Ring twice');
  await bob.getByLabel('Urgent').click();
  await save(bob);
  await press(bob, 'Compare');
}

/** Saves a note while the person has no network, and shows the outbox. */
async function savedOffline({ shop, page, alice }: Scene, note: string): Promise<void> {
  await alice.getByLabel('Note').waitFor();
  await (await controls(page)).getByLabel('For whom').selectOption('Alice');
  await press(await controls(page), 'Offline');
  await alice.getByLabel('Note').fill(note);
  await save(alice);
  await alice.getByText('One record is kept').waitFor();
  await shop.goTo({ alice: 'outbox' });
  await alice.getByText(`note: ${note}`).waitFor();
}

/** Every state that the pictures show. */
export const PICTURE_STATES: readonly PictureState[] = [
  { name: 'grid', reach: ({ alice }) => rows(alice) },
  {
    name: 'filter',
    reach: async ({ alice }) => {
      await rows(alice);
      await press(alice, 'Filter');
      await alice.getByRole('checkbox', { name: 'shipped', exact: true }).check();
      await alice.getByLabel('Total from').fill('100');
      await alice.getByRole('button', { name: 'Remove the filter Status: shipped' }).waitFor();
    },
  },
  {
    name: 'columns',
    reach: async ({ alice }) => {
      await rows(alice);
      await press(alice, 'Columns');
    },
  },
  {
    name: 'groups',
    reach: async ({ alice }) => {
      await rows(alice);
      await alice.getByLabel('Group by').selectOption('status');
      await alice.locator('.group-head').last().click();
      await alice.locator('.grid-body .order-link').first().waitFor();
    },
  },
  {
    name: 'edit',
    reach: async (scene) => {
      await rows(scene.alice);
      await typeNote(scene, 1, 'Ring twice');
      await typeNote(scene, 3, 'x'.repeat(201));
      await cell(scene.alice, 3, NOTE).click();
      await scene.alice.getByText('Must be at most 200 characters long').waitFor();
    },
  },
  {
    name: 'save-all',
    reach: async (scene) => {
      await rows(scene.alice);
      await typeNote(scene, 1, 'Ring twice');
      await typeNote(scene, 3, 'x'.repeat(201));
      await press(scene.alice, 'Save all');
      await scene.alice.getByRole('region', { name: 'Outcome of the save' }).getByText('1 not saved').waitFor();
    },
  },
  {
    name: 'selection',
    reach: async ({ alice }) => {
      await rows(alice);
      await alice.getByLabel('Select all orders that match').check();
      await press(alice, 'Erase…');
    },
  },
  {
    name: 'bulk',
    options: { orders: 6000 },
    reach: async ({ shop, alice }) => {
      await rows(alice);
      await alice.getByLabel('Select all orders that match').check();
      await shop.situation('Alice', { slow: 300 });
      await alice.getByLabel('Set the status of the selected orders').selectOption('packed');
      const progress = alice.getByRole('region', { name: 'Progress of the bulk action' });
      await progress.getByText(/^[1-9][\d,]* of 6,000$/).waitFor();
      await press(progress, 'Stop');
      await progress.getByText(/^Stopped at /).waitFor();
    },
  },
  { name: 'order', options: ORDER, reach: form },
  {
    name: 'lines',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      await scene.alice
        .getByLabel(/^Quantity of/)
        .first()
        .fill('0');
      await press(scene.alice, 'Add a line');
      await scene.page.keyboard.type('Bread knife');
      await save(scene.alice);
      await scene.alice.getByText(/^quantity: /).waitFor();
      await scene.alice.locator('.lines').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'customer',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      const { body } = await scene.shop.send('GET', '/app/customers/20');
      await scene.alice.getByRole('combobox', { name: 'Customer' }).click();
      await scene.page.keyboard.type(body.name.slice(0, 3));
      await scene.alice.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'attachments',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      const files = scene.alice.getByLabel('Files to attach');
      await files.setInputFiles({
        name: 'delivery-note.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.alloc(40_000),
      });
      await scene.alice.getByRole('button', { name: 'Remove delivery-note.pdf' }).waitFor();
      await scene.shop.situation('Alice', { slow: 60_000 });
      const name = 'photograph-of-the-damaged-parcel-from-all-sides.jpg';
      await files.setInputFiles({ name, mimeType: 'image/jpeg', buffer: Buffer.alloc(400_000) });
      await scene.alice.getByRole('progressbar', { name: `Sending ${name}` }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'history',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      await scene.alice.getByLabel('Note').fill('Ring twice');
      await save(scene.alice);
      await scene.alice.locator('.history q', { hasText: 'Ring twice' }).first().scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'categories',
    options: TREES,
    reach: async ({ page, alice }) => {
      const item = (name: string) => alice.getByRole('treeitem', { name, exact: true });
      await item('Garden').focus();
      await page.keyboard.press('ArrowRight');
      await item('Planters').waitFor();
      await item('Textiles').hover();
      await page.mouse.down();
      await item('Kitchen').hover();
      await item('Kitchen').hover();
      await alice.getByText('Drop here to put Textiles at the top').waitFor();
    },
  },
  { name: 'conflict', options: ORDER, reach: twoVersions },
  {
    name: 'outbox-waiting',
    options: ORDER,
    reach: (scene) => savedOffline(scene, 'Saved on the train'),
  },
  {
    name: 'outbox-failed',
    options: ORDER,
    reach: async (scene) => {
      await scene.alice.getByLabel('Note').waitFor();
      await (await controls(scene.page)).getByLabel('For whom').selectOption('Alice');
      await (await controls(scene.page))
        .getByRole('combobox', { name: 'The server' })
        .selectOption({ label: 'Refuses values (422)' });
      await savedOffline(scene, 'Refused by the server');
      await press(await controls(scene.page), 'Offline');
      await scene.alice.getByRole('heading', { name: 'Needs your decision' }).waitFor();
    },
  },
  {
    name: 'sign-in',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      await press(await controls(scene.page), 'Sign out');
      await scene.alice.getByRole('dialog', { name: /^Sign in again/ }).waitFor();
    },
  },
  {
    name: 'offline',
    reach: async (scene) => {
      await rows(scene.alice);
      await press(await controls(scene.page), 'Offline');
      await scene.alice.getByText('Offline', { exact: true }).waitFor();
      await typeNote(scene, 0, 'Written offline');
      await press(scene.alice, 'Save all');
      await scene.alice.getByText('1 in the outbox').waitFor();
    },
  },
  {
    name: 'server-down',
    options: { orders: 5000 },
    reach: async ({ page, alice }) => {
      await rows(alice);
      await (await controls(page)).getByRole('combobox', { name: 'The server' }).selectOption('down');
      await alice.getByRole('columnheader', { name: 'Status' }).click();
      await alice
        .getByRole('alert')
        .filter({ has: page.getByRole('button', { name: 'Try again' }) })
        .first()
        .waitFor();
    },
  },
  {
    name: 'slow',
    options: { ...ORDER, places: { alice: 'outbox', bob: 'order/7' } },
    reach: async ({ shop, alice }) => {
      await alice.getByText('Everything that you saved is on the server.').waitFor();
      await shop.situation('Alice', { slow: 60_000 });
      await shop.goTo({ alice: 'order/7' });
      await alice.getByText('Loading order 7').waitFor();
    },
  },
  {
    name: 'inspector',
    reach: async ({ page, alice }) => {
      await rows(alice);
      await press(alice, 'Inspector');
      const panel = page.getByRole('region', { name: 'Inspector of Alice' });
      await panel
        .getByRole('option', { name: /read.*order .*rows/i })
        .first()
        .click();
      await panel.getByText('The address of the collection').waitFor();
    },
  },
  {
    name: 'code',
    reach: async ({ page, alice }) => {
      await rows(alice);
      await press(alice, 'Show the code: A grid of 100,000 orders');
      await page.getByText('class OrderSections').waitFor();
    },
  },
  {
    name: 'live',
    options: ORDER,
    reach: async (scene) => {
      await form(scene);
      await scene.show('Bob');
      await scene.bob.getByLabel('Note').fill('Ring twice');
      await save(scene.bob);
      await scene.show('Alice');
      await scene.alice.locator('.history q', { hasText: 'Ring twice' }).first().waitFor();
    },
  },
];
