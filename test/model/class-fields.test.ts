import { DefinitionError, embed, Model, Store } from 'repose';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

const config = { name: 'task', fields: { id: 'int', title: 'string', done: 'boolean' } } as const;
const Base = () => Model.define({ ...config, proxy: server.proxy('/tasks') });

/** Adds class fields as compilers for current targets do, whatever target compiles these tests. */
function withClassFields<T extends new (...args: never) => object>(Class: T, fields: Record<string, unknown>): T {
  const assignments = Object.entries(fields);
  return class extends (Class as unknown as new (...args: unknown[]) => object) {
    constructor(...args: unknown[]) {
      super(...args);
      for (const [name, value] of assignments)
        Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    }
  } as unknown as T;
}

describe('a class field that hides a field of the model', () => {
  const Hiding = () => withClassFields(class Task extends Base() {}, { title: undefined, more: 1 });

  test('is a DefinitionError at the first record, which names the field and the remedy', () => {
    const Task = Hiding();
    const make = () => new Task({ title: 'a' });
    expect(make).toThrow(DefinitionError);
    expect(make).toThrow("The class fields 'title' of");
    expect(make).toThrow('write `declare title: …`');
    expect(make).toThrow('`defaultValue`');
  });

  test('is refused each time a record is made', () => {
    const Task = Hiding();
    for (let time = 0; time < 3; time += 1) expect(() => new Task({ title: 'a' })).toThrow(DefinitionError);
  });

  test('is refused also in a compiled class', () => {
    class Task extends Base() {
      title = 'mine';
    }
    expect(() => new Task()).toThrow("'title'");
  });

  test('is refused however the first record is made', async () => {
    expect(() => Hiding().fromRow({ id: 1, title: 'a' })).toThrow(DefinitionError);
    const store = new Store({ model: Hiding() });
    expect(() => store.add({ title: 'a' })).toThrow(DefinitionError);
    expect(store.count).toBe(0);
    expect(() => new Store({ model: Hiding(), data: [{ id: 1 }] })).toThrow(DefinitionError);
    server.reply({ json: { id: 7, title: 'a' } }, { json: [{ id: 7, title: 'a' }] });
    await expect(Hiding().load(7)).rejects.toBeInstanceOf(DefinitionError);
    await expect(store.load()).rejects.toBeInstanceOf(DefinitionError);
  });

  test('is refused in an embedded model', () => {
    class Project extends Model.define({ fields: { id: 'int', task: embed(Hiding()) } }) {}
    expect(() => new Project({ task: { title: 'a' } })).toThrow(DefinitionError);
  });

  test('is refused in a subclass of a valid class, and in a bound class', () => {
    class Task extends Base() {}
    expect(new Task({ title: 'a' }).title).toBe('a');
    const Sub = withClassFields(Task, { done: true });
    expect(() => new Sub()).toThrow("'done'");
    expect(() => new (Hiding().with({ proxy: { url: '/other' } }))()).toThrow("'title'");
    expect(new Task({ title: 'b' }).title).toBe('b');
  });

  test('is refused also if the constructor throws on the empty arguments of the check', () => {
    const Task = Hiding();
    class Strict extends Task {
      constructor(data: { title?: string }) {
        super(data);
        if (data.title === undefined) throw new Error('title is required');
      }
    }
    expect(() => new Strict({ title: 'a' })).toThrow(DefinitionError);
  });
});

describe('other class fields', () => {
  test('keep their values, like getters, methods and private members', () => {
    class Task extends Base() {
      selected = false;
      readonly #created = 5;
      readonly tags: string[] = ['a'];
      get label(): string {
        return `${this.title} ${this.#created}`;
      }
    }
    const task = new Task({ title: 'a' });
    task.selected = true;
    expect([task.title, task.label, task.selected, task.tags]).toEqual(['a', 'a 5', true, ['a']]);
    expect([new Task().selected, Task.fromRow({ id: 1, title: 'b' }).label]).toEqual([false, 'b 5']);
  });

  test('may be declared for their types; an accessor in the class body replaces that of the model', () => {
    class Task extends Base() {
      declare title: string;
      override get done(): boolean {
        return true;
      }
      override set done(_value: boolean) {}
    }
    expect([new Task({ title: 'a' }).title, new Task().done]).toEqual(['a', true]);
  });
});

describe('the check of class fields', () => {
  test('makes one additional record once per class, and none if the first record comes from a row', () => {
    const made: string[] = [];
    class Task extends Base() {
      constructor(...args: [data?: object, options?: object]) {
        super(...args);
        made.push(`${this.title}`);
      }
    }
    const first = new Task({ title: 'a' });
    expect([first.title, first.getId(), made]).toEqual(['a', -1, ['undefined', 'a']]);
    for (const title of ['b', 'c']) new Task({ title });
    expect([made.slice(2), new Task().getId()]).toEqual([['b', 'c'], -4]);
    made.length = 0;
    class Read extends Task {}
    Read.fromRow({ id: 1, title: 'row' });
    new Read({ title: 'new' });
    expect(made).toEqual(['row', 'new']);
  });

  test('does not change the first record, whatever the constructor does with its arguments', () => {
    class Task extends Base() {
      readonly sibling: Task | undefined;
      constructor(title: string) {
        super({ title });
        if (title === 'a') this.sibling = new Task('b');
      }
    }
    const task = new Task('a');
    expect([task.title, task.sibling?.title, task.phantom, task.dirty]).toEqual(['a', 'b', true, false]);
  });

  test('skips a class whose prototype is frozen', () => {
    class Task extends Base() {}
    Object.freeze(Task.prototype);
    expect([new Task({ title: 'a' }).title, Task.fromRow({ id: 1, title: 'b' }).title]).toEqual(['a', 'b']);
  });
});
