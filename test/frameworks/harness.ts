import type { Browser, Page } from 'playwright-core';
import type { RestServer as MemoryServer } from 'repose/testing';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchChromium } from '../helpers/chromium.js';
import { type Received, type Reply, type RestServer, startRestServer } from '../helpers/rest-server.js';
import { type BuildOptions, type BuiltScreen, buildScreen, type Framework } from './build.js';

/** The screens of a framework, and the server that they talk to. */
export interface Screens {
  /** Scripted server at the page's own origin: `reply`, `hold`, `always`. It is reset after each test. */
  readonly server: RestServer;
  /** Errors and warnings in the console since the test began. A test fails if any are left at its end. */
  readonly complaints: string[];
  /** Opens `screens/FRAMEWORK/NAME` in a browser context of its own. It is built at the first call. */
  open(name: string, options?: BuildOptions): Promise<Page>;
  /** Opens a page of another server in a browser context of its own. */
  visit(url: string): Promise<Page>;
  /** Builds a screen without opening it. */
  build(name: string, options?: BuildOptions): Promise<BuiltScreen>;
  /** Answers requests without a scripted response from a server of `repose/testing`, with its faults. */
  answerFrom(memory: MemoryServer): void;
}

/** Starts a browser and a server for the tests of a file. */
export function screensOf(framework: Framework): Screens {
  const builds = new Map<string, Promise<BuiltScreen>>();
  const complaints: string[] = [];
  let shown: BuiltScreen | undefined;
  let browser: Browser | undefined;
  let server: RestServer | undefined;

  beforeAll(async () => {
    server = await startRestServer({ file: (path) => shown && fileOf(shown, path) });
    browser = await launchChromium();
  });
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    server?.reset();
    expect(complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const screens: Screens = {
    get server() {
      return started(server);
    },
    complaints,
    build(name, options = {}) {
      const key = JSON.stringify([name, options]);
      const build = builds.get(key) ?? buildScreen(framework, name, options);
      builds.set(key, build);
      return build;
    },
    async open(name, options) {
      shown = await screens.build(name, options);
      return screens.visit(screens.server.url);
    },
    async visit(url) {
      const page = await started(browser).newPage();
      page.setDefaultTimeout(15_000);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        // The browser logs each failed request as an error; screens show those themselves.
        const isRequest = message.text().startsWith('Failed to load resource');
        if (['error', 'warning'].includes(message.type()) && !isRequest) complaints.push(message.text());
      });
      await page.goto(url);
      return page;
    },
    answerFrom(memory) {
      screens.server.always((request) => replyFrom(memory, request));
    },
  };
  return screens;
}

function started<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('The browser and the server start before the first test: use them in tests only.');
  return value;
}

function fileOf({ html, script, style }: BuiltScreen, path: string): Reply | undefined {
  const file = (type: string, text: string): Reply => ({ headers: { 'Content-Type': `${type}; charset=utf-8` }, text });
  switch (path) {
    case '/':
      return file('text/html', html);
    case '/screen.js':
      return file('text/javascript', script);
    case '/screen.css':
      return file('text/css', style);
    default:
      return undefined;
  }
}

/** The response of a server in memory. A fault that gives no response cuts the connection. */
async function replyFrom(memory: MemoryServer, { method, url, headers, text }: Received): Promise<Reply> {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  try {
    const response = await memory.fetch(memory.baseUrl + url, { method, headers: sent, ...(text && { body: text }) });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  } catch {
    return { drop: true };
  }
}
