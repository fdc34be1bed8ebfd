import { DefinitionError, embed, json, Model, plain, RestProxy, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

describe('mapping', () => {
  class Task extends Model.define({
    fields: {
      id: { type: 'int', mapping: 'meta.id' },
      name: { type: 'string', mapping: 'Title' },
      ownerId: { type: 'int', mapping: 'owner.id' },
      ownerName: { type: 'string', mapping: 'owner.name' },
      first: { type: 'string', mapping: 'tags[0]' },
      deep: { type: 'int', mapping: 'a.b[1].c' },
    },
    proxy: server.proxy('/tasks'),
  }) {}
  const ROW = {
    meta: { id: 7, etag: 'x' },
    Title: 'old',
    owner: { id: 3, name: 'Ada', role: 'admin' },
    tags: ['a', 'b'],
    a: { b: [{ c: 1 }, { c: 2, d: 3 }] },
  };
  const saved = () => Task.fromRow(structuredClone(ROW));

  test('reads members and paths', () => {
    const { id, name, ownerId, ownerName, first, deep } = saved();
    expect([id, name, ownerId, ownerName, first, deep]).toEqual([7, 'old', 3, 'Ada', 'a', 2]);
  });

  test("defaults to the member with the field's own name, also if that has dots", async () => {
    class Sample extends Model.define({
      fields: { id: 'int', '@odata.type': 'string', 'a[0]': 'string', under: { type: 'int', mapping: 'a.b' } },
      proxy: server.proxy('/x'),
    }) {}
    const row = { id: 1, '@odata.type': '#Thing', 'a[0]': 'x', a: { b: 2 } };
    const sample = Sample.fromRow(row);
    expect([sample['@odata.type'], sample['a[0]'], sample.under]).toEqual(['#Thing', 'x', 2]);
    sample.set({ '@odata.type': '#Other', under: 3 });
    server.reply({ status: 204 });
    await sample.save();
    expect(server.last.body).toEqual({ ...row, '@odata.type': '#Other', a: { b: 3 } });
  });

  test('reads undefined if the row has no value along the path', () => {
    for (const owner of [undefined, null, 5, 'text', []]) expect(Task.fromRow({ owner }).ownerId).toBeUndefined();
  });

  test('writes at the path, into copies of the objects along it (H7)', async () => {
    const row = structuredClone(ROW);
    const task = Task.fromRow(row);
    task.set({ ownerId: 4, first: 'z', deep: 9 });
    server.reply({ status: 204 });
    await task.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/tasks/7' });
    expect(server.last.body).toEqual({
      ...ROW,
      owner: { ...ROW.owner, id: 4 },
      tags: ['z', 'b'],
      a: { b: [{ c: 1 }, { c: 9, d: 3 }] },
    });
    expect(row).toEqual(ROW);
  });

  test('sends the whole member of an edited path in a PATCH', async () => {
    const task = Task.with({ proxy: { actionMethods: { update: 'PATCH' } } }).fromRow(structuredClone(ROW));
    task.ownerId = 4;
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ owner: { ...ROW.owner, id: 4 } });
  });

  test('sends a whole list in a PATCH, because a part would delete the other items', async () => {
    const Patched = Task.with({ proxy: { actionMethods: { update: 'PATCH' } } });
    const task = Patched.fromRow(structuredClone(ROW));
    server.reply({ status: 204 }, { status: 204 });
    task.set({ first: 'z', deep: 9 });
    await task.save();
    expect(server.last.body).toEqual({ tags: ['z', 'b'], a: { b: [{ c: 1 }, { c: 9, d: 3 }] } });
    const empty = Patched.fromRow({ meta: { id: 7 }, owner: [] });
    empty.ownerId = 4;
    await empty.save();
    expect(server.last.body).toEqual({ owner: { id: 4 } });
  });

  test('creates missing objects', async () => {
    server.reply({ status: 201, json: { meta: { id: 9 } } });
    const task = new Task({ name: 'new', ownerId: 4 });
    await task.save();
    expect([server.last.body, task.id]).toEqual([{ Title: 'new', owner: { id: 4 } }, 9]);
  });

  test('creates a missing list, and replaces an empty `[]` by an object if the path needs one', async () => {
    server.always(() => ({ status: 204 }));
    server.reply({ status: 201, headers: { Location: '/tasks/1' } });
    const fresh = new Task({ first: 'a' });
    await fresh.save();
    expect(server.last.body).toEqual({ tags: ['a'] });
    const task = Task.fromRow({ meta: { id: 1 }, owner: [], tags: null });
    task.set({ ownerName: 'Ada', first: 'b' });
    await task.save();
    expect(server.last.body).toEqual({ meta: { id: 1 }, owner: { name: 'Ada' }, tags: ['b'] });
  });

  test('creates a list for an index in brackets, in any order of the fields; a number after a dot is a member name', async () => {
    class Sample extends Model.define({
      fields: {
        id: 'int',
        first: { type: 'string', mapping: 'names[0]' },
        last: { type: 'string', mapping: 'names[1]' },
        deep: { type: 'int', mapping: 'a.b[1].c' },
        year: { type: 'int', mapping: 'years.2024' },
      },
      proxy: server.proxy('/x', { actionMethods: { update: 'PATCH' } }),
    }) {}
    server.always(({ method }) => ({ status: method === 'POST' ? 201 : 200, json: { id: 1 } }));
    await new Sample({ last: 'L', first: 'F', deep: 9, year: 5 }).save();
    expect(server.last.body).toEqual({ names: ['F', 'L'], a: { b: [null, { c: 9 }] }, years: { 2024: 5 } });
    const sample = Sample.fromRow({ id: 1, names: null });
    sample.last = 'L';
    sample.first = 'F';
    await sample.save();
    expect(server.last.body).toEqual({ names: ['F', 'L'] });
  });

  test('may have brackets in a name, like the names of form fields', async () => {
    class Sample extends Model.define({
      fields: {
        id: 'int',
        tags: { type: 'json', mapping: 'tags[]' },
        most: { type: 'int', mapping: 'page[size-max]' },
      },
      proxy: server.proxy('/x'),
    }) {}
    server.always(({ body }) => ({ json: body }));
    const sample = Sample.fromRow({ id: 1, 'tags[]': ['a'], 'page[size-max]': 5 });
    expect([sample.tags, sample.most]).toEqual([['a'], 5]);
    sample.most = 6;
    await sample.save();
    expect(server.last.body).toEqual({ id: 1, 'tags[]': ['a'], 'page[size-max]': 6 });
  });

  test('replaces a text in the way by an object', async () => {
    class Sample extends Model.define({
      fields: { id: 'int', c: { type: 'int', mapping: 'a.c' } },
      proxy: server.proxy('/x'),
    }) {}
    for (const a of ['text', '0']) {
      const sample = Sample.fromRow({ id: 1, a });
      sample.c = 5;
      server.reply({ status: 204 });
      await sample.save();
      expect(server.last.body).toEqual({ id: 1, a: { c: 5 } });
    }
  });

  test('puts an id from Location at its path', async () => {
    server.reply({ status: 201, headers: { Location: '/tasks/12' } });
    const task = new Task({ name: 'new' });
    await task.save();
    expect([task.id, task.getId()]).toEqual([12, 12]);
  });

  test.each([
    ['constructor.name', { constructor: { name: 'own' } }, 'own'],
    ['toString', { toString: 'own' }, 'own'],
    ['hasOwnProperty', {}, undefined],
    ['a.toString', { a: {} }, undefined],
  ])('%s reads own members only', (mapping, row, value) => {
    class Odd extends Model.define({ fields: { id: 'int', odd: { mapping } } }) {}
    expect(Odd.fromRow(row).odd).toBe(value);
  });
});

