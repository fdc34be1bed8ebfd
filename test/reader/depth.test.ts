import { HttpError, json, Model, type RestProxyConfig, Store, streaming } from 'repose';
import { expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const TEXT = /nested deeper than 1000 levels: ask the server for fewer levels/;

class Tree extends Model.define({ fields: { id: 'int', data: json<unknown>() }, proxy: server.proxy('/trees') }) {}
const storeWith = (reader: RestProxyConfig['reader'] & object) =>
  new Store({ model: Tree.with({ proxy: server.proxy('/trees', { reader, use: [streaming()] }) }), pageSize: 0 });

test.each([
  ['a list', {}, `[{"id":1,"data":${deep(20_000)}}]`],
  ['a reshaped list', { transform: (body: unknown) => body }, `[{"id":1,"data":${deep(20_000)}}]`],
  ['a member beside a list', { rootProperty: 'rows' }, `{"rows":[{"id":1}],"meta":${deep(20_000)}}`],
  ['a stream', { stream: true }, `[{"id":1,"data":${deep(20_000)}}]`],
  ['lines', { type: 'ndjson' as const }, `{"id":1,"data":${deep(20_000)}}`],
])('%s nested deeper than 1,000 levels rejects with a ReadError', async (_, reader, text) => {
  const store = storeWith(reader);
  server.always(() => ({ text }));
  await expect(store.load()).rejects.toMatchObject({ code: 'read' });
  expect(store.count).toBe(0);
});

test('the error about a row that is nested too deeply names the remedy', async () => {
  server.reply({ text: `{"id":1,"data":${deep(20_000)}}` });
  await expect(Tree.load(1)).rejects.toThrow(TEXT);
  server.reply(
    { text: '{"id":1,"data":1}' },
    { text: `{"id":1,"data":${deep(999)}}` },
    { text: `{"id":1,"data":${deep(1000)}}` },
  );
  const tree = await Tree.load(1);
  await tree.$.reload();
  expect(JSON.stringify(tree.data)).toBe(deep(999));
  await expect(tree.$.reload()).rejects.toThrow(TEXT);
  expect(JSON.stringify(tree.data)).toBe(deep(999));
});

test('a write answered with JSON that is nested too deeply rejects with a ReadError; the body of an HttpError is then text', async () => {
  server.reply(
    { text: '{"id":1,"data":1}' },
    { text: `{"id":1,"data":${deep(5000)}}` },
    { status: 500, text: deep(5000) },
  );
  const tree = await Tree.load(1);
  tree.data = 2;
  await expect(tree.save()).rejects.toThrow(TEXT);
  expect(tree.dirty).toBe(true);
  const error = (await tree.save().catch((each: unknown) => each)) as HttpError;
  expect(error).toBeInstanceOf(HttpError);
  expect([error.status, error.body]).toEqual([500, deep(5000)]);
});
