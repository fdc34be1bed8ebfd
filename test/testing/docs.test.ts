import * as repose from 'repose';
import * as outbox from 'repose/outbox';
import * as testing from 'repose/testing';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../demo/running-server.js';
import { blocksOf, readPage } from '../docs/markdown.js';
import { collector } from './collect.js';

let demo: RunningServer;

beforeAll(async () => {
  demo = await startServer();
});
afterAll(() => demo.stop());

const code = blocksOf(readPage('docs/testing.md').text)
  .filter(({ language }) => language === 'ts')
  .map((block) => block.code)
  .join('\n');

/** The comments behind and below each `console.log`. */
function promised(): string[] {
  const found: string[] = [];
  let printed = false;
  for (const line of code.split('\n')) {
    const comment = /^console\.log\(.*\); \/\/ (.*)$/.exec(line) ?? (printed && /^\/\/ (.*)$/.exec(line));
    if (comment) found.push(comment[1] as string);
    printed = line.startsWith('console.log(') || (printed && line.startsWith('//'));
  }
  return found;
}

test('docs/testing.md: its code runs, prints what it says and declares tests that pass', async () => {
  const { runner, run } = collector();
  const vitest = { describe: runner.describe, test: Object.assign(runner.test, { skip: runner.skip }) };
  const modules: Record<string, unknown> = { repose, 'repose/outbox': outbox, 'repose/testing': testing, vitest };
  const printed: string[] = [];
  const log = (...values: unknown[]) => printed.push(...values.map(String).join(' ').split('\n'));
  const { outputText } = ts.transpileModule(code.replaceAll('http://localhost:3000', demo.url), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
  });
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>;
  await new AsyncFunction('require', 'exports', 'console', outputText)((name: string) => modules[name], {}, { log });
  expect(printed).toEqual(promised());

  const { passed, failed, skipped } = await run();
  expect([...failed]).toEqual([]);
  expect(passed.length).toBeGreaterThan(40);
  expect(skipped).toEqual([expect.stringContaining('left out: the server answers every DELETE with 204')]);
});
