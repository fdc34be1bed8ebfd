import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Page, programOf, proseOf, readPage, readPages } from './markdown.js';
import { runSnippet } from './run-snippet.js';
import { snippetOf } from './snippet.js';

/** The tasks, in the order in which a newcomer meets them. `addressing.md` states rules and is not a task. */
const TASKS = [
  ...[
    'start',
    'models',
    'lists',
    'writes',
    'sign-in',
    'errors',
    'offline',
    'conflicts',
    'undo',
    'large-data',
    'nested',
    'trees',
    'new-server',
    'dialects',
    'server-rendering',
    'inspector',
    'testing',
    'ext-js',
  ],
];
/** Pages about a framework or grid. Their programs are screens, which test/frameworks runs. */
const SCREENS = [
  'ag-grid',
  'angular',
  'bindings',
  'detail-screen',
  'mui-grid',
  'next',
  'react',
  'react-admin',
  'refine',
  'solid',
  'svelte',
  'tanstack-query',
  'tanstack-table',
  'vue',
];
const guides = TASKS.map((name) => readPage(`docs/guide/${name}.md`));

beforeEach(() => {
  vi.stubGlobal('location', undefined);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Runs the program of a guide alone, like a reader who pastes it: without a page, and with its own server only. */
const run = (guide: Page) => {
  const noServer = (request: Request) => {
    throw new Error(`the program asks a server that it did not make: ${request.url}`);
  };
  return runSnippet(snippetOf(programOf(guide), true), noServer, (fetch) => vi.stubGlobal('fetch', fetch));
};

describe('guides', () => {
  test('are one for each task, framework and grid, and one about addresses', () => {
    const files = readPages().flatMap(({ file }) => /^docs\/guide\/(.*)\.md$/.exec(file)?.[1] ?? []);
    expect(files.sort()).toEqual([...TASKS, ...SCREENS, 'addressing'].sort());
  });

  test.each(guides)('$file: its program prints the output on the page', async (guide) => {
    await run(guide);
  });

  test.each(guides)('$file: has task, program, result, next steps and limits, and details last', ({ text }) => {
    const headings = [...proseOf(text).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.slice(0, 1)).toEqual(['What happened']);
    expect(headings.slice(-2)).toEqual(['Limits', 'Details']);
    expect(headings).toContain('Next');
    const first = (marker: string) => text.indexOf(marker);
    expect(first('```ts')).toBeLessThan(first('\n|'));
  });

  test.each(SCREENS)('%s.md says what to read next, before its limits', (name) => {
    const { text } = readPage(`docs/guide/${name}.md`);
    const headings = [...proseOf(text).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const [next, limits] = [headings.indexOf('Next'), headings.indexOf('Limits')];
    expect(next).toBeGreaterThan(0);
    expect(limits).toBeGreaterThan(next);
  });

  test.each(guides)('$file names no rule by its number', ({ text }) => {
    expect(proseOf(text)).not.toMatch(/§|\bH\d+\b/);
  });

  test('fail when a program prints something else', async () => {
    const text = '# Page\n\n```ts\nconsole.log(1 + 1);\n```\n\n```text\n3\n```\n';
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but printed is\n  2');
  });

  test('fail when a program uses a name that only a later part of the page imports', async () => {
    const text =
      "# Page\n\n```ts\nconsole.log(typeof Model);\n```\n\n```text\nfunction\n```\n\n```ts\nimport { Model } from 'repose';\n```\n";
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but printed is\n  undefined');
  });
});
