import {
  appendFileSync,
  copyFileSync,
  promises as files,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fileStorage } from '../../../src/outbox/storage/file-storage.js';
import type { LogView, OutboxStorage } from '../../../src/outbox/storage/outbox-storage.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'repose-file-'));
  file = path.join(folder, 'outbox.jsonl');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const change = (record: string, data = 'x') => ({ scope: 'a', record, data });
const sent = (record: string, keys: number[]) => ({ scope: 'a', record, keys, type: 'sent', data: '' }) as const;
const codesOf = (problems: readonly Error[]) => problems.map((each) => (each as Error & { code: string }).code);

async function open(problems: Error[] = []): Promise<OutboxStorage> {
  const storage = fileStorage(file);
  await storage.open((problem) => problems.push(problem));
  return storage;
}

/** Opens and closes the file; returns its contents and the problems reported. */
async function reopen(scope = 'a'): Promise<{ view: LogView; texts: string[]; problems: Error[] }> {
  const problems: Error[] = [];
  const storage = await open(problems);
  const view = await storage.read({ scope });
  await storage.close();
  return { view, texts: view.items.map(({ data }) => data), problems };
}

/** The names of the files in the folder that somebody else than their owner may read or write. */
const openFiles = () => readdirSync(folder).filter((name) => statSync(path.join(folder, name)).mode & 0o077);

