import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { screensOf } from './harness.js';

const screens = screensOf('react');
const example = 'examples/back-office';

/** Opens the example as a single-page application is served: every address gives its page. */
async function open(address = '/') {
  const { html } = await screens.build(example);
  const page = await screens.open(example);
  screens.server.always(({ headers }) =>
    headers.accept?.includes('text/html') ? { headers: { 'Content-Type': 'text/html' }, text: html } : { status: 404 },
  );
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Name or password is wrong.').waitFor();
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  if (address !== '/') await page.goto(screens.server.url + address);
  return page;
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The rules of accessibility that a page breaks. */
async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  const results = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const numbers = (page: Page) => expect.poll(() => page.locator('tbody tr td:first-child').allTextContents());
const status = (page: Page) => expect.poll(() => page.getByRole('status').first().textContent());
const path = (page: Page) => expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search);

test('the list sorts, filters, searches and pages by the address', async () => {
  const page = await open();
  await status(page).toBe('Page 1 of 6, 60 orders');
  await page.locator('tbody').getByText('Grace Hopper').first().waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await path(page).toBe('/orders?page=2');
  await status(page).toBe('Page 2 of 6, 60 orders');
  await page.getByLabel('Status').selectOption('paid');
  await status(page).toBe('Page 1 of 2, 20 orders');
  await page.getByRole('button', { name: 'Number' }).click();
  await path(page).toBe('/orders?status=paid&sort=-number');
  await expect.poll(() => page.locator('tbody a').first().textContent()).toBe('2026-059');
  await page.goBack();
  await expect.poll(() => page.locator('tbody a').first().textContent()).toBe('2026-002');
  await page.getByLabel('Search').fill('2026-059');
  await numbers(page).toEqual(['2026-059']);
  // One step back leaves the whole search, and the box shows what the list shows.
  await page.goBack();
  await status(page).toBe('Page 1 of 2, 20 orders');
  expect(await page.getByLabel('Search').inputValue()).toBe('');
  // The address can be sent to somebody.
  await page.goto(`${screens.server.url}/orders?status=sent&sort=-due`);
  await status(page).toBe('Page 1 of 2, 20 orders');
  expect(await page.getByRole('columnheader', { name: 'Due' }).getAttribute('aria-sort')).toBe('descending');
});

