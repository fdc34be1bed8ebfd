import {
  AddressError,
  DefinitionError,
  Model,
  plain,
  RestProxy,
  type RestProxyConfig,
  retry,
  Store,
  uuid,
} from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const proxyOf = (config: RestProxyConfig = {}) =>
  server.proxy('/countries', { dialect: plain(), createBy: 'put', ...config });
const fields = { code: 'string', name: 'string' } as const;
const countryWith = (config: RestProxyConfig = {}) =>
  class Country extends Model.define({ fields, idProperty: 'code', identifier: 'natural', proxy: proxyOf(config) }) {};

describe("`createBy: 'put'`", () => {
  test('creates a record at its own address, updates it there, and keeps its id whatever `Location` says', async () => {
    const Country = countryWith();
    server.reply(
      { status: 201, headers: { Location: '/countries/9' } },
      { json: { code: 'a/b', name: 'X' } },
      { status: 204 },
    );
    const country = new Country({ code: 'a/b', name: 'A' }, { phantom: true });
    await country.save();
    expect([server.lines, server.last.body]).toEqual([['PUT /countries/a%2Fb'], { code: 'a/b', name: 'A' }]);
    expect([country.code, country.phantom]).toEqual(['a/b', false]);
    country.name = 'B';
    await country.save();
    expect(server.lines.at(-1)).toBe('PATCH /countries/a%2Fb');
  });

  test('sends ids that the client made, with `writeRecordId`', async () => {
    class Note extends Model.define({
      fields: { id: 'string', text: 'string' },
      identifier: uuid(),
      proxy: proxyOf({ writer: { writeRecordId: true } }),
    }) {}
    server.reply({ status: 204 });
    const note = new Note({ text: 'a' });
    await note.save();
    expect(server.lines).toEqual([`PUT /countries/${note.id}`]);
  });

  test('refuses a temporary id before anything is sent', async () => {
    class Note extends Model.define({ fields: { id: 'int', text: 'string' }, proxy: proxyOf() }) {}
    await expect(new Note({ text: 'a' }).save()).rejects.toThrow(AddressError);
    await expect(new Note({ text: 'a' }).save()).rejects.toThrow(/needs an id that the application gives. Set the id/);
    expect(server.requests).toEqual([]);
  });

  test('repeats a create that got no response', async () => {
    const Country = countryWith({ use: [retry({ limit: 1, random: () => 0 })] });
    server.reply({ drop: true }, { status: 201 });
    const country = new Country({ code: 'de', name: 'A' }, { phantom: true });
    await country.save();
    expect([server.lines, country.phantom]).toEqual([['PUT /countries/de', 'PUT /countries/de'], false]);
  });

  test('refuses an override that drops the id: it would replace the collection', async () => {
    class Bare extends RestProxy {
      override buildUrl() {
        return '/countries';
      }
    }
    const Country = class extends countryWith() {}.with({ proxy: { ...proxyOf(), type: Bare } });
    await expect(new Country({ code: 'de', name: 'A' }, { phantom: true }).save()).rejects.toThrow(AddressError);
    expect(server.requests).toEqual([]);
  });

  test('creates one by one under `batchActions`, with another method if `actionMethods` names one', async () => {
    const Country = countryWith({ batchActions: true, actionMethods: { create: 'PATCH' } });
    server.always(() => ({ status: 204 }));
    const store = new Store({ model: Country });
    store.add({ code: 'a', name: 'A' }, { code: 'b', name: 'B' });
    expect((await store.sync()).failures).toEqual([]);
    expect([...server.lines].sort()).toEqual(['PATCH /countries/a', 'PATCH /countries/b']);
  });

  test('is refused without ids in the addresses, and with another word', () => {
    expect(() => new RestProxy({ createBy: 'put', appendId: false })).toThrow(DefinitionError);
    expect(() => new RestProxy({ createBy: 'patch' } as never)).toThrow(/RestProxy.createBy must be "post" or "put"/);
  });
});
