import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  promises as files,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage, type OutboxError, type StoredItem } from 'repose/outbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'repose-outbox-'));
  path = join(folder, 'outbox.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const item = (key: string, data = 'x'): StoredItem => ({ key, scope: 's', data });
const put = (key: string, data?: string) => ({ put: item(key, data) });

/** Opens the file as a new storage; returns the entries found and the problems reported. */
async function reopen(): Promise<{ items: readonly StoredItem[]; problems: OutboxError[] }> {
  const problems: OutboxError[] = [];
  const storage = fileStorage(path);
  await storage.open((problem) => problems.push(problem as OutboxError));
  const items = await storage.all();
  await storage.close();
  return { items, problems };
}

/** The names of the files in the folder that somebody else than their owner may read or write. */
function openFiles(): string[] {
  return readdirSync(folder).filter((name) => statSync(join(folder, name)).mode & 0o077);
}

describe('a file storage', () => {
  test('makes files that only their owner can read: data, lock, compacted data, copies of damaged data', async () => {
    const umask = process.umask(0);
    try {
      const storage = fileStorage(path);
      await storage.open(() => undefined);
      await storage.change([put('a')]);
      expect(readdirSync(folder)).toEqual(['outbox.jsonl', 'outbox.jsonl.lock']);
      expect(openFiles()).toEqual([]);
      for (let i = 0; i < 300; i += 1) await storage.change([put('a', String(i))]);
      expect(openFiles()).toEqual([]);
      await storage.close();
      appendFileSync(path, 'broken\n');
      await reopen();
      expect(readdirSync(folder)).toHaveLength(2);
      expect(openFiles()).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });

  test('takes the rights of others from a file that an earlier version has made, and from one that a crash has left', async () => {
    writeFileSync(path, '{"repose-outbox":1}\n', { mode: 0o644 });
    writeFileSync(`${path}.new`, 'left', { mode: 0o644 });
    await reopen();
    expect(openFiles()).toEqual(['outbox.jsonl.new']);
    writeFileSync(path, '');
    await reopen();
    expect([openFiles(), readdirSync(folder)]).toEqual([[], ['outbox.jsonl']]);
  });

  test('keeps the entries that were put, and not those that were deleted', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await Promise.all([storage.change([put('a')]), storage.change([put('b'), put('c')])]);
    await storage.change([{ delete: 'b' }, put('a', 'y')]);
    expect(await storage.get('a')).toEqual(item('a', 'y'));
    await storage.close();
    expect(await reopen()).toEqual({ items: [item('a', 'y'), item('c')], problems: [] });
    expect(readdirSync(folder)).toEqual(['outbox.jsonl']);
  });

  test('compacts the file when most of its lines are outdated', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    for (let i = 0; i < 300; i += 1) await storage.change([put('a', String(i))]);
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(100);
    await storage.change([put('b')]);
    await storage.close();
    expect((await reopen()).items).toEqual([item('a', '299'), item('b')]);
  });

  test('reads a file that ends inside a line without that line, and reports it', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await storage.change([put('a')]);
    await storage.close();
    appendFileSync(path, '[{"put":{"key":"b","sco');
    const { items, problems } = await reopen();
    expect(items).toEqual([item('a')]);
    expect(problems.map(({ code }) => code)).toEqual(['outbox-truncated']);
    expect(await reopen()).toEqual({ items: [item('a')], problems: [] });
  });

  test('reads a last line that lacks only its line break', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await storage.change([put('a')]);
    await storage.close();
    appendFileSync(path, JSON.stringify([put('b')]));
    expect(await reopen()).toEqual({ items: [item('a'), item('b')], problems: [] });
  });

  test('copies a file with unreadable lines, reads the rest and reports the damage', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await storage.change([put('a')]);
    await storage.close();
    appendFileSync(path, `gar\u0000bage\n[{"put":7}]\n${JSON.stringify([put('b')])}\n`);
    const { items, problems } = await reopen();
    expect(items).toEqual([item('a'), item('b')]);
    expect(problems).toMatchObject([{ code: 'outbox-damaged', params: { count: 2, line: 3 } }]);
    const [copy] = readdirSync(folder).filter((name) => name.includes('damaged'));
    expect(readFileSync(join(folder, copy as string), 'utf8')).toContain('gar\u0000bage');
    expect((await reopen()).problems).toEqual([]);
  });

  test('refuses a file of another version or format, and leaves it unchanged', async () => {
    for (const [text, code] of [
      ['{"repose-outbox":2}\n[]\n', 'outbox-version'],
      ['name,mail\nAda,a@b.c\n', 'outbox-format'],
      ['{"other":1}\n', 'outbox-format'],
      ['hello', 'outbox-format'],
    ] as const) {
      writeFileSync(path, text);
      await expect(reopen()).rejects.toMatchObject({ name: 'OutboxError', code });
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(readdirSync(folder)).toEqual(['outbox.jsonl']);
  });

  test('reads a file with an incomplete header as empty', async () => {
    for (const text of ['', '{"repose-out']) {
      writeFileSync(path, text);
      expect(await reopen()).toEqual({ items: [], problems: [] });
    }
  });

  test('refuses a path that cannot be written', async () => {
    path = join(folder, 'no', 'such', 'folder');
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-storage' });
    path = join(folder, 'folder');
    mkdirSync(path);
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-storage' });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('refuses changes after close()', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await storage.close();
    await expect(storage.change([put('a')])).rejects.toMatchObject({ code: 'outbox-closed' });
  });
});

