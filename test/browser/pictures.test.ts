import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';
import { clippedParts } from './clipped-parts.js';
import { PICTURE_STATES, type PictureState } from './picture-states.js';
import { openShop } from './shop-page.js';

// `npm run pictures` takes all pictures; a run of the suite takes those that show the most.
const takesAll = process.env['PICTURES'] === 'all';
const MAIN = ['grid', 'edit', 'order', 'conflict', 'outbox-failed'];
const WIDTHS = [390, 1280, 1920, 2560] as const;
const FOLDER = fileURLToPath(new URL('../../.cache/pictures', import.meta.url));

const states = PICTURE_STATES.filter(({ name }) => takesAll || MAIN.includes(name));
const screens = takesAll
  ? WIDTHS.flatMap((width) => [false, true].map((dark) => ({ width, dark, theme: dark ? 'dark' : 'light' })))
  : [
      { width: 390, dark: false, theme: 'light' },
      { width: 1280, dark: true, theme: 'dark' },
    ];

let browser: Browser;

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.each(screens)('a page of $width px, $theme', ({ width, dark, theme }) => {
  test.each(states)(
    'shows the state "$name" whole, and to everybody',
    async ({ name, options, reach }: PictureState) => {
      const shop = await openShop(browser, { ...options, width, dark, height: width === 390 ? 844 : 900 });
      try {
        const { page } = shop;
        await reach({
          shop,
          page,
          alice: shop.pane('Alice'),
          bob: shop.pane('Bob'),
          show: async (person) => {
            const button = page.getByRole('navigation', { name: 'People' }).getByRole('button', { name: person });
            if (await button.isVisible()) await button.click();
          },
        });
        await page.screenshot({ path: `${FOLDER}/${name}-${width}-${theme}.png` });
        expect(await page.evaluate(clippedParts)).toEqual([]);
        expect(await shop.violations()).toEqual([]);
        expect(shop.complaints).toEqual([]);
      } finally {
        await shop.close();
      }
    },
  );
});
