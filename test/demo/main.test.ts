import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { startServer, temporaryFolder } from './running-server.js';

const MAIN = fileURLToPath(new URL('../../demo/server/main.ts', import.meta.url));
const folder = temporaryFolder();
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  folder.remove();
});

function start(...parameters: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

async function outcome(child: ReturnType<typeof start>): Promise<{ code: number | null; errors: string }> {
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
}

test('the program prints its url, answers there, and ends on a signal', async () => {
  const child = start('--port', '0', '--rows', '10', '--file', join(folder.path, 'main.sqlite'));
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const ended = outcome(child);
  expect(await (await fetch(`${url}/api/tasks`)).json()).toHaveLength(10);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, errors: '' });
}, 20_000);

test('the program prints in one line why it cannot start', async () => {
  const other = await startServer();
  const { code, errors } = await outcome(
    start('--port', new URL(other.url).port, '--file', join(other.file, '..', 'main.sqlite')),
  );
  await other.stop();
  expect(code).toBe(1);
  expect(errors).toMatch(/^Port \d+ of 127\.0\.0\.1 is in use; [^\n]*\n$/);
}, 20_000);
