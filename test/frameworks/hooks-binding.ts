import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../helpers/rest-server.js';
import type { BuildOptions } from './build.js';
import type { Screens } from './harness.js';
import type {} from './screens/hooks.js';

const row = (id: number, status = 'new') => ({ id, no: `n${id}`, status, total: 10 * id });
const listed = (...ids: number[]): Reply => ({ json: ids.map((id) => row(id)), headers: { 'X-Total-Count': '5' } });

/** Tests what components own: stores, views, windows, loaded records, groups and selections. With the screen `hooks` of a framework. */
export function testHooks(
  title: string,
  screens: Screens,
  options: BuildOptions,
  has = { activity: true, wrong: true },
): void {
  const open = async (name: string): Promise<Page> => {
    const page = await screens.open('hooks', options);
    await page.waitForFunction(() => typeof window.show === 'function');
    await show(page, name);
    return page;
  };
  const show = (page: Page, name: string) => page.evaluate((name) => window.show(name), name);
  const status = (page: Page) =>
    expect.poll(async () => (await page.getByRole('status').textContent())?.replace(/\s+/g, ' ').trim());
  const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
  const numbers = (page: Page) =>
    expect.poll(() =>
      page.getByLabel('No', { exact: true }).evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
    );
  const ended = (page: Page) => expect.poll(() => page.evaluate(() => window.made.map(({ disposed }) => disposed)));

  describe(`${title}: a store that a component makes`, () => {
    test('is made once, loads once, and is disposed of with the component', async () => {
      const held = screens.server.hold();
      const page = await open('store');
      await held.request;
      expect(await page.locator('section').getAttribute('aria-busy')).toBe('true');
      held.answer(listed(1, 2));
      await numbers(page).toEqual(['n1', 'n2']);
      expect(await page.locator('section').getAttribute('aria-busy')).toBe('false');
      await ended(page).toEqual([false]);
      await show(page, '');
      await ended(page).toEqual([true]);
      screens.server.reply(listed(1, 2));
      await show(page, 'store');
      await numbers(page).toEqual(['n1', 'n2']);
      await ended(page).toEqual([true, false]);
      expect(screens.server.lines).toEqual(Array(2).fill('GET /api/orders?page=1&limit=2&sort=no'));
    });

    test('aborts its load when the component goes in the middle of it', async () => {
      const held = screens.server.hold();
      const page = await open('store');
      await held.request;
      await show(page, '');
      await ended(page).toEqual([true]);
      held.answer(listed(1, 2));
      expect(await page.getByLabel('No').count()).toBe(0);
    });

    test('repeats the request that has failed, and keeps the edits', async () => {
      screens.server.reply(listed(1, 2), { status: 500 }, { status: 500 }, listed(3, 4));
      const page = await open('store');
      await numbers(page).toEqual(['n1', 'n2']);
      await page.getByLabel('No').first().fill('mine');
      await press(page, 'More');
      await expect.poll(() => page.getByRole('alert').getAttribute('title')).toBe('http');
      await press(page, 'Try again');
      await expect.poll(() => screens.server.lines.length).toBe(3);
      // A click during the second attempt asks for nothing else.
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      await press(page, 'Try again');
      await numbers(page).toEqual(['mine', 'n2', 'n3', 'n4']);
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(screens.server.lines.slice(1)).toEqual(Array(3).fill('GET /api/orders?page=2&limit=2&sort=no'));
    });

    test('follows its own query', async () => {
      screens.server.reply(listed(1, 2), listed(4, 5));
      const page = await open('store');
      await numbers(page).toEqual(['n1', 'n2']);
      await press(page, 'Sort');
      await numbers(page).toEqual(['n4', 'n5']);
    });

    if (has.activity)
      test('keeps the edits while a part of the screen is hidden', async () => {
        screens.server.reply(listed(1, 2));
        const page = await open('store');
        await numbers(page).toEqual(['n1', 'n2']);
        await page.getByLabel('No').first().fill('mine');
        await show(page, 'hidden');
        await expect.poll(() => page.getByLabel('No').first().isVisible()).toBe(false);
        await show(page, 'store');
        await expect.poll(() => page.getByLabel('No').first().isVisible()).toBe(true);
        await numbers(page).toEqual(['mine', 'n2']);
        await ended(page).toEqual([false]);
        expect(screens.server.lines).toHaveLength(1);
      });
  });

  describe(`${title}: a store that depends on what its component is given`, () => {
    const answer = () =>
      screens.server.always(({ query }) => (query.get('status') === 'paid' ? listed(3, 4) : listed(1, 2)));
    const filters = () => screens.server.requests.map(({ query }) => query.get('status'));

    test('is made anew when a dependency changes, and the one before is disposed of', async () => {
      answer();
      const page = await open('made/new');
      await status(page).toBe('idle 1,2');
      await show(page, 'made/paid');
      await status(page).toBe('idle 3,4');
      await ended(page).toEqual([true, false]);
      await show(page, 'made/new');
      await status(page).toBe('idle 1,2');
      await ended(page).toEqual([true, true, false]);
      expect(filters()).toEqual(['new', 'paid', 'new']);
      await show(page, '');
      await ended(page).toEqual([true, true, true]);
    });

    test('is made anew in the middle of its load', async () => {
      const held = screens.server.hold();
      const page = await open('made/new');
      await held.request;
      answer();
      await show(page, 'made/paid');
      await status(page).toBe('idle 3,4');
      held.answer(listed(1, 2));
      await ended(page).toEqual([true, false]);
      await status(page).toBe('idle 3,4');
    });

    test('is changed by a function when a dependency changes', async () => {
      answer();
      const page = await open('changed/new');
      await status(page).toBe('idle 1,2');
      await show(page, 'changed/paid');
      await status(page).toBe('idle 3,4');
      await show(page, 'changed/paid');
      await ended(page).toEqual([false]);
      expect(filters()).toEqual(['new', 'paid']);
    });

    test('is told once where nothing says that it depends on it', async () => {
      answer();
      const page = await open('kept/new');
      await status(page).toBe('idle 1,2');
      await show(page, 'kept/new');
      expect(screens.complaints).toEqual([]);
      for (const each of ['paid', 'late', 'paid']) {
        await show(page, `kept/${each}`);
        await expect.poll(() => screens.complaints.length).toBe(1);
      }
      await status(page).toBe('idle 1,2');
      expect(screens.complaints.splice(0)).toEqual([expect.stringContaining('gives other ones now: filters.')]);
      await ended(page).toEqual([false]);
    });
  });

  test(`${title}: any source is shown`, async () => {
    const page = await open('source');
    await status(page).toBe('nothing to undo');
    await page.evaluate(() => void window.editable.getById(1)?.set('name', 'Grace'));
    await status(page).toBe('can undo');
  });

  describe(`${title}: a store that lives elsewhere`, () => {
    test('loads once for all components, and outlives them', async () => {
      screens.server.reply(listed(1, 2));
      const page = await open('shared');
      await status(page).toBe('idle 1,2 of 5');
      await show(page, '');
      await show(page, 'shared');
      await status(page).toBe('idle 1,2 of 5');
      expect(screens.server.lines).toEqual(['GET /api/orders?page=1&limit=2']);
      expect(await page.evaluate(() => window.shared.disposed)).toBe(false);
    });
  });

  describe(`${title}: a view and a window`, () => {
    test('a view follows the records and its options, and ends with the component', async () => {
      const page = await open('');
      screens.server.reply({ json: [row(1), row(2, 'paid'), row(3)] });
      await page.evaluate(async () => void (await window.grouped.load()));
      await show(page, 'view');
      await status(page).toBe('1,3');
      await page.evaluate(() => window.grouped.getById(2)?.set('status', 'new'));
      await status(page).toBe('1,2,3');
      await press(page, 'Turn');
      await status(page).toBe('3,2,1');
      await ended(page).toEqual([true, false]);
      await show(page, '');
      await ended(page).toEqual([true, true]);
    });

    test('a window is made once, asks once, and follows its range', async () => {
      screens.server.reply(listed(1, 2));
      const page = await open('window');
      await status(page).toBe('idle 1,2 of 5');
      screens.server.reply({ status: 500 }, listed(3, 4));
      await press(page, 'Next');
      await press(page, 'Try again after http');
      await status(page).toBe('idle 3,4 of 5');
      const lines = screens.server.lines;
      expect([lines[0], ...new Set(lines.slice(1))]).toEqual([
        'GET /api/orders?page=1&limit=2&sort=no',
        'GET /api/orders?page=2&limit=2&sort=no',
      ]);
      expect(lines).toHaveLength(3);
      await ended(page).toEqual([false]);
      await show(page, '');
      await ended(page).toEqual([true]);
    });
  });

  describe(`${title}: a loaded record`, () => {
    test('is read once for two components, and follows the id', async () => {
      screens.server.reply({ json: row(7) });
      const page = await open('twice/7');
      await status(page).toBe('loaded 7');
      await expect.poll(() => page.getByRole('note').textContent()).toBe('loaded 7');
      await page.getByLabel('No').first().fill('mine');
      await numbers(page).toEqual(['mine', 'mine']);
      screens.server.reply({ json: row(8) });
      await show(page, 'twice/8');
      await status(page).toBe('loaded 8');
      expect(screens.server.lines).toEqual(['GET /api/orders/7', 'GET /api/orders/8']);
    });

    test('shows that the server has none, and asks again by reload', async () => {
      screens.server.reply({ status: 404 }, { json: row(7) });
      const page = await open('loaded/7');
      await status(page).toBe('not found');
      await press(page, 'Reload');
      await status(page).toBe('loaded 7');
    });

    test('keeps the record and its edits where loading it again fails', async () => {
      screens.server.reply({ json: row(7) }, { status: 500 }, { status: 404 });
      const page = await open('loaded/7');
      await status(page).toBe('loaded 7');
      await page.getByLabel('No').fill('mine');
      await press(page, 'Reload');
      await status(page).toBe('http 7');
      await press(page, 'Reload');
      await status(page).toBe('not found 7');
      await numbers(page).toEqual(['mine']);
    });

    test('asks nothing without an id, also when the id goes', async () => {
      const page = await open('loaded');
      await status(page).toBe('idle');
      const held = screens.server.hold();
      await show(page, 'loaded/7');
      await held.request;
      await status(page).toBe('loading');
      await show(page, 'loaded');
      await status(page).toBe('idle');
      held.answer({ json: row(7) });
      screens.server.reply({ json: row(7) });
      await show(page, 'loaded/7');
      await status(page).toBe('loaded 7');
      expect(screens.server.lines).toHaveLength(2);
    });

    test('is asked for again after the component went in the middle of the request', async () => {
      const held = screens.server.hold();
      const page = await open('loaded/7');
      await held.request;
      await show(page, '');
      await expect.poll(() => page.getByRole('status').count()).toBe(0);
      held.answer({ json: row(7) });
      screens.server.reply({ json: { ...row(7), no: 'newer' } });
      await show(page, 'loaded/7');
      await status(page).toBe('loaded 7');
      await numbers(page).toEqual(['newer']);
      expect(screens.server.lines).toHaveLength(2);
    });
  });

  describe(`${title}: groups and selections`, () => {
    test('groups and their summaries follow each edit', async () => {
      const page = await open('');
      screens.server.reply({ json: [row(1), row(2, 'paid'), row(3)] });
      await page.evaluate(async () => void (await window.grouped.load()));
      await show(page, 'groups');
      await status(page).toBe('new 1,3 = 40; paid 2 = 20 = 60');
      await page.evaluate(() => window.grouped.getById(3)?.set('total', 5));
      await status(page).toBe('new 1,3 = 15; paid 2 = 20 = 35');
      await page.evaluate(() => window.grouped.getById(1)?.set('status', 'paid'));
      await status(page).toBe('new 3 = 5; paid 1,2 = 30 = 35');
      await page.evaluate(() => void window.grouped.add({ id: 9, no: 'n0', status: 'late', total: 1 }));
      await status(page).toBe('late 9 = 1; new 3 = 5; paid 1,2 = 30 = 36');
    });

    test('a selection stays over pages', async () => {
      screens.server.always(({ query }) => (query.get('page') === '2' ? listed(3, 4) : listed(1, 2)));
      const page = await open('selection');
      await page.getByLabel('Select 1').check();
      await status(page).toBe('1 selected');
      await press(page, 'Page 2');
      await page.getByLabel('Select 4').check();
      await status(page).toBe('2 selected');
      await press(page, 'Page 1');
      await expect.poll(() => page.getByLabel('Select 1').isChecked()).toBe(true);
      expect(await page.getByLabel('Select 2').isChecked()).toBe(false);
      await page.getByLabel('Select 1').uncheck();
      await status(page).toBe('1 selected');
      await press(page, 'All');
      await status(page).toBe('5 selected');
      expect(await page.getByLabel('Select 2').isChecked()).toBe(true);
    });
  });

  describe(`${title}: the names of references`, () => {
    const names = (page: Page) => expect.poll(() => page.getByRole('listitem').allTextContents());
    const expected = (...five: string[]) => Array.from({ length: 25 }, (_, at) => five[at % 5] as string);
    const customers = (...ids: number[]): Reply => ({ json: ids.map((id) => ({ id, name: `C${id}` })) });

    test('come by one request for all rows, and follow the fields', async () => {
      screens.server.reply(customers(1, 2, 3, 4, 5));
      const page = await open('references');
      await names(page).toEqual(expected('C1', 'C2', 'C3', 'C4', 'C5'));
      expect(screens.server.lines).toHaveLength(1);
      screens.server.reply({ json: { id: 7, name: 'C7' } });
      await page.evaluate(() => void window.deliveries.getById(1)?.set('customerId', 7));
      await page.evaluate(() => void window.deliveries.getById(2)?.set('customerId', null));
      await names(page).toEqual(['C7', 'nobody', ...expected('C1', 'C2', 'C3', 'C4', 'C5').slice(2)]);
      expect(screens.server.lines.slice(1)).toEqual(['GET /api/customers/7']);
    });

    test('are unknown where the server has no such record', async () => {
      screens.server.reply(customers(1, 2, 4, 5), customers());
      const page = await open('references');
      await names(page).toEqual(expected('C1', 'C2', 'unknown', 'C4', 'C5'));
    });
  });

  describe(`${title}: an outbox`, () => {
    const outcome = (page: Page) => expect.poll(() => page.getByRole('note').textContent());
    const alerts = (page: Page) => expect.poll(() => page.getByRole('alert').count());
    const saveText = async (page: Page, text: string) => {
      await page.getByLabel('Text').fill(text);
      await press(page, 'Save');
    };

    test('shows what it holds while the page is offline, and a refusal with two ways on', async () => {
      const page = await open('offline');
      await status(page).toBe('0 queued, 0 failed, online');
      await page.context().setOffline(true);
      await status(page).toBe('0 queued, 0 failed, offline');
      await saveText(page, 'Taken');
      await outcome(page).toBe('queued');
      await status(page).toBe('1 queued, 0 failed, offline');
      const told = page.getByText('The server cannot be reached. Your changes are kept, and will be sent.');
      await expect.poll(() => told.count()).toBe(1);
      screens.server.reply({ status: 422, json: { errors: [{ detail: 'This text is taken.' }] } });
      await page.context().setOffline(false);
      await status(page).toBe('0 queued, 1 failed, online');
      expect(await page.getByRole('alert').textContent()).toContain('This text is taken.');
      screens.server.reply({ json: { id: 1, text: 'Taken' } });
      await press(page, 'Send again');
      await status(page).toBe('0 queued, 0 failed, online');
      await alerts(page).toBe(0);
    });

    test('gives a refused write up, and saves the next one', async () => {
      const page = await open('offline');
      screens.server.reply({ status: 422, json: { errors: [{ detail: 'No.' }] } }, { json: { id: 1, text: 'Old' } });
      await saveText(page, 'Taken');
      await outcome(page).toBe('false');
      await press(page, 'Give up');
      await status(page).toBe('0 queued, 0 failed, online');
      await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('Old');
      screens.server.reply({ json: { id: 1, text: 'Free' } });
      await saveText(page, 'Free');
      await outcome(page).toBe('saved');
    });
  });

  if (has.wrong)
    test(`${title}: says clearly what was given in the wrong place`, async () => {
      const page = await open('wrong');
      const told = () =>
        page
          .getByRole('alert')
          .evaluateAll((all) => all.map((each) => `${each.getAttribute('title')} ${each.textContent}`));
      await expect.poll(async () => (await told()).length).toBeGreaterThan(11);
      for (const text of await told()) expect(text).toMatch(/^definition use\w+.*: .* must be an? .*not /);
      screens.complaints.splice(0);
    });
}
