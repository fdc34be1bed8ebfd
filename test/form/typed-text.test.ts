import fc from 'fast-check';
import { embed, Model, plain, RecordForm } from 'repose';
import { describe, expect, test, vi } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import type { Received } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Place extends Model.define({ fields: { city: 'string' } }) {}
class Note extends Model.define({
  name: 'note',
  fields: { id: 'int', text: 'string', price: 'number', place: embed(Place) },
  proxy: server.proxy('/notes', { dialect: plain() }),
}) {}

const ROW = { id: 1, text: '', price: 1, place: { city: 'Ulm' } };
const note = () => Note.fromRow(structuredClone(ROW));

/** Servers that store another text than the one that was sent. */
const SERVERS: Readonly<Record<string, (text: string) => string>> = {
  trims: (text) => text.trim(),
  'writes in capitals': (text) => text.toUpperCase(),
  'cuts long texts': (text) => text.slice(0, 3),
};

function answerWith(change: (text: string) => string) {
  server.always((request: Received) => {
    const sent = request.body as { text?: string };
    return { json: { ...ROW, ...sent, ...(sent.text !== undefined && { text: change(sent.text) }) } };
  });
}

/** Types into an input that shows what the form says, as a controlled input does. */
function type(form: RecordForm<Note>, keys: string) {
  for (const key of keys) form.enter('text', form.field('text').get().text + key);
}

/** An input with an input method, whose events the form gets. */
class Composed extends EventTarget {
  value = '';
  enter(form: RecordForm<Note>, value: string, isComposing: boolean) {
    this.value = value;
    form.enter('text', { target: this, isComposing });
  }
}

const shown = (form: RecordForm<Note>) => form.field('text').get().text;

describe.each(Object.keys(SERVERS))('a server that %s', (name) => {
  const change = SERVERS[name] as (text: string) => string;

  test.each(['autosave', 'submit()', 'record.save()'])('does not change the text under the caret: %s', async (by) => {
    answerWith(change);
    const clock = manualClock();
    const form = new RecordForm(note(), by === 'autosave' ? { autosave: 500, clock } : {});
    for (const part of ['hello ', 'world']) {
      type(form, part);
      if (by === 'autosave') clock.advance(500);
      if (by === 'submit()') await form.submit();
      if (by === 'record.save()') await form.record.save();
      await expect.poll(() => form.state.get().dirty).toBe(false);
    }
    expect(server.requests.map(({ body }) => body)).toEqual([{ text: 'hello ' }, { text: 'hello world' }]);
    expect([shown(form), form.state.get().typed, form.record.text]).toEqual([
      ...['hello world', change('hello world') === 'hello world' ? {} : { text: 'hello world' }],
      change('hello world'),
    ]);
  });

  test('shows its text once the user has left the input', async () => {
    answerWith(change);
    const form = new RecordForm(note());
    type(form, 'hello ');
    await form.submit();
    expect(shown(form)).toBe('hello ');
    const told: string[] = [];
    form.field('text').subscribe(() => told.push(shown(form)));
    form.touch('text');
    expect([told, form.state.get().typed]).toEqual([[change('hello ')], {}]);
  });

  test('shows its text at once if the user had left the input before', async () => {
    answerWith(change);
    const form = new RecordForm(note());
    type(form, 'hello ');
    form.touch('text');
    expect(shown(form)).toBe('hello ');
    await form.submit();
    expect(shown(form)).toBe(change('hello '));
  });

  test('leaves the text in the input as typed in any order of keys, compositions, answers and autosaves', async () => {
    const step = fc.constantFrom('key', 'space', 'compose', 'confirm', 'time', 'answer', 'both');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        server.reset();
        answerWith(change);
        const clock = manualClock();
        const form = new RecordForm(note(), { autosave: 500, clock });
        const input = new Composed();
        let [confirmed, candidate] = ['', ''];
        const confirm = () => {
          confirmed += candidate && '家';
          if (candidate) input.enter(form, confirmed, true);
          candidate = '';
          input.dispatchEvent(new Event('compositionend'));
        };
        const answered = () => expect.poll(() => form.state.get().saving).toBe(false);
        for (const each of [...steps, 'confirm'] as const) {
          if (each === 'key' || each === 'space') {
            confirm();
            confirmed += each === 'key' ? 'x' : ' ';
            input.enter(form, confirmed, false);
          } else if (each === 'compose') {
            candidate += 'か';
            input.enter(form, confirmed + candidate, true);
          } else if (each === 'confirm') confirm();
          if (each === 'time' || each === 'both') clock.advance(500);
          if (each === 'answer' || each === 'both') await answered();
          expect(shown(form)).toBe(confirmed + candidate);
        }
        clock.advance(500);
        await answered();
        expect(shown(form)).toBe(confirmed);
        const sent = server.requests.map(({ body }) => (body as { text: string }).text);
        expect(sent.filter((text) => text.includes('か'))).toEqual([]);
        if (sent.length > 0) expect(sent.at(-1)).toBe(confirmed);
        form.touch('text');
        expect(shown(form)).toBe(change(confirmed));
      }),
      { numRuns: 20 },
    );
  });
});

