import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { needsOwnProcess, unitTests } from '../own-process.js';

const folder = mkdtempSync(path.join(tmpdir(), 'own-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

const needs = (text: string, helper = '') => {
  writeFileSync(path.join(folder, 'helper.ts'), helper);
  writeFileSync(path.join(folder, 'some.test.ts'), text);
  return needsOwnProcess(path.join(folder, 'some.test.ts'));
};

describe('a test file gets a process of its own', () => {
  test.each([
    ['vi', '.useFakeTimers();'],
    ['vi', ".stubGlobal('fetch', fetch);"],
    ['vi', ".mock('./module.js');"],
    ['globalThis', '.indexedDB = factory;'],
    ['Object.defineProperty(globalThis', ", 'navigator', { value });"],
    ['process', ".on('uncaughtException', note);"],
    ['process', ".env['TZ'] = 'UTC';"],
    ["import 'fake-", "indexeddb/auto';"],
  ])('if its text has %s%s', (...parts) => {
    expect(needs(parts.join(''))).toBe(true);
    expect(needs("import { help } from './helper.js';", parts.join(''))).toBe(true);
  });

  test('if a helper registers hooks when it is loaded', () => {
    const hooks = 'export const server = useRestServer();\n';
    expect(needs("import { server } from './helper.js';", hooks)).toBe(true);
    expect(needs(hooks, hooks)).toBe(false);
  });
});

test('every other file shares a process', () => {
  expect(
    needs("const note = vi.fn();\nconst zone = process.env['TZ'];\nconst fetch: typeof globalThis.fetch = send;"),
  ).toBe(false);
});

test('each unit test is in one of both parts', () => {
  const { alone, together } = unitTests();
  expect(new Set([...alone, ...together]).size).toBe(alone.length + together.length);
  expect(together).toContain('test/scripts/test-fast.test.ts');
  expect(alone).toContain('test/util/notifier.test.ts');
});
