import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchChromium } from './chromium.js';
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

/** Clicks a button that is shown, unless what it offers happens by itself before, so that the button is gone. */
export async function clickUnlessGone(button: Locator): Promise<void> {
  await Promise.race([button.click(), button.waitFor({ state: 'detached' })]);
}
