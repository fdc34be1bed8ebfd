import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { checks, configurationOf, reports, serversPage } from '../../scripts/update-servers.mjs';
import { CHECKS } from '../servers/profile.js';
import { blocksOf, readPage } from './markdown.js';

describe('docs/servers.md', () => {
  test('is what the last run found out: `node scripts/update-servers.mjs` writes the page', () => {
    expect(readPage('docs/servers.md').text).toBe(serversPage());
  });

  test('has a report of each profile, with a result of each check', () => {
    const profiles = readdirSync(new URL('../servers/profiles', import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    expect(reports().map(({ name }) => name)).toEqual(profiles.sort());
    expect(checks()).toEqual(CHECKS);
    for (const report of reports()) expect(Object.keys(report.checks), report.name).toEqual(Object.keys(CHECKS));
  });

  test.each(reports())('shows how $name is configured, with the dialect that its report names', ({ name, dialect }) => {
    expect(configurationOf(name)).toContain(`dialect: ${dialect}(`);
  });
});

/** The constants and functions at the top of a program as JavaScript without layout, by their names; and its member `proxy`. */
function declarationsOf(code: string): Map<string, string> {
  const options = { target: ts.ScriptTarget.ESNext, removeComments: true };
  const { outputText } = ts.transpileModule(code, { compilerOptions: options });
  const source = ts.createSourceFile('program.js', outputText, ts.ScriptTarget.ESNext, true);
  const printer = ts.createPrinter({ removeComments: true });
  const print = (node: ts.Node) =>
    printer.printNode(ts.EmitHint.Unspecified, node, source).replaceAll(/\s+|,(?=\s*[}\])])/g, '');
  const found = new Map<string, string>();
  const visit = (node: ts.Node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'proxy') found.set('proxy', print(node.initializer));
    else node.forEachChild(visit);
  };
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name) found.set(statement.name.text, print(statement));
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer) found.set(name.getText(), print(initializer));
    visit(statement);
  }
  return found;
}

describe('docs/guide/new-server.md', () => {
  const { text } = readPage('docs/guide/new-server.md');
  const section = text.slice(text.indexOf('## Six servers'), text.indexOf('## Next'));
  const blocks = blocksOf(section).map(({ code }) => code);
  const shown = declarationsOf(blocks.join('\n'));

  test.each([
    ['loopback', 'loopback-4', []],
    ['soul', 'soul', ['by', 'FILTER', 'quoted', 'newId']],
    ['pouchdb', 'pouchdb-server', ['savedDocument', 'find']],
    ['mswjs', 'mswjs-data', []],
    ['prism', 'prism', []],
  ])('shows for %s what the profile %s runs with', (name, profile, others) => {
    const declared = declarationsOf(
      readFileSync(new URL(`../servers/profiles/${profile}.ts`, import.meta.url), 'utf8'),
    );
    expect(shown.get(name)).toBe(declared.get('proxy'));
    for (const other of others) expect(shown.get(other), other).toBe(declared.get(other));
  });

  test('shows LoopBack 3 as LoopBack 4', () => {
    const three = readFileSync(new URL('../servers/profiles/loopback-3.ts', import.meta.url), 'utf8');
    expect(declarationsOf(three.replaceAll('/api/users', '/users')).get('proxy')).toBe(shown.get('loopback'));
  });

  test('needs at most twelve lines for each part', () => {
    const parts = blocks.flatMap((code) => code.split(/\n\n/));
    // The first and the last line of a part hold the brackets around its members.
    for (const part of parts) expect(part.split('\n').length - 2, part).toBeLessThanOrEqual(12);
  });
});