describe('the lock of a file', () => {
  test('is refused when it cannot be read or is a broken link', async () => {
    mkdirSync(`${path}.lock`);
    await expect(reopen()).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-storage' });
    rmSync(`${path}.lock`, { recursive: true });
    symlinkSync(join(folder, 'nowhere'), `${path}.lock`);
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
    expect(readdirSync(folder)).toEqual(['outbox.jsonl.lock']);
  });

  test.each(['null', '7', '[]'])('with the content %s is taken over', async (text) => {
    writeFileSync(`${path}.lock`, text);
    expect((await reopen()).items).toEqual([]);
  });

  test('keeps other storages out until it is released', async () => {
    const storage = fileStorage(path);
    await storage.open(() => undefined);
    await expect(reopen()).rejects.toMatchObject({
      code: 'outbox-locked',
      retryable: true,
      params: { pid: process.pid },
    });
    await storage.change([put('a')]);
    await storage.close();
    expect((await reopen()).items).toEqual([item('a')]);
  });

  test('of a process that has ended is taken over by one storage at most, even if several try at once', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => gone.on('exit', resolve));
    const { hostname } = await import('node:os');
    for (const lock of [
      JSON.stringify({ pid: gone.pid, host: hostname(), started: '1', token: 't' }),
      // The process id belongs to another process by now.
      JSON.stringify({ pid: process.pid, host: hostname(), started: '1', token: 't' }),
      'no lock',
    ]) {
      writeFileSync(`${path}.lock`, lock);
      const all = await Promise.allSettled(
        [1, 2, 3].map(async () => {
          const storage = fileStorage(path);
          await storage.open(() => undefined);
          return storage;
        }),
      );
      const open = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(open.length).toBeLessThanOrEqual(1);
      for (const each of open) await each.close();
      expect((await reopen()).problems).toEqual([]);
    }
  });

  test.each(['lock.break', 'lock'])('is left alone if another process has just taken it over (.%s)', async (name) => {
    const dead = JSON.stringify({ pid: 0, host: hostname(), started: '', token: 'dead' });
    const theirs = JSON.stringify({ pid: process.pid, host: hostname(), started: '', token: 'theirs' });
    writeFileSync(`${path}.lock`, dead);
    if (name === 'lock.break') writeFileSync(`${path}.${name}`, dead);
    const { readFile } = files;
    let reads = 0;
    const read = vi.spyOn(files, 'readFile').mockImplementation((async (...args: Parameters<typeof readFile>) => {
      const text = await readFile(...args);
      // The last read before the removal still finds the lock of the dead process.
      if (args[0] === `${path}.${name}` && (reads += 1) === (name === 'lock' ? 2 : 1))
        writeFileSync(`${path}.${name}`, theirs);
      return text;
    }) as typeof readFile);
    try {
      await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
    } finally {
      read.mockRestore();
    }
    expect(readFileSync(`${path}.${name}`, 'utf8')).toBe(theirs);
    expect(readdirSync(folder).filter((each) => !/\.lock(\.break)?$/.test(each))).toEqual([]);
  });

  test('is not moved while another process that is removing the dead lock holds it', async () => {
    const lockOf = (pid: number, token: string) => JSON.stringify({ pid, host: hostname(), started: '', token });
    for (const name of ['lock', 'lock.break']) writeFileSync(`${path}.${name}`, lockOf(0, 'dead'));
    const { readFile } = files;
    const read = vi.spyOn(files, 'readFile').mockImplementation((async (...args: Parameters<typeof readFile>) => {
      const text = await readFile(...args);
      if (args[0] === `${path}.lock.break`) writeFileSync(`${path}.lock.break`, lockOf(process.pid, 'theirs'));
      return text;
    }) as typeof readFile);
    const moved = vi.spyOn(files, 'rename');
    try {
      await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
      expect(moved).not.toHaveBeenCalled();
    } finally {
      read.mockRestore();
      moved.mockRestore();
    }
  });

  test('is taken over when the processes that tried to remove it have ended as well', async () => {
    const dead = (token: string) => JSON.stringify({ pid: 0, host: hostname(), started: '', token });
    for (const name of ['lock', 'lock.break', 'lock.break.break']) writeFileSync(`${path}.${name}`, dead(name));
    expect(await reopen()).toEqual({ items: [], problems: [] });
    expect(readdirSync(folder)).toEqual(['outbox.jsonl']);
  });

  test('of another machine is left alone', async () => {
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', started: '', token: 't' }));
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
  });
});

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
    const { Outbox } = await import('repose/outbox');
    class User extends Model.define({
      name: 'user',
      fields: { id: 'int', name: 'string' },
      proxy: { type: 'rest', url: '/users', baseUrl: url, dialect: plain(), use: [idempotency()] },
    }) {}
    const problems: OutboxError[] = [];
    const outbox = await Outbox.open({
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
  }, 120_000);
});
