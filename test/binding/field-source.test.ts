import fc from 'fast-check';
import { Model, plain } from 'repose';
import { afterEach, describe, expect, test } from 'vitest';
import { fieldSource } from '../../src/binding/field-source.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: { type: 'string', allowNull: true }, done: 'boolean' },
  proxy: server.proxy('/notes', { dialect: plain() }),
}) {}

const body = {};
afterEach(() => {
  Object.assign(globalThis, { document: undefined });
});

/** An input that shows what the field source says, and sets the record at each key, as components do. */
class Input extends EventTarget {
  value = '';
  readonly record: Note;
  readonly source;
  constructor(record: Note) {
    super();
    this.record = record;
    this.source = fieldSource(record, 'text');
    this.source.subscribe(() => this.show());
    this.show();
  }
  get shown() {
    return this.source.get().value;
  }
  show() {
    this.value = this.shown ?? '';
  }
  focus() {
    Object.assign(globalThis, { document: { activeElement: this, body } });
  }
  blur() {
    Object.assign(globalThis, { document: { activeElement: body, body } });
    this.dispatchEvent(new Event('blur'));
  }
  /** Types as a browser and React do: the listeners of the element, the component, and the text of the component again. */
  type(text: string) {
    this.value = text;
    tell(this, () => {
      this.dispatchEvent(new Event('input'));
      this.record.set('text', text);
      this.show();
      globalThis.dispatchEvent(new Event('input'));
    });
  }
}

const events = new EventTarget();
Object.assign(globalThis, {
  addEventListener: events.addEventListener.bind(events),
  dispatchEvent: events.dispatchEvent.bind(events),
});

/** Runs listeners as browsers do, which give the event that is told as `event`. */
function tell(target: object, listeners: () => void, type: string = 'input') {
  Object.assign(globalThis, { event: { type, target } });
  listeners();
  Object.assign(globalThis, { event: undefined });
}

const typing = () => {
  const record = Note.fromRow({ id: 1, text: '', done: false });
  const input = new Input(record);
  input.focus();
  return { record, input };
};

/** A save that is answered by a text. */
async function answer(record: Note, text: string | null) {
  server.reply({ json: { id: 1, text, done: false } });
  await record.save();
}

describe('the text in an input that has the focus', () => {
  test('is kept when the server trims it, until the input is left', async () => {
    const { record, input } = typing();
    input.type('hello ');
    await answer(record, 'hello');
    expect([record.text, input.shown, input.value]).toEqual(['hello', 'hello ', 'hello ']);
    expect(input.source.get()).toMatchObject({ dirty: false, errors: [] });
    expect(input.source.get()).toBe(input.source.get());
    input.blur();
    expect([input.shown, input.value]).toEqual(['hello', 'hello']);
  });

  test('is kept when the server empties it, and when a read brings another one', async () => {
    const { record, input } = typing();
    input.type('hello');
    await answer(record, null);
    expect(input.shown).toBe('hello');
    server.reply({ json: { id: 1, text: 'theirs', done: false } });
    await record.$.reload();
    expect([record.text, input.shown]).toEqual(['theirs', 'hello']);
  });

  test('is what is typed also if this is the value of the server, which is no edit', async () => {
    const { record, input } = typing();
    input.type('hello ');
    await answer(record, 'hello');
    input.type('hello');
    expect([record.dirty, input.shown, input.value]).toEqual([false, 'hello', 'hello']);
    input.type('hello w');
    expect([record.text, input.shown]).toEqual(['hello w', 'hello w']);
  });

  test.each<[string, (record: Note) => void, string]>([
    ['sets the field', (record) => record.set('text', 'other'), 'other'],
    ['takes the edit back', (record) => record.reject(), 'hello'],
  ])('goes when the application %s', async (_, act, text) => {
    const { record, input } = typing();
    input.type('hello ');
    await answer(record, 'hello');
    input.type('hello there');
    act(record);
    expect([input.shown, input.value]).toEqual([text, text]);
  });

  test('is kept in a window that loses the focus', async () => {
    const { record, input } = typing();
    input.type('hello ');
    await answer(record, 'hello');
    input.dispatchEvent(new Event('blur'));
    expect(input.shown).toBe('hello ');
    input.blur();
    expect(input.shown).toBe('hello');
  });

  test('is as typed in any order of keys, answers and changes of the focus', async () => {
    const step = fc.constantFrom('key', 'space', 'erase', 'answer', 'blur', 'focus');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const { record, input } = typing();
        let typed: string | undefined = '';
        for (const each of steps) {
          if (each === 'focus') input.focus();
          if (each === 'blur') {
            input.blur();
            typed = undefined;
          }
          if (each === 'answer' && record.dirty) await answer(record, record.text?.trim().toUpperCase() ?? null);
          const text = input.value;
          const keys = { key: `${text}x`, space: `${text} `, erase: text.slice(0, -1) };
          if (each in keys) {
            input.focus();
            typed = keys[each as keyof typeof keys];
            input.type(typed);
          }
          expect(input.value).toBe(typed ?? record.text ?? '');
        }
      }),
      { numRuns: 50 },
    );
  });
});

test('a value that was not typed into the focused input follows the server at once', async () => {
  const { record, input } = typing();
  input.value = 'other';
  record.set('text', 'by a shortcut');
  await answer(record, 'by the server');
  expect(input.shown).toBe('by the server');
});

test('a field that a focused button empties follows the server at once', async () => {
  const record = Note.fromRow({ id: 1, text: 'a', done: false });
  const source = fieldSource(record, 'text');
  const button = { value: '' };
  Object.assign(globalThis, { document: { activeElement: button, body } });
  source.subscribe(() => undefined);
  tell(button, () => record.set('text', ''), 'click');
  await answer(record, 'Untitled');
  expect(source.get().value).toBe('Untitled');
});

test('a field that is set to the text of the focused input of another one follows the server at once', async () => {
  const { record } = typing();
  const source = fieldSource(record, 'text');
  source.subscribe(() => undefined);
  Object.assign(globalThis, { document: { activeElement: { value: 'Bob' }, body } });
  record.set('text', 'Bob');
  await answer(record, 'bob-slug');
  expect(source.get().value).toBe('bob-slug');
});

test('a check box follows the server at once', async () => {
  const record = Note.fromRow({ id: 1, text: '', done: false });
  const source = fieldSource(record, 'done');
  Object.assign(globalThis, { document: { activeElement: { value: 'on' }, body } });
  source.subscribe(() => undefined);
  record.set('done', true);
  await answer(record, '');
  expect(source.get().value).toBe(false);
});
