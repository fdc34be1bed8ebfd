import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DefinitionError, retry, Session, Store } from 'repose';
import { type Recording, record, toTest } from 'repose/devtools';
import { type RestServer, replay } from 'repose/testing';
import { describe, expect, test } from 'vitest';
import { Customer as PageCustomer, Order as PageOrder } from './models/shop-models.js';
import { settled, shopServer } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');

function modelsOf(server: RestServer) {
  const { fetch, baseUrl } = server;
  const proxy = { fetch, baseUrl, headers: { Authorization: 'Bearer abc123' } };
  return { Order: PageOrder.with({ proxy }), Customer: PageCustomer.with({ proxy }) };
}

/** Records a visit of a user: a list, an edit, a refused save, a new record, an erase, a read by id, a network that fails. */
async function recordVisit(): Promise<Recording> {
  const server = shopServer();
  const { Order, Customer } = modelsOf(server);
  const session = new Session();
  const recorder = record(session, { secrets: ['iban'] });
  const orders = new Store({ model: Order, session, pageSize: 2, sorters: ['note'], remoteSort: true });
  await orders.load();
  const [first] = orders;
  first?.set({ note: 'rye bread' });
  await first?.save();
  await settled();
  server.fetch.plan({ type: 'status', status: 422 });
  first?.set({ total: -1 });
  await first?.save().catch(() => undefined);
  await settled();
  first?.reject();
  const order = session.create(Order, { note: 'jam', total: 4, customerId: 1 });
  await order.save();
  await settled();
  await order.erase();
  await session.load(Customer, 2);
  server.fetch.plan('drop');
  await Order.load(3).catch(() => undefined);
  await settled();
  const recording = recorder.recording();
  recorder.dispose();
  return JSON.parse(JSON.stringify(recording)) as Recording;
}

describe('a recording', () => {
  test('has no secret in it', async () => {
    const text = JSON.stringify(await recordVisit());
    expect(text).not.toMatch(/abc123|DE34/);
    expect(text).toContain('"authorization":"***"');
    expect(text).toMatch(/\\"iban\\":\\"\*\*\*\\"/);
  });

  test('answers the same requests again', async () => {
    const recording = await recordVisit();
    const server = replay(recording);
    const Order = server.model(PageOrder);
    const orders = new Store({ model: Order, pageSize: 2, sorters: ['note'], remoteSort: true });
    await orders.load();
    expect([...orders].map(({ note }) => note)).toEqual(['bread', 'milk']);
    await expect(Order.load(3)).rejects.toMatchObject({ code: 'network' });
    expect(server.unused).toHaveLength(5);
  });

  test('answers a request whose secret is known by another place only', async () => {
    const { Order } = modelsOf(shopServer());
    const recorder = record(Order);
    await Order.load(2, { params: { note: 'hunter2-hunter2', password: 'hunter2-hunter2' } });
    const recording = recorder.recording();
    recorder.dispose();
    expect(JSON.stringify(recording)).not.toContain('hunter2');
    const server = replay(recording);
    const load = (note: string) => server.model(PageOrder).load(2, { params: { note, password: 'hunter2-hunter2' } });
    expect((await load('hunter2-hunter2')).note).toBe('milk');
    expect(server.unused).toEqual([]);
    await expect(load('hunter2-hunter2')).rejects.toThrow(DefinitionError);
  });

  test('names a request that it does not have, and those that it has', async () => {
    const server = replay(await recordVisit());
    const loading = server.model(PageOrder).load(77);
    await expect(loading).rejects.toThrow(DefinitionError);
    await expect(loading).rejects.toThrow(/no answer to GET \/orders\/77\. .*PATCH|PUT \/orders\/3/);
  });

  test('answers each attempt of a repeated request', async () => {
    const server = shopServer();
    const Order = modelsOf(server).Order.with({ proxy: { use: [retry({ backoff: { base: 1, max: 2 } })] } });
    const recorder = record(Order);
    server.fetch.plan({ type: 'status', status: 503 }, 'drop');
    await Order.load(1);
    const again = replay(recorder.recording());
    recorder.dispose();
    const Retried = again.model(PageOrder).with({ proxy: { use: [retry()] } });
    const order = await Retried.load(1);
    expect(order.note).toBe('tea');
    expect(again.unused).toEqual([]);
  });

  test('refuses anything but a recording', () => {
    expect(() => replay({} as never)).toThrow(/no recording/);
    expect(() => replay({ format: 'repose-recording', version: 2, operations: [], secrets: [] } as never)).toThrow(
      DefinitionError,
    );
  });

  test('says that a body which was cut cannot be replayed', async () => {
    const { Order } = modelsOf(shopServer());
    const recorder = record(Order, { bodyLimit: 5 });
    await Order.load(1);
    const server = replay(recorder.recording());
    recorder.dispose();
    await expect(server.model(PageOrder).load(1)).rejects.toThrow(/bodyLimit/);
  });
});

