import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { root } from '../docs/markdown.js';
import { type Received, type Reply, type RestServer, startRestServer } from '../helpers/rest-server.js';

let server: RestServer;
beforeAll(async () => {
  server = await startRestServer();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

/** Runs the example as its `npm start` does. */
function runImport(...args: string[]): Promise<{ code: number | null; lines: string[]; errors: string }> {
  return new Promise((done) => {
    const command = ['--import', 'tsx', path.join(root, 'examples/node/src/import.ts'), ...args];
    const child = execFile(process.execPath, command, { cwd: root }, (_error, stdout, stderr) => {
      done({ code: child.exitCode, lines: stdout.trim().split('\n'), errors: stderr });
    });
  });
}

const ids: Readonly<Record<string, number>> = { 'Call the bank': 11, 'Book flights': 12, 'Ask for offers': 14 };
const created = ({ body }: Received): Reply => ({ status: 201, json: { ...body, id: ids[body.title] } });

test('the import creates a task of each row, and names the rows that failed', async () => {
  server.always((request) =>
    request.body.title === 'Book flights'
      ? { status: 422, json: { errors: { title: ['is taken'] } } }
      : created(request),
  );
  const { code, lines } = await runImport(`${server.url}/api/tasks`);
  expect(lines).toEqual([
    'Row 1: created as 11',
    expect.stringMatching(/^Row 2: validation: .*is taken/),
    expect.stringMatching(/^Row 3: validation: .*A task needs a title/),
    'Row 4: created as 14',
    '2 of 4 tasks created',
  ]);
  expect(code).toBe(1);
  expect(server.requests.map(({ body }) => body.title).sort()).toEqual(Object.keys(ids).sort());
});

test('the import sends a create again under the same key after a lost response', async () => {
  server.reply({ drop: true });
  server.always(created);
  const { lines } = await runImport(`${server.url}/api/tasks`);
  expect(lines.at(-1)).toBe('3 of 4 tasks created');
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size]).toEqual([4, 3]);
});

test('the import asks for the address', async () => {
  const { code, errors } = await runImport();
  expect([code, errors]).toEqual([1, expect.stringContaining('The address of the tasks is missing')]);
});
