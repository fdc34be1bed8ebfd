import { copyOf, DefinitionError, fieldsOf, Model, plain, type RestProxyConfig, StateError, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();
const fields = { id: 'int', name: 'string', isOn: { type: 'boolean', mapping: 'state.on' } } as const;
const noteWith = (config: RestProxyConfig = {}) =>
  class Note extends Model.define({
    name: 'note',
    fields,
    undeclared: 'keep',
    proxy: server.proxy('/notes', { dialect: plain(), ...config }),
  }) {};
const Note = noteWith();
/** Values as an application of JavaScript gives them: more than the fields. */
const values = (members: object) => members as { name?: string };
const read = (record: { get(name: 'name'): unknown }, name: string) => record.get(name as 'name');

describe('members that no field declares', () => {
  test('are refused in the values of a new record', () => {
    class Strict extends Model.define({ name: 'strict', fields }) {}
    const given = values({ name: 'a', color: 'red' });
    expect(() => new Strict(given)).toThrow("strict has no field 'color'");
    expect(() => new Store({ model: Strict }).add(given)).toThrow(StateError);
    expect(() => new Store({ model: Strict, data: [given] })).toThrow(StateError);
  });

  test("are sent by the create with `undeclared: 'keep'`, and stay when the response has only the id", async () => {
    const note = new Note(values({ name: 'a', color: 'red', tags: ['x'], at: new Date(0) }));
    server.reply({ status: 201, json: { id: 7 } }, { status: 204 });
    await note.save();
    const sent = { name: 'a', color: 'red', tags: ['x'], at: '1970-01-01T00:00:00.000Z' };
    expect([server.lines, server.last.body]).toEqual([['POST /notes'], sent]);
    expect([read(note, 'color'), read(note, 'tags'), note.phantom]).toEqual(['red', ['x'], false]);
    note.name = 'b';
    await note.save();
    expect(server.last.body).toEqual({ name: 'b' });
  });

  test('come from `add()` and `data` too, and from rows', async () => {
    const store = new Store({ model: Note, data: [values({ id: 1, color: 'red' })] });
    const [added] = store.add(values({ name: 'b', color: 'blue' }));
    const received = Note.fromRow({ id: 3, color: 'green' });
    expect([store.getAt(0), added, received].map((each) => each && read(each, 'color'))).toEqual([
      'red',
      'blue',
      'green',
    ]);
    expect(read(received, 'size')).toBeUndefined();
    server.reply({ status: 201, json: { id: 2, name: 'b' } });
    (await store.sync()).orThrow();
    expect([server.lines, server.last.body]).toEqual([['POST /notes'], { name: 'b', color: 'blue' }]);
  });

  test('are sent under their names, whatever names the fields have', async () => {
    const Named = noteWith({ writer: { nameProperty: 'name' } });
    server.reply({ status: 201, json: { id: 7 } }, { status: 201, json: { id: 8 } });
    await new Named(values({ isOn: true, color: 'red' })).save();
    expect(server.last.body).toEqual({ isOn: true, color: 'red' });
    const Declared = noteWith({ writer: { undeclared: false } });
    await new Declared(values({ name: 'a', color: 'red' })).save();
    expect(server.last.body).toEqual({ name: 'a' });
  });

  test('do not become fields', () => {
    const note = new Note(values({ name: 'a', color: 'red' }));
    expect(note.$.data).not.toHaveProperty('color');
    expect(() => note.set({ color: 'blue' } as never)).toThrow("note has no field 'color'");
    expect(fieldsOf(Note)).not.toHaveProperty('color');
  });

  test('are copied, and cannot be changed from outside', () => {
    const given = { inner: { list: [1] } };
    const note = new Note(values({ name: 'a', given }));
    given.inner.list.push(2);
    expect(read(note, 'given')).toEqual({ inner: { list: [1] } });
    expect(() => (read(note, 'given') as typeof given).inner.list.push(3)).toThrow(TypeError);
    expect(read(copyOf(note), 'given')).toEqual({ inner: { list: [1] } });
  });

  test.each([
    ['a value that JSON cannot carry', { color: new Map() }, "'color'"],
    ['a member that a mapping owns', { state: { on: false } }, "'state'"],
    [
      'a value that is nested too deeply',
      { color: JSON.parse('['.repeat(3000) + ']'.repeat(3000)) as unknown },
      'color',
    ],
  ])('refuse %s', (_, given, text) => {
    expect(() => new Note(values(given))).toThrow(StateError);
    expect(() => new Note(values(given))).toThrow(text.replaceAll("'", ''));
  });

  test('keep a name such as `__proto__` as data', () => {
    const note = new Note(values(JSON.parse('{"__proto__":{"polluted":true}}') as object));
    expect(read(note, 'polluted')).toBeUndefined();
    expect(read(note, '__proto__')).toEqual({ polluted: true });
  });

  test('are kept by the models that are defined on such a model, unless these say otherwise', () => {
    class Base extends Model.define({ fields: { id: 'int' }, undeclared: 'keep' }) {}
    class Own extends Base.define({ fields: { name: 'string' } }) {}
    class Strict extends Base.define({ fields: {}, undeclared: 'refuse' }) {}
    expect(read(new Own(values({ color: 'red' })), 'color')).toBe('red');
    expect(() => new Strict(values({ color: 'red' }) as never)).toThrow(StateError);
    expect(() => Model.define({ fields: {}, undeclared: true as never })).toThrow(DefinitionError);
  });
});
