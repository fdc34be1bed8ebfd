import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { followChanges } from '../../site/lib/follow-changes.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const made: (() => void)[] = [];
let stop: (() => void) | undefined;

/** A new folder in one of the project, which is removed after the test. */
function folderIn(folder: string): string {
  const parent = path.join(root, folder);
  const { atime, mtime } = statSync(parent);
  const name = mkdtempSync(path.join(parent, 'follow-'));
  made.push(() => {
    rmSync(name, { recursive: true });
    // As if nothing had been there: a newer folder of sources would make the next suite build the package, while another one reads it.
    utimesSync(parent, atime, mtime);
  });
  return name;
}

afterEach(() => {
  stop?.();
  for (const remove of made.splice(0)) remove();
});

test('pages are written again after a change of a document, comments after a change of the source', async () => {
  const written: string[] = [];
  const docs = folderIn('docs');
  const source = folderIn('src');
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const make = (name: string) => () => void written.push(name);
  stop = followChanges({ pages: make('pages'), comments: make('comments'), results: make('results') });
  writeFileSync(path.join(docs, 'page.md'), '# One');
  await expect.poll(() => written).toEqual(['pages']);
  writeFileSync(path.join(source, 'code.ts'), '// One');
  await expect.poll(() => written).toEqual(['pages', 'comments']);
});

test('a page with a mistake is told, and the next change writes it', async () => {
  const docs = folderIn('docs');
  const told = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  let isBroken = true;
  let count = 0;
  const pages = () => {
    if (isBroken) throw new Error('page.md links to nowhere.md, which does not exist');
    count += 1;
  };
  stop = followChanges({ pages, comments: () => undefined, results: () => undefined });
  writeFileSync(path.join(docs, 'page.md'), '[a](nowhere.md)');
  await expect.poll(() => told.mock.calls.flat()).toEqual(['page.md links to nowhere.md, which does not exist']);
  isBroken = false;
  writeFileSync(path.join(docs, 'page.md'), '[a](page.md)');
  await expect.poll(() => count).toBe(1);
});
