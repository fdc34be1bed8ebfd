import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { DataProxy, MemoryProxy, Operation, ReadError, ResultSet } from 'repose';
import { ContractError, proxyContract } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { collector, type Results } from './collect.js';

async function runContract(createProxy: () => DataProxy, options: object = {}): Promise<Results> {
  const { runner, run } = collector();
  proxyContract({ createProxy, ...options }, runner);
  return run();
}

/** The titles of failed tests, without their groups. */
const titles = ({ failed }: Results) => [...failed.keys()].map((name) => name.split(' > ').at(-1));
const message = ({ failed }: Results, title: string) =>
  [...failed].flatMap(([name, error]) => (name.endsWith(title) ? [(error as Error).message] : []))[0];

describe('proxyContract', () => {
  test('groups its tests under a name', async () => {
    const { passed, failed } = await runContract(() => new MemoryProxy());
    expect([...failed]).toEqual([]);
    expect(passed.length).toBeGreaterThan(20);
    expect(new Set(passed.map((name) => name.split(' > ').slice(0, 2).join(' > ')))).toEqual(
      new Set(['reading', 'writing', 'results', 'aborting'].map((group) => `proxy contract > ${group}`)),
    );
  });

  test('puts the groups into the names if the runner has no describe', () => {
    const names: string[] = [];
    proxyContract({ name: 'memory', createProxy: () => new MemoryProxy() }, { test: (name) => names.push(name) });
    expect(names).toContain('memory: reading: the list holds what was created');
  });

  test('skips tests that the source cannot pass, and says why', async () => {
    const without = { sorting: 'the server has one order', abort: 'it answers at once' };
    const { passed, skipped } = await runContract(() => new MemoryProxy(), { without });
    expect(skipped.map((name) => name.split(' > ').at(-1))).toEqual([
      'sorting goes upwards and downwards (left out: the server has one order)',
      'an operation that is aborted before it starts does nothing (left out: it answers at once)',
      'an operation that is aborted on its way rejects with AbortError (left out: it answers at once)',
      'an abort ends its own operation only (left out: it answers at once)',
    ]);
    expect(passed.join()).not.toContain('sorting goes');
  });

  test('leaves such tests out if the runner cannot skip', () => {
    const names: string[] = [];
    const without = { paging: 'all at once' };
    proxyContract({ createProxy: () => new MemoryProxy(), without }, { test: (name) => names.push(name) });
    expect(names.join()).not.toContain('pages hold');
  });

  test('reads the whole list if there is no paging', async () => {
    const { failed } = await runContract(() => new NoPages(), { without: { paging: 'all at once', total: 'unknown' } });
    expect([...failed]).toEqual([]);
  });

  test('accepts an error behind the last page as the end of the list', async () => {
    expect((await runContract(() => new StrictPages())).failed.size).toBe(0);
  });

  test('accepts frozen rows, and messages', async () => {
    expect([...(await runContract(() => new Frozen())).failed]).toEqual([]);
  });

  test('leaves the collection as it was', async () => {
    const rows = [{ id: 1, name: 'Ada', rank: 1 }];
    const proxies: MemoryProxy[] = [];
    const { failed } = await runContract(() => {
      const proxy = new MemoryProxy({ data: rows });
      proxies.push(proxy);
      return proxy;
    });
    expect([...failed]).toEqual([]);
    for (const proxy of proxies) expect(proxy.data).toEqual(rows);
  });

  test('ends a proxy after each test, also after one that fails', async () => {
    const ended: DataProxy[] = [];
    const results = await runContract(() => new Forgetful(), {
      destroyProxy: (proxy: DataProxy) => void ended.push(proxy),
    });
    expect(results.failed.size).toBeGreaterThan(5);
    expect(ended.length).toBe(results.passed.length + results.failed.size);
  });

  test('takes options for other fields, values and ids', async () => {
    const { failed } = await runContract(() => new MemoryProxy(), {
      fields: { key: 'string', title: { type: 'string', mapping: 'meta.title' }, size: 'number' },
      idProperty: 'key',
      text: 'title',
      number: 'size',
      values: (n: number) => ({ title: `no ${n}`, size: n / 2 }),
    });
    expect([...failed]).toEqual([]);
  });

  test('runs under node:test', async () => {
    const script = path.join(import.meta.dirname, 'contract-under-node.ts');
    const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', script];
    // Inside a run of node's test runner the reports would go to that runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: path.resolve('.'), env });
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).toMatch(/^# skipped 1$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(20);
  });
});

