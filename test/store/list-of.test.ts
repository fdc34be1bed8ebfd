import { decimal, embed, listOf, Model, receive } from 'repose';
import { describe, expect, test } from 'vitest';
import { tick } from './support.js';

const sizes = () =>
  listOf([
    { id: 'm', label: 'Medium', weight: 2 },
    { id: 'l', label: 'Large', weight: 3 },
    { id: 's', label: 'Small', weight: 1 },
  ]);
const namesOf = (list: Iterable<{ readonly name: unknown }>) => [...list].map(({ name }) => name);

describe('Store.of() with objects', () => {
  test('makes saved records of the rows, found by their id', () => {
    const list = sizes();
    expect([...list].map(({ id, phantom, dirty }) => [id, phantom, dirty])).toEqual([
      ['m', false, false],
      ['l', false, false],
      ['s', false, false],
    ]);
    expect(list.getById('l')?.label).toBe('Large');
    expect(list.pending.created).toEqual([]);
  });

  test('sorts, filters, searches, adds, edits and reports events as every store', async () => {
    const list = sizes();
    let changes = 0;
    list.on('change', () => {
      changes += 1;
    });
    list.sort('weight');
    expect([...list].map(({ id }) => id)).toEqual(['s', 'm', 'l']);
    list.filter({ property: 'weight', operator: 'ge', value: 2 });
    expect(list.count).toBe(2);
    list.filter([]);
    list.search('larg');
    expect([...list].map(({ id }) => id)).toEqual(['l']);
    list.search('');
    const [huge] = list.add({ id: 'xl', label: 'Huge', weight: 4 });
    expect(list.pending.created).toEqual([huge]);
    (list.getById('m') as { label: string }).label = 'Middle';
    expect(list.pending.edited).toEqual([list.getById('m')]);
    await tick();
    expect(changes).toBe(1);
    list.reject();
    expect([...list].map(({ label }) => label)).toEqual(['Small', 'Medium', 'Large']);
    expect(list.holdsAll).toBe(true);
  });

  test('copies the rows', () => {
    const rows = [{ id: 1, tags: ['a'] }];
    const list = listOf(rows);
    (rows[0] as { tags: string[] }).tags.push('b');
    expect(list.getAt(0)?.tags).toEqual(['a']);
  });

  test('gives an id to rows without one, which count as saved all the same', () => {
    const list = listOf([{ code: 'a' }, { code: 'b', id: 'list-1' }, { code: 'c', id: null }]);
    const ids = [...list].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe('list-1');
    expect(list.pending.created).toEqual([]);
    expect(list.getById(ids[0] as string)?.code).toBe('a');
    list.reject();
    expect(list.count).toBe(3);
    const [added] = list.add({ code: 'd' });
    expect(ids).not.toContain(added?.id);
    expect(added?.phantom).toBe(true);
  });

  test('takes the id from another member', () => {
    const list = listOf([{ code: 'a' }, { code: 'b' }], { idProperty: 'code' });
    expect(list.getById('b')?.code).toBe('b');
  });

  test('refuses two rows with one id', () => {
    expect(() => listOf([{ id: 1 }, { id: 1 }])).toThrow(expect.objectContaining({ name: 'StateError' }));
  });

  test('keeps the type of values after commit(): dates, long numbers, values inside', () => {
    const list = listOf([
      { id: 1, at: new Date(5), big: 12345678901234567890n, inside: { tags: ['x'] }, note: null },
      { id: 2, at: new Date(6), big: 1n, inside: { tags: [] }, note: 'n' },
    ]);
    const record = list.getAt(0) as NonNullable<ReturnType<typeof list.getAt>>;
    record.at = new Date(7);
    list.commit();
    expect(record.at).toEqual(new Date(7));
    expect(record.big).toBe(12345678901234567890n);
    expect(record.inside).toEqual({ tags: ['x'] });
    expect(record.$.isValid()).toBe(true);
  });

  test('has the fields that `names` gives if there is no row', () => {
    const rows: readonly { name: string }[] = [];
    const list = listOf(rows, { names: ['name'], sorters: ['name'] });
    list.add({ name: 'b' }, { name: 'a' });
    expect(namesOf(list)).toEqual(['a', 'b']);
  });

  test('sends nothing: load() and sync() say that there is no proxy', async () => {
    const list = sizes();
    list.add({ id: 'xl' });
    await expect(list.load()).rejects.toMatchObject({ name: 'DefinitionError', reason: 'proxy-missing' });
    await expect(list.sync()).rejects.toMatchObject({ name: 'DefinitionError', reason: 'proxy-missing' });
    expect(list.count).toBe(4);
  });

  test('refuses rows, names and options of another kind', () => {
    const of = (...given: unknown[]) => (listOf as (...given: unknown[]) => unknown)(...given);
    const wrong = expect.objectContaining({ name: 'DefinitionError', reason: 'option-value' });
    for (const given of [undefined, null, 'abc', { id: 1 }, new Map()]) expect(() => of(given)).toThrow(wrong);
    for (const row of [1, null, 'a', ['a']]) expect(() => of([{ id: 1 }, row])).toThrow(wrong);
    for (const names of ['ab', [1], ['a', 'a']]) expect(() => of([], { names })).toThrow(wrong);
    expect(() => of([{ id: 1 }], { proxy: { url: '/x' } })).toThrow(
      expect.objectContaining({ name: 'DefinitionError' }),
    );
    expect(() => of([{ id: 1, on: 2 }])).toThrow(expect.objectContaining({ reason: 'field-reserved' }));
    expect(() => of([{ id: 1 }], { idProperty: 7 })).toThrow(wrong);
  });
});

