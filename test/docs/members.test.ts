import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { listedNames, memberPages } from '../../scripts/update-members.mjs';
import { readPage, root } from './markdown.js';

const pages = memberPages();
const folder = 'docs/reference/members';

/** The names of the values that an entry exports from these folders of `src`. */
function valuesOf(entry: string, folders: readonly string[]): string[] {
  const text = readFileSync(path.join(root, `src/${entry}.ts`), 'utf8');
  const { statements } = ts.createSourceFile(entry, text, ts.ScriptTarget.ES2022);
  return statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return [];
    const { moduleSpecifier, exportClause } = statement;
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !exportClause || !ts.isNamedExports(exportClause))
      return [];
    if (!folders.includes(moduleSpecifier.text.split('/')[1] ?? '')) return [];
    return exportClause.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
  });
}

describe('docs/reference/members', () => {
  test('has only pages that the script makes', () => {
    expect(
      readdirSync(path.join(root, folder))
        .map((name) => `${folder}/${name}`)
        .sort(),
    ).toEqual(Object.keys(pages).sort());
  });

  test.each(Object.keys(pages))('%s is as the source says: `node scripts/update-reference.mjs` writes it', (file) => {
    expect(existsSync(path.join(root, file))).toBe(true);
    expect(readPage(file).text).toBe(pages[file]);
  });

  test('shows calls without comments of their source, and bound functions as calls', () => {
    const calls = Object.values(pages).flatMap((page) =>
      [...page.matchAll(/^##.*\n\n```typescript\n(.*)\n```$/gm)].map(([, call = '']) => call),
    );
    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter((call) => call.includes('//'))).toEqual([]);
    expect(calls).toContain("submit(): Promise<'saved' | 'queued' | false>");
  });

  test('has every class and function of stores, sessions, models, forms, extensions, outboxes and the history', () => {
    const folders = [
      'children',
      'extension',
      'extensions',
      'form',
      'history',
      'model',
      'operation',
      'outbox',
      'store',
      'sync',
    ];
    const listed = listedNames();
    const values = ['index', 'history', 'outbox'].flatMap((entry) => valuesOf(entry, folders));
    expect(values.length).toBeGreaterThan(50);
    // The table of errors has their classes.
    expect(values.filter((name) => !listed.has(name) && name !== 'OutboxError')).toEqual([]);
  });
});
