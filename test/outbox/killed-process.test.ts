import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage, type OutboxError } from 'repose/outbox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openOutbox } from './open-outbox.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'repose-outbox-'));
  path = join(folder, 'outbox.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a process that is killed', () => {
  let server: Server;
  let url: string;
  const rows: string[] = [];
  const keys = new Map<string, string>();

  beforeEach(async () => {
    rows.length = 0;
    keys.clear();
    let requests = 0;
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => {
        text += String(part);
      });
      request.on('end', () => {
        requests += 1;
        const key = String(request.headers['idempotency-key']);
        // Some connections break before the write is done, some after.
        if (requests % 5 === 1) return void request.socket.destroy();
        if (!keys.has(key)) {
          rows.push((JSON.parse(text) as { name: string }).name);
          keys.set(key, JSON.stringify({ ...(JSON.parse(text) as object), id: rows.length }));
        }
        if (requests % 5 === 2) return void request.socket.destroy();
        response.writeHead(201, { 'content-type': 'application/json' }).end(keys.get(key));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  /** Runs the writer until it has printed so many lines, and kills it. Returns these lines. */
  async function writeAndKill(lines: number): Promise<string[]> {
    const child: ChildProcess = spawn(
      process.execPath,
      ['--import', 'tsx', 'test/outbox/writer-process.ts', path, url],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let said = '';
    child.stdout?.on('data', (part: Buffer) => {
      said += String(part);
      if (said.split('\n').length > lines) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.on('close', resolve));
    return said.split('\n').slice(0, -1);
  }

  test('loses and duplicates no write that it reported as done or queued', async () => {
    const said = [...(await writeAndKill(40)), ...(await writeAndKill(60))];
    const { idempotency, Model, plain } = await import('repose');
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string' },
      proxy: { type: 'rest', url: '/users', baseUrl: url, dialect: plain(), use: [idempotency()] },
    }) {}
    const problems: OutboxError[] = [];
    const outbox = await openOutbox({
      ...{ scope: 'a', storage: fileStorage(path), models: [User], backoff: { base: 5, max: 20 } },
      onProblem: (problem) => problems.push(problem),
    });
    await outbox.drained();
    expect(outbox.failed).toEqual([]);
    await outbox.close();
    const known = said.filter((line) => /^(done|queued) /.test(line)).map((line) => line.replace(/^\w+ /, ''));
    const asked = said.filter((line) => line.startsWith('asked')).map((line) => line.replace(/^\w+ /, ''));
    expect(known.length).toBeGreaterThan(10);
    expect(known.filter((name) => !rows.includes(name))).toEqual([]);
    expect(rows.filter((name) => !asked.includes(name) && !known.includes(name)).length).toBeLessThanOrEqual(4);
    expect(new Set(rows).size).toBe(rows.length);
    expect(problems.every(({ code }) => code === 'outbox-truncated')).toBe(true);
  });
});
