import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildPage } from '../../demo/web/build.js';
import { type RunningServer, startServer } from '../demo/running-server.js';
import { launchChromium } from '../helpers/chromium.js';

const SCREENSHOTS = fileURLToPath(new URL('../../.cache/screenshots', import.meta.url));

let browser: Browser;
let server: RunningServer;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  server = await startServer({ page: await buildPage(), orders: 500 });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

afterEach(async () => {
  await page.close();
  expect(complaints.splice(0)).toEqual([]);
});

test.each([
  [1600, 'light'],
  [390, 'dark'],
] as const)('each pane of the demo has an inspector of its own client, %i px wide', async (width, colorScheme) => {
  page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(server.url);
  const alice = page.getByRole('region', { name: 'Alice', exact: true });
  // A list that is left while it is read reads nothing.
  await alice.getByRole('button', { name: 'Open order 1', exact: true }).waitFor();
  await alice.getByRole('button', { name: 'Inspector' }).click();
  const panel = page.getByRole('region', { name: 'Inspector of Alice' });
  const orders = panel.getByRole('option', { name: /read.*order .*rows/i });
  await orders.first().click();
  await panel.getByText('The address of the collection').waitFor();
  // The token of the sign-in is masked.
  await panel.getByText('authorization: ***').first().waitFor();
  await page.screenshot({ path: `${SCREENSHOTS}/demo-inspector-${width}.png` });
  await panel.getByRole('tab', { name: /Stores/ }).click();
  await panel.getByRole('region', { name: 'Store 1 of order' }).waitFor();
  await page.screenshot({ path: `${SCREENSHOTS}/demo-inspector-stores-${width}.png` });
  await alice.getByRole('button', { name: 'Show the code: An inspector in any application' }).click();
  await page.getByRole('dialog').getByText('mountInspector(recorder').waitFor();
  await page.keyboard.press('Escape');
  const sides = await panel.evaluate((element) => [element.scrollWidth, element.clientWidth]);
  expect(sides[0]).toBeLessThanOrEqual(sides[1] as number);
});