describe('a test that is made of a recording', () => {
  /** Runs the text as a test file, and returns the output of Vitest. */
  function run(text: string): { readonly status: number | null; readonly output: string } {
    const cache = path.join(root, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(path.join(cache, 'recorded-'));
    try {
      writeFileSync(path.join(folder, 'recorded.test.ts'), text);
      const alias = Object.fromEntries(
        ['repose/testing', 'repose/devtools'].map((name) => [name, path.join(root, `src/${name.slice(7)}.ts`)]),
      );
      const config = `export default { root: ${JSON.stringify(root)}, resolve: { alias: ${JSON.stringify({ ...alias, repose: path.join(root, 'src/index.ts') })} }, test: { include: [${JSON.stringify(`${path.relative(root, folder)}/*.test.ts`)}], exclude: [] } };`;
      writeFileSync(path.join(folder, 'vitest.config.mjs'), config);
      const args = ['vitest', 'run', '--config', path.join(folder, 'vitest.config.mjs')];
      const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, encoding: 'utf8', timeout: 110_000 });
      return { status, output: stdout + stderr };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  const models = path.join(import.meta.dirname, 'models/shop-models.js');

  test('passes as long as the application does the same, and fails when it does something else', async () => {
    const text = toTest(await recordVisit(), { models });
    expect(text).toContain("import { replay } from 'repose/testing';");
    expect(text).toContain(`await expect(record.save()).rejects.toMatchObject({ code: "validation" });`);
    const passed = run(text);
    expect(passed.output).toMatch(/1 passed/);
    expect(passed.status).toBe(0);
    // The application sends another value than when it was recorded.
    const failed = run(text.replace('record.set({"note":"rye bread"}', 'record.set({"note":"white bread"}'));
    expect(failed.output).toMatch(/The recording has no answer to P(UT|ATCH) \/orders\/3/);
    expect(failed.status).toBe(1);
  });

  test('keeps a member called __proto__ a member', async () => {
    const text = '{"id":1,"note":"tea","__proto__":{"polluted":1}}';
    const fetch = async () => new Response(`{"data":${text}}`);
    const Order = PageOrder.with({ proxy: { fetch, baseUrl: 'http://test.local' } });
    const recorder = record(Order);
    const order = await Order.load(1);
    await order.set({ note: 'milk' }).save();
    await settled();
    const made = toTest(recorder.recording(), { models });
    expect(recorder.operations[1]?.attempts[0]?.body?.text).toContain('"__proto__":{"polluted":1}');
    recorder.dispose();
    const { status, output } = run(made);
    expect(output).toMatch(/1 passed/);
    expect(status).toBe(0);
  });

  test('imports a model called Store beside the class of this package', async () => {
    const { Order } = modelsOf(shopServer());
    const recorder = record(Order);
    const orders = new Store({ model: Order });
    await orders.load();
    const text = toTest(recorder.recording(), { models, classes: { order: 'Store' } });
    recorder.dispose();
    expect(text).toContain("import { Store as ListStore } from 'repose';");
    expect(text).toContain('const store = new ListStore({ model: TestedStore,');
  });

  test('says which operations are not repeated', async () => {
    const { Order } = modelsOf(shopServer());
    const recorder = record(Order);
    await (Order.proxy as never as { send(config: object): Promise<unknown> }).send({ path: '1' });
    const text = toTest(recorder.recording(), { models });
    recorder.dispose();
    expect(text).toContain('a call by `proxy.send()` is not repeated');
    expect(text).toMatch(/toEqual\(\["GET http:\/\/test.local\/orders\/1/);
  });

  test('is the same text for names that could be code', async () => {
    const { Order } = modelsOf(shopServer());
    const recorder = record(Order);
    await Order.load(1);
    const recording = JSON.parse(JSON.stringify(recorder.recording())) as { operations: { model: string }[] };
    recorder.dispose();
    for (const operation of recording.operations) operation.model = "order'; process.exit(1); //";
    const text = toTest(recording as never);
    expect(text).toContain('import { OrderProcessExit1 } from');
    expect(text).not.toMatch(/^ *process/m);
  });

  test.each(['\n', '\r', '\u2028', '\u2029'])(
    'keeps an id with the line break %j out of its code',
    async (lineBreak) => {
      const { Order } = modelsOf(shopServer());
      const recorder = record(Order);
      await Order.load(1);
      const recording = JSON.parse(JSON.stringify(recorder.recording())) as { operations: { query: { id: string } }[] };
      recorder.dispose();
      for (const { query } of recording.operations) query.id = `7${lineBreak}process.exit(1); //`;
      const [comment] = toTest(recording as never, { models }).match(/^ *\/\/ 1\. .*$/m) ?? [];
      expect(comment).toContain('order 7 process.exit(1); //');
    },
  );
});
