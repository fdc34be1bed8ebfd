import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Bundles a script of this folder for a page, with the package as it is built. Returns its text. */
export async function bundlePage(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file(name)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: '{}',
    alias: { repose: file('../../dist/index.js'), 'repose/outbox': file('../../dist/outbox.js') },
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts Chromium without a window. `CHROMIUM` in the environment is the path of another one. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}