describe('a quoted name in a mapping', () => {
  class Page extends Model.define({
    fields: {
      id: { type: 'int', mapping: "['@odata.id']" },
      self: { type: 'string', mapping: "links['self.href'].url" },
      size: { type: 'int', mapping: 'page["size-max"]' },
      info: json<{ 'a.b': { c: number }; 'd-e': number }>(),
    },
    proxy: server.proxy('/pages'),
  }) {}
  const ROW = {
    '@odata.id': 7,
    links: { 'self.href': { url: '/old', type: 'x' }, other: 1 },
    page: { 'size-max': 5 },
    info: { 'a.b': { c: 1 }, 'd-e': 2 },
  };
  const saved = () => Page.fromRow(structuredClone(ROW));

  test('is read as one member, whatever it contains', () => {
    const { id, self, size } = saved();
    expect([id, self, size]).toEqual([7, '/old', 5]);
  });

  test('is written to the member from which it was read', async () => {
    const page = saved();
    page.set({ self: '/new', size: 6 });
    server.reply({ status: 204 });
    await page.save();
    expect(server.last).toMatchObject({ method: 'PUT', url: '/pages/7' });
    expect(server.last.body).toEqual({
      ...ROW,
      links: { 'self.href': { url: '/new', type: 'x' }, other: 1 },
      page: { 'size-max': 6 },
    });
    server.reply({ status: 201, json: { '@odata.id': 8 } });
    const made = new Page({ self: '/made' });
    await made.save();
    expect([server.last.body, made.id]).toEqual([{ links: { 'self.href': { url: '/made' } } }, 8]);
  });

  test('is sent in queries without its quotes', async () => {
    server.reply({ json: [] });
    const store = new Store({
      model: Page.with({ proxy: { dialect: plain() } }),
      remoteSort: true,
      sorters: ['size', 'self'],
      pageSize: 0,
    });
    await store.load();
    expect(server.last.query.get('sort')).toBe('page.size-max,links.self.href.url');
  });

  test('can be edited by a quoted path', async () => {
    const page = saved();
    page.set("info['a.b'].c", 5);
    page.set('info["d-e"]', (old: unknown) => Number(old) + 1);
    expect(page.info).toEqual({ 'a.b': { c: 5 }, 'd-e': 3 });
    expect(page.$.modified).toEqual({ info: { 'a.b': { c: 5 }, 'd-e': 3 } });
  });

  test('can be edited by a quoted path inside an embedded record', () => {
    class Address extends Model.define({ fields: { 'geo.lat': 'number', tags: json<{ 'x.y': number }>() } }) {}
    class Person extends Model.define({ fields: { id: 'int', address: embed(Address) } }) {}
    const person = Person.fromRow({ id: 1, address: { 'geo.lat': 1, tags: { 'x.y': 1 } } });
    person.set("address['geo.lat']" as never, 2 as never);
    person.set("address.tags['x.y']" as never, 3 as never);
    expect(person.address.$.data).toEqual({ 'geo.lat': 2, tags: { 'x.y': 3 } });
  });

  test.each(["links['self", "links['self']url", "links.['self']", "links['']"])(
    '%s is refused at definition',
    (mapping) => {
      const define = () => Model.define({ fields: { id: 'int', self: { type: 'string', mapping } } });
      expect(define).toThrow(DefinitionError);
      expect(define).toThrow(mapping);
    },
  );

  test('is refused by `set` if it is malformed, and nothing changes', () => {
    const page = saved();
    expect(() => page.set("info['a.b" as never, 1 as never)).toThrow(
      expect.objectContaining({ name: 'StateError', code: 'field', reason: 'path-malformed' }),
    );
    expect([page.dirty, page.$.data.info]).toEqual([false, ROW.info]);
  });

  test('does not pollute prototypes', () => {
    const page = Page.fromRow(structuredClone(ROW));
    page.set("info['__proto__']['polluted']" as never, 1 as never);
    expect({}).not.toHaveProperty('polluted');
    expect(() => Model.define({ fields: { id: 'int', odd: { mapping: "a['__proto__'].b" } } })).toThrow(
      DefinitionError,
    );
  });

  test('works for rows, totals and bodies too; a malformed one is a DefinitionError of the proxy', async () => {
    class Item extends Model.define({
      fields: { id: 'int' },
      proxy: server.proxy('/items', { reader: { rootProperty: "['d.results']", totalProperty: "d['__count']" } }),
    }) {}
    server.reply({ json: { 'd.results': [{ id: 1 }], d: { __count: 9 } } });
    const store = new Store({ model: Item });
    await store.load();
    expect([store.count, store.total]).toEqual([1, 9]);
    for (const config of [{ reader: { rootProperty: "d['x" } }, { writer: { rootProperty: "d['x" } }])
      expect(() => new RestProxy({ url: '/x', ...config })).toThrow(DefinitionError);
  });
});

