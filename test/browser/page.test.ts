import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildPage } from '../../demo/page/build.js';
import { type RunningServer, startServer, type TaskRow } from '../demo/running-server.js';

const SCREENSHOTS = fileURLToPath(new URL('../../.cache/screenshots', import.meta.url));

let browser: Browser;
let server: RunningServer;
let page: Page;
/** Errors in the page's console: refusals of the content security policy, uncaught errors. */
const complaints: string[] = [];

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
});

afterAll(() => browser.close());

beforeEach(async () => {
  complaints.length = 0;
  server = await startServer({ page: await buildPage() });
  page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
  page.on('pageerror', (error) => complaints.push(error.message));
  // The browser logs each failed request as an error; the page shows those itself.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${server.url}/`);
  await row(1).waitFor();
});

afterEach(async () => {
  await page.close();
  await server.stop();
  expect(complaints).toEqual([]);
});

function row(id: number): Locator {
  return page.locator('section.tasks tbody tr', { has: page.locator('th', { hasText: new RegExp(`^${id}$`) }) });
}

function field(name: string, id: number | 'new'): Locator {
  return page.getByLabel(`${name} of ${id === 'new' ? 'the new task' : `task ${id}`}`, { exact: true });
}

/** The ids that are shown, top to bottom. */
function ids(): Promise<string[]> {
  return page.locator('section.tasks tbody th').allTextContents();
}

async function stored(id: number): Promise<TaskRow> {
  return (await server.get(`/api/tasks/${id}`)).body;
}

/** Waits until the table shows these ids. */
async function expectIds(expected: readonly number[]): Promise<void> {
  await expect.poll(ids).toEqual(expected.map(String));
}

const lastRequest = () => page.locator('.requests summary').first();

test('shows the first page of the records and explains the request', async () => {
  await expectIds(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(await field('Title', 1).inputValue()).toBe((await stored(1)).title);
  expect(await page.getByText('Page 1 of 10 · 200 tasks').count()).toBe(1);
  expect(await page.locator('.requests .parts tr', { hasText: '?page=1' }).textContent()).toContain('pageParam');
  await page.screenshot({ path: `${SCREENSHOTS}/rows.png` });
});

test('runs under a content security policy that forbids eval and markup from texts', async () => {
  const policy = (await fetch(`${server.url}/`)).headers.get('Content-Security-Policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain('unsafe');
  // In a timer, because the policy does not apply to code that a debugger evaluates.
  const ran = page.evaluate(
    () =>
      new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(Reflect.construct(Function, ['return 1'])());
          } catch (error) {
            resolve((error as Error).name);
          }
        });
      }),
  );
  expect(await ran).toBe('EvalError');
  complaints.length = 0;
});

test('turns pages', async () => {
  await page.getByRole('button', { name: 'Next' }).click();
  await expectIds(Array.from({ length: 20 }, (_, i) => i + 21));
  await page.getByRole('button', { name: 'Last' }).click();
  await expectIds(Array.from({ length: 20 }, (_, i) => i + 181));
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'First' }).click();
  await expectIds(Array.from({ length: 20 }, (_, i) => i + 1));
});

