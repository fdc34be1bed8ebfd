// Takes the pictures in docs/pictures anew: two people who edit one order, the inspector, and the groups.
// usage: node --import tsx test/browser/docs-pictures.ts; it needs Chromium, and ImageMagick, which makes the frames one file.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { createDemoServer } from '../../demo/server/index.js';
import { buildPage } from '../../demo/web/build.js';
import { launchChromium } from '../helpers/chromium.js';

const pictures = path.resolve(import.meta.dirname, '../../docs/pictures');
const frames = mkdtempSync(path.join(tmpdir(), 'docs-pictures-'));

const pane = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const press = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true }).click();

/** Opens the application at an address with places in its hash, on a page of this height. */
async function open(browser: Browser, url: string, height: number, hash: string = ''): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height }, colorScheme: 'light' });
  await page.goto(`${url}/#${hash}`);
  for (const name of ['Alice', 'Bob']) await pane(page, name).getByText('Live', { exact: true }).waitFor();
  return page;
}

/** Alice and Bob change the note of one order, Bob without a network. Resolves with the frames, and how long each is shown in 1/100 s. */
async function twoPeople(page: Page): Promise<readonly string[]> {
  const [alice, bob] = [pane(page, 'Alice'), pane(page, 'Bob')];
  const [mine, other] = [alice.getByLabel('Note'), bob.getByLabel('Note')];
  const shown: string[] = [];
  const frame = async (time: number) => {
    const file = path.join(frames, `${shown.length}.png`);
    await page.screenshot({ path: file });
    shown.push('-delay', String(time), file);
  };
  const save = (place: Locator) => press(place, 'Save order and lines');
  await mine.waitFor();
  await other.waitFor();
  await frame(140);
  await mine.fill('Ring');
  await frame(40);
  await mine.fill('Ring twice');
  await frame(90);
  await save(alice);
  await alice.getByText('One record is saved').waitFor();
  await bob.locator('input[value="Ring twice"]').waitFor();
  await frame(160);
  await page.getByLabel('For whom').selectOption('Bob');
  await press(page, 'Offline');
  await bob.getByText('Offline', { exact: true }).waitFor();
  await frame(100);
  await other.fill('Leave at the door');
  await frame(80);
  await save(bob);
  await bob.getByText('One record is kept').waitFor();
  await frame(160);
  await mine.fill('Ring three times');
  await save(alice);
  await alice.getByText('Edited', { exact: true }).waitFor({ state: 'hidden' });
  await frame(160);
  await press(page, 'Offline');
  await bob.getByRole('button', { name: 'Compare' }).waitFor();
  await frame(160);
  await press(bob, 'Compare');
  await page.getByRole('button', { name: 'Keep mine' }).waitFor();
  await frame(220);
  await press(page, 'Keep mine');
  await bob.getByText('Your version was saved').waitFor();
  await alice.locator('input[value="Leave at the door"]').waitFor();
  await frame(260);
  return shown;
}

async function inspector(page: Page): Promise<void> {
  const alice = pane(page, 'Alice');
  await alice.locator('.grid-body .order-link').first().waitFor();
  await press(alice, 'Inspector');
  const panel = page.getByRole('region', { name: 'Inspector of Alice' });
  await panel
    .getByRole('option', { name: /read.*order .*rows/i })
    .first()
    .click();
  await panel.getByText('The address of the collection').waitFor();
}

async function groups(page: Page): Promise<void> {
  const alice = pane(page, 'Alice');
  await alice.locator('.grid-body .order-link').first().waitFor();
  await alice.getByLabel('Group by').selectOption('status');
  await alice.locator('.group-head').last().click();
  await alice.locator('.grid-body .order-link').first().waitFor();
}

/** Writes a picture of docs/pictures from arguments of ImageMagick. */
function write(name: string, ...frames: readonly string[]): void {
  execFileSync('convert', [
    ...frames,
    '-define',
    'webp:lossless=true',
    '-define',
    'webp:method=6',
    path.join(pictures, `${name}.webp`),
  ]);
}

const shop = path.join(frames, 'shop.sqlite');
const server = createDemoServer({ rows: 5, orders: 100_000, file: shop, page: await buildPage() });
const { url } = await server.listen();
const browser = await launchChromium();
try {
  for (const [name, reach] of Object.entries({ inspector, groups })) {
    const page = await open(browser, url, 900);
    await reach(page);
    const still = path.join(frames, `${name}.png`);
    await page.screenshot({ path: still });
    await page.close();
    write(name, still);
  }
  const page = await open(browser, url, 760, 'alice=order/7&bob=order/7');
  write('two-people', '-loop', '0', ...(await twoPeople(page)), '-layers', 'OptimizeFrame');
} finally {
  await browser.close();
  await server.close();
  rmSync(frames, { recursive: true, force: true });
}
