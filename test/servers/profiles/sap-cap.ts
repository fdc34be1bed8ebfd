import { bigint, type ConflictError, conflicts, decimal, etags, Model, Store } from 'repose';
import { odata4 } from 'repose/dialects';
import { expect } from 'vitest';
import { ITEMS, sapCapVersion, startSapCap, USERS } from '../../helpers/servers/index.js';
import { failureOf } from '../contract.js';
import { idOf } from '../host.js';
import { jsonAccess } from '../json-access.js';
import type { Id, ServerProfile } from '../profile.js';
import { USER_FIELDS, USER_RECORDS, userFacts } from '../users.js';

const SERVICE = '/odata/v4/shop';

export const profile: ServerProfile = {
  title: 'SAP CAP, OData 4',
  version: sapCapVersion,
  dialect: 'odata4',
  start: startSapCap,
  proxy: (url) => ({
    baseUrl: `${url}/odata/v4/shop`,
    url: '/Users',
    dialect: odata4(),
    use: [etags()],
  }),
  fields: { id: 'int', ...USER_FIELDS, serial: bigint({ allowNull: true }) },
  rows: USERS,
  access: (url) => {
    const address = (id: Id) =>
      typeof id === 'number'
        ? `${url}${SERVICE}/Users(${id})`
        : `${url}${SERVICE}/NamedUsers('${encodeURIComponent(id.replaceAll("'", "''"))}')`;
    return jsonAccess({ address, list: `${url}${SERVICE}/Users`, headers: { 'If-Match': '*' } });
  },
  ...USER_RECORDS,
  volatile: ['@odata.context', '@odata.etag', 'createdBy', 'modifiedAt', 'modifiedBy'],
  facts: {
    ...userFacts(),
    // The server compares the version before it looks for the row.
    missing: { update: { code: 'conflict', status: 412 }, destroy: { code: 'conflict', status: 412 } },
    operators: {
      eq: { property: 'name', value: 'Ada' },
      ne: { property: 'team', operator: 'ne', value: 2 },
      lt: { property: 'age', operator: 'lt', value: 30 },
      le: { property: 'age', operator: 'le', value: 30 },
      gt: { property: 'age', operator: 'gt', value: 30 },
      ge: { property: 'age', operator: 'ge', value: 30 },
      in: { property: 'team', operator: 'in', value: [2, 3] },
      nin: { property: 'name', operator: 'nin', value: ['Ada', 'Bob'] },
      between: { property: 'age', operator: 'between', value: [30, 40] },
      null: { property: 'age', value: null },
      'not null': { property: 'age', operator: 'isNull', value: false },
      contains: { property: 'name', operator: 'contains', value: 'b' },
      startsWith: { property: 'name', operator: 'startsWith', value: 'User 0' },
      endsWith: { property: 'name', operator: 'endsWith', value: '7' },
      like: { property: 'name', operator: 'like', value: 'USER 1' },
      tree: {
        or: [
          { property: 'name', value: 'Ada' },
          {
            not: {
              or: [
                { property: 'team', value: 1 },
                { property: 'age', operator: 'lt', value: 50 },
              ],
            },
          },
        ],
      },
      several: [
        { property: 'age', operator: '>=', value: 30 },
        {
          or: [
            { property: 'team', value: 1 },
            { property: 'name', value: 'Bob' },
          ],
        },
      ],
    },
    refused: { property: 'age', operator: 'between', value: [30] },
    search: { text: 'USER 07', ids: [7] },
    invalid: { values: { name: '', email: 'not an address' }, fields: ['email', 'name'] },
    stale: { error: { code: 'conflict', status: 412 } },
    oddIds: {
      ids: ["it's", 'two words', 'Zoë', 'dot.', '..', '50%', 'a/b', 'x?y#z', "x')/Users('y", '7', '(a),b=c'],
      proxy: { url: `${SERVICE}/NamedUsers` },
    },
    longNumber: {
      field: 'serial',
      digits: '9007199254740993',
      body: (n) => `{"name":"Long ${n}","email":"long${n}@example.test","serial":"9007199254740993"}`,
    },
  },
  without: {
    suffix: 'OData has no format suffixes',
    bulk: 'OData takes several records in $batch only, which Repose does not send',
    file: 'OData takes a file as a stream of its own, not in a record',
  },
  notes: [
    'The service refuses an update or erase without `If-Match` (428): `etags()` is needed.',
    'The server ends when a new text key holds a character beyond Latin-1, because it writes the key into `Location` as it is.',
  ],
  more(host, test) {
    const open = (url: string, options = {}) => ({
      ...host.profile.proxy(host.url),
      type: 'rest' as const,
      url,
      ...options,
    });

    test('refuses a write without an ETag with a conflict', async () => {
      const record = await host.saved(host.model({ use: [] }));
      record.set(USER_RECORDS.edit(host.next()));
      expect(await failureOf(record.save())).toMatchObject({ code: 'conflict', status: 428 });
      expect(await failureOf(record.erase())).toMatchObject({ code: 'conflict', status: 428 });
    });

    test('merges a stale edit with the row of the server, and saves it', async () => {
      const record = await host.saved(host.model({ use: [etags(), conflicts()] }));
      await host.access.change(idOf(record), { age: 99 });
      record.set({ name: 'Merged' });
      const error = (await failureOf(record.save())) as ConflictError;
      expect(error).toMatchObject({ code: 'conflict', status: 412 });
      await error.merge();
      expect(record.dirty).toBe(false);
      expect(await host.row(idOf(record))).toMatchObject({ name: 'Merged', age: 99 });
    });

    test('erases only the version that was read', async () => {
      const record = await host.saved();
      await host.access.change(idOf(record), { age: 98 });
      expect(await failureOf(record.erase())).toMatchObject({ code: 'conflict', status: 412 });
      expect(await host.row(idOf(record))).toBeDefined();
    });

    test('reads literals of dates, times, decimals, flags and GUIDs, and an entity with a property `value`', async () => {
      class Item extends Model.define({
        fields: {
          ID: 'string',
          title: 'string',
          value: 'string',
          amount: decimal(),
          day: 'dateonly',
          opens: 'string',
          done: 'boolean',
          ownerId: { type: 'int', mapping: 'owner_id' },
        },
        idProperty: 'ID',
        proxy: open('/Items', { dialect: odata4({ types: { opens: 'Edm.TimeOfDay' } }) }),
      }) {}
      const [first, second] = ITEMS as unknown as readonly [(typeof ITEMS)[0], (typeof ITEMS)[0]];
      const filters: readonly { property: string; value: unknown }[] = [
        { property: 'ID', value: second.ID },
        { property: 'amount', value: '2.5' },
        { property: 'day', value: second.day },
        { property: 'opens', value: second.opens },
        { property: 'done', value: false },
        { property: 'ownerId', value: 1 },
      ];
      for (const filter of filters) {
        const items = new Store({ model: Item, pageSize: 10, remoteFilter: true, filters: [filter as never] });
        await items.load();
        expect(items.getById(second.ID)?.title, filter.property).toBe(second.title);
      }
      const item = await Item.load(first.ID);
      expect(item.value).toBe(first.value);
      item.value = 'changed';
      await item.save();
      expect(item.value).toBe('changed');
      const created = new Item({ title: 'New', amount: '12345678901234567890.5' });
      await created.save();
      expect(created.ID).toMatch(/^[\da-f-]{36}$/);
      expect((await Item.load(created.ID as string)).title).toBe('New');
      await created.erase();
      await expect(Item.load(created.ID as string)).rejects.toMatchObject({ status: 404 });
    });

    test('follows the next link of a service that sends two rows at a time', async () => {
      class Item extends Model.define({ fields: { ID: 'string' }, idProperty: 'ID', proxy: open('/Items') }) {}
      const items = new Store({ model: Item, pageSize: 0 });
      await items.load();
      expect(items.count).toBe(2);
      expect(items.total).toBe(ITEMS.length);
      await items.loadMore();
      expect(items.hasMore).toBe(false);
      expect(items.getRange().map(({ ID }) => ID)).toEqual(ITEMS.map(({ ID }) => ID));
    });

    test('expands an association on request', async () => {
      class Item extends Model.define({
        fields: { ID: 'string', owner: 'json' },
        idProperty: 'ID',
        proxy: open('/Items'),
      }) {}
      const items = new Store({ model: Item, pageSize: 1 });
      await items.load({ params: { $expand: 'owner' } });
      expect(items.getAt(0)?.owner).toMatchObject({ id: 1 });
    });

    test('takes keys as segments', async () => {
      const record = await host.saved(host.model({ dialect: odata4({ keys: 'segments' }) }));
      record.set({ name: 'Segment' });
      await record.save();
      await record.erase();
      expect(host.exchanges.map(({ url }) => new URL(url).pathname)).toEqual([
        `${SERVICE}/Users/${idOf(record)}`,
        `${SERVICE}/Users/${idOf(record)}`,
      ]);
    });
  },
};
