import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { pagesWithWords } from '../../site/lib/search-words.mjs';
import { launchChromium } from '../helpers/chromium.js';
import { type BuiltSite, builtFiles, readBuilt, serveSite } from './built-site.js';
import { LATER_QUESTIONS, QUESTIONS } from './questions.js';

let site: BuiltSite;
let browser: Browser;
let page: Page;
/** The reports of the console and the page, and the requests to other hosts. */
let problems: string[];

beforeAll(async () => {
  site = await serveSite();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await site?.stop();
});
beforeEach(() => {
  problems = [];
});
afterEach(() => page?.close());

async function open(place: string): Promise<Page> {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url) && !/^(data|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.goto(`${site.url}${place}`, { waitUntil: 'networkidle' });
  return page;
}

/** The places of the results of a search, in their order. */
async function search(words: string): Promise<string[]> {
  const box = page.locator('.VPLocalSearchBox');
  if ((await box.count()) === 0) await page.keyboard.press('Control+k');
  const input = box.locator('.search-input');
  const results = box.locator('a.result');
  await input.fill('');
  await expect.poll(() => results.count()).toBe(0);
  await input.fill(words);
  await results.first().waitFor();
  const links = await results.evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).pathname));
  return links.map((link) => link.replace(/\.html$/, ''));
}

