import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createDemoServer } from '../demo/server/index.js';
import { buildPage } from '../demo/web/build.js';
import type { Row } from './harness.js';

/** Bounds of the figures: what a user of the application would notice. */
const BOUNDS =
  'first paint 1,000 ms, task 50 ms, edit 16.7 ms, 50 frames a second, no row that differs from the server';

/**
 * Measures the demo's application in Chromium: its first paint, scrolling through all orders, an edit, and changes that the server pushes.
 * There is no floor to compare it with, so all ratios are 1.
 */
export async function screen(quick: boolean): Promise<Row[]> {
  const orders = quick ? 20_000 : 100_000;
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-screen-'));
  const server = createDemoServer({ rows: 5, orders, file: path.join(folder, 'shop.sqlite'), page: await buildPage() });
  const { url } = await server.listen();
  const browser = await launch();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1500, height: 1000 } })).newPage();
    const row = (name: string, value: number, unit: string): Row => {
      return { workload: 'screen', case: name, n: orders, subject: 'repose', value, unit, ratio: 1 };
    };
    await page.goto(url);
    await page.locator('[role=grid] .order-link').first().waitFor();
    const firstRows = await page.evaluate(() => performance.now());
    const rows = [row('first paint', await firstPaint(page), 'ms'), row('first rows', firstRows, 'ms')];
    const scrolled = await scrollThrough(page, quick ? 3000 : 10_000);
    rows.push(row('longest task while all rows are scrolled', scrolled.longest, 'ms'));
    rows.push(row('tasks over 50 ms while all rows are scrolled', scrolled.count, 'tasks'));
    rows.push(row('processor time of the longest of these tasks', scrolled.processor, 'ms'));
    rows.push(row('edit until it is on screen', await edit(page), 'ms'));
    const pushed = await push(page, url, quick ? 2 : 5);
    rows.push(row('changes pushed', pushed.rate, 'a second'));
    rows.push(row('frames while they come', pushed.frames, 'a second'));
    rows.push(row('last change until all of them are on screen', pushed.delay, 'ms'));
    rows.push(row('rows that are not as the server has them', pushed.lost, 'rows'));
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

interface Scrolled {
  /** Milliseconds of the longest task over 50 ms, by the clock: those in which other programs had the processor are counted as well. */
  readonly longest: number;
  readonly count: number;
  /** Milliseconds for which the longest task had the processor. */
  readonly processor: number;
}

/** Scrolls through the grid of the first pane, a frame at a time. */
async function scrollThrough(page: Page, duration: number): Promise<Scrolled> {
  const processorTime = await traceTasks(page);
  const found = await page.evaluate(async (total) => {
    performance.mark('scroll');
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
    performance.mark('scrolled');
    grid.scrollTop = 0;
    return { longest: Math.max(0, ...tasks), count: tasks.length };
  }, duration);
  return { ...found, processor: await processorTime() };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
}

/** Traces the tasks of the page. The function that it resolves with ends that, and tells the processor time of the longest task between the marks. */
async function traceTasks(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] },
  });
  return async () => {
    const ended = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
    await session.send('Tracing.end');
    await ended;
    await session.detach();
    const begin = events.find(({ name }) => name === 'scroll');
    const end = events.find(({ name }) => name === 'scrolled');
    if (!begin || !end) throw new Error('The trace lacks the marks of the scroll');
    const times = events
      .filter(({ pid, tid, ts }) => pid === begin.pid && tid === begin.tid && ts >= begin.ts && ts <= end.ts)
      .map(({ tdur = 0 }) => tdur / 1000);
    return Math.max(0, ...times);
  };
}

/**
 * Sets the mark "urgent" of the first order: the median time from a click, at the beginning of a frame, to the end of this frame, which must
 * show the edit.
 */
