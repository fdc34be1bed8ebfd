import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createDemoServer } from '../demo/server/index.js';
import { buildPage } from '../demo/web/build.js';
import type { Row } from './harness.js';

/** Bounds of the figures: what a user of the application would notice. */
const BOUNDS = 'first paint 1,000 ms, task 50 ms, edit 16.7 ms, 50 frames a second, 0 changes lost';

/**
 * Measures the demo's application in Chromium: its first paint, scrolling through all orders, an edit, and changes that the server pushes.
 * There is no floor to compare it with, so all ratios are 1.
 */
export async function screen(quick: boolean): Promise<Row[]> {
  const orders = quick ? 20_000 : 100_000;
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-screen-'));
  const server = createDemoServer({ rows: 5, orders, file: ':memory:', page: await buildPage() });
  const { url } = await server.listen();
  const browser = await launch();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1500, height: 1000 } })).newPage();
    const row = (name: string, value: number, unit: string): Row => {
      return { workload: 'screen', case: name, n: orders, subject: 'repose', value, unit, ratio: 1 };
    };
    await page.goto(url);
    await page.locator('[role=grid] .order-link').first().waitFor();
    const rows = [row('first paint', await firstPaint(page), 'ms')];
    const scrolled = await scrollThrough(page, quick ? 3000 : 10_000);
    rows.push(row('longest task while all rows are scrolled', scrolled.longest, 'ms'));
    rows.push(row('tasks over 50 ms while all rows are scrolled', scrolled.count, 'tasks'));
    rows.push(row('edit until it is on screen', await edit(page), 'ms'));
    const pushed = await push(page, url, quick ? 2 : 5);
    rows.push(row('changes pushed', pushed.rate, 'a second'));
    rows.push(row('frames while they come', pushed.frames, 'a second'));
    rows.push(row('changes lost', pushed.lost, 'changes'));
    console.error(`screen: bounds: ${BOUNDS}`);
    return rows;
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}

function firstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () => performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? 0,
  );
}

/** Scrolls through the grid of the first pane, a frame at a time. */
async function scrollThrough(page: Page, duration: number): Promise<{ longest: number; count: number }> {
  return await page.evaluate(async (total) => {
    const grid = document.querySelector('[role=grid]') as HTMLElement;
    const tasks: number[] = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)));
    observer.observe({ type: 'longtask' });
    // Read once: reading it in each frame would make the browser lay the page out twice.
    const way = grid.scrollHeight - grid.clientHeight;
    const began = performance.now();
    for (let now = began; now - began < total; now = await new Promise(requestAnimationFrame))
      grid.scrollTop = way * Math.min(1, (now - began) / total);
    await new Promise((resolve) => setTimeout(resolve, 500));
    tasks.push(...observer.takeRecords().map((each) => each.duration));
    observer.disconnect();
    grid.scrollTop = 0;
    return { longest: Math.max(0, ...tasks), count: tasks.length };
  }, duration);
}

/** Sets the mark "urgent" of the first order: the median time from the click to the end of the frame that shows it. */
async function edit(page: Page): Promise<number> {
  const box = page.locator('[role=grid] input[aria-label^="Urgent"]').first();
  await box.waitFor();
  const times: number[] = [];
  for (let turn = 0; turn < 9; turn += 1)
    times.push(
      await box.evaluate(async (input) => {
        await new Promise(requestAnimationFrame);
        const began = performance.now();
        (input as HTMLElement).click();
        await new Promise<void>((resolve) => {
          requestAnimationFrame(() => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => resolve();
            port2.postMessage(undefined);
          });
        });
        return performance.now() - began;
      }),
    );
  return times.sort((a, b) => a - b)[4] as number;
}

/** Changes the orders on screen as somebody else, counts the frames meanwhile, and compares what is shown in the end. */
async function push(page: Page, url: string, seconds: number): Promise<{ rate: number; frames: number; lost: number }> {
  const signIn = await fetch(`${url}/app/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Dora' }),
  });
  const { token } = (await signIn.json()) as { token: string };
  const texts = await page.locator('[role=grid]').first().locator('.order-link').allTextContents();
  const ids = texts.map((text) => Number(/\d+/.exec(text)?.[0])).slice(2, 12);
  const change = (id: number, note: string) =>
    fetch(`${url}/app/elsewhere`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ ids: [id], values: { note } }),
    });
  const counting = page.evaluate(async (total) => {
    let count = 0;
    const began = performance.now();
    while (performance.now() - began < total) {
      await new Promise(requestAnimationFrame);
      count += 1;
    }
    return count / (total / 1000);
  }, seconds * 1000);
  const last = new Map<number, string>();
  const began = performance.now();
  let sent = 0;
  const send = async () => {
    while (performance.now() - began < seconds * 1000) {
      // No faster than 1,000 a second.
      if (sent >= performance.now() - began) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      sent += 1;
      const id = ids[sent % ids.length] as number;
      const note = `change ${sent}`;
      last.set(id, note);
      await change(id, note);
    }
  };
  await Promise.all(Array.from({ length: 10 }, send));
  const rate = sent / ((performance.now() - began) / 1000);
  const frames = await counting;
  for (const id of ids) {
    last.set(id, `last of ${id}`);
    await change(id, `last of ${id}`);
  }
  await page.waitForTimeout(1500);
  const shown = await page.locator('[role=grid]').first().textContent();
  const lost = [...last.values()].filter((note) => !shown?.includes(note)).length;
  return { rate, frames, lost };
}
