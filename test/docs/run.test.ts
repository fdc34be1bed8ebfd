import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDemoServer, type DemoServer } from '../../demo/server/index.js';
import { type Page, readPages } from './markdown.js';
import { runSnippet, withAnswers } from './run-snippet.js';
import { snippetOf } from './snippet.js';

const pages = readPages().filter(({ file }) =>
  /^(README|docs\/testing|docs\/(guide|reference|dialects)\/.*|skills\/.*)\.md$/.test(file),
);
const NOW = new Date('2026-11-21T09:30:00Z');

let folder: string;
let demo: DemoServer;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'docs-'));
  demo = createDemoServer({ file: path.join(folder, 'demo.sqlite'), rows: 200, now: () => NOW });
  // Relative addresses need the page of an application.
  vi.stubGlobal('location', { href: 'http://localhost/' });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await demo.close();
  rmSync(folder, { recursive: true });
});

/** The answers that the requests of a page get, where they do not stand in the page itself. */
function answersOf({ file }: Page): string {
  const answers = path.join(import.meta.dirname, 'answers', file.replace(/^docs\/(.*)\.md$/, '$1.txt'));
  return existsSync(answers) ? readFileSync(answers, 'utf8') : '';
}

const run = (page: Page) => {
  const server = withAnswers(answersOf(page) + page.text, (request) => demo.app.fetch(request));
  return runSnippet(snippetOf(page, true), server, (fetch) => vi.stubGlobal('fetch', fetch));
};

describe('code of pages, run against the demo server', () => {
  test.each(pages)('$file', { timeout: 30_000 }, async (page) => {
    await run(page);
  });
});

describe('the runner of pages', () => {
  const head =
    "```ts\nimport { Model } from 'repose';\nclass User extends Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/api/users', noCache: false } }) {}\n";

  test('reports a request that the page does not show', async () => {
    const text = `${head}await User.load(7);\n\`\`\``;
    await expect(run({ file: 'page.md', text })).rejects.toThrow(
      /^page\.md:4: the page says\s+nothing\s+but sent is\s+GET/,
    );
  });

  test('reports a request that differs from the page', async () => {
    const text = `${head}await User.load(7); // GET /api/users/8\n\`\`\``;
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but sent is\n  GET /api/users/7');
  });

  test('reports a request of the page that is not sent', async () => {
    const text = `${head}new User(); // GET /api/users/8\n\`\`\``;
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but sent is\n  nothing');
  });

  test('reports output that differs from the page', async () => {
    const text = `${head}console.log(1 + 1); // 3\n\`\`\``;
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but printed is\n  2');
  });

  test('reports a value that differs from the page', async () => {
    const text = `${head}new User().phantom; // false\n\`\`\``;
    await expect(run({ file: 'page.md', text })).rejects.toThrow('but it is\n  true');
  });
});