describe('naming', () => {
  const fields = { id: 'int', createdAt: 'string', HTMLBody: 'string', line2Text: 'string', name: 'string' } as const;
  const values = { createdAt: 'a', HTMLBody: 'b', line2Text: 'c', name: 'd' };

  test.each([
    ['snake' as const, { created_at: 'a', html_body: 'b', line2_text: 'c', name: 'd' }],
    ['kebab' as const, { 'created-at': 'a', 'html-body': 'b', 'line2-text': 'c', name: 'd' }],
    [(name: string) => `x_${name}`, { x_createdAt: 'a', x_HTMLBody: 'b', x_line2Text: 'c', x_name: 'd' }],
  ])('%s', async (naming, row) => {
    class Task extends Model.define({ fields, naming, proxy: server.proxy('/tasks') }) {}
    const id = naming instanceof Function ? 'x_id' : 'id';
    server.reply({ status: 201, json: { [id]: 1, ...row } });
    const task = new Task(values);
    await task.save();
    expect(server.last.body).toEqual(row);
    expect(task.$.data).toEqual({ id: 1, ...values });
  });

  test('is inherited, and does not change a field with a mapping', () => {
    class Base extends Model.with({ naming: 'snake' }) {}
    class Task extends Base.define({ fields: { ...fields, name: { mapping: 'theName' } } }) {}
    const task = Task.fromRow({ created_at: 'a', theName: 'n' });
    expect([task.createdAt, task.name]).toEqual(['a', 'n']);
    class Sub extends Task.define({ fields: { dueDate: 'string' } }) {}
    expect(Sub.fromRow({ due_date: 'd', created_at: 'a' }).$.data).toMatchObject({ dueDate: 'd', createdAt: 'a' });
  });
});