describe('Store.of() with lists of values', () => {
  test('names the values by their place', () => {
    const list = listOf(
      [
        ['ch', 'Switzerland'],
        ['it', 'Italy'],
      ],
      { names: ['id', 'name'], sorters: ['name'] },
    );
    expect(namesOf(list)).toEqual(['Italy', 'Switzerland']);
    expect(list.getById('ch')?.name).toBe('Switzerland');
  });

  test('leaves the last members out of a shorter row, and refuses a longer one', () => {
    const rows: readonly (readonly string[])[] = [['a'], ['b', 'B']];
    expect(namesOf(listOf(rows, { names: ['id', 'name'] }))).toEqual([undefined, 'B']);
    expect(() => listOf(rows, { names: ['id'] })).toThrow(
      expect.objectContaining({ name: 'DefinitionError', message: expect.stringContaining('at most 1 value') }),
    );
  });
});

describe('Store.of() with fields', () => {
  test('begins empty, with defaults, checks and all types of fields', () => {
    const list = listOf({
      fields: { name: 'string', price: decimal({ defaultValue: '0' }) },
      sorters: ['name'],
    });
    expect(list.count).toBe(0);
    list.add({ name: 'b' }, { name: 'a', price: '9.90' });
    expect([...list].map(({ name, price }) => [name, price])).toEqual([
      ['a', '9.90'],
      ['b', '0'],
    ]);
  });

  test('takes first records, and an id of another name', () => {
    const list = listOf({
      fields: { code: 'string', name: 'string' },
      idProperty: 'code',
      data: [{ code: 'x', name: 'X' }],
    });
    expect(list.getById('x')?.name).toBe('X');
  });

  test('embeds models', () => {
    class Address extends Model.define({ fields: { city: 'string' } }) {}
    const list = listOf({ fields: { address: embed(Address) } });
    const [added] = list.add({ address: { city: 'Bern' } });
    expect(added?.address.city).toBe('Bern');
  });
});

test('takes rows that were received, though nothing can be loaded', () => {
  const sizes = listOf([{ id: 'm', label: 'Medium' }]);
  expect(
    receive(sizes, [
      { id: 'm', label: 'M' },
      { id: 'l', label: 'L' },
    ]),
  ).toHaveLength(2);
  expect([...sizes].map(({ label }) => label)).toEqual(['M', 'L']);
});