describe('the text that was typed goes', () => {
  const saved = async () => {
    answerWith((text) => text.trim());
    const form = new RecordForm(note());
    type(form, 'hello ');
    await form.submit();
    expect(shown(form)).toBe('hello ');
    return form;
  };

  test.each<[string, (form: RecordForm<Note>) => unknown, string]>([
    ['form.set()', (form) => form.set('text', 'other'), 'other'],
    ['record.set()', (form) => form.record.set('text', 'other'), 'other'],
    ['form.reject()', (form) => form.reject(), 'hello'],
  ])('when the application has the last word: %s', async (_, act, text) => {
    const form = await saved();
    act(form);
    expect(shown(form)).toBe(text);
  });

  test('when an edit is taken back', async () => {
    const form = await saved();
    type(form, 'there');
    form.record.reject();
    expect(shown(form)).toBe('hello');
  });

  test('not when a read brings another text, until the input is left', async () => {
    const form = await saved();
    server.reply({ json: { ...ROW, text: 'theirs' } });
    await form.record.$.reload();
    expect([form.record.text, shown(form)]).toEqual(['theirs', 'hello ']);
    form.touch('text');
    expect(shown(form)).toBe('theirs');
  });
});

test('a number keeps its text when the server rounds it', async () => {
  server.always(() => ({ json: { ...ROW, price: 1.2 } }));
  const form = new RecordForm(note());
  form.enter('price', '1.23');
  await form.submit();
  expect(form.field('price').get()).toMatchObject({ text: '1.23', value: 1.2, dirty: false });
  form.enter('price', '1.234');
  await form.submit();
  form.touch('price');
  expect(form.field('price').get().text).toBe('1.2');
});

describe('a composition', () => {
  test('holds autosave back until it has ended, in other fields too', async () => {
    answerWith((text) => text);
    const clock = manualClock();
    const form = new RecordForm(note(), { autosave: 500, clock });
    const input = new Composed();
    form.enter('price', '2');
    input.enter(form, 'k', true);
    input.enter(form, 'か', true);
    clock.advance(500);
    clock.advance(500);
    expect(form.state.get().saving).toBe(false);
    input.enter(form, '家', true);
    input.dispatchEvent(new Event('compositionend'));
    clock.advance(500);
    await expect.poll(() => server.requests.map(({ body }) => body)).toEqual([{ price: 2, text: '家' }]);
  });

  test('holds autosave back where a binding gives the text, as `bind:value` does', async () => {
    answerWith((text) => text);
    const clock = manualClock();
    const form = new RecordForm(note(), { autosave: 500, clock });
    const input = new Composed();
    const bind = (text: string, isComposing: boolean) => {
      vi.stubGlobal('event', { target: input, isComposing });
      form.enter('text', text);
      vi.unstubAllGlobals();
    };
    bind('か', true);
    clock.advance(500);
    expect(form.state.get().saving).toBe(false);
    bind('家', true);
    input.dispatchEvent(new Event('compositionend'));
    clock.advance(500);
    await expect.poll(() => server.requests.map(({ body }) => body)).toEqual([{ text: '家' }]);
    bind('家x', false);
    clock.advance(500);
    await expect.poll(() => server.requests).toHaveLength(2);
  });

  test.each<[string, (form: RecordForm<Note>, input: Composed) => void]>([
    ['the input is left', (form) => form.touch('text')],
    ['a key is typed', (form, input) => input.enter(form, 'かa', false)],
    [
      'React wraps the event',
      (form, input) => form.enter('text', { target: input, nativeEvent: { isComposing: false } }),
    ],
  ])('is over when %s', async (_, end) => {
    answerWith((text) => text);
    const clock = manualClock();
    const form = new RecordForm(note(), { autosave: 500, clock });
    const input = new Composed();
    input.enter(form, 'か', true);
    end(form, input);
    clock.advance(500);
    await expect.poll(() => server.requests).toHaveLength(1);
  });

  test('does not keep a form that leaves the screen from saving', async () => {
    answerWith((text) => text);
    const clock = manualClock();
    const form = new RecordForm(note(), { autosave: 500, clock });
    new Composed().enter(form, 'か', true);
    clock.advance(500);
    form.dispose();
    await expect.poll(() => server.requests).toHaveLength(1);
  });
});
