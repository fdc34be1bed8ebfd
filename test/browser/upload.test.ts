import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';
import { bundlePage } from './bundle-page.js';
import type { Tools } from './upload-page.js';

declare const tools: Tools;

const MEGABYTES = 4 * 1024 * 1024;

let browser: Browser;
let server: RestServer;
let page: Page;

beforeAll(async () => {
  const script = await bundlePage('upload-page.ts');
  const html = '<!doctype html><script type="module" src="/page.js"></script>';
  server = await startRestServer({
    file: (path) =>
      path === '/page.js'
        ? { text: script, headers: { 'Content-Type': 'text/javascript' } }
        : path === '/'
          ? { text: html, headers: { 'Content-Type': 'text/html' } }
          : undefined,
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

beforeEach(async () => {
  server.reset();
  page = await browser.newPage();
  await page.goto(`${server.url}/`);
  await page.waitForFunction(() => 'tools' in globalThis);
});
afterEach(() => page.close());

const upload = (title: string, bytes = 1000) =>
  page.evaluate(([name, size]) => tools.upload(name, size), [title, bytes] as const);

test('reports how far an upload is, by the operation', async () => {
  server.reply({ status: 201, json: { id: 5, title: 'Sea', image: '/files/5' } });
  expect(await upload('Sea', MEGABYTES)).toBe('saved 5 /files/5');
  const seen = await page.evaluate(() => tools.seen);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.map(({ loaded }) => loaded)).toEqual(seen.map(({ loaded }) => loaded).toSorted((a, b) => a - b));
  const last = seen.at(-1);
  expect(last).toEqual({ loaded: last?.total, total: last?.total, title: 'Sea' });
  expect(last?.total).toBeGreaterThan(MEGABYTES);
  expect(server.last.headers).toMatchObject({
    'x-key': 'k',
    'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/),
  });
  expect(((server.last.form as FormData).get('image') as File).size).toBe(MEGABYTES);
});

test('answers with the error of the server, and with empty responses', async () => {
  server.reply({ status: 422, json: { errors: { title: ['is taken'] } } }, { status: 500 });
  expect(await upload('Sea')).toMatch(/^validation: .*title is taken/);
  expect(await upload('Sea')).toMatch(/^http: POST .*\/photos answered 500/);
});

test('is aborted with its call', async () => {
  const held = server.hold();
  const result = upload('Sea');
  await held.request;
  await page.evaluate(() => tools.abort('Sea'));
  expect(await result).toMatch(/^abort: POST .*\/photos was aborted/);
  held.answer({ status: 204 });
});

test('reports a lost connection as one that got no response', async () => {
  server.reply({ drop: true });
  expect(await upload('Sea')).toMatch(/^network: POST .*\/photos got no response/);
});

test('does not take the response of a redirect for that of the write', async () => {
  server.reply({ status: 303, headers: { Location: '/photos/1' } }, { json: { id: 1 } });
  expect(await upload('Sea')).toMatch(/^read: POST .*\/photos was redirected to .*\/photos\/1/);
});

test('saves although the listener throws', async () => {
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await page.evaluate(() => tools.fail());
  server.reply({ status: 201, json: { id: 5, image: 'x' } });
  expect(await upload('Sea')).toBe('saved 5 x');
  expect(errors[0]).toContain('a mistake of the page');
});
