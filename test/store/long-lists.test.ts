import {
  decimal,
  differenceOf,
  exclusion,
  explain,
  filterTemplates,
  inclusion,
  MemoryProxy,
  Model,
  type OperationConfig,
  plain,
  Session,
  Store,
  viewOf,
} from 'repose';
import { groups } from 'repose/groups';
import { memoryStorage } from 'repose/outbox';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { restServer } from 'repose/testing';
import { expect, test } from 'vitest';
import { workOf } from '../helpers/work.js';
import { openOutbox } from '../outbox/open-outbox.js';

/**
 * Ten times the work takes ten times the steps, and a little more where a list is sorted. Quadratic work takes a hundred times as many. V8
 * forgets some counts when it throws code away, so that the same call does not always count the same.
 */
const MOST_TIMES = 20;
// Counting 50,000 items takes minutes: `LONG_LISTS=full npx vitest run test/store/long-lists.test.ts`.
const [FEW, MANY] = process.env.LONG_LISTS === 'full' ? [5000, 50_000] : [500, 5000];

class Owner extends Model.define({ name: 'owner', fields: { id: 'int', name: 'string' } }) {}
class Item extends Model.define({
  name: 'item',
  fields: { id: 'int', code: 'string', price: decimal(), day: 'date', tags: 'json', ownerId: 'int', size: 'number' },
}) {}
type Row = ReturnType<typeof rows>[number];

function rows(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    // In no order, and without equal codes.
    code: `code ${(i * 7919) % count}`,
    price: `${i}.50`,
    day: new Date(i * 86_400_000),
    tags: [`tag ${i}`],
    ownerId: (i % 100) + 1,
    size: (i * 31) % 1000,
  }));
}

const answer =
  (list: readonly object[], headers = {}) =>
  async () =>
    Response.json(list, { headers });
const bound = (list: readonly object[], config: object = {}) =>
  Item.with({
    proxy: { type: 'rest', baseUrl: 'http://a.test', url: '/items', dialect: plain(), fetch: answer(list), ...config },
  });

type Act = (data: Row[]) => (() => unknown) | Promise<() => unknown>;
const filled = (data: Row[]) => new Store({ model: Item, data });
const list =
  (property: keyof Row, operator: string): Act =>
  (data) => {
    const store = filled(data);
    const value = data.map((row) => row[property]);
    return () => {
      store.filter({ property, operator, value } as never);
      return store.count;
    };
  };
const explained =
  (filter: object, property = 'code'): Act =>
  (data) => {
    const { proxy } = bound([], { dialect: plain({ filter: filterTemplates(filter) }) });
    const value = data.map((row) => row[property as 'code']);
    const call = {
      action: 'read',
      model: Item,
      filters: [{ property, operator: 'in', value }],
    } as unknown as OperationConfig;
    return async () => {
      const { refused } = await explain(proxy as never, call as never);
      expect(refused).toBeUndefined();
    };
  };

