import { type Fields, type Filter, Model, type Sorter, Store } from 'repose';
import { expect } from 'vitest';
import { type Contract, failureOf } from './contract.js';
import { type ContractModel, type ContractStore, idOf, present } from './host.js';
import type { Id, Row } from './profile.js';

const HTTP_404 = { code: 'http', status: 404 };

/** Checks that only read. They run first, on the rows that the server started with. */
export function reading(contract: Contract): void {
  const { host, profile, check, fact, has } = contract;
  const { facts, idProperty = 'id' } = profile;
  const rows = profile.rows as readonly Row[];
  const { pageSize = 25 } = facts;
  const ids = rows.map((row) => row[idProperty] as Id);
  const listOf = (query: { sorters?: readonly Partial<Sorter>[]; filters?: readonly Filter[] } = {}, size = pageSize) =>
    new Store({
      model: host.model() as never,
      pageSize: size,
      remoteSort: true,
      remoteFilter: true,
      ...query,
    } as never) as never as ContractStore;

  check('read', async () => {
    const row = present(rows[1]);
    const record = await host.model().load(row[idProperty] as Id);
    expect(valuesOf(record, row)).toEqual(row);
    expect(record.phantom).toBe(false);
    expect(record.dirty).toBe(false);
  });

  check('null', async () => {
    const field = fact('nullField');
    const row = present(rows.find((candidate) => candidate[field] === null));
    const record = await host.model().load(row[idProperty] as Id);
    expect(record.get(field)).toBeNull();
  });

  check('missing', async () => {
    const error = await failureOf(host.model().load(fact('missingId')));
    expect(error).toMatchObject({ ...(facts.missing?.read ?? HTTP_404), retryable: false });
  });

  check('page', async () => {
    const store = listOf();
    const pages: Id[][] = [];
    const count = Math.ceil(rows.length / pageSize);
    expect(count, 'pages of the profile').toBeGreaterThan(2);
    for (let page = 1; page <= count; page++) pages.push((await store.load({ page })).map(idOf));
    expect(pages).toEqual(Array.from({ length: count }, (_, i) => ids.slice(i * pageSize, (i + 1) * pageSize)));
  });

  check('total', async () => {
    const store = listOf();
    await store.load();
    expect(store.total).toBe(rows.length);
  });

  check('more', async () => {
    const store = listOf();
    expect(await loadAll(store, rows.length)).toEqual(ids);
    expect(store.hasMore).toBe(false);
  });

  check('sort', async () => {
    const property = fact('sortBy');
    const store = listOf({ sorters: [{ property, direction: 'DESC' }] });
    const expected = [...rows].sort((a, b) => order(b[property], a[property])).map((row) => row[property]);
    await store.load();
    expect(store.getRange().map((record) => record.get(property))).toEqual(expected.slice(0, pageSize));
    if (!has('page')) return;
    await store.load({ page: 2 });
    expect(store.getRange().map((record) => record.get(property))).toEqual(expected.slice(pageSize, 2 * pageSize));
  });

  check('multiSort', async () => {
    const [group, property] = [fact('groupBy'), fact('sortBy')];
    const store = listOf({ sorters: [{ property: group }, { property, direction: 'DESC' }] });
    const expected = [...rows].sort((a, b) => order(a[group], b[group]) || order(b[property], a[property]));
    await store.load();
    expect(store.getRange().map(idOf)).toEqual(expected.slice(0, pageSize).map((row) => row[idProperty]));
  });

  check('filter', async () => {
    const filter = fact('filter');
    const expected = locally([filter]);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(rows.length);
    const store = listOf({ filters: [filter] });
    await store.load();
    expect(store.getRange().map(idOf)).toEqual(expected.slice(0, pageSize));
    if (has('total')) expect(store.total).toBe(expected.length);
  });

  check('encoded', async () => {
    const filters = fact('encoded');
    const expected = locally(filters);
    expect(expected).toHaveLength(1);
    const store = listOf({ filters });
    await store.load();
    expect(store.getRange().map(idOf)).toEqual(expected);
  });

  check('operators', async () => {
    const cases = Object.entries(fact('operators'));
    expect(cases.length).toBeGreaterThan(0);
    for (const [name, given] of cases) {
      const filters = [given].flat();
      const expected = locally(filters);
      expect(expected.length, `rows that pass '${name}'`).toBeGreaterThan(0);
      expect(expected.length, `rows that pass '${name}'`).toBeLessThan(rows.length);
      const found = await loadAll(listOf({ filters }), rows.length);
      expect(found, name).toEqual(expected);
    }
  });

  check('empty', async () => {
    const store = listOf({ filters: [fact('none')] });
    expect(await store.load()).toEqual([]);
    if (has('total')) expect(store.total).toBe(0);
    expect(store.hasMore).toBe(false);
  });

  check('search', async () => {
    const { text, ids: expected } = fact('search');
    const store = listOf();
    store.search(text);
    await store.load();
    expect(store.getRange().map(idOf)).toEqual(expected);
  });

  check('refused', async () => {
    const error = await failureOf(listOf({ filters: [fact('refused')] }).load());
    expect(error).toMatchObject({ code: 'unsupported-query' });
    expect(host.exchanges).toEqual([]);
  });

  check('suffix', async () => {
    const { format, proxy } = fact('suffix');
    const model = host.model({ ...proxy, format });
    const [, row] = rows;
    const record = await model.load(present(row)[idProperty] as Id);
    expect(valuesOf(record, present(row))).toEqual(row);
    const store = new Store({ model: model as never, pageSize } as never) as never as ContractStore;
    await store.load();
    expect(store.getRange().map(idOf)).toEqual(ids.slice(0, pageSize || undefined));
    const paths = host.exchanges.map(({ url }) => new URL(url).pathname);
    expect(paths.filter((path) => !path.endsWith(`.${format}`))).toEqual([]);
  });

  function order(a: unknown, b: unknown): number {
    if (facts.compare) return facts.compare(a, b);
    return (a as string) < (b as string) ? -1 : Number((a as string) > (b as string));
  }

  /** The ids of the rows that pass filters by the library's own operators, in the order of the server. */
  function locally(filters: readonly Filter[]): Id[] {
    const fields = Object.fromEntries(Object.entries(profile.fields).map(([name, field]) => [name, unmapped(field)]));
    const Local = Model.define({ name: 'local', idProperty, fields } as never) as never as ContractModel;
    const store = new Store({ model: Local as never, filters, pageSize: 0 } as never) as never as ContractStore;
    store.setRecords(rows);
    return store.getRange().map(idOf);
  }
}

function unmapped(field: Fields[string]): Fields[string] {
  if (typeof field !== 'object' || !('mapping' in field)) return field;
  const { mapping, ...rest } = field;
  return rest as Fields[string];
}

function valuesOf(record: { get(name: string): unknown }, row: Row): Row {
  return Object.fromEntries(Object.keys(row).map((name) => [name, record.get(name)]));
}

/** Loads a list to its end, and returns the ids. */
async function loadAll(store: ContractStore, count: number): Promise<Id[]> {
  await store.load();
  for (let i = 0; store.hasMore; i++) {
    expect(i, 'number of further loads').toBeLessThan(count);
    await store.loadMore();
  }
  return store.getRange().map(idOf);
}
