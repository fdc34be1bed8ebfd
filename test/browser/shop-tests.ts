import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';
import { openShop, type ShopOptions, type ShopPage } from './shop-page.js';

/**
 * Starts a browser for the tests of a file. Returns a function that opens the application in a page of its own, which is closed after the
 * test. The test fails if there is a message in the console of the page.
 */
export function shopOfEachTest(): (options?: ShopOptions) => Promise<ShopPage> {
  let browser: Browser;
  let shop: ShopPage | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const opened = shop;
    shop = undefined;
    await opened?.close();
    expect(opened?.complaints ?? []).toEqual([]);
  });
  return async (options = {}) => {
    shop = await openShop(browser, options);
    return shop;
  };
}

/**
 * Sends what the outbox of a pane keeps, and waits until it is sent. The outbox may have sent it by itself: then the button is disabled, and a
 * click alone would wait for ever.
 */
export async function sendNow(pane: Locator): Promise<void> {
  const sent = pane.getByText('Everything that you saved is on the server.');
  await Promise.race([pane.getByRole('button', { name: 'Send now' }).click(), sent.waitFor()]);
  await sent.waitFor();
}
