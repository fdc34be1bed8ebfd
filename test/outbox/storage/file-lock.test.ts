import { spawn } from 'node:child_process';
import {
  existsSync,
  promises as files,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { fileStorage, type OutboxStorage } from 'repose/outbox';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'repose-lock-'));
  file = path.join(folder, 'outbox.jsonl');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const lockOf = (pid: number, token: string) => JSON.stringify({ pid, host: hostname(), started: '', token });

async function open(problems: unknown[] = []): Promise<OutboxStorage> {
  const storage = fileStorage(file);
  await storage.open((problem) => problems.push(problem));
  return storage;
}

/** Opens and closes the file; returns the texts in it and the problems reported. */
async function reopen(): Promise<{ texts: string[]; problems: unknown[] }> {
  const problems: unknown[] = [];
  const storage = await open(problems);
  const { items } = await storage.read({ scope: 'a' });
  await storage.close();
  return { texts: items.map(({ data }) => data), problems };
}

test('a path that cannot be written is refused, and leaves no lock', async () => {
  file = path.join(folder, 'no', 'such', 'folder');
  await expect(reopen()).rejects.toMatchObject({ code: 'outbox-storage' });
  file = path.join(folder, 'folder');
  mkdirSync(file);
  await expect(reopen()).rejects.toMatchObject({ code: 'outbox-storage' });
  expect(existsSync(`${file}.lock`)).toBe(false);
});

describe('the lock of a file', () => {
  test('is refused when it cannot be read or is a broken link', async () => {
    mkdirSync(`${file}.lock`);
    await expect(reopen()).rejects.toMatchObject({ name: 'OutboxError', code: 'outbox-storage' });
    rmSync(`${file}.lock`, { recursive: true });
    symlinkSync(path.join(folder, 'nowhere'), `${file}.lock`);
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
    expect(readdirSync(folder)).toEqual(['outbox.jsonl.lock']);
  });

  test.each(['null', '7', '[]'])('with the content %s is taken over', async (text) => {
    writeFileSync(`${file}.lock`, text);
    expect(await reopen()).toEqual({ texts: [], problems: [] });
  });

  test('keeps other storages out until it is released', async () => {
    const storage = await open();
    const refusal = { code: 'outbox-locked', retryable: true, params: { pid: process.pid } };
    await expect(reopen()).rejects.toMatchObject(refusal);
    await storage.append([{ scope: 'a', record: 'r', data: 'x' }]);
    await storage.close();
    expect((await reopen()).texts).toEqual(['x']);
  });

  test('of a process that has ended is taken over by one storage at most, even if several try at once', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => gone.on('exit', resolve));
    for (const lock of [
      JSON.stringify({ pid: gone.pid, host: hostname(), started: '1', token: 't' }),
      // The process id belongs to another process by now.
      JSON.stringify({ pid: process.pid, host: hostname(), started: '1', token: 't' }),
      'no lock',
    ]) {
      writeFileSync(`${file}.lock`, lock);
      const all = await Promise.allSettled([1, 2, 3].map(() => open()));
      const opened = all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(opened.length).toBeLessThanOrEqual(1);
      for (const each of opened) await each.close();
      expect((await reopen()).problems).toEqual([]);
    }
  });

  test.each(['lock.break', 'lock'])('is left alone if another process has just taken it over (.%s)', async (name) => {
    writeFileSync(`${file}.lock`, lockOf(0, 'dead'));
    if (name === 'lock.break') writeFileSync(`${file}.${name}`, lockOf(0, 'dead'));
    const theirs = lockOf(process.pid, 'theirs');
    const { readFile } = files;
    let reads = 0;
    vi.spyOn(files, 'readFile').mockImplementation((async (...args: Parameters<typeof readFile>) => {
      const text = await readFile(...args);
      // The last read before the removal still finds the lock of the dead process.
      if (args[0] === `${file}.${name}` && (reads += 1) === (name === 'lock' ? 2 : 1))
        writeFileSync(`${file}.${name}`, theirs);
      return text;
    }) as typeof readFile);
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
    vi.restoreAllMocks();
    expect(readFileSync(`${file}.${name}`, 'utf8')).toBe(theirs);
    expect(readdirSync(folder).filter((each) => !/\.lock(\.break)?$/.test(each))).toEqual([]);
  });

  test('is not moved while another process that is removing the dead lock holds it', async () => {
    for (const name of ['lock', 'lock.break']) writeFileSync(`${file}.${name}`, lockOf(0, 'dead'));
    const { readFile } = files;
    vi.spyOn(files, 'readFile').mockImplementation((async (...args: Parameters<typeof readFile>) => {
      const text = await readFile(...args);
      if (args[0] === `${file}.lock.break`) writeFileSync(`${file}.lock.break`, lockOf(process.pid, 'theirs'));
      return text;
    }) as typeof readFile);
    const moved = vi.spyOn(files, 'rename');
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
    expect(moved).not.toHaveBeenCalled();
  });

  test('is taken over when the processes that tried to remove it have ended as well', async () => {
    for (const name of ['lock', 'lock.break', 'lock.break.break']) writeFileSync(`${file}.${name}`, lockOf(0, name));
    expect(await reopen()).toEqual({ texts: [], problems: [] });
    expect(readdirSync(folder)).toEqual(['outbox.jsonl']);
  });

  test('of another machine is left alone', async () => {
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: 1, host: 'elsewhere', started: '', token: 't' }));
    await expect(reopen()).rejects.toMatchObject({ code: 'outbox-locked' });
  });
});