describe('search', () => {
  test.each(Object.entries(QUESTIONS))('finds %s among the first three results', async (answer, wordings) => {
    await open('/');
    for (const words of wordings) expect((await search(words)).slice(0, 3), words).toContain(answer);
    // Sections that hold the words are marked in the list.
    await expect.poll(() => page.locator('.VPLocalSearchBox mark').count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  test('finds the right page first for nine questions of ten', async () => {
    await open('/');
    const asked = [
      ...Object.entries(QUESTIONS).flatMap(([page, all]) => all.map((question) => [question, page] as const)),
      ...LATER_QUESTIONS,
    ];
    const wrong: string[] = [];
    for (const [question, ...pages] of asked) {
      const [first = ''] = await search(question);
      if (!pages.includes(first)) wrong.push(`${question}: ${first} instead of ${pages}`);
    }
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(asked.length / 10);
  }, 300_000);

  test.each([
    ['filter rows', '/guide/lists'],
    ['filter', '/guide/lists'],
    ['sort', '/guide/lists'],
    ['add header', '/guide/addressing'],
    ['cancel request', '/guide/addressing'],
    ['relations', '/guide/nested'],
    ['undo', '/guide/undo'],
  ])('finds the guide first by the words of its task: %s', async (words, answer) => {
    await open('/');
    expect((await search(words))[0]).toBe(answer);
  });

  test('finds classes, functions and errors by their names', async () => {
    await open('/');
    expect((await search('class Store')).slice(0, 3)).toContain('/api/repose/classes/Store');
    expect((await search('retry()')).slice(0, 5)).toContain('/api/repose/functions/retry');
    expect((await search('http-not-found')).slice(0, 3)).toContain('/e/http-not-found/');
  });

  test('works without a connection once it was opened', async () => {
    await open('/');
    await search('offline');
    await page.context().setOffline(true);
    expect(await search('conflict')).toContain('/guide/conflicts');
  });

  test('says that its index is loading, until it is', async () => {
    await open('/');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/@localSearchIndexroot*', async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    const notice = page.locator('.VPLocalSearchBox').getByRole('status');
    await expect.poll(() => notice.textContent()).toBe('The index of the search is loading …');
    release();
    await expect.poll(() => notice.textContent()).toBe('');
    expect(await search('conflict')).toContain('/guide/conflicts');
  });

  test('loads an index of at most 400 kB', () => {
    const [index = ''] = builtFiles('assets/chunks', '.js').filter((name) => name.startsWith('@localSearchIndexroot'));
    expect(readBuilt(`assets/chunks/${index}`).length).toBeLessThanOrEqual(400_000);
  });

  test('has words for pages that exist only', () => {
    for (const place of pagesWithWords) expect(readBuilt(`${place}.html`), place).toContain('<h1');
  });
});

/** The things that tools for accessibility find wrong on the page that is open. */
async function violations(): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run({
      // VitePress shows the key of the search beside the name of its button.
      rules: { 'label-content-name-mismatch': { enabled: false } },
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}

test.each([
  '/',
  '/guide/start.html',
  '/guide/lists.html',
  '/reference/options.html',
  '/errors.html',
  '/e/http-not-found/',
  '/api/repose/functions/retry.html',
  '/performance.html',
  '/playground.html',
])('%s is accessible, fits narrow and wide pages, light and dark, and reports nothing', async (place) => {
  await open(place);
  // The policy of the page refuses scripts that are injected; a script of the debugger is not.
  await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const excess = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      await expect.poll(excess, { message: `${colorScheme} at ${width}` }).toBe(0);
      // Colours fade from one scheme to the other.
      await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
      expect(await violations(), `${colorScheme} at ${width}`).toEqual([]);
    }
  }
  expect(problems).toEqual([]);
});

test('the home shows a picture, and the code of a first screen', async () => {
  await open('/');
  await page.locator('.VPHome img[src*="two-people"]').waitFor();
  await expect(page.locator('.VPHome div[class*="language-tsx"]').first().textContent()).resolves.toContain(
    'Model.define',
  );
  expect(problems).toEqual([]);
});

describe('the page of an error', () => {
  test('is at the address that a message names, and says what to do', async () => {
    await open('/e/http-not-found');
    await expect(page.locator('main').textContent()).resolves.toContain(
      'Check the id, and `url` and `api` of the proxy',
    );
    await expect(page.locator('main').textContent()).resolves.toContain('HttpError');
  });

  test('shows the whole text of the message, on a narrow screen too', async () => {
    await open('/e/http-not-found');
    await page.setViewportSize({ width: 390, height: 900 });
    const excess = await page.locator('main pre').evaluate((pre) => pre.scrollWidth - pre.clientWidth);
    expect(excess).toBe(0);
  });

  test('has the class, the code and where to read on, for a code as well', async () => {
    await open('/e/conflict/');
    await expect(page.locator('main').textContent()).resolves.toMatch(/ConflictError[\s\S]*Handle conflicts/);
  });
});

describe('the page of results', () => {
  test('draws bars as long as their values', async () => {
    await open('/performance.html');
    const groups = await page.locator('ul.bars').evaluateAll((lists) =>
      lists.map((list) =>
        [...list.querySelectorAll('li')].map((item) => ({
          width: Number.parseFloat(item.querySelector('rect')?.getAttribute('width') ?? ''),
          value: Number.parseFloat((item.lastElementChild?.textContent ?? '').replaceAll(',', '')),
        })),
      ),
    );
    expect(groups.length).toBeGreaterThan(10);
    for (const bars of groups) {
      const most = Math.max(...bars.map(({ value }) => value));
      // The values are shown with two digits.
      for (const { width, value } of bars) expect(Math.abs(width - (100 * value) / most)).toBeLessThan(7);
    }
  });
});

describe('the table of errors', () => {
  test('shows names in two braces as they are', async () => {
    await open('/errors.html');
    await expect(page.locator('main').textContent()).resolves.toContain("'{{name}}' in '{url}' cannot be filled in");
  });
});

describe('the page of a function', () => {
  test('has parameters, result, errors and an example', async () => {
    await open('/api/repose/functions/retry.html');
    const headings = await page.locator('main h2').allTextContents();
    expect(headings.map((each) => each.replace(/\W+$/, '').trim())).toEqual([
      'Parameters',
      'Returns',
      'Throws',
      'Example',
    ]);
  });
});

describe('the page of a function of an entry', () => {
  test('leads to the guide with a whole program', async () => {
    await open('/api/repose/svelte/functions/useForm.html');
    await page.getByRole('heading', { name: 'Read on' }).waitFor();
    await page.locator('main').getByRole('link', { name: 'Show it in Svelte' }).click();
    await page.getByRole('heading', { name: 'Show it in Svelte', level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('the pages of an entry', () => {
  const bindings = ['angular', 'react', 'solid', 'svelte', 'vue'];

  test('lead to its own pages of the types that several frameworks share', () => {
    for (const entry of bindings) {
      const pages = builtFiles(`api/repose/${entry}`, '.md');
      expect(pages).toContain('type-aliases/BoundRecord.md');
      for (const page of pages) {
        const text = readBuilt(`api/repose/${entry}/${page}`);
        expect(text, `${entry}/${page}`).not.toMatch(/\]\((?:\.\.\/)+(?:angular|react|solid|svelte|vue)\//);
        expect(text).not.toContain('Re-exports');
      }
    }
  });

  test('begin with the line that imports what they are about', () => {
    expect(readBuilt('api/repose/react/functions/useRecord.md')).toContain("import { useRecord } from 'repose/react';");
    expect(readBuilt('api/repose/vue/type-aliases/BoundRecord.md')).toContain(
      "import type { BoundRecord } from 'repose/vue';",
    );
    expect(readBuilt('api/repose/functions/retry.md')).toContain("import { retry } from 'repose';");
  });

  test('are listed with a sentence each, classes and functions first, errors after them', () => {
    for (const entry of ['', 'react/', 'outbox/']) {
      const items = readBuilt(`api/repose/${entry}index.md`).match(/^- \[.*$/gm) ?? [];
      const bare = items.filter((item) => !/\): \S.{5}/.test(item) && !/namespaces\/|\(\.\.\//.test(item));
      expect(bare, entry).toEqual([]);
    }
    const main = readBuilt('api/repose/index.md');
    expect(main.indexOf('[Store]')).toBeLessThan(main.indexOf('[ConflictError]'));
    expect(main.indexOf('[ConflictError]')).toBeLessThan(main.indexOf('[retry]'));
    expect(readBuilt('api/index.md')).toContain('- [repose/react](repose/react/index.md): Lists, fields');
  });

  test('say which build looks for mistakes in options', () => {
    for (const page of ['dialects/functions/postgrest', 'functions/inclusion', 'functions/retry']) {
      const [, thrown = ''] = readBuilt(`api/repose/${page}.md`).split('## Throws\n');
      expect(thrown.split('\n## ')[0]).toMatch(
        /`DefinitionError`.*\n\nA \[production build\]\([./]+\/reference\/errors\.md#development-and-production-builds\)/s,
      );
    }
  });
});

describe('the playground', () => {
  const line = () => page.getByTestId('line').textContent();
  const message = () => page.getByTestId('message').textContent();

  test('explains the request of each change at once', async () => {
    await open('/playground.html');
    await expect.poll(line).toBe('GET /api/tasks?page=1&limit=3&sort=title&done=false');
    await page.getByLabel('direction').selectOption('DESC');
    await expect.poll(line).toContain('sort=-title');
    await page.getByLabel('dialect').selectOption('odata4');
    await expect.poll(line).toContain('%24orderby=title%20desc');
    await page.getByRole('button', { name: 'update', exact: true }).click();
    await expect.poll(line).toBe('PATCH /api/tasks(2)');
    await expect(page.locator('.table').textContent()).resolves.toContain('The changes of the record');
    expect(problems).toEqual([]);
  });

  test('shows code within two seconds, and explains what is changed in it', async () => {
    await open('/');
    const begin = performance.now();
    await page.goto(`${site.url}/playground.html`);
    const code = page.getByRole('textbox', { name: /^Code/ });
    await expect.poll(() => code.inputValue()).toContain("url: '/api/tasks',\n    dialect: plain(),");
    expect(performance.now() - begin).toBeLessThan(2000);
    const text = await code.inputValue();
    await code.fill(text.replace('plain()', "plain({ page: 'p={page}&n={limit}' })"));
    await expect.poll(line).toContain('p=1&n=3');
    await code.fill(text.replace('noCache: false', 'noCache: false,\n    extraParams: { team: 7 }'));
    await expect.poll(line).toContain('team=7');
    // A change of the form is shown in the code, and keeps what only the code has.
    await page.getByLabel('direction').selectOption('DESC');
    await expect.poll(() => code.inputValue()).toMatch(/team: 7[\s\S]*direction: 'DESC'/);
    await code.fill(text.replace('appendId: true', 'appendId: maybe'));
    await expect.poll(() => page.getByTestId('mistake').textContent()).toBe('Line 5: maybe is not expected here');
    await code.fill(text);
    await expect.poll(() => page.getByTestId('mistake').textContent()).toBe('');
    expect(problems).toEqual([]);
  });

  test('explains the four operations in each dialect', async () => {
    await open('/playground.html');
    const dialect = page.getByLabel('dialect');
    const options = dialect.locator('option');
    // The page makes them by a script.
    await options.nth(15).waitFor({ state: 'attached' });
    const names = await options.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value));
    expect(names.length).toBeGreaterThan(15);
    for (const name of names) {
      await dialect.selectOption(name);
      for (const [action, methods] of Object.entries({
        read: /^GET /,
        create: /^POST /,
        update: /^(PUT|PATCH|POST) /,
        destroy: /^(DELETE|POST) /,
      })) {
        await page.getByRole('button', { name: action, exact: true }).click();
        await expect.poll(line, { message: `${action} in ${name}` }).toMatch(methods);
        expect(await page.getByRole('alert').allTextContents(), name).toEqual([]);
      }
    }
    expect(problems).toEqual([]);
  });

  test.each(['plain', 'classic'])('loads and saves over the server in the page, in %s', async (name) => {
    await open('/playground.html');
    await page.getByLabel('dialect').selectOption(name);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    // The response in the form of Ext JS is a list without a total.
    await expect.poll(message).toBe(name === 'plain' ? '3 of 3 tasks' : '3 tasks');
    await page.getByLabel('title', { exact: true }).fill('Ask for three offers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(message).toContain('"title":"Ask for three offers"');
    expect(problems).toEqual([]);
  });

  test('shows what was sent', async () => {
    await open('/playground.html');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toBe('3 of 3 tasks');
    await page.getByLabel('title', { exact: true }).fill('Ask for three offers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(message).toContain('"title":"Ask for three offers"');
    await expect(page.getByTestId('sent').textContent()).resolves.toMatch(
      /^PATCH \/api\/tasks\/4 → 200\s*GET \/api\/tasks\?/,
    );
    expect(problems).toEqual([]);
  });

  test('shows what a person types as text', async () => {
    await open('/playground.html');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toBe('3 of 3 tasks');
    const text = '<img src=x onerror="document.title=1">';
    await page.getByLabel('title', { exact: true }).fill(text);
    await page.getByLabel('search', { exact: true }).fill(text);
    await expect.poll(line).toContain('search=%3Cimg');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(message).toContain(JSON.stringify(text).slice(1, -1));
    await page.getByLabel('url').fill(`/api/${text}`);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toContain('answered 404');
    expect(await page.locator('.playground img').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows what is wrong with an address, and how to mend it', async () => {
    await open('/playground.html');
    await page.getByLabel('url').fill('/api/other');
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await expect.poll(message).toMatch(/answered 404.*repose\.example\/e\/http-not-found/);
    await page.getByLabel('format').fill('a/b');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('cannot be a part of an address');
  });
});

describe('the files for assistants', () => {
  test('list each guide, and hold all of them', () => {
    const list = readBuilt('llms.txt');
    const whole = readBuilt('llms-full.txt');
    for (const guide of [
      'start',
      'lists',
      'writes',
      'errors',
      'offline',
      'conflicts',
      'nested',
      'dialects',
      'testing',
    ]) {
      expect(list).toContain(`https://repose.example/guide/${guide}.md`);
      expect(readBuilt(`guide/${guide}.md`)).toContain('```ts');
    }
    expect(whole).toContain('# Handle a conflict');
    expect(whole).toContain('\n# Stores\n');
  });

  test('list each entry of the package with the page of its API', () => {
    const list = readBuilt('llms.txt');
    const [, entries = ''] = list.split('### API of each entry\n\n');
    const named = [...entries.matchAll(/^- \[(.+)\]\(https:\/\/repose\.example\/(.+)\): (?=\w.{20})/gm)];
    expect(named.map(([, name]) => name?.replace('repose', '.')).sort()).toEqual(
      Object.keys(manifest.exports)
        .filter((name) => name !== './package.json')
        .sort(),
    );
    for (const [, name, page = ''] of named) expect(readBuilt(page)).toMatch(new RegExp(`^# ${name}\n`));
    // The reference has a place for each page.
    expect(list).not.toContain('### Other');
  });
});
