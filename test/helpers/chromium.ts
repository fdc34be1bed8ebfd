import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Chromium without the parts of a window, as a package of its own. It opens a page in a quarter of the processor time. */
const headlessShell = '/usr/bin/chromium-headless-shell';

/** Starts Chromium without a window. `CHROMIUM` in the environment is the path of another one. */
export function launchChromium(): Promise<Browser> {
  const installed = existsSync(headlessShell) ? headlessShell : '/usr/bin/chromium';
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? installed,
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}