async function edit(page: Page): Promise<number> {
  const box = page.locator('[role=grid] input[aria-label^="Urgent"]').first();
  await box.waitFor();
  const times: number[] = [];
  for (let turn = 0; turn < 9; turn += 1)
    times.push(
      await box.evaluate(async (input) => {
        await new Promise(requestAnimationFrame);
        const began = performance.now();
        const cell = input.closest('.cell-text');
        const before = cell?.getAttribute('data-dirty');
        (input as HTMLElement).click();
        // The browser takes the message after it has drawn the frame.
        await new Promise<void>((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve();
          port2.postMessage(undefined);
        });
        const time = performance.now() - began;
        if (cell?.getAttribute('data-dirty') === before) throw new Error('The frame does not show the edit');
        return time;
      }),
    );
  return times.sort((a, b) => a - b)[4] as number;
}

/** Number of changes in a request of the person who pushes. */
const BATCH = 50;
/** Number of changes that are pushed in a second. */
const PUSHED = 1000;
/** Milliseconds after which a change that is not on screen counts as lost. */
const PATIENCE = 10_000;

interface Pushed {
  /** Changes that the server took, a second. */
  readonly rate: number;
  /** Frames that the page drew meanwhile, a second. */
  readonly frames: number;
  /** Milliseconds from the last change until both people saw the rows as the server has them. */
  readonly delay: number;
  /** Number of rows on screen that are not as the server has them, however long one waits. */
  readonly lost: number;
}

/** Changes all orders on screen as somebody else, counts the frames meanwhile, and compares what both people see with the rows of the server. */
async function push(page: Page, url: string, seconds: number): Promise<Pushed> {
  const ids = [...(await notesOnScreen(page))[0]!.keys()];
  const counting = page.evaluate(async (total) => {
    let count = 0;
    const began = performance.now();
    while (performance.now() - began < total) {
      await new Promise(requestAnimationFrame);
      count += 1;
    }
    return count / (total / 1000);
  }, seconds * 1000);
  const began = performance.now();
  let sent = 0;
  while (sent < seconds * PUSHED) {
    const changes = Array.from({ length: BATCH }, (_, at) => {
      return { id: ids[(sent + at) % ids.length], values: { note: `change ${sent + at}` } };
    });
    await changeElsewhere(url, changes);
    sent += BATCH;
    const early = (sent / PUSHED) * 1000 - (performance.now() - began);
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
  }
  const ended = performance.now();
  const frames = await counting;
  const notes = await notesOnServer(url, ids);
  let lost = Number.POSITIVE_INFINITY;
  while (lost > 0 && performance.now() - ended < PATIENCE) {
    const shown = await notesOnScreen(page);
    lost = shown.flatMap((pane) => ids.filter((id) => pane.get(id) !== notes.get(id))).length;
  }
  return { rate: sent / ((ended - began) / 1000), frames, delay: performance.now() - ended, lost };
}

async function changeElsewhere(url: string, changes: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/app/elsewhere`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes }),
  });
  if (!response.ok) throw new Error(`The server refused the changes: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

async function notesOnServer(url: string, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = await Promise.all(
    ids.map(async (id) => {
      const response = await fetch(`${url}/api/orders/${id}`);
      return (await response.json()) as { readonly id: number; readonly note: string | null };
    }),
  );
  return new Map(rows.map(({ id, note }) => [id, note ?? '']));
}

/** The notes of the orders in the grid of each pane, by id. */
async function notesOnScreen(page: Page): Promise<ReadonlyMap<number, string>[]> {
  const panes = await page.evaluate(() =>
    [...document.querySelectorAll('[role=grid]')].map((grid) => {
      const heads = [...grid.querySelectorAll('[role=columnheader]')];
      const column = heads.find((head) => head.textContent?.includes('Note'))?.getAttribute('aria-colindex');
      return [...grid.querySelectorAll('[role=row]')].flatMap((row): [number, string][] => {
        const id = /\d+/.exec(row.querySelector('.order-link')?.textContent ?? '')?.[0];
        return id ? [[Number(id), row.querySelector(`[aria-colindex="${column}"]`)?.textContent ?? '']] : [];
      });
    }),
  );
  return panes.map((pane) => new Map(pane));
}
