import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { buildPage } from '../../demo/web/build.js';
import { type Reply, type RunningServer, type Send, startServer } from '../demo/running-server.js';

const axeText = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let built: ReturnType<typeof buildPage> | undefined;

/** The application in a browser, with a server of its own. */
export interface ShopPage {
  readonly server: RunningServer;
  readonly page: Page;
  /** Errors in the console that are no failed requests: refusals of the policy, uncaught errors, warnings of React. */
  readonly complaints: readonly string[];
  /** The pane of a person. */
  pane(name: 'Alice' | 'Bob'): Locator;
  /** Shows places: `{ alice: 'order/7' }`. */
  goTo(places: Readonly<Record<string, string>>): Promise<void>;
  /** Puts the server into a situation for a person. */
  situation(client: string, situation: object): Promise<void>;
  /** Waits until the feed of a pane is live, and what it may have missed before is read again. */
  live(name: 'Alice' | 'Bob'): Promise<void>;
  /** Lets no feed connect again once its server has failed. A feed that comes back reads again what has failed, before anybody clicks. */
  withoutFeeds(): Promise<void>;
  /** A request of somebody else, with a token. */
  send(method: string, path: string, options?: Send): Promise<Reply>;
  /** The rules of axe that are broken. */
  violations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Starts a server, and opens the application in a new context of the browser. */
export async function openShop(
  browser: Browser,
  { places = {}, orders = 300, width = 1500, height = 1000, dark = false, expiresIn = 600 }: ShopOptions = {},
): Promise<ShopPage> {
  built ??= buildPage();
  const server = await startServer({ rows: 5, orders, expiresIn, page: await built });
  const context: BrowserContext = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    bypassCSP: false,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    // The browser logs each failed request; the page shows those itself.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  const inFlight = new Set<Request>();
  page.on('request', (request) => {
    // A stream does not end.
    if (!request.url().endsWith('/events')) inFlight.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => inFlight.delete(request));
  const pane = (name: 'Alice' | 'Bob') => page.getByRole('region', { name, exact: true });
  await page.goto(`${server.url}/#${new URLSearchParams(places)}`);
  return {
    server,
    page,
    complaints,
    pane,
    live: async (name) => {
      await pane(name).getByText('Live', { exact: true }).waitFor();
      // The reads begin in the same turn as the status changes.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      await expect.poll(() => inFlight.size).toBe(0);
    },
    withoutFeeds: async () => {
      await page.route('**/events', (route) => route.abort());
    },
    goTo: async (next) => {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        String(new URLSearchParams(next)),
      );
    },
    situation: async (client, json) => {
      await server.send('POST', '/app/situations', { json: { client, ...json } });
    },
    send: async (method, path, options = {}) => {
      // Signs in each time, because a test may take longer than a sign-in is good for.
      const { body: grant } = await server.send('POST', '/app/sign-in', { json: { name: 'Dora' } });
      const headers = { Authorization: `Bearer ${grant.token}`, ...options.headers };
      return server.send(method, path, { ...options, headers });
    },
    violations: async () => {
      // The policy of the page refuses scripts in its markup, but not those of the browser's own tools.
      await page.evaluate(axeText);
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
        return (await axe.run()).violations;
      });
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    async close() {
      await context.close();
      await server.stop();
    },
  };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Settings of {@link openShop}. */
export interface ShopOptions {
  readonly places?: Readonly<Record<string, string>>;
  readonly orders?: number;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly expiresIn?: number;
}