describe('a function mapping', () => {
  class Person extends Model.define({
    fields: {
      id: 'int',
      full: { type: 'string', mapping: (row) => `${row['first']} ${row['last']}` },
      both: {
        type: 'string',
        mapping: (row) => `${row['first'] ?? ''} ${row['last'] ?? ''}`.trim(),
        serialize: (value: string) => ({ first: value.split(' ')[0], last: value.split(' ')[1] }),
      },
    },
    proxy: server.proxy('/people'),
  }) {}
  const ROW = { id: 1, first: 'Ada', last: 'Lovelace', born: 1815 };

  test('reads from the whole row', () => {
    expect([Person.fromRow(ROW).full, Person.fromRow(ROW).both]).toEqual(['Ada Lovelace', 'Ada Lovelace']);
  });

  test('without `serialize` is read-only', () => {
    const person = Person.fromRow(ROW);
    expect(() => person.set({ full: 'Bob' })).toThrow(
      "'full' of record cannot be set, because its `mapping` is a function: declare `serialize`",
    );
    expect(() => new Person({ full: 'Bob' })).toThrow(
      "'full' of record cannot be set, because its `mapping` is a function: declare `serialize`",
    );
  });

  test('with `serialize` writes the members that it returns', async () => {
    const person = Person.fromRow(ROW);
    person.both = 'Grace Hopper';
    server.reply({ status: 204 }, { status: 204 });
    await person.save();
    expect(server.last.body).toEqual({ ...ROW, first: 'Grace', last: 'Hopper' });
    expect([person.both, person.full, person.dirty]).toEqual(['Grace Hopper', 'Grace Hopper', false]);
    person.both = 'Ada Byron';
    person.commit();
    expect([person.both, person.full, person.dirty]).toEqual(['Ada Byron', 'Ada Byron', false]);
    await person.save();
    expect(server.last.body).toEqual({ ...ROW, first: 'Ada', last: 'Byron' });
  });

  test('is sent with a new record', async () => {
    server.reply({ status: 201, json: { id: 9 } });
    const person = new Person({ both: 'Grace Hopper' });
    expect(person.full).toBe('Grace Hopper');
    await person.save();
    expect(server.last.body).toEqual({ first: 'Grace', last: 'Hopper' });
  });

  test('does not pollute prototypes if it returns `__proto__`', async () => {
    class Odd extends Model.define({
      fields: {
        id: 'int',
        odd: { mapping: () => 'x', serialize: () => JSON.parse('{"__proto__":{"polluted":1}}') },
      },
      proxy: server.proxy('/odd'),
    }) {}
    const made = new Odd({ odd: 'a' });
    const odd = Odd.fromRow({ id: 1 });
    odd.odd = 'b';
    odd.commit();
    odd.odd = 'c';
    server.reply({ status: 204 }, { status: 201, json: { id: 2 } });
    await odd.save();
    expect(server.last.text).toBe('{"id":1,"__proto__":{"polluted":1}}');
    await made.save();
    expect(server.last.text).toBe('{"__proto__":{"polluted":1}}');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('convert and serialize', () => {
  class Price extends Model.define({
    fields: {
      id: 'int',
      euros: {
        type: 'number',
        mapping: 'cents',
        convert: (cents: number | null) => (cents === null ? null : cents / 100),
        serialize: (euros: number | null) => (euros === null ? null : Math.round(euros * 100)),
        allowNull: true,
      },
      tags: {
        type: 'json',
        convert: (text: string) => text.split(','),
        serialize: (list: string[]) => list.join(','),
      },
    },
    proxy: server.proxy('/prices'),
  }) {}

  test('turn the received value into the value of the field, and back', async () => {
    const price = Price.fromRow({ id: 1, cents: 1050, tags: 'a,b' });
    expect([price.euros, price.tags]).toEqual([10.5, ['a', 'b']]);
    price.euros = 20;
    server.reply({ status: 204 }, { status: 204 });
    await price.save();
    expect(server.last.body).toEqual({ id: 1, cents: 2000, tags: 'a,b' });
    price.set('tags', ['c']);
    await price.save();
    expect(server.last.body).toEqual({ id: 1, cents: 2000, tags: 'c' });
    expect([price.euros, price.tags, price.dirty]).toEqual([20, ['c'], false]);
  });

  test('send an unedited value as it was received', async () => {
    const price = Price.fromRow({ id: 1, cents: 10.499, tags: 'a, b' });
    expect(price.euros).toBe(0.10499);
    server.reply({ status: 204 });
    await price.save();
    expect(server.last.body).toEqual({ id: 1, cents: 10.499, tags: 'a, b' });
  });

  test('keep the values of a new record', async () => {
    const price = new Price({ euros: 3, tags: ['x'] });
    expect([price.euros, price.tags]).toEqual([3, ['x']]);
    server.reply({ status: 201, json: { id: 1 } });
    await price.save();
    expect(server.last.body).toEqual({ cents: 300, tags: 'x' });
    expect([price.euros, price.tags]).toEqual([3, ['x']]);
  });

  test('are called with null', async () => {
    const price = Price.fromRow({ id: 1, cents: null });
    expect([price.euros, price.$.errors]).toEqual([null, {}]);
    price.euros = 1;
    price.euros = null;
    expect(price.dirty).toBe(false);
  });

  test('show the received value with an issue if `convert` throws', () => {
    const price = Price.fromRow({ id: 1, tags: 5 });
    expect(price.tags).toBe(5);
    expect(price.$.errors.tags).toMatchObject([{ path: ['tags'], message: expect.stringContaining('split') }]);
  });

  test('show no issue if `convert` throws on a missing member', () => {
    expect([Price.fromRow({ id: 1 }).tags, Price.fromRow({ id: 1 }).$.errors.tags]).toEqual([undefined, undefined]);
  });
});

describe('defaultValue', () => {
  class Task extends Model.define({
    fields: {
      id: 'int',
      role: { type: 'string', defaultValue: 'member' },
      tags: { type: 'json', defaultValue: ['new'] },
      made: { type: 'date', defaultValue: () => new Date(5) },
      note: { type: 'string', allowNull: true, defaultValue: null },
    },
    proxy: server.proxy('/tasks'),
  }) {}

  test('is set in a new record, and is sent with it', async () => {
    const task = new Task();
    expect(task.$.data).toMatchObject({ role: 'member', tags: ['new'], made: new Date(5), note: null });
    expect(task.dirty).toBe(false);
    server.reply({ status: 201, json: { id: 1 } });
    await task.save();
    expect(server.last.body).toEqual({ role: 'member', tags: ['new'], made: '1970-01-01T00:00:00.005Z', note: null });
  });

  test('is replaced by a given value, also by null', () => {
    expect(new Task({ role: 'admin', tags: null, note: 'x' }).$.data).toMatchObject({
      role: 'admin',
      tags: null,
      note: 'x',
    });
    expect(new Task({ role: undefined as never }).role).toBe('member');
  });

  test('is a copy for each record', () => {
    expect(new Task().tags).not.toBe(new Task().tags);
    expect(new Task().made).not.toBe(new Task().made);
  });

  test('is not set in a saved record', async () => {
    const task = Task.fromRow({ id: 1 });
    expect(task.role).toBeUndefined();
    expect(new Task({ id: 1 }).role).toBeUndefined();
    server.reply({ status: 204 });
    await task.save();
    expect(server.last.body).toEqual({ id: 1 });
  });
});