test('sorts by a click on a header, and reverses the order by another', async () => {
  const header = page.getByRole('columnheader', { name: 'Id' });
  await header.getByRole('button').click();
  await expectIds(Array.from({ length: 20 }, (_, i) => 200 - i));
  expect(await header.getAttribute('aria-sort')).toBe('descending');
  await header.getByRole('button').click();
  await expectIds(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(await header.getAttribute('aria-sort')).toBe('ascending');
});

test('filters by a part of the title and by done or not', async () => {
  const { body } = await server.query('/api/tasks', {
    limit: 20,
    start: 0,
    filter: [
      { property: 'title', operator: 'like', value: 'report' },
      { property: 'done', value: true },
    ],
  });
  await page.getByLabel('Show').selectOption('done');
  await page.getByLabel('Title', { exact: true }).fill('report');
  await expectIds((body.data as TaskRow[]).map(({ id }) => id));
  expect(body.total).toBeGreaterThan(0);
});

test('keeps what is typed as pending, and saves the row with Enter', async () => {
  const before = await stored(3);
  await field('Title', 3).fill('Rewritten');
  expect(await row(3).locator('.state').textContent()).toBe('edited');
  expect(await page.locator('.pending').textContent()).toBe('Not saved: 1 edited');
  expect((await stored(3)).title).toBe(before.title);
  await field('Title', 3).press('Enter');
  await expect.poll(async () => row(3).locator('.state').textContent()).toBe('');
  expect(await stored(3)).toMatchObject({ title: 'Rewritten', origin: before.origin, createdAt: before.createdAt });
  expect(await lastRequest().textContent()).toContain('PUT/api/tasks/3');
});

test('takes an edit back with Escape', async () => {
  const before = await field('Title', 3).inputValue();
  await field('Title', 3).fill('Rewritten');
  await field('Title', 3).press('Escape');
  expect(await field('Title', 3).inputValue()).toBe(before);
  expect(await row(3).locator('.state').textContent()).toBe('');
});

test('shows the reason of a refused edit at its field, and saves the corrected edit', async () => {
  await field('Priority', 2).fill('9');
  await page.getByRole('button', { name: 'Save task 2', exact: true }).click();
  await expect.poll(() => row(2).locator('.priority .error').textContent()).toBe('must be from 1 to 5');
  expect(await field('Priority', 2).getAttribute('aria-invalid')).toBe('true');
  expect(await row(2).locator('.state').textContent()).toBe('editednot saved');
  await field('Priority', 2).fill('5');
  expect(await row(2).locator('.priority .error').textContent()).toBe('');
  await page.getByRole('button', { name: 'Save task 2', exact: true }).click();
  await expect.poll(async () => (await stored(2)).priority).toBe(5);
});

test('refuses an empty title without a request', async () => {
  await field('Title', 2).fill('');
  await page.getByRole('button', { name: 'Save task 2', exact: true }).click();
  expect(await row(2).locator('.title .error').textContent()).toBe('is required');
  expect(await page.locator('.requests .verb.put').count()).toBe(0);
});

test('offers ways to resolve a conflict when somebody else has changed the same task', async () => {
  await field('Title', 3).focus();
  await expect.poll(() => lastRequest().textContent()).toContain('GET/api/tasks/3');
  const { priority } = await stored(3);
  const theirs = priority === 5 ? 4 : 5;
  await fetch(`${server.url}/api/tasks/3`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ priority: theirs }),
  });
  await field('Title', 3).fill('Mine');
  await field('Title', 3).press('Enter');
  await page.getByRole('button', { name: 'Merge' }).click();
  await expect.poll(() => row(3).locator('.state').textContent()).toBe('');
  expect(await stored(3)).toMatchObject({ title: 'Mine', priority: theirs });
});

test('shows an error of a new record only after its field lost the focus', async () => {
  await page.getByRole('button', { name: 'Add a task' }).click();
  const error = page.locator('tr.new .title .error');
  expect(await error.textContent()).toBe('');
  await field('Title', 'new').blur();
  await expect.poll(() => error.textContent()).toBe('is required');
});

