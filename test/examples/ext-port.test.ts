import { readFileSync } from 'node:fs';
import path from 'node:path';
import { childrenOf } from 'repose';
import { restServer } from 'repose/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import * as models from '../../examples/ext-port/src/models.js';
import { addTag, cancel, moveCategory, place, show, tagsOf, total } from '../../examples/ext-port/src/orders.js';
import { createStores } from '../../examples/ext-port/src/stores.js';
import { root } from '../docs/markdown.js';
import { type RestServer, startRestServer } from '../helpers/rest-server.js';

const { Account, Customer, Line, Product, Tag } = models;
const collections = () => ({
  '/accounts': [{ id: 4, iban: 'CH93', limit: 500.5 }],
  '/customers': [
    { id: 1, name: 'Grace', since: '02.01.2020', accountId: 4, address: { street: 'Main St 1', city: 'Bern' } },
    { id: 2, name: 'Ada', since: '24.12.2021' },
    { id: 3, name: 'Edsger', since: '01.02.2023' },
  ],
  '/employees': [
    { id: 1, name: 'Tim', active: true },
    { id: 2, name: 'Tom', active: false },
  ],
  '/orders': [
    { id: 7, customerId: 1, employeeId: 1, status: 'open', placed: 1_600_000_000 },
    { id: 8, customerId: 2, employeeId: 1, status: 'done', placed: 1_700_000_000 },
  ],
  '/lines': [
    { id: 1, orderId: 7, productId: 1, qty: 2, price: 4.5 },
    { id: 2, orderId: 8, productId: 2, qty: 1, price: 9 },
  ],
  '/products': [
    { id: 1, name: 'bolt', price: 4.5, categoryId: 2 },
    { id: 2, name: 'Axe', price: 9, categoryId: 3 },
    { id: 3, name: 'nail', price: 1, categoryId: 2 },
  ],
  '/categories': [
    { id: 1, parentId: null, name: 'All' },
    { id: 2, parentId: 1, name: 'Small' },
    { id: 3, parentId: null, name: 'Tools' },
  ],
  '/tags': [
    { id: 1, label: 'new' },
    { id: 2, label: 'steel' },
  ],
  '/product-tags': [{ id: 1, productId: 1, tagId: 2 }],
});

let http: RestServer;
let rows: ReturnType<typeof restServer>;
beforeAll(async () => {
  http = await startRestServer();
});
beforeEach(() => {
  http.reset();
  rows = restServer({ collections: collections(), envelope: { rootProperty: 'data' } });
  http.always(async ({ method, url, text, headers }) => {
    const type = headers['content-type'];
    const given = { method, ...(text && { body: text }), ...(type && { headers: { 'Content-Type': type } }) };
    const response = await rows.fetch(rows.baseUrl + url, given);
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  });
  // The addresses of the models belong to the page, as in the application.
  vi.stubGlobal('location', { href: `${http.url}/` });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await http.stop();
});
const names = (list: Iterable<{ name?: string | undefined }>) => [...list].map(({ name }) => name);

test('the stores show what the server has, each in its way', async () => {
  const stores = createStores();
  const loaded: number[] = [];
  stores.orders.on('load', ({ records }) => loaded.push(records.length));
  const { customers, orders, products, categories, tags, employees, notes } = stores;
  await Promise.all([customers, orders, products, categories, tags, employees, notes].map((store) => store.load()));
  expect([names(customers), customers.total, loaded]).toEqual([['Ada', 'Edsger'], 3, [2]]);
  expect(http.requests.find((each) => each.path === '/customers')?.query.has('page')).toBe(false);
  expect([...orders].map(({ id }) => id)).toEqual([8, 7]);
  expect([...stores.openOrders].map(({ id }) => id)).toEqual([7]);
  expect(products.groups.groups.map(({ key, count }) => [key, count])).toEqual([
    [2, 2],
    [3, 1],
  ]);
  expect(names(stores.cheapProducts)).toEqual(['nail', 'bolt']);
  expect(names(employees)).toEqual(['Tim']);
  expect(stores.countries.getById('it')?.country).toBe('Italy');
  expect(notes.getAt(0)?.text).toBe('Call Ada');
});