describe('a file of format 1', () => {
  const fixture = path.join(import.meta.dirname, 'fixtures/format-1.jsonl');
  const expected = readFileSync(fixture, 'utf8');

  test('is converted when it is opened: each write becomes one change with the same text', async () => {
    copyFileSync(fixture, file);
    const { view, problems } = await reopen();
    expect(problems).toEqual([]);
    const texts = view.items.map(({ data }) => JSON.parse(data) as { format: number; entry: Record<string, unknown> });
    expect(texts.map(({ format, entry }) => [format, entry['action'], entry['state'], entry['attempts']])).toEqual([
      [1, 'update', 'queued', 0],
      [1, 'destroy', 'queued', 0],
      [1, 'create', 'queued', 1],
      [1, 'create', 'queued', 1],
      [1, 'create', 'unconfirmed', 1],
      [1, 'update', 'failed', 1],
      [1, 'create', 'queued', 0],
      [1, 'create', 'queued', 0],
    ]);
    expect(view.items.map(({ record }) => record)).toEqual(texts.map(({ entry }) => entry['key']));
    for (const { data } of view.items) expect(expected).toContain(JSON.stringify(data));
    const other = await reopen('b');
    expect(other.texts).toHaveLength(1);
    expect(expected).toContain(other.texts[0]);
    // It is format 2 now, and stays the same.
    expect(readFileSync(file, 'utf8')).toMatch(/^\{"repose-outbox":2,/);
    expect((await reopen()).view).toEqual(view);
  });

  test('that ends within a line, or has unreadable lines, is converted up to these, which are kept', async () => {
    copyFileSync(fixture, file);
    appendFileSync(file, 'broken\n[{"put":{"key":"b","sco');
    const { texts, problems } = await reopen();
    expect(texts).toHaveLength(8);
    expect(codesOf(problems)).toEqual(['outbox-damaged', 'outbox-truncated']);
    const [copy = ''] = readdirSync(folder).filter((name) => name.includes('damaged'));
    expect(readFileSync(path.join(folder, copy), 'utf8')).toMatch(/broken\n/);
    expect((await reopen()).problems).toEqual([]);
  });

  test('stays as it is when a crash or a full disk interrupts the conversion', async () => {
    copyFileSync(fixture, file);
    for (const step of ['writeFile', 'rename'] as const) {
      const spy = vi.spyOn(files, step).mockImplementation(async (...args: unknown[]) => {
        if (String(args[0]).endsWith('.new')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      });
      // The lock is written with the same function.
      if (step === 'writeFile') {
        spy.mockRestore();
        const { writeFile } = files;
        vi.spyOn(files, 'writeFile').mockImplementation((async (...args: Parameters<typeof writeFile>) => {
          if (String(args[0]).endsWith('.new')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
          await writeFile(...args);
        }) as typeof writeFile);
      }
      await expect(open()).rejects.toMatchObject({ code: 'outbox-quota' });
      vi.restoreAllMocks();
      expect(readFileSync(file, 'utf8')).toBe(expected);
    }
    expect((await reopen()).texts).toHaveLength(8);
  });
});

describe('a file', () => {
  test('of another format or of a newer version is refused, and left as it is', async () => {
    for (const [text, code] of [
      ['{"repose-outbox":3}\n[]\n', 'outbox-version'],
      ['name,mail\nAda,a@b.c\n', 'outbox-format'],
      ['{"other":1}\n', 'outbox-format'],
      ['hello', 'outbox-format'],
      ['{"repose-outbox":3}', 'outbox-format'],
    ] as const) {
      writeFileSync(file, text);
      await expect(open()).rejects.toMatchObject({ name: 'OutboxError', code });
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    expect(readdirSync(folder)).toEqual(['outbox.jsonl']);
  });

  test('is empty if it has nothing or the beginning of its first line', async () => {
    for (const text of ['', '{"repose-out', '{"repose-outbox":1}', '{"repose-outbox":2,"last":{"ke']) {
      writeFileSync(file, text);
      const { view, problems } = await reopen();
      expect([view.items, view.place, problems]).toEqual([[], 0, []]);
    }
  });

  test('that ends within a line loses that line only, and tells it', async () => {
    const storage = await open();
    await storage.append([change('r', 'one')]);
    await storage.close();
    const whole = readFileSync(file);
    const second = JSON.stringify({ items: [{ ...change('r', 'two ë'), key: 2 }] });
    for (let length = 1; length < Buffer.byteLength(second); length += 1) {
      writeFileSync(file, Buffer.concat([whole, Buffer.from(second).subarray(0, length)]));
      const { texts, problems } = await reopen();
      expect([length, texts, codesOf(problems)]).toEqual([length, ['one'], ['outbox-truncated']]);
      expect((problems[0] as Error & { params: object }).params).toMatchObject({ bytes: length });
    }
    // Only the line break is missing.
    writeFileSync(file, Buffer.concat([whole, Buffer.from(second)]));
    expect(await reopen()).toMatchObject({ texts: ['one', 'two ë'], problems: [] });
  });

  test('with unreadable lines is copied, the lines are told, and the rest is read', async () => {
    const storage = await open();
    await storage.append([change('r', 'one')]);
    await storage.close();
    const valid = JSON.stringify({ items: [{ ...change('r', 'two'), key: 9 }] });
    const broken = [
      'gar\0bage',
      '[]',
      '{}',
      'null',
      '{"items":[{"key":"1"}]}',
      '{"items":7}',
      '{"progress":[{"key":1,"progress":7}]}',
      '{"outcome":{"place":1,"keys":"1"}}',
      '{"identity":{"scope":"a"}}',
      '{"prune":{"scope":"a","before":1,"records":"r"}}',
    ];
    appendFileSync(
      file,
      Buffer.concat([Buffer.from(`${broken.join('\n')}\n`), Buffer.from([0xff, 10]), Buffer.from(`${valid}\n`)]),
    );
    const { texts, problems } = await reopen();
    expect(texts).toEqual(['one', 'two']);
    expect(problems).toMatchObject([{ code: 'outbox-damaged', params: { count: broken.length + 1, line: 3 } }]);
    const [copy = ''] = readdirSync(folder).filter((name) => name.includes('damaged'));
    expect(readFileSync(path.join(folder, copy), 'utf8')).toContain('gar\0bage');
    expect((await reopen()).problems).toEqual([]);
  });

  test('is compacted when most of its lines are obsolete, and gives no key again', async () => {
    const storage = await open();
    const [key = 0] = await storage.append([change('r', 'stays')]);
    for (let at = 0; at < 200; at += 1) {
      await storage.update([{ key, progress: String(at) }]);
      await storage.remove(sent('s', [...(await storage.append([change('s')]))]));
      await storage.prune({ scope: 'a', before: at, records: [] });
    }
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(400);
    await storage.close();
    const { view } = await reopen();
    expect(view.items).toEqual([{ ...change('r', 'stays'), key, progress: '199' }]);
    expect(view.place).toBe(200);
    const again = await open();
    expect(await again.append([change('r')])).toEqual([202]);
    await again.close();
  });

  test('and all that is made beside it can be read by its owner only', async () => {
    const umask = process.umask(0);
    try {
      writeFileSync(file, '{"repose-outbox":1}\n', { mode: 0o644 });
      writeFileSync(`${file}.new`, 'left by a crash', { mode: 0o644 });
      const storage = await open();
      await storage.append([change('r')]);
      expect(readdirSync(folder)).toEqual(['outbox.jsonl', 'outbox.jsonl.lock']);
      expect(openFiles()).toEqual([]);
      for (let at = 0; at < 600; at += 1) await storage.update([{ key: 1, progress: String(at) }]);
      expect(openFiles()).toEqual([]);
      await storage.close();
      appendFileSync(file, 'broken\n');
      await reopen();
      expect(readdirSync(folder)).toHaveLength(2);
      expect(openFiles()).toEqual([]);
    } finally {
      process.umask(umask);
    }
  });
});

describe('a full or failing disk', () => {
  /** Makes a function of all open files fail. */
  async function failing(name: 'appendFile' | 'datasync' | 'truncate', code = 'ENOSPC') {
    const handle = await files.open(path.join(folder, 'probe'), 'a');
    const prototype = Object.getPrototypeOf(handle) as Record<typeof name, () => Promise<void>>;
    await handle.close();
    return vi.spyOn(prototype, name).mockRejectedValue(Object.assign(new Error('no'), { code }));
  }

  test.each(['appendFile', 'datasync'] as const)('refuses the step, and keeps what was stored (%s)', async (name) => {
    const storage = await open();
    const [key = 0] = await storage.append([change('r', 'one')]);
    const spy = await failing(name);
    await expect(storage.append([change('r', 'two')])).rejects.toMatchObject({ code: 'outbox-quota' });
    await expect(storage.remove(sent('r', [key]))).rejects.toMatchObject({ code: 'outbox-quota', retryable: true });
    expect((await storage.read({ scope: 'a' })).items.map(({ data }) => data)).toEqual(['one']);
    spy.mockRestore();
    await storage.append([change('r', 'three')]);
    await storage.close();
    expect(await reopen()).toMatchObject({ texts: ['one', 'three'], problems: [] });
  });

  test('that also cannot cut off what it wrote makes a new file for the next step', async () => {
    const storage = await open();
    await storage.append([change('r', 'one')]);
    const spies = [await failing('datasync', 'EIO'), await failing('truncate', 'EIO')];
    await expect(storage.append([change('r', 'two')])).rejects.toMatchObject({ code: 'outbox-storage' });
    for (const spy of spies) spy.mockRestore();
    await storage.append([change('r', 'three')]);
    await storage.close();
    expect(await reopen()).toMatchObject({ texts: ['one', 'three'], problems: [] });
  });

  test('loses nothing that was told as stored, at whatever call it fails', async () => {
    const { open: openFile, writeFile, rename, readFile, unlink } = files;
    const told: string[] = [];
    let calls = 0;
    let failAt = 0;
    const guard = <F extends (...args: never[]) => Promise<unknown>>(run: F) =>
      (async (...args: Parameters<F>) => {
        calls += 1;
        if (calls === failAt) throw Object.assign(new Error('no'), { code: 'EIO' });
        return await run(...args);
      }) as unknown as F;
    for (failAt = 1; failAt < 60; failAt += 1) {
      calls = 0;
      vi.spyOn(files, 'open').mockImplementation(guard(openFile));
      vi.spyOn(files, 'writeFile').mockImplementation(guard(writeFile) as typeof writeFile);
      vi.spyOn(files, 'rename').mockImplementation(guard(rename));
      vi.spyOn(files, 'readFile').mockImplementation(guard(readFile) as typeof readFile);
      vi.spyOn(files, 'unlink').mockImplementation(guard(unlink));
      const storage = fileStorage(file);
      await storage.open(() => undefined).catch(() => undefined);
      for (let at = 0; at < 3; at += 1) {
        const text = `${failAt}-${at}`;
        await storage.append([change('r', text)]).then(
          () => told.push(text),
          () => undefined,
        );
      }
      await storage.close().catch(() => undefined);
      vi.restoreAllMocks();
      rmSync(`${file}.lock`, { force: true });
      const { texts } = await reopen();
      expect(told.filter((text) => !texts.includes(text))).toEqual([]);
    }
    expect(told.length).toBeGreaterThan(60);
  });
});

describe('a process that has lost its lock', () => {
  test('gets its steps refused, and changes nothing for the process that has the lock now', async () => {
    const first = await open();
    const [key = 0] = await first.append([change('r', 'one')]);
    // Another process takes the first one for dead.
    rmSync(`${file}.lock`);
    const second = await open();
    const steps = [
      () => first.append([change('r', 'late')]),
      () => first.update([{ key, progress: 'attempted' }]),
      () => first.remove(sent('r', [key])),
    ];
    for (const step of steps) await expect(step()).rejects.toMatchObject({ code: 'outbox-locked' });
    await second.append([change('r', 'two')]);
    await first.close();
    // The lock of the second one was not taken from it.
    await expect(open()).rejects.toMatchObject({ code: 'outbox-locked' });
    await second.close();
    const { view, texts, problems } = await reopen();
    expect([texts, view.items[0]?.progress, problems]).toEqual([['one', 'two'], undefined, []]);
  });

  test('does not replace the file of the new one when it compacts', async () => {
    const first = await open();
    const [key = 0] = await first.append([change('r', 'one')]);
    for (let at = 0; at < 200; at += 1) await first.update([{ key, progress: String(at) }]);
    rmSync(`${file}.lock`);
    const second = await open();
    await second.append([change('r', 'two')]);
    for (let at = 0; at < 200; at += 1) await first.update([{ key, progress: 'late' }]).catch(() => undefined);
    await Promise.all([first.close(), second.close()]);
    expect((await reopen()).texts).toEqual(['one', 'two']);
  });
});
