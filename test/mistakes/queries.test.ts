import { Model, Store, UnsupportedQueryError, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';
import { Operation } from '../../src/operation/operation.js';

class Task extends Model.define({ name: 'task', fields: { id: 'int', title: 'string', rank: 'int' } }) {}
const open = (config: object = {}) => new Store({ model: Task, pageSize: 0, data: [{ id: 1, rank: 1 }], ...config });

/** All places that accept a filter, a sorter or a grouper. */
const filterPlaces: readonly (readonly [string, (filter: never) => unknown])[] = [
  ['the options of a store', (filter) => open({ filters: [filter] })],
  ['the options of a view', (filter) => viewOf(open(), { filters: [filter] })],
  ['filter()', (filter) => open().filter(filter)],
  ['filter() of a view', (filter) => viewOf(open()).filter([filter])],
  ['and', (filter) => open().filter({ and: [filter] })],
  ['or, inside not', (filter) => open().filter({ not: { or: [filter] } })],
  ['an operation', (filter) => new Operation({ action: 'read', filters: [filter] })],
  ['an operation, frozen', (filter) => new Operation({ action: 'read', filters: frozen(filter) })],
  ['a frozen tree', (filter) => new Operation({ action: 'read', filters: frozen({ or: frozen(filter) }) })],
];
const sorterPlaces: readonly (readonly [string, (sorter: never) => unknown])[] = [
  ['the options of a store', (sorter) => open({ sorters: [sorter] })],
  ['the options of a view', (sorter) => viewOf(open(), { sorters: [sorter] })],
  ['sort()', (sorter) => open().sort(sorter)],
  ['sort() of a view', (sorter) => viewOf(open()).sort([sorter])],
  ['an operation', (sorter) => new Operation({ action: 'read', sorters: [sorter] })],
  ['an operation, frozen', (sorter) => new Operation({ action: 'read', sorters: frozen(sorter) })],
];
const grouperPlaces: readonly (readonly [string, (grouper: never) => unknown])[] = [
  ['the options of a store', (grouper) => open({ grouper })],
  ['the options of a view', (grouper) => viewOf(open(), { grouper })],
  ['group()', (grouper) => open().group(grouper)],
  ['groups()', (grouper) => open({ groups: groups({ by: [grouper] }) })],
  ['an operation', (grouper) => new Operation({ action: 'read', grouper })],
];

function frozen(item: object): readonly object[] {
  return Object.freeze([Object.freeze(item)]);
}

describe.each(filterPlaces)('%s: a filter', (_, use) => {
  test.each([
    'op',
    'oper',
    'comparison',
    'val',
    'fn',
    'test',
    'field',
    'anyMatch',
    'caseSensitive',
    'exactMatch',
    'colour',
    'constructor',
  ])('with the unknown member %s is refused', (name) => {
    expect(() => use({ property: 'rank', value: 1, [name]: 'gt' } as never)).toThrow(
      expect.objectContaining({ code: 'definition', message: expect.stringContaining(`'${name}'`) }),
    );
  });

  test('with known members is accepted', () => {
    expect(() =>
      use({ id: 'mine', property: 'rank', operator: '>', value: 1, disabled: false } as never),
    ).not.toThrow();
  });
});

describe.each(sorterPlaces)('%s: a sorter', (_, use) => {
  test.each(['dir', 'order', 'desc', 'ascending', 'root', 'colour'])(
    'with the unknown member %s is refused',
    (name) => {
      expect(() => use({ property: 'rank', direction: 'ASC', [name]: 'DESC' } as never)).toThrow(
        expect.objectContaining({ code: 'definition', message: expect.stringContaining(`'${name}'`) }),
      );
    },
  );
});

describe.each(grouperPlaces)('%s: a grouper', (_, use) => {
  test.each(['dir', 'order', 'desc', 'sorterFn', 'transform', 'locale', 'colour'])(
    'with the unknown member %s is refused',
    (name) => {
      expect(() => use({ property: 'rank', [name]: 'DESC' } as never)).toThrow(
        expect.objectContaining({ code: 'definition', message: expect.stringContaining(`'${name}'`) }),
      );
    },
  );

  test('without a property is refused', () => {
    expect(() => use({ direction: 'DESC' } as never)).toThrow(UnsupportedQueryError);
  });
});
