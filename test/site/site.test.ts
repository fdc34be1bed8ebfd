import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { type BuiltSite, readBuilt, serveSite } from './built-site.js';

let site: BuiltSite;
let browser: Browser;
let page: Page;
/** The reports of the console and the page, and the requests to other hosts. */
let problems: string[];

beforeAll(async () => {
  site = await serveSite();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});
beforeEach(() => {
  problems = [];
});
afterEach(() => page?.close());

async function open(place: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(data|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.goto(`${site.url}${place}`, { waitUntil: 'networkidle' });
  return page;
}

/** The places of the first results of a search, in their order. */
async function search(words: string): Promise<string[]> {
  const box = page.locator('.VPLocalSearchBox');
  if ((await box.count()) === 0) await page.keyboard.press('Control+k');
  await box.locator('.search-input').fill(words);
  // The list follows the input after a moment: it is the right one when it marks the words.
  const [first = ''] = words.split(/\W+/);
  await box.locator('.result mark', { hasText: first }).first().waitFor();
  const links = await page
    .locator('.VPLocalSearchBox a.result')
    .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).pathname));
  return links.map((link) => link.replace(/\.html$/, ''));
}

describe('search', () => {
  test.each([
    ['other query parameters', '/guide/dialects'],
    ['query parameter names', '/guide/dialects'],
    ['422 form', '/guide/errors'],
    ['422 in a form', '/guide/errors'],
    ['children of a record', '/guide/nested'],
    ['offline', '/guide/offline'],
    ['conflict', '/guide/conflicts'],
    ['somebody else changed', '/guide/conflicts'],
  ])('finds the answer to "%s" among the first five results', async (words, answer) => {
    await open('/');
    expect((await search(words)).slice(0, 5)).toContain(answer);
    expect(problems).toEqual([]);
  });

  test.each([
    ['class Store', '/api/repose/classes/Store'],
    ['retry()', '/api/repose/functions/retry'],
    ['http-not-found', '/errors'],
  ])('finds the page about "%s"', async (words, answer) => {
    await open('/');
    expect((await search(words)).slice(0, 10)).toContain(answer);
  });

  test('works without a connection once it was opened', async () => {
    await open('/');
    await search('offline');
    await page.context().setOffline(true);
    expect(await search('conflict')).toContain('/guide/conflicts');
  });
});

const PAGES = [
  '/',
  '/guide/start.html',
  '/guide/lists.html',
  '/reference/options.html',
  '/errors.html',
  '/e/http-not-found/',
  '/api/repose/functions/retry.html',
  '/performance.html',
  '/playground.html',
];

describe.each([
  ['light', 390],
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
] as const)('in %s at %i pixels', (colorScheme, width) => {
  test.each(PAGES)('%s is accessible, fits, and reports nothing', async (place) => {
    await open(place, { colorScheme, viewport: { width, height: 900 } });
    expect(await page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
    const excess = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(excess).toBe(0);
    // The policy of the page refuses scripts that are injected; a script of the debugger is not.
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run({
        // VitePress shows the key of the search beside the name of its button.
        rules: { 'label-content-name-mismatch': { enabled: false } },
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
    });
    expect(found).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('the page of an error', () => {
  test('is at the address that a message names, and says what to do', async () => {
    await open('/e/http-not-found');
    await expect(page.locator('main').textContent()).resolves.toContain(
      'Check the id, and `url` and `api` of the proxy',
    );
    await expect(page.locator('main').textContent()).resolves.toContain('HttpError');
  });

  test('has the class, the code and where to read on, for a code as well', async () => {
    await open('/e/conflict/');
    await expect(page.locator('main').textContent()).resolves.toMatch(/ConflictError[\s\S]*Handle conflicts/);
  });
});

describe('the table of errors', () => {
  test('shows names in two braces as they are', async () => {
    await open('/errors.html');
    await expect(page.locator('main').textContent()).resolves.toContain("'{{name}}' in '{url}' cannot be filled in");
  });
});

describe('the page of a function', () => {
  test('has parameters, result, errors and an example', async () => {
    await open('/api/repose/functions/retry.html');
    const headings = await page.locator('main h2').allTextContents();
    expect(headings.map((each) => each.replace(/\W+$/, '').trim())).toEqual([
      'Parameters',
      'Returns',
      'Throws',
      'Example',
    ]);
  });
});

describe('the playground', () => {
  const line = () => page.getByTestId('line').textContent();
  const message = () => page.getByTestId('message').textContent();

  test('explains the request of each change at once', async () => {
    await open('/playground.html');
    await expect.poll(line).toBe('GET /api/tasks?page=1&limit=3&sort=title&done=false');
    await page.getByLabel('direction').selectOption('DESC');
    await expect.poll(line).toContain('sort=-title');
    await page.getByLabel('dialect').selectOption('odata4');
    await expect.poll(line).toContain('%24orderby=title%20desc');
    await page.getByRole('button', { name: 'update', exact: true }).click();
    await expect.poll(line).toBe('PATCH /api/tasks(2)');
    await expect(page.locator('.table').textContent()).resolves.toContain('The changes of the record');
    expect(problems).toEqual([]);
  });

  test('loads and saves over the server in the page', async () => {
    await open('/playground.html');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toBe('3 of 3 tasks');
    await page.getByLabel('title', { exact: true }).fill('Ask for three offers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(message).toContain('"title":"Ask for three offers"');
    await expect(page.getByTestId('sent').textContent()).resolves.toMatch(
      /^PATCH \/api\/tasks\/4 → 200\s*GET \/api\/tasks\?/,
    );
    expect(problems).toEqual([]);
  });

  test('shows what is wrong with an address, and how to mend it', async () => {
    await open('/playground.html');
    await page.getByLabel('url').fill('/api/other');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toMatch(/answered 404.*repose\.example\/e\/http-not-found/);
    await page.getByLabel('format').fill('a/b');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('cannot be a part of an address');
  });
});

describe('the files for assistants', () => {
  test('list each guide, and hold all of them', () => {
    const list = readBuilt('llms.txt');
    const whole = readBuilt('llms-full.txt');
    for (const guide of [
      'start',
      'lists',
      'writes',
      'errors',
      'offline',
      'conflicts',
      'nested',
      'dialects',
      'testing',
    ]) {
      expect(list).toContain(`https://repose.example/guide/${guide}.md`);
      expect(readBuilt(`guide/${guide}.md`)).toContain('```ts');
    }
    expect(whole).toContain('# Handle a conflict');
    expect(whole).toContain('# Stores, in full');
  });
});
