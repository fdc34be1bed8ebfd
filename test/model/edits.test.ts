import { json, Model, StateError } from 'repose';
import { describe, expect, test } from 'vitest';

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    name: 'string',
    count: 'number',
    due: 'date',
    settings: json<{ theme: string; nested: { deep: { n: number }; list: { x: number }[] } }>(),
    any: 'auto',
    local: { type: 'string', persist: false },
    label: { type: 'string', calculate: (task) => `#${task.name}` },
  },
}) {}

const SETTINGS = { theme: 'dark', nested: { deep: { n: 1 }, list: [{ x: 1 }] } };
const row = () => ({
  id: 7,
  name: 'Ada',
  count: 1,
  due: '2026-11-21T10:00:00.000Z',
  settings: structuredClone(SETTINGS),
});
const saved = () => Task.fromRow(row());

describe('set', () => {
  test('makes the field edited; setting it back makes the record clean', () => {
    const task = saved();
    task.name = 'Bob';
    expect([task.dirty, task.$.modified, task.$.previousValues]).toEqual([true, { name: 'Bob' }, { name: 'Ada' }]);
    task.name = 'Ada';
    expect([task.dirty, task.$.modified, task.$.previousValues]).toEqual([false, {}, {}]);
  });

  test('with several fields emits one event', () => {
    const task = saved();
    const events: unknown[] = [];
    task.on('set', ({ record, modified }) => events.push([record === task, modified]));
    expect(task.set({ name: 'Bob', count: 2 })).toBe(task);
    expect(events).toEqual([[true, { name: 'Bob', count: 2 }]]);
  });

  test('with the current values emits no event and edits nothing', () => {
    const task = saved();
    const events: unknown[] = [];
    task.on('set', (event) => events.push(event));
    task.set({ name: 'Ada', due: new Date('2026-11-21T10:00:00Z'), settings: structuredClone(SETTINGS) });
    expect([events, task.dirty]).toEqual([[], false]);
  });

  test('changes a field that is not persisted without making the record dirty', () => {
    const task = saved();
    task.local = 'x';
    expect([task.dirty, task.$.modified, task.local]).toEqual([false, { local: 'x' }, 'x']);
  });

  test('converts values like received ones, if they are unambiguous', () => {
    const task = saved();
    task.set({ count: '2.5', due: '2030-01-01', id: '8' } as never);
    expect([task.count, task.due, task.id]).toEqual([2.5, new Date('2030-01-01'), 8]);
    task.set({ count: 'many' } as never);
    expect([task.count, task.$.errors.count?.[0]?.code]).toEqual(['many', 'type']);
  });

  test.each([
    ['an unknown field', { nope: 1 }],
    ['a calculated field', { label: 'x' }],
    ['`__proto__`', JSON.parse('{"__proto__":{"polluted":true}}')],
    ['`constructor`', { constructor: 1 }],
  ])('with %s throws, and changes nothing', (_, values) => {
    const task = saved();
    expect(() => task.set({ name: 'Bob', ...values })).toThrow(StateError);
    expect(() => task.set({ ...values })).toThrow(expect.objectContaining({ code: 'field' }));
    expect([task.name, task.dirty]).toEqual(['Ada', false]);
    expect({}).not.toHaveProperty('polluted');
  });

  test('by assignment to a calculated field throws', () => {
    const task = saved() as { label: string };
    expect(() => {
      task.label = 'x';
    }).toThrow("'label' of task cannot be set, because it is calculated: set the fields");
  });
});

describe('set by path', () => {
  test('edits one member inside a value and leaves the others', () => {
    const task = saved();
    const { nested } = task.settings;
    task.set('settings.theme', 'light');
    expect(task.settings).toEqual({ ...SETTINGS, theme: 'light' });
    expect(task.settings.nested).toEqual(nested);
    task.set('settings.nested.list[0].x' as never, 5 as never);
    expect(task.settings.nested.list).toEqual([{ x: 5 }]);
    expect(task.$.previousValues.settings).toEqual(SETTINGS);
  });

  test('takes a function of the old value', () => {
    const task = saved();
    task.set('settings.nested.deep.n', (n) => n + 1).set('name', (name) => (name as string).toUpperCase());
    expect([task.settings.nested.deep.n, task.name]).toEqual([2, 'ADA']);
    task.set('settings', (settings) => ({ ...settings, theme: 'light' }));
    expect(task.settings.theme).toBe('light');
  });

  test('to the old value makes the record clean', () => {
    const task = saved();
    task.set('settings.theme', 'light').set('settings.theme', 'dark');
    expect(task.dirty).toBe(false);
  });

  test('creates missing objects', () => {
    const task = Task.fromRow({ id: 7, settings: null });
    task.set('settings.nested.deep.n', 3);
    expect(task.settings).toEqual({ nested: { deep: { n: 3 } } });
    task.set('any.a' as never, 1 as never);
    expect(task.any).toEqual({ a: 1 });
  });

  test.each(['name.first', 'due.year', 'count.x'])('refuses %s, which leads into a value without members', (path) => {
    const task = saved();
    expect(() => task.set(path as never, 1 as never)).toThrow(
      `'${path}' of task was not set: the value of '${path.split('.')[0]}' (`,
    );
    expect(task.dirty).toBe(false);
  });

  test.each(['', 'nope', 'nope.x', '__proto__.x', 'constructor.prototype.x', 'label.x'])('refuses %s', (path) => {
    expect(() => saved().set(path as never, 1 as never)).toThrow(StateError);
  });

  test('with __proto__ in the path sets an own member, and pollutes nothing', () => {
    const task = saved();
    task.set('settings.__proto__.polluted' as never, true as never);
    expect(Object.hasOwn(task.settings, '__proto__')).toBe(true);
    expect({}).not.toHaveProperty('polluted');
    expect(Object.getPrototypeOf(task.settings)).toBe(Object.prototype);
  });

  test('finds a field with dots in its name', () => {
    class Dotted extends Model.define({ fields: { id: 'int', 'a.b': { type: 'string', mapping: 'ab' } } }) {}
    const dotted = Dotted.fromRow({ id: 1, ab: 'x' });
    dotted.set('a.b', 'y');
    expect([dotted['a.b'], dotted.$.modified]).toEqual(['y', { 'a.b': 'y' }]);
  });
});