describe('a proxy that breaks the contract fails the matching test', () => {
  test.each([
    ['creates without an id', () => new Forgetful(), 'create gives each record an id of its own'],
    ['finds any record', () => new Generous(), 'an id that does not exist rejects with a DataError'],
    ['finds a record for a strange id', () => new Generous(), 'an id that is hard to address gives no other record'],
    ['writes nothing', () => new ReadOnly(), 'update writes what was edited'],
    ['drops members', () => new Dropping(), 'update keeps the members that its model does not declare'],
    ['erases nothing', () => new Keeping(), 'erase takes the record out of the list and leaves the others'],
    ['erases everything', () => new Emptying(), 'erase takes the record out of the list and leaves the others'],
    [
      'takes an erase of nothing',
      () => new Lenient(),
      'update and erase of a record that is gone reject with a DataError',
    ],
    ['ignores the limit', () => new Unlimited(), 'pages hold no more rows than their limit and do not overlap'],
    [
      'gives every page the first rows',
      () => new FirstPage(),
      'pages hold no more rows than their limit and do not overlap',
    ],
    ['counts the page', () => new PageTotal(), 'the total counts the whole collection'],
    ['does not count', () => new NoTotal(), 'the total counts the whole collection'],
    ['ignores sorters', () => new Unsorted(), 'sorting goes upwards and downwards'],
    ['ignores filters', () => new Unfiltered(), 'a filter gives the rows that match, and no other'],
    ['takes one filter of several', () => new OneFilter(), 'a filter gives the rows that match, and no other'],
    ['shares its rows', () => new Sharing(), 'rows are nobody else’s: changing them changes nothing in the source'],
    ['gives strange totals', () => new BadTotal(), 'a read resolves with a result set: its rows, their count, success'],
    ['ignores an abort', () => new Stubborn(), 'an operation that is aborted on its way rejects with AbortError'],
    ['works on when it is aborted', () => new Stubborn(), 'an operation that is aborted before it starts does nothing'],
    ['throws errors of its own', () => new Rude(), 'an id that does not exist rejects with a DataError'],
    ['refuses updates', () => new Refusing(), 'a store syncs new, edited and removed records'],
    ['refuses erases', () => new Stuck(), 'erase takes the record out of the list and leaves the others'],
    [
      'gives a message that is none',
      () => new Mute(),
      'a read resolves with a result set: its rows, their count, success',
    ],
    ['mixes parallel operations', () => new Mixing(), 'operations on several records at once do not mix'],
  ])('%s', async (_what, createProxy, title) => {
    const results = await runContract(createProxy);
    expect(titles(results)).toContain(title);
    const error = results.failed.get([...results.failed.keys()].find((name) => name.endsWith(title))!);
    expect(error).toBeInstanceOf(Error);
  });

  test('the error has the expected and the actual value', async () => {
    const results = await runContract(() => new ReadOnly());
    const failure = [...results.failed].find(([name]) => name.endsWith('update writes what was edited'))?.[1];
    expect(failure).toBeInstanceOf(ContractError);
    expect(failure).toMatchObject({
      name: 'ContractError',
      message: 'the edited field: expected "Zoë & Bob #3, 100%", got "Zoë & Bob #1, 100%".',
      actual: 'Zoë & Bob #1, 100%',
      expected: 'Zoë & Bob #3, 100%',
    });
  });

  test('the error names the value that came instead of a DataError', async () => {
    const title = 'an id that does not exist rejects with a DataError';
    expect(message(await runContract(() => new Rude()), title)).toBe(
      "reading '1', which does not exist: expected a DataError, but it rejected with Error: gone.",
    );
    expect(message(await runContract(() => new Generous()), title)).toMatch(
      /^rows of reading '\d+', which does not exist: expected \[\], got \[\{/,
    );
  });
});

class Frozen extends MemoryProxy {
  override async read(operation: Operation) {
    const { rows, total } = await super.read(operation);
    return new ResultSet({ rows: rows.map((row) => Object.freeze(row)), total, message: 'done' });
  }
}

class NoPages extends MemoryProxy {
  override read({ action, id, model, records, sorters, filters, signal }: Operation) {
    return super.read(new Operation({ action, id, model, records, sorters, filters, signal }));
  }
}

class StrictPages extends MemoryProxy {
  override async read(operation: Operation) {
    const result = await super.read(operation);
    if ((operation.page ?? 1) > 1 && result.count === 0) throw new ReadError('response-record', { id: 'page' });
    return result;
  }
}

class Forgetful extends MemoryProxy {
  override async create(operation: Operation) {
    await super.create(operation);
    return new ResultSet();
  }
}

class Generous extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(operation).catch(() => new ResultSet({ rows: [{ id: operation.id, name: 'x' }] }));
  }
}