test('an order is edited, refused beside the field, saved and removed', async () => {
  const page = await open('/orders/7');
  const number = page.getByLabel('Number');
  await expect.poll(() => number.inputValue()).toBe('2026-007');
  await number.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is needed').waitFor();
  await number.fill('2026-000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('form').getByText('is used by another order').waitFor();
  await number.fill('2026-707');
  await page.getByRole('button', { name: 'Add a line' }).click();
  await page.getByLabel('Article').last().fill('C-1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Order 2026-707' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Yes, remove' }).click();
  await path(page).toBe('/orders');
  await status(page).toBe('Page 1 of 6, 59 orders');
});

test('a new order is created, with a customer', async () => {
  const page = await open();
  await page.getByRole('link', { name: 'New order' }).click();
  await page.getByLabel('Number').fill('2027-001');
  await page.getByLabel('Customer').selectOption('Ada Lovelace');
  await page.getByLabel('Article').fill('A-1');
  await page.getByLabel('Price').fill('2.50');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).toBe('Page 1 of 7, 61 orders');
  await page.getByLabel('Search').fill('2027');
  await expect.poll(() => page.locator('tbody tr').allTextContents()).toEqual(['2027-001newAda Lovelace2.50']);
});

test('asks before unsaved changes are left', async () => {
  const page = await open('/customers/2');
  await page.getByLabel('Name').fill('Grace H.');
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Grace H.');
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('button', { name: 'Discard them' }).click();
  await status(page).toBe('Page 1 of 6, 60 orders');
});

test('asks before "back" or a sign-out takes unsaved changes away', async () => {
  const page = await open();
  await page.getByRole('link', { name: '2026-003' }).click();
  const number = page.getByLabel('Number');
  await number.fill('2026-333');
  await page.goBack();
  await page.getByRole('button', { name: 'Stay' }).click();
  await path(page).toBe('/orders/3');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await number.inputValue()).toBe('2026-333');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Discard them' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('asks before text is left that was typed after a save went to the outbox', async () => {
  const page = await open();
  await page.getByRole('link', { name: '2026-004' }).click();
  const number = page.getByLabel('Number');
  await number.fill('2026-444');
  await page.context().setOffline(true);
  await page.getByText('Offline').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Waits for the network').waitFor();
  await number.fill('2026-445');
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await number.inputValue()).toBe('2026-445');
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('button', { name: 'Discard them' }).click();
  await page.getByRole('button', { name: '1 waiting' }).waitFor();
  await page.context().setOffline(false);
  await expect.poll(() => page.getByRole('button', { name: '1 waiting' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.getByLabel('Search').fill('2026-444');
  await numbers(page).toEqual(['2026-444']);
});

test('two clicks on "Save" create one order', async () => {
  const page = await open();
  await page.getByRole('link', { name: 'New order' }).click();
  await page.getByLabel('Number').fill('2027-002');
  await page.getByLabel('Article').fill('A-1');
  await page.getByRole('button', { name: 'Save' }).dblclick();
  await status(page).toBe('Page 1 of 7, 61 orders');
});

test('a save waits for the password, and the form keeps what was typed', async () => {
  const page = await open();
  const kept = JSON.stringify({ name: 'ada', token: `ada ${Date.now() + 4000}`, refresh: 'outdated' });
  await page.evaluate((text) => sessionStorage.setItem('back-office', text), kept);
  await page.goto(`${screens.server.url}/orders/5`);
  await page.getByLabel('Number').fill('2026-555');
  await page.waitForFunction((until) => Date.now() > until, Date.now() + 4000);
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Password').fill('wrong');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('Name or password is wrong.').waitFor();
  // A sign-out would take the edit away.
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await dialog.getByLabel('Password').fill('secret');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Order 2026-555' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
});

test('saves wait for the network, and the badge counts them', async () => {
  const page = await open();
  await page.getByRole('link', { name: '2026-003' }).click();
  await expect.poll(() => page.getByLabel('Number').inputValue()).toBe('2026-003');
  await page.context().setOffline(true);
  await page.getByText('Offline').waitFor();
  await page.getByLabel('Status').selectOption('sent');
  await page.getByLabel('Due').fill('2027-02-03');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: '1 waiting' }).waitFor();
  await page.context().setOffline(false);
  await expect.poll(() => page.getByRole('button', { name: '1 waiting' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Orders' }).click();
  await page.locator('tbody').getByText('2027-02-03').waitFor();
});

test('asks for the password again when the sign-in has ended, and goes on', async () => {
  const page = await open();
  const kept = JSON.stringify({ name: 'ada', token: 'ada 0', refresh: 'outdated' });
  await page.evaluate((text) => sessionStorage.setItem('back-office', text), kept);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in again, ada' }).waitFor();
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await status(page).toBe('Page 1 of 6, 60 orders');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

test('addresses that lead nowhere say so', async () => {
  const page = await open('/orders/999');
  await page.getByText('There is not an order 999.').waitFor();
  await page.goto(`${screens.server.url}/orders/seven`);
  await page.getByText('There is not an order seven.').waitFor();
  await page.goto(`${screens.server.url}/nothing`);
  await page.getByText('There is not such a page.').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test.each(['/orders', '/orders/7', '/customers'])(
  '%s fits a phone and a wide screen, light and dark, for everybody',
  async (address) => {
    const page = await open(address);
    await page
      .getByText(address === '/orders/7' ? 'Order 2026-007' : 'Ada Lovelace')
      .first()
      .waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [390, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        const folder = process.env.PICTURES;
        const name = address.slice(1).replace('/', '-');
        if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
      }
      expect(await violations(page)).toEqual([]);
    }
  },
);
