import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { checks, configurationOf, reports, serversPage } from '../../scripts/update-servers.mjs';
import { CHECKS } from '../servers/profile.js';
import { readPage } from './markdown.js';

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

/** Servers that Repose did not know, by options alone, and the constants and functions that their options name. */
const UNKNOWN = [
  ['loopback-4', ['proxy']],
  ['soul', ['proxy', 'by', 'FILTER', 'ANSWERS', 'quoted', 'newId']],
  ['pouchdb-server', ['proxy', 'savedDocument', 'find']],
  ['mswjs-data', ['proxy']],
  ['prism', ['proxy']],
] as const;

/** The constants, functions and members of a program, by their names. */
function declarationsOf(profile: string): Map<string, string> {
  const code = readFileSync(new URL(`../servers/profiles/${profile}.ts`, import.meta.url), 'utf8');
  const source = ts.createSourceFile('profile.ts', code, ts.ScriptTarget.ESNext, true);
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    const { name } = node as ts.NamedDeclaration;
    const declares = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node);
    if (declares && name && !found.has(name.getText())) found.set(name.getText(), node.getText());
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

describe('the options of a server that Repose did not know', () => {
  test.each(UNKNOWN)('%s: need at most twelve lines for each part', (profile, parts) => {
    const declared = declarationsOf(profile);
    // The first and the last line of a part hold the brackets around its members.
    const lines = parts.map((part) => (declared.get(part) ?? '').split('\n').length - 2);
    expect(parts.every((part) => declared.has(part))).toBe(true);
    expect(Math.max(...lines)).toBeLessThanOrEqual(12);
  });
});