test('saves all records at once, and shows the refusal at each record', async () => {
  await field('Title', 1).fill('First');
  await field('Priority', 2).fill('9');
  await page.getByRole('button', { name: 'Remove task 4', exact: true }).click();
  await page.getByRole('button', { name: 'Add a task' }).click();
  await field('Title', 'new').fill('Brand new');
  expect(await page.locator('.pending').textContent()).toBe('Not saved: 1 new, 2 edited, 1 removed');
  await page.screenshot({ path: `${SCREENSHOTS}/pending.png` });
  await page.getByRole('button', { name: 'Save all' }).click();
  await expect.poll(() => page.locator('.message').textContent()).toBe('3 written, 1 not: see their rows');
  expect(await row(2).locator('.priority .error').textContent()).toBe('must be from 1 to 5');
  await page.screenshot({ path: `${SCREENSHOTS}/refused.png` });
  expect(await field('Title', 201).inputValue()).toBe('Brand new');
  expect((await stored(1)).title).toBe('First');
  expect((await stored(201)).title).toBe('Brand new');
  expect((await server.get('/api/tasks/4')).status).toBe(404);
  expect(await page.locator('.pending').textContent()).toBe('Not saved: 1 edited');
});

test('shows saved values after a reload', async () => {
  await page.getByRole('button', { name: 'Add a task' }).click();
  // The cursor is in its title already.
  await page.keyboard.type('Kept');
  await field('Title', 'new').press('Enter');
  await field('Title', 201).waitFor();
  await page.getByRole('button', { name: 'Remove task 1', exact: true }).click();
  await page.getByRole('button', { name: 'Save all' }).click();
  await expect.poll(() => page.locator('.pending').textContent()).toBe('');
  await page.reload();
  await row(2).waitFor();
  expect((await ids())[0]).toBe('2');
  await page.getByRole('button', { name: 'Last' }).click();
  await expect.poll(() => field('Title', 201).inputValue()).toBe('Kept');
});

test('lists unsaved records on other pages, and discards them on demand', async () => {
  await field('Title', 1).fill('Elsewhere');
  await page.getByRole('button', { name: 'Next' }).click();
  await expect.poll(async () => (await ids()).slice(0, 2)).toEqual(['1', '21']);
  expect(await field('Title', 1).inputValue()).toBe('Elsewhere');
  expect(await row(1).locator('.state').textContent()).toContain('other page');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(async () => (await ids())[0]).toBe('21');
  expect(await page.locator('.pending').textContent()).toBe('');
});

test('says when the server cannot be reached, and tries again on demand', async () => {
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Next' }).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  expect(await page.locator('.message').textContent()).toContain('got no response');
  // The table still shows its old rows, no longer dimmed.
  await expect.poll(() => page.getByRole('table', { name: 'Tasks' }).getAttribute('aria-busy')).toBe('false');
  const place = await page.locator('.message').boundingBox();
  expect(place && place.y >= 0 && place.y < 1000).toBe(true);
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await page.locator('.message').evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
  await page.unroute('**/api/**');
  await again.click();
  await expect.poll(() => page.locator('.message').textContent()).toBe('');
});

test('creates one task when a create without a response is saved again', async () => {
  await page.route('**/api/**', (route) => route.abort());
  await page.getByRole('button', { name: 'Add a task' }).click();
  await page.keyboard.type('Offline');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('tr.new .state').textContent()).toContain('got no response');
  await page.unroute('**/api/**');
  await page.getByRole('button', { name: 'Save all' }).click();
  await expect.poll(() => page.locator('.pending').textContent()).toBe('');
  expect((await server.query('/api/tasks', { limit: 20, start: 0 })).body.total).toBe(201);
});

test('does not say that a new task is on another page', async () => {
  await page.getByRole('button', { name: 'Add a task' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2 of').waitFor();
  expect(await page.locator('tr.new .mark').textContent()).toBe('new');
});

test('keeps the focus near a button that is disabled while it has the focus', async () => {
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
  await field('Title', 2).fill('By keyboard');
  await page.getByRole('button', { name: 'Save task 2', exact: true }).press('Enter');
  await expect.poll(focused).toBe('Title of task 2');
  await page.getByRole('button', { name: 'Last' }).press('Enter');
  await expect.poll(focused).toBe('Previous');
  await page.getByRole('button', { name: 'First' }).press('Enter');
  await expect.poll(focused).toBe('Next');
});
