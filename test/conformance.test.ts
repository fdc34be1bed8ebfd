import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { revive } from '../conformance/values.js';
import { runVector, type Vector, type VectorFile } from '../conformance/vector.js';

const folder = path.resolve(import.meta.dirname, '../conformance');
const read = (name: string) => (JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as VectorFile).vectors;

describe.each([
  ['rest-addressing.json', 228],
  ['real-apis.json', 288],
])('%s', (name, count) => {
  const vectors = read(name);

  test(`holds ${count} vectors`, () => {
    expect(vectors).toHaveLength(count);
  });

  test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
    expect(await runVector(vector)).toBeUndefined();
  });
});

describe('runVector', () => {
  const vector = read('rest-addressing.json').find(({ name }) => name === 'read operation id number 123') as Vector;
  const refused = read('rest-addressing.json').find(({ name }) => name.includes('dot dot [refused]')) as Vector;
  const failing = (expect: Vector['expect'], of = vector) => runVector({ ...of, expect: { ...of.expect, ...expect } });

  test('fails a vector with another address, compared as text', async () => {
    expect(await failing({ url: '/users/124' })).toEqual({
      expected: '/users/124',
      got: '1 request(s), GET /users/123',
    });
    expect(await failing({ url: '/users/1.3' })).toBeDefined();
    expect(await failing({ url: '/users/12' })).toBeDefined();
    expect(await failing({ url: '/users/123{time}' })).toBeDefined();
  });

  test('fails a vector with another verb or number of requests', async () => {
    expect(await failing({ method: 'POST' })).toMatchObject({ expected: 'POST /users/123' });
    expect(await failing({ requests: 0 })).toMatchObject({ expected: '0 request(s)' });
  });

  test('fails a vector without its expected error, or with an unexpected one', async () => {
    expect(await failing({ error: true })).toMatchObject({ expected: 'an error of ours, and nothing sent' });
    expect(await failing({ error: false, requests: 1, url: '/users' }, refused)).toMatchObject({
      expected: '1 request(s)',
      got: expect.stringContaining('AddressError'),
    });
    const build = { ...vector, action: 'buildUrl', input: { action: 'read', op: { id: '..' } }, expect: { url: '/x' } };
    expect(await runVector(build)).toMatchObject({ expected: 'no error' });
  });

  test('fails a vector whose error is not a DataError', async () => {
    const got = expect.stringContaining('no such action');
    expect(await runVector({ ...refused, action: 'unknown' })).toEqual({ expected: 'no such error', got });
    expect(await runVector({ ...vector, action: 'unknown', expect: { requests: 0 } })).toMatchObject({ got });
  });
});

describe('revive', () => {
  test('replaces special values at any depth', () => {
    const given = [
      { a: { $nan: 1 } },
      { $undefined: 1 },
      { $infinity: 1 },
      { $date: '2024-01-02T00:00:00Z' },
      { $repeat: ['ab', 3] },
    ];
    expect(revive(given)).toEqual([
      { a: Number.NaN },
      undefined,
      Number.POSITIVE_INFINITY,
      new Date('2024-01-02T00:00:00Z'),
      'ababab',
    ]);
  });

  test('leaves other values unchanged', () => {
    const given = { $nan: 1, other: 2, empty: {}, list: [null, 1, 'x', true], $dollar: 1 };
    expect(revive(given)).toEqual(given);
  });
});

describe('npm run conformance', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'conformance-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  const run = (...files: string[]) =>
    new Promise<{ status: number; out: string; err: string }>((resolve) => {
      const script = path.join(folder, 'run.ts');
      execFile(process.execPath, ['--import', 'tsx', script, ...files], (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out, err }),
      );
    });
  const file = (name: string, content: unknown) => {
    const target = path.join(scratch, name);
    writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content));
    return target;
  };
  const [vector] = read('rest-addressing.json') as [Vector];

  test('runs both shared files by default, and all vectors pass', { timeout: 60_000 }, async () => {
    expect(await run()).toEqual({ status: 0, out: '516 passed, 0 failed\n', err: '' });
  });

  test('runs other files of that form, and adds up the results of several', { timeout: 60_000 }, async () => {
    const other = file('other.json', { vectors: [vector] });
    expect(await run(other, other)).toEqual({ status: 0, out: '2 passed, 0 failed\n', err: '' });
  });

  test('prints each failure as a line with name, expected and got, and exits with status 1', {
    timeout: 60_000,
  }, async () => {
    const wrong = { ...vector, name: 'wrong', expect: { requests: 1, method: 'POST', url: '/nobody' } };
    const { status, out } = await run(file('wrong.json', { vectors: [wrong, vector] }));
    expect(status).toBe(1);
    const [line, last] = out.trim().split('\n');
    expect(line).toMatch(/^FAILED wrong: expected \/nobody, got 1 request\(s\), POST \/users\?_dc=\d+/);
    expect(last).toBe('1 passed, 1 failed');
  });

  test('names a file that is unreadable, not JSON or without vectors, and exits with status 1', {
    timeout: 60_000,
  }, async () => {
    const missing = path.join(scratch, 'missing.json');
    const broken = file('broken.json', '{"vectors": [');
    const empty = file('empty.json', { vectors: 7 });
    const nothing = file('null.json', 'null');
    const good = file('good.json', { vectors: [vector] });
    const { status, out, err } = await run(missing, broken, empty, nothing, good);
    expect(status).toBe(1);
    expect(out).toBe('1 passed, 4 failed\n');
    expect(
      err
        .trim()
        .split('\n')
        .map((line) => line.split(': ')[0]),
    ).toEqual([missing, broken, empty, nothing]);
  });
});
