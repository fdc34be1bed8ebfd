import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { build } from 'esbuild';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';

const SCREENSHOTS = fileURLToPath(new URL('../../.cache/screenshots', import.meta.url));
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'";
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>shop</title>
<link rel="stylesheet" href="/page.css"></head><body><main><h1>Shop</h1><div id="inspector"></div></main>
<script type="module" src="/page.js"></script></body></html>`;
// Styles of an application that must not reach into the panel.
const CSS = `* { font-family: serif !important; } button { background: red; font-size: 40px; } main { padding: 0 } h1 { margin: 8px }
body { margin: 0 } #inspector { height: 560px }`;

let browser: Browser;
let server: Server;
let url: string;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const entry = (name: string) => file(`../../dist/${name}.js`);
  const { outputFiles } = await build({
    entryPoints: [file('inspector-page.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: '{}',
    alias: {
      repose: entry('index'),
      'repose/devtools': entry('devtools'),
      'repose/outbox': entry('outbox'),
      'repose/testing': entry('testing'),
    },
    logLevel: 'silent',
  });
  const script = outputFiles[0]?.text ?? '';
  const answers: Record<string, readonly [type: string, text: string]> = {
    '/page.js': ['text/javascript', script],
    '/page.css': ['text/css', CSS],
  };
  server = createServer((request, response) => {
    const [type, text] = answers[(request.url ?? '').replace(/\?.*/, '')] ?? ['text/html', HTML];
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  server.close();
});

beforeEach(() => {
  complaints.length = 0;
});

afterEach(async () => {
  await page.close();
  expect(complaints).toEqual([]);
});

/** Opens the page of the application. */
async function open(query: string, options: { width?: number; height?: number; dark?: boolean } = {}): Promise<void> {
  const { width = 1280, height = 900, dark = false } = options;
  page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${url}/?${query}`);
  await page.locator('body[data-ready]').waitFor();
}

const visit = () => page.evaluate('window.app.visit()');
const options = () => page.getByRole('option');

/** The text of a part of the page, as it is shown. */
const textOf = async (part: Locator) => (await part.allInnerTexts()).join('\n');

async function violations(): Promise<string[]> {
  // The page's own policy forbids scripts in it, but not those that the browser itself is asked to run.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run('[data-repose-inspector]').then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 120) + ' ' + failureSummary).join(' | ')))`);
}

describe('the inspector', () => {
  test('shows what happens, each operation with its request, reasons, response and records', async () => {
    await open('place=element');
    await visit();
    await expect.poll(() => options().count()).toBe(9);
    expect(await textOf(options().nth(0))).toMatch(/READ[\s\S]*order[\s\S]*20 of 120 rows[\s\S]*200/i);
    await options().nth(3).click();
    const detail = page.getByRole('region', { name: 'The chosen operation' });
    await detail.getByText('Update of order 3').waitFor();
    const text = await textOf(detail);
    expect(text).toContain('The address of the collection');
    expect(text).toContain('The id of the record, as a segment of the path');
    expect(text).not.toMatch(/§|\bH\d/);
    // Before, sent, after.
    const note = detail.locator('tr.changed', { hasText: 'note' });
    expect((await textOf(note)).split('\t')).toEqual(['note', expect.stringContaining('<img'), 'changed', 'changed']);
  });

  test('tells waits, attempts and failures', async () => {
    await open('place=element');
    await visit();
    await options().nth(5).click();
    const detail = page.getByRole('region', { name: 'The chosen operation' });
    await detail.getByText('Attempts (3)').waitFor();
    expect(await textOf(detail.getByRole('region', { name: 'Attempts' }))).toMatch(
      /503[\s\S]*network|fetch|connection[\s\S]*200/i,
    );
    await page.getByRole('button', { name: 'Failures' }).click();
    await expect.poll(() => options().count()).toBe(3);
    await options().nth(2).click();
    await detail.getByText('Nothing was sent.').waitFor();
    await page.getByRole('searchbox').fill('999');
    await expect.poll(() => options().count()).toBe(1);
  });

  test('shows texts of servers as texts, and masks secrets', async () => {
    await open('place=element');
    await visit();
    await expect.poll(() => options().count()).toBe(9);
    for (const at of [2, 3, 8]) {
      await options().nth(at).click();
      await page.getByRole('region', { name: 'Body of the response' }).waitFor();
      const text = await textOf(page.locator('[data-repose-inspector] .panel'));
      expect(text).not.toMatch(/secret-token|DE12 3456/);
    }
    expect(await textOf(page.locator('[data-repose-inspector] .panel'))).toContain('<img src=x');
    expect(await page.locator('[data-repose-inspector] img').count()).toBe(0);
    expect(await page.title()).toBe('shop');
    await page.getByRole('button', { name: 'Show secrets' }).click();
    await page.getByText('DE12 3456').first().waitFor();
  });

  test('tells the query of stores, what is loaded, and why a list is stale', async () => {
    await open('place=element');
    await visit();
    await page.getByRole('tab', { name: /Stores/ }).click();
    const card = page.getByRole('region', { name: 'Store 1 of order' });
    await card.getByText('Stale:').waitFor();
    expect(await textOf(card)).toMatch(/sorted by note[\s\S]*page 2 of 20 rows each/);
  });

  test('shows what the outbox keeps', async () => {
    await open('place=element');
    await page.evaluate('window.app.visitOffline()');
    await page.getByRole('tab', { name: /Outbox/ }).click();
    const region = page.getByRole('region', { name: 'Outbox of ada' });
    await region.getByText('offline: writes are kept').waitFor();
    expect(await textOf(region)).toMatch(/customer \(new\)[\s\S]*create[\s\S]*waits to be sent/);
    expect(await textOf(region)).not.toContain('DE99');
  });

  test('works by the keyboard alone', async () => {
    await open('open');
    await visit();
    await expect.poll(() => options().count()).toBe(9);
    await page.getByRole('tab', { name: /Operations/ }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { name: /Stores/ }).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('listbox').focus();
    await page.keyboard.press('End');
    expect(await options().last().getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('ArrowUp');
    expect(await options().nth(7).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close Repose' }).press('Enter');
    await page.getByRole('button', { name: 'Repose', exact: true }).press('Enter');
    await expect.poll(() => options().count()).toBe(9);
  });

  test('exports JSON without secrets, and copies a test', async () => {
    await open('place=element');
    await visit();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ format: 'repose-recording', version: 1 });
    expect(text).not.toMatch(/secret-token|DE12 3456/);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as test' }).click();
    await page.getByText('The test was copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain("from 'repose/testing'");
  });

  test('leaves nothing behind when it is disposed of, and records nothing more', async () => {
    await open('place=element');
    await page.evaluate('window.app.inspector.dispose()');
    await visit();
    expect(await page.locator('[data-repose-inspector]').count()).toBe(0);
    expect(await page.evaluate('window.app.inspector.recorder.operations.length')).toBe(0);
    expect(await page.evaluate('window.app.Order.proxy.watch.by === undefined')).toBe(true);
  });

  test.each([
    [320, false],
    [1280, false],
    [1920, true],
  ])('has no violation of axe, and no part that is clipped, %i px wide (dark: %s)', async (width, dark) => {
    await open('place=element', { width, dark, height: 800 });
    await visit();
    await page.evaluate('window.app.visitOffline()');
    await expect.poll(() => options().count()).toBe(9);
    const shot = (name: string) => page.screenshot({ path: `${SCREENSHOTS}/inspector-${width}-${name}.png` });
    await shot('list');
    expect(await violations()).toEqual([]);
    await options().nth(3).click();
    await shot('operation');
    expect(await violations()).toEqual([]);
    if (width < 640) await page.getByRole('button', { name: 'Back to the list' }).click();
    await options().nth(5).click();
    await shot('attempts');
    await page.getByRole('tab', { name: /Stores/ }).click();
    await shot('stores');
    expect(await violations()).toEqual([]);
    await page.getByRole('tab', { name: /Outbox/ }).click();
    await shot('outbox');
    expect(await violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('shows headers, ids and errors as texts, and numbers with all of their digits', async () => {
    await open('place=element');
    await page.evaluate('window.app.visitHostile()');
    await expect.poll(() => options().count()).toBe(2);
    const panel = page.locator('[data-repose-inspector] .panel');
    for (const at of [0, 1]) {
      await options().nth(at).click();
      await page.getByRole('region', { name: 'Body of the response' }).waitFor();
      await page.evaluate(
        `document.querySelector('[data-repose-inspector]').shadowRoot.querySelectorAll('details').forEach((part) => { part.open = true; })`,
      );
      expect(await textOf(panel)).toContain('<img src=x');
      if (at === 0) expect(await textOf(panel)).toMatch(/"long": 9007199254740993,\s+"one": 1\.0/);
    }
    expect(await page.locator('[data-repose-inspector] img').count()).toBe(0);
    expect(await page.title()).toBe('shop');
  });

  test('keeps keys that are pressed in it from the page', async () => {
    await open('place=element');
    await page.evaluate(`window.heard = []; for (const name of ['keydown', 'keyup', 'keypress', 'input'])
      document.addEventListener(name, (event) => window.heard.push(event.type));`);
    await page.getByRole('searchbox').pressSequentially('dx');
    expect(await page.getByRole('searchbox').inputValue()).toBe('dx');
    expect(await page.evaluate('window.heard')).toEqual([]);
  });

  test('works in a frame, with its styles', async () => {
    await open('');
    await page.evaluate(`const frame = document.createElement('iframe'); document.body.append(frame);
      window.framed = window.app.mountInspector(window.app.session, { into: frame.contentDocument.body });`);
    await visit();
    const frame = page.frameLocator('iframe');
    await expect.poll(() => frame.getByRole('option').count()).toBe(9);
    await frame.getByRole('option').nth(3).click();
    await frame.getByText('Update of order 3').waitFor();
    const display = `getComputedStyle(document.querySelector('iframe').contentDocument.querySelector('[data-repose-inspector]').shadowRoot.querySelector('.panel')).display`;
    expect(await page.evaluate(display)).toBe('flex');
    await page.evaluate('window.framed.dispose()');
    expect(await frame.locator('[data-repose-inspector]').count()).toBe(0);
  });

  test('works in a page that has no body yet', async () => {
    await open('');
    await page.evaluate(`window.app.inspector.dispose(); const { body } = document; body.remove();
      window.early = window.app.mountInspector(window.app.session); document.documentElement.append(body);`);
    await visit();
    await page.getByRole('button', { name: 'Repose', exact: true }).click();
    await expect.poll(() => options().count()).toBe(9);
  });

  test('is there twice without one covering the other, and ends one by one', async () => {
    await open('');
    await page.evaluate(`window.second = window.app.mountInspector(window.app.session, { title: 'Second' });`);
    await visit();
    await page.getByRole('button', { name: 'Second', exact: true }).click();
    await expect.poll(() => options().count()).toBe(9);
    await page.getByRole('button', { name: 'Close Second' }).click();
    await page.evaluate('window.second.dispose(); window.second.dispose()');
    await visit();
    await page.getByRole('button', { name: 'Repose', exact: true }).click();
    await expect.poll(() => options().count()).toBeGreaterThan(9);
    expect(await page.locator('[data-repose-inspector]').count()).toBe(1);
  });

  test('copies a command without secrets, unless they are shown', async () => {
    await open('place=element');
    await visit();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await options().nth(3).click();
    const copied = async () => {
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByText('The command was copied.').waitFor();
      return (await page.evaluate('navigator.clipboard.readText()')) as string;
    };
    expect(await copied()).toMatch(/^curl -X '(PUT|PATCH)'/);
    expect(await copied()).not.toContain('secret-token');
    await page.getByRole('button', { name: 'Show secrets' }).click();
    expect(await copied()).toContain('secret-token');
  });

  test('that is disposed of while requests run leaves no timers, errors or panels', async () => {
    await open('open');
    await page.evaluate(`window.app.server.fetch.plan('hold'); window.loading = window.app.orders.load();
      window.app.server.fetch.waitFor(1);`);
    await expect.poll(() => options().count()).toBe(1);
    await page.evaluate('window.app.inspector.dispose(); window.app.server.fetch.release()');
    expect(await page.evaluate('window.loading.then((records) => records.length)')).toBe(20);
    await page.waitForTimeout(200);
    expect(await page.locator('[data-repose-inspector]').count()).toBe(0);
  });

  test('is docked at the lower edge of a page that gives it no place', async () => {
    await open('', { dark: true });
    await visit();
    await page.screenshot({ path: `${SCREENSHOTS}/inspector-closed.png` });
    await page.getByRole('button', { name: 'Repose', exact: true }).click();
    await expect.poll(() => options().count()).toBe(9);
    await options().nth(3).click();
    await page.screenshot({ path: `${SCREENSHOTS}/inspector-docked.png` });
    expect(await violations()).toEqual([]);
  });
});
