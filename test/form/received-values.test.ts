import { bigint, decimal, embed, Model, plain, presence, RecordForm } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Place extends Model.define({ fields: { city: { type: 'string', validators: [presence()] } } }) {}
class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    hours: 'int',
    day: 'dateonly',
    at: 'date',
    price: decimal(),
    big: bigint(),
    status: { type: 'enum', values: ['new', 'done'] as const },
    rest: { type: 'int', allowNull: true },
    title: { type: 'string', validators: [presence()] },
    place: embed(Place, { allowNull: true }),
  },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}

const ROW = {
  ...{ id: 1, hours: 5, day: '2026-11-23', at: '2026-11-23T09:00:00Z', price: '1.5', big: '1', status: 'new', rest: 1 },
  ...{ title: 'Plan', place: { city: 'Ulm' } },
};
const EMPTY = { ...ROW, hours: null, day: null, at: null, price: null, big: null, status: null, title: '', place: {} };
const shown = (form: RecordForm<Task>) =>
  Object.fromEntries(Object.entries(form.state.get().errors).map(([name, [issue]]) => [name, issue?.code]));

describe.each(['hours', 'day', 'at', 'price', 'big', 'status'] as const)(
  'an emptied field without `allowNull`: %s',
  (name) => {
    test.each(['enter', 'set'] as const)('is told before it is saved: %s', async (by) => {
      const clock = manualClock();
      const form = new RecordForm(Task.fromRow({ ...ROW }), { autosave: 10, clock });
      if (by === 'enter') form.enter(name, '');
      else form.set(name, null as never);
      clock.advance(10);
      expect([shown(form), form.state.get().valid, form.record.$.saving]).toEqual([{}, false, false]);
      form.touch(name);
      expect([shown(form), form.field(name).get().errors]).toEqual([
        { [name]: 'required' },
        form.state.get().errors[name],
      ]);
      expect(await form.submit()).toBe(false);
      expect(server.requests).toEqual([]);
    });
  },
);

test('a field with `allowNull` can be emptied and saved', async () => {
  server.always(({ body }) => ({ json: { ...ROW, ...(body as object) } }));
  const form = new RecordForm(Task.fromRow({ ...ROW }));
  form.enter('rest', '');
  expect([await form.submit(), server.last.body, shown(form)]).toEqual(['saved', { rest: null }, {}]);
});

test('a field without a value has none again when its input is emptied', () => {
  const [fresh, empty] = [new RecordForm(new Task()), new RecordForm(Task.fromRow({ ...EMPTY }))];
  for (const form of [fresh, empty]) {
    form.enter('hours', '7');
    form.enter('hours', '');
    form.touch('hours');
    expect([shown(form), form.record.hours ?? 'none']).toEqual([{}, 'none']);
  }
  expect(empty.record.dirty).toBe(false);
});

describe('what a row has brought', () => {
  test('is no mistake of the user: the form shows nothing, saves, and does not send it', async () => {
    server.always(() => ({ json: { ...EMPTY } }));
    const form = new RecordForm(Task.fromRow({ ...EMPTY }));
    for (const name of ['hours', 'title', 'place'] as const) form.touch(name);
    expect([shown(form), form.state.get().valid]).toEqual([{}, true]);
    expect(form.field('hours').get().errors).toEqual([]);
    form.enter('rest', '2');
    expect([await form.submit(), server.last.body, shown(form)]).toEqual(['saved', { rest: 2 }, {}]);
    expect(form.record.$.errors.hours).toMatchObject([{ code: 'required' }]);
  });

  test.each(['the answer to a save', 'a load'])('stays none when it comes while the form is shown: %s', async (by) => {
    server.always(() => ({ json: { ...EMPTY } }));
    const form = new RecordForm(Task.fromRow({ ...ROW }));
    form.enter('hours', '6');
    form.touch('hours');
    if (by === 'a load') form.reject();
    else await form.submit();
    form.touch('hours');
    if (by === 'a load') await form.record.$.reload();
    expect([form.record.hours, shown(form), form.state.get().valid]).toEqual([null, {}, true]);
  });

  test('is checked once the user edits it', () => {
    const form = new RecordForm(Task.fromRow({ ...EMPTY }));
    form.touch('title');
    form.enter('title', 'a');
    form.enter('title', '');
    expect([shown(form), form.record.dirty]).toEqual([{}, false]);
    form.set('place.city', 'Rome');
    form.set('place.city', '');
    form.touch('place');
    expect([shown(form), form.state.get().valid]).toEqual([{ place: 'required' }, false]);
  });

  test('does not hide what the server says about it', async () => {
    server.reply({ status: 422, json: { errors: [{ path: ['hours'], code: 'required', message: 'is needed' }] } });
    const form = new RecordForm(Task.fromRow({ ...EMPTY }));
    form.enter('rest', '2');
    expect(await form.submit()).toBe(false);
    expect(form.field('hours').get().errors).toMatchObject([{ message: 'is needed' }]);
  });
});
