import { createServer, type Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';
import { bundlePage } from './bundle-page.js';

/** Functions that the page offers to the test. */
interface Tools {
  size(): number;
  names(): string[];
  create(name: string): Promise<string>;
  flush(): Promise<void>;
  resume(): void;
  drained(): Promise<void>;
}
declare const tools: Tools;

let browser: Browser;
let script: string;
let server: Server;
let url: string;
let context: BrowserContext;
let lost: boolean;
const rows: string[] = [];
const done = new Map<string, string>();

beforeAll(async () => {
  script = await bundlePage('outbox-page.ts');
  browser = await launchChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
  rows.length = 0;
  done.clear();
  lost = false;
  server = createServer((request, response) => {
    const type = request.url === '/page.js' ? 'text/javascript' : 'text/html';
    if (request.method === 'GET')
      return void response
        .writeHead(200, { 'content-type': type })
        .end(request.url === '/page.js' ? script : '<!doctype html><script type="module" src="/page.js"></script>');
    let text = '';
    request.on('data', (part: Buffer) => {
      text += String(part);
    });
    request.on('end', () => {
      const key = String(request.headers['idempotency-key']);
      if (!done.has(key)) {
        rows.push((JSON.parse(text) as { name: string }).name);
        done.set(key, JSON.stringify({ ...(JSON.parse(text) as object), id: rows.length }));
      }
      if (lost) request.socket.destroy();
      else response.writeHead(201, { 'content-type': 'application/json' }).end(done.get(key));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  context = await browser.newContext();
});
afterEach(async () => {
  await context.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function openPage(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => 'tools' in globalThis);
  return page;
}

test('an outbox keeps writes in IndexedDB over a reload, and several tabs send them once', async () => {
  const page = await openPage();
  lost = true;
  expect(await page.evaluate(() => tools.create('Ada'))).toBe('queued');
  expect(await page.evaluate(() => tools.create('Grace'))).toBe('queued');
  await page.reload();
  await page.waitForFunction(() => 'tools' in globalThis);
  const other = await openPage();
  for (const each of [page, other]) expect(await each.evaluate(() => tools.names())).toEqual(['Ada', 'Grace']);
  lost = false;
  await Promise.all([page, other].map((each) => each.evaluate(() => tools.flush())));
  for (const each of [page, other]) {
    await each.evaluate(() => tools.flush());
    expect(await each.evaluate(() => [tools.size(), tools.names()])).toEqual([0, []]);
  }
  expect(rows.sort()).toEqual(['Ada', 'Grace']);
});

test('an outbox holds writes while the browser is offline, and sends them when it is online', async () => {
  const page = await openPage();
  await page.evaluate(() => tools.resume());
  await context.setOffline(true);
  expect(await page.evaluate(() => tools.create('Ada'))).toBe('queued');
  expect(await page.evaluate(() => tools.size())).toBe(1);
  await context.setOffline(false);
  await page.evaluate(() => tools.drained());
  expect(rows).toEqual(['Ada']);
});
