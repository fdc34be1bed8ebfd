import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { root } from '../docs/markdown.js';

const folder = path.join(root, 'examples/extensions');
const files = readdirSync(folder);

/** The lines of a text that hold a token; comments and blank lines hold none. */
function codeLines(text: string): number {
  const source = ts.createSourceFile('example.ts', text, ts.ScriptTarget.ES2022, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    const isToken = children.length === 0 && node.end > node.getStart(source);
    if (isToken) lines.add(source.getLineAndCharacterOfPosition(node.getStart(source)).line);
    for (const child of children) visit(child);
  };
  visit(source);
  return lines.size;
}

describe('the example extensions', () => {
  test.each(files)('%s has at most 25 lines of code', (file) => {
    expect(codeLines(readFileSync(path.join(folder, file), 'utf8'))).toBeLessThanOrEqual(25);
  });

  test.each(files)('%s imports the public entries only', (file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    const entries = [...text.matchAll(/ from '([^']+)'/g)].map(([, from]) => from);
    expect(entries.filter((from) => from !== 'repose/extend')).toEqual(['repose']);
  });

  test('are counted without comments and blank lines', () => {
    expect(codeLines('/** Says. */\nconst a = 1;\n\n// Why.\nconst b = [\n  a,\n];\n')).toBe(4);
  });
});
