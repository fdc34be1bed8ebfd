import type { Page } from 'playwright-core';
import type { Renders } from './screens/renders.js';

/** How often the parts of a screen have been rendered since it was opened. */
export async function rendersOf(page: Page): Promise<Renders> {
  await painted(page);
  return page.evaluate(() => ({ ...window.renders }));
}

/** How often the parts of a screen are rendered while something is done. */
export async function rendersDuring(page: Page, action: () => Promise<unknown>): Promise<Renders> {
  const before = await rendersOf(page);
  await action();
  const after = await rendersOf(page);
  return { cell: after.cell - before.cell, row: after.row - before.row, grid: after.grid - before.grid };
}

/** Types a text where the caret is. Each character is painted before the next, because a framework may render several at once. */
export async function typeSlowly(page: Page, text: string): Promise<void> {
  for (const character of text) {
    await page.keyboard.type(character);
    await painted(page);
  }
}

/** Waits until the browser has painted, by which time every framework has rendered. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