test('a customer has an account, an address and orders', async () => {
  const customer = await Customer.load(1);
  expect([customer.label, customer.since, customer.address.city]).toEqual(['Customer Grace', '2020-01-02', 'Bern']);
  const account = await Customer.loadReference(customer, 'accountId');
  expect(account).toBeInstanceOf(Account);
  expect(account?.limit).toBe(500.5);
  const orders = childrenOf(customer, models.Order);
  await orders.load();
  expect([...orders].map(({ id, placed }) => [id, placed?.getTime()])).toEqual([[7, 1_600_000_000_000]]);
  customer.address.city = 'Rome';
  customer.since = '2021-12-31';
  await customer.save();
  expect(rows.rows('/customers')[0]).toMatchObject({
    since: '31.12.2021',
    address: { street: 'Main St 1', city: 'Rome' },
  });
});

test('an order is placed with its lines, shown and cancelled', async () => {
  const [customer, axe] = await Promise.all([Customer.load(2), Product.load(2)]);
  const order = await place(customer, [{ product: axe, qty: 3 }], new Date(1_800_000_000_000));
  expect(http.lines.slice(-2)).toEqual(['POST /orders', 'POST /lines']);
  expect(rows.rows('/orders')[2]).toMatchObject({ customerId: 2, status: 'open', placed: 1_800_000_000 });
  expect(rows.rows('/lines')[2]).toMatchObject({ orderId: order.id, productId: 2, qty: 3, price: 9 });
  expect(rows.rows('/lines')[2]).not.toHaveProperty('total');
  const shown = await show(order.id);
  expect([shown.customer?.name, shown.lines.count, total(shown.order)]).toEqual(['Ada', 1, 27]);
  const product = await Line.loadReference(shown.lines.getAt(0) as InstanceType<typeof Line>, 'productId');
  expect(product?.name).toBe('Axe');
  await cancel(shown.order);
  expect(rows.rows('/orders').map((row) => row['id'])).toEqual([7, 8]);
  expect(rows.rows('/lines').map((row) => row['id'])).toEqual([1, 2]);
});

test('a product has tags, and a tag can be given', async () => {
  const product = await Product.load(1);
  await addTag(product, await Tag.load(1));
  expect((await tagsOf(product)).map(({ label }) => label)).toEqual(['steel', 'new']);
  expect(rows.rows('/product-tags')[1]).toMatchObject({ productId: 1, tagId: 1 });
});

test('categories are a tree, in which they can be moved', async () => {
  const { categories } = createStores();
  await categories.load();
  const [all, tools] = [1, 3].map((id) => categories.store.getById(id));
  if (!all || !tools) throw new Error('the categories are not loaded');
  await moveCategory(categories, tools, all);
  expect(rows.rows('/categories')[2]).toMatchObject({ id: 3, parentId: 1 });
  await categories.expand(all);
  expect(names(categories.list.get())).toEqual(['All', 'Small', 'Tools']);
});

test('every model and store of the application has its port', () => {
  const read = (file: string) => readFileSync(path.join(root, 'examples/ext-port/ext', file), 'utf8');
  const ported = [...read('models.txt').matchAll(/define\('Shop\.model\.(\w+)'/g)].map(([, name]) => name as string);
  expect(ported.filter((name) => name !== 'Base').filter((name) => !(name in models))).toEqual([]);
  const storeIds = [...read('stores.txt').matchAll(/storeId: '(\w+)'/g)].map(([, name]) => name);
  expect(storeIds).toHaveLength(10);
  expect(storeIds.sort()).toEqual(Object.keys(createStores()).sort());
});