describe('get', () => {
  test('returns the same as the property', () => {
    const task = saved();
    expect([task.get('name'), task.get('label'), task.get('id')]).toEqual(['Ada', '#Ada', 7]);
  });

  test.each(['nope', 'save', 'toString', '__proto__'])('with %s throws', (name) => {
    expect(() => saved().get(name as never)).toThrow(`task has no field '${name}'`);
  });
});

describe('equality of an old and a new value', () => {
  test.each([
    [Number.NaN, Number.NaN, true],
    [0, -0, false],
    [new Date(5), new Date(5), true],
    [new Date(5), new Date(6), false],
    [new Date(Number.NaN), new Date(Number.NaN), true],
    [new Date(5), 5, false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [2, 1], false],
    [[1], { 0: 1 }, false],
    [{ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
    [{ a: undefined }, {}, false],
    [{ a: undefined }, { b: undefined }, false],
    [null, undefined, false],
    [Object.create(null), {}, true],
    [new URL('http://a.test'), new URL('http://a.test'), false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}'), false],
    [JSON.parse('{"__proto__":{}}'), {}, false],
  ])('%o and %o: %s', (before, after, same) => {
    const task = new Task({ any: before }, { phantom: false });
    task.set('any', after as never);
    expect(task.dirty).toBe(!same);
  });
});

describe('values of a record', () => {
  test('are frozen at any depth', () => {
    const task = saved();
    task.set('any', { list: [{ a: 1 }] });
    for (const value of [
      task.settings,
      task.settings.nested,
      task.settings.nested.list[0],
      task.any,
      (task.any as { list: object[] }).list[0],
      task.$.modified.any,
    ])
      expect(Object.isFrozen(value)).toBe(true);
  });

  test('are copies of what the caller passed, which the caller may change', () => {
    const given = { list: [1], at: new Date(5) };
    const task = new Task({ any: given });
    given.list.push(2);
    given.at.setTime(6);
    expect(task.any).toEqual({ list: [1], at: new Date(5) });
    const later = { list: [1] };
    task.set('any', later);
    later.list.push(2);
    expect([task.any, Object.isFrozen(later)]).toEqual([{ list: [1] }, false]);
  });

  test('are new copies of dates each time, when set and when read', () => {
    const task = saved();
    (task.due as Date).setFullYear(1999);
    expect((task.due as Date).toISOString()).toBe('2026-11-21T10:00:00.000Z');
    const given = new Date('2030-01-01');
    task.due = given;
    given.setFullYear(1999);
    task.due.setFullYear(1999);
    task.$.modified.due?.setFullYear(1999);
    expect(task.due.toISOString()).toBe('2030-01-01T00:00:00.000Z');
    expect(task.$.previousValues.due?.toISOString()).toBe('2026-11-21T10:00:00.000Z');
  });

  test('do not change the row that was given to fromRow', () => {
    const given = row();
    const task = Task.fromRow(given);
    task.set('settings.theme', 'light');
    task.commit();
    expect(given).toEqual(row());
  });
});

describe('listeners of events', () => {
  test('are not called after they were stopped', () => {
    const task = saved();
    const events: string[] = [];
    const stop = task.on('set', () => events.push('set'));
    task.name = 'Bob';
    stop();
    task.name = 'Eve';
    expect(events).toEqual(['set']);
  });

  test('see the state after the change', () => {
    const task = saved();
    const seen: unknown[] = [];
    task.on('set', () => seen.push([task.name, task.dirty]));
    task.on('commit', () => seen.push(task.dirty));
    task.name = 'Bob';
    task.commit();
    expect(seen).toEqual([['Bob', true], false]);
  });
});

describe('calculated fields', () => {
  test('follow the fields that they are calculated from, and are never edited', () => {
    const task = saved();
    task.name = 'Bob';
    expect([task.label, task.$.modified, task.$.data.label]).toEqual(['#Bob', { name: 'Bob' }, '#Bob']);
  });
});