class ReadOnly extends MemoryProxy {
  override async update({ records: _ }: Operation) {
    return new ResultSet();
  }
}

class Refusing extends MemoryProxy {
  override async update({ id }: Operation): Promise<ResultSet> {
    throw new ReadError('response-record', { id });
  }
}

class Stuck extends MemoryProxy {
  override async erase({ id }: Operation): Promise<ResultSet> {
    throw new ReadError('response-record', { id });
  }
}

class Mute extends MemoryProxy {
  override async read(operation: Operation) {
    return Object.assign(await super.read(operation), { message: 7 });
  }
}

class Dropping extends MemoryProxy {
  constructor() {
    super({ writer: { undeclared: false } });
  }
}

class Keeping extends MemoryProxy {
  override async erase(_operation: Operation) {
    return new ResultSet();
  }
}

class Emptying extends MemoryProxy {
  private gone = false;

  override async erase(operation: Operation) {
    this.gone = true;
    return super.erase(operation);
  }

  override async read(operation: Operation) {
    const result = await super.read(operation);
    return this.gone ? new ResultSet({ total: 0 }) : result;
  }
}

class Lenient extends MemoryProxy {
  override erase(operation: Operation) {
    return super.erase(operation).catch(() => new ResultSet());
  }
}

class Unlimited extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(Object.assign(operation, { limit: undefined }));
  }
}

class FirstPage extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(Object.assign(operation, { start: 0 }));
  }
}

class PageTotal extends MemoryProxy {
  override async read(operation: Operation) {
    const result = await super.read(operation);
    return operation.limit ? new ResultSet({ ...result, total: result.count }) : result;
  }
}

class NoTotal extends MemoryProxy {
  override async read(operation: Operation) {
    const { rows } = await super.read(operation);
    return new ResultSet({ rows });
  }
}

class Unsorted extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(Object.assign(operation, { sorters: undefined }));
  }
}

class Unfiltered extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(Object.assign(operation, { filters: undefined }));
  }
}

class OneFilter extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(Object.assign(operation, { filters: operation.filters?.slice(0, 1) }));
  }
}

class BadTotal extends MemoryProxy {
  override async read(operation: Operation) {
    return new ResultSet({ ...(await super.read(operation)), total: -1 });
  }
}

class Stubborn extends MemoryProxy {
  override create(operation: Operation) {
    return super.create(Object.assign(operation, { signal: undefined }));
  }

  override read(operation: Operation) {
    return super.read(Object.assign(operation, { signal: undefined }));
  }
}

class Rude extends MemoryProxy {
  override read(operation: Operation) {
    return super.read(operation).catch(() => {
      throw new Error('gone');
    });
  }
}

class Mixing extends MemoryProxy {
  private running = 0;

  override async create(operation: Operation) {
    this.running += 1;
    const result = await super.create(operation);
    // Two creates at once get the same id.
    const mixed = this.running > 1 ? [{ ...(result.rows[0] as object), id: 1 }] : result.rows;
    await Promise.resolve();
    this.running -= 1;
    return new ResultSet({ rows: mixed });
  }
}

/** Returns the objects that it stores, without copies. */
class Sharing extends DataProxy {
  private readonly rows: Record<string, unknown>[] = [];
  private readonly memory: MemoryProxy = new MemoryProxy();

  async create(operation: Operation) {
    const { rows } = await this.memory.create(operation);
    this.rows.push(rows[0] as Record<string, unknown>);
    return new ResultSet({ rows });
  }

  async read({ id }: Operation) {
    return new ResultSet({
      rows: id === undefined ? this.rows : this.rows.filter((row) => String(row.id) === String(id)),
    });
  }

  async update(_operation: Operation) {
    return new ResultSet();
  }

  async erase(_operation: Operation) {
    return new ResultSet();
  }
}