const calls: readonly (readonly [string, Act])[] = [
  ['a store with `data`', (data) => () => filled(data).count],
  [
    'add()',
    (data) => {
      const store = new Store({ model: Item });
      return () => {
        store.add(...data);
        return store.count;
      };
    },
  ],
  [
    'add() of records',
    (data) => {
      const store = new Store({ model: Item });
      const records = data.map((row) => Item.fromRow(row));
      return () => store.add(...records);
    },
  ],
  [
    'add() one by one',
    (data) => {
      const store = new Store({ model: Item, sorters: ['code'] });
      return () => {
        for (const row of data) store.add(row);
        return store.count;
      };
    },
  ],
  [
    'insert() at the beginning',
    (data) => {
      const store = filled(data.slice(0, 100));
      const records = data.slice(100).map((row) => Item.fromRow(row));
      return () => store.insert(0, ...records);
    },
  ],
  [
    'insert() of all records of the store, which moves them',
    (data) => {
      const store = filled(data);
      const records = store.getRange().reverse();
      return () => {
        store.insert(0, ...records);
        return store.getAt(0) === records[0];
      };
    },
  ],
  [
    'remove()',
    (data) => {
      const store = filled(data);
      const records = store.getRange();
      return () => {
        store.remove(...records);
        return store.count;
      };
    },
  ],
  [
    'remove() one by one, from the end',
    (data) => {
      const store = filled(data);
      const records = store.getRange().reverse();
      return () => {
        for (const record of records) store.remove(record);
        return store.count;
      };
    },
  ],
  [
    'setRecords() of rows',
    (data) => {
      const store = new Store({ model: Item });
      return () => store.setRecords(data);
    },
  ],
  [
    'setRecords() of the same rows again',
    (data) => {
      const store = filled(data);
      return () => store.setRecords(data);
    },
  ],
  [
    'setRecords() of records',
    (data) => {
      const store = new Store({ model: Item });
      const records = data.map((row) => Item.fromRow(row));
      return () => store.setRecords(records);
    },
  ],
  [
    'setRecords() of rows that come twice',
    (data) => {
      const store = new Store({ model: Item });
      return () => store.setRecords([...data, ...data]);
    },
  ],
  [
    'load()',
    (data) => {
      const store = new Store({ model: bound(data), pageSize: 0 });
      return () => store.load();
    },
  ],
  [
    'load() again',
    async (data) => {
      const store = new Store({ model: bound(data), pageSize: 0 });
      await store.load();
      return () => store.load();
    },
  ],
  [
    'load() of rows that come twice',
    (data) => {
      const store = new Store({ model: bound([...data, ...data]), pageSize: 0 });
      return () => store.load();
    },
  ],
  [
    'load() with `addRecords`',
    async (data) => {
      const store = new Store({ model: bound(data), pageSize: 0 });
      await store.load();
      return () => store.load({ addRecords: true });
    },
  ],
  [
    'load() of other rows, with pending changes',
    async (data) => {
      const { fetch, baseUrl } = restServer({ collections: { '/items': data } });
      const store = new Store({
        model: bound([], { fetch, baseUrl, dialect: undefined, reader: { rootProperty: 'data' } }),
        pageSize: 0,
      });
      await store.load();
      for (const record of store) record.size = 1;
      return () => store.load({ params: {} });
    },
  ],
  ['`in` with texts', list('code', 'in')],
  ['`nin` with texts', list('code', 'nin')],
  ['`in` with numbers', list('id', 'in')],
  ['`in` with days', list('day', 'in')],
  ['`nin` with lists', list('tags', 'nin')],
  [
    '`in` of a view',
    (data) => {
      const store = filled(data);
      const value = data.map(({ code }) => code);
      return () => viewOf(store, { filters: [{ not: { or: [{ property: 'code', operator: 'in', value }] } }] }).count;
    },
  ],
  ['`in` as one parameter', explained({ eq: '{name}', in: '{name}={values}' })],
  ['`in` as repeated parameters', explained({ eq: '{name}', in: '{name}' })],
  ['`in` as numbered parameters', explained({ eq: '{name}', in: '{name}[{index}]' })],
  [
    'sort()',
    (data) => {
      const store = filled(data);
      return () => {
        store.sort(['size', 'code']);
        return store.getAt(0);
      };
    },
  ],
  [
    'sort() by a getter of dates',
    (data) => {
      const store = filled(data);
      return () => {
        store.sort([{ property: 'day', direction: 'DESC' }]);
        return store.getAt(0);
      };
    },
  ],
  [
    'filter() of a range',
    (data) => {
      const store = filled(data);
      return () => {
        store.filter({ property: 'size', operator: 'between', value: [10, 500] });
        return store.count;
      };
    },
  ],
  [
    'group() with summaries',
    (data) => {
      const store = new Store({ model: Item, data, groups: groups({ by: ['ownerId'], summaries: { size: 'sum' } }) });
      return () => [...store.groups].length;
    },
  ],
  [
    'group() by a field without equal values',
    (data) => {
      const store = new Store({
        model: Item,
        data,
        groups: groups({ by: ['code'], summaries: { size: ['min', 'max'] } }),
      });
      return () => [...store.groups].length;
    },
  ],
  [
    'getById() of each',
    (data) => {
      const store = filled(data);
      return () => data.every(({ id }) => store.getById(String(id)));
    },
  ],
  [
    'indexOf() of each',
    (data) => {
      const store = filled(data);
      return () => store.getRange().every((record, at) => store.indexOf(record) === at);
    },
  ],
  [
    'an edit of each, in a sorted view',
    (data) => {
      const store = new Store({ model: Item, data, sorters: ['code'] });
      const records = store.getRange();
      return () => {
        for (const record of records) record.code = `${record.code} x`;
        store.flush();
      };
    },
  ],
  [
    'a new id for each',
    (data) => {
      const store = filled(data);
      return () => {
        for (const record of store.getRange()) record.set('id', (record.id as number) + 1_000_000);
      };
    },
  ],
  [
    'reject()',
    (data) => {
      const store = filled(data);
      for (const record of store) record.size = -1;
      store.remove(...store.getRange(0, data.length / 2));
      return () => store.reject();
    },
  ],
  [
    'the lists of `pending`',
    (data) => {
      const store = filled(data);
      for (const record of store) record.size = -1;
      store.remove(...store.getRange(0, data.length / 2));
      store.add({ code: 'new' });
      return () => [store.pending.edited, store.pending.created, store.pending.removed];
    },
  ],
  [
    'list.get() and slice()',
    (data) => {
      const store = filled(data);
      return () => store.list.get().slice();
    },
  ],
  [
    'a change event for a listener',
    (data) => {
      const store = filled(data);
      store.on('change', (change) => {
        const { added, removed, moved } = differenceOf(change);
        const { updated } = change;
        [added, removed, moved, updated].map((each) => each.length);
      });
      return () => {
        store.batch(() => {
          for (const record of store.getRange()) record.size = -1;
        });
        store.flush();
      };
    },
  ],
  [
    'sync() of updates in one request',
    async (data) => {
      const store = new Store({ model: bound(data, { batchActions: true, fetch: echo }), data });
      for (const record of store) record.size = -1;
      return async () => (await store.sync()).orThrow();
    },
  ],
  [
    'sync() of creates in one request',
    (data) => {
      const store = new Store({ model: bound(data, { batchActions: true, fetch: echoCreated }) });
      store.add(...data.map(({ id: _, ...values }) => values));
      return async () => (await store.sync()).orThrow();
    },
  ],
  [
    'sync() of erasures in one request',
    (data) => {
      const store = new Store({
        model: bound(data, { batchActions: true, fetch: async () => new Response(null, { status: 204 }) }),
        data,
      });
      store.remove(...store.getRange());
      return async () => (await store.sync()).orThrow();
    },
  ],
  [
    'sync() of updates one by one',
    (data) => {
      const store = new Store({ model: bound(data, { fetch: echo }), data: data.slice(0, data.length / 10) });
      for (const record of store) record.size = -1;
      return async () => (await store.sync()).orThrow();
    },
  ],
  [
    'sync() into an outbox',
    async (data) => {
      const model = bound(data, { fetch: offline });
      const box = await openOutbox({ scope: 'ada', storage: memoryStorage(), models: [model] });
      const store = new Store({ model, proxy: { use: [box] }, data: data.slice(0, data.length / 10) });
      for (const record of store) record.size = -1;
      return () => store.sync();
    },
  ],
  [
    'a proxy in memory',
    (data) => {
      const store = new Store({ model: Item, pageSize: 0, proxy: { type: MemoryProxy, data, batchActions: true } });
      return async () => {
        await store.load();
        for (const record of store) record.size = -1;
        (await store.sync()).orThrow();
        store.removeAll();
        (await store.sync()).orThrow();
      };
    },
  ],
  [
    'references of records in a session',
    (data) => {
      const session = new Session();
      const owners = new Store({
        model: Owner,
        session,
        data: Array.from({ length: data.length }, (_, i) => ({ id: i + 1, name: 'o' })),
      });
      const items = new Store({ model: Item, session, data });
      return () =>
        items.getRange().filter((item) => session.getById(Owner, item.ownerId as number)).length + owners.count;
    },
  ],
  [
    'two stores of a session with the same rows',
    (data) => {
      const session = new Session();
      const [first, second] = [new Store({ model: Item, session, data }), new Store({ model: Item, session })];
      return () => second.setRecords(data).length + first.count;
    },
  ],
  [
    'sync() of creates below addresses of their own',
    (data) => {
      const url = '/owners/{ownerId}/items';
      const store = new Store({ model: bound([], { url, batchActions: true, fetch: echoCreated }) });
      store.add(...data.map(({ id: _, ...values }) => ({ ...values, ownerId: 7 })));
      return async () => (await store.sync()).orThrow();
    },
  ],
  [
    'validators with a list',
    (data) => {
      const list = data.map(({ code }) => code);
      class Coded extends Model.define({
        fields: {
          id: 'int',
          code: { type: 'string', validators: [inclusion(list), exclusion(list.map((code) => `no ${code}`))] },
        },
      }) {}
      const records = data.map((row) => new Coded({ code: row.code }));
      return () => records.every((record) => record.$.isValid());
    },
  ],
  [
    'dehydrate()',
    (data) => {
      const session = new Session();
      new Store({ model: bound(data), session }).setRecords(data);
      return () => stringify(dehydrate(session));
    },
  ],
  [
    'hydrate()',
    (data) => {
      const model = bound(data);
      const source = new Session();
      new Store({ model, session: source }).setRecords(data);
      const text = stringify(dehydrate(source));
      return () => hydrate(new Session(), text, [model] as never);
    },
  ],
  [
    'opening an outbox',
    async (data) => {
      const storage = memoryStorage();
      const model = bound(data, { fetch: offline });
      const open = () => openOutbox({ scope: 'ada', storage, models: [model] });
      const box = await open();
      const store = new Store({ model, proxy: { use: [box] }, data });
      for (const record of store.getRange(0, data.length / 10)) record.size = -1;
      await store.sync();
      await box.close();
      return open;
    },
  ],
];

/** Answers nothing, as without a network. */
function offline(): Promise<Response> {
  return Promise.reject(new TypeError('offline'));
}

/** Answers an update with its rows. */
async function echo(_: unknown, init?: RequestInit): Promise<Response> {
  return new Response(String(init?.body), { headers: { 'Content-Type': 'application/json' } });
}

/** Answers a create with its rows and new ids. */
async function echoCreated(_: unknown, init?: RequestInit): Promise<Response> {
  const sent = JSON.parse(String(init?.body)) as object[];
  return Response.json(
    sent.map((row, at) => ({ ...row, id: at + 1 })),
    { status: 201 },
  );
}

test.each(calls)('%s takes at most 20 times the work for ten times the items', async (_, prepare) => {
  const work = async (count: number) => workOf(await prepare(rows(count)));
  const [few, many] = [await work(FEW), await work(MANY)];
  expect(few).toBeGreaterThan(0);
  expect(many / few, `${few} steps for ${FEW} items, ${many} for ${MANY}`).toBeLessThanOrEqual(MOST_TIMES);
});
