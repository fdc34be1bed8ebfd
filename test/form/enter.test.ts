import { bigint, decimal, Model, plain, RecordForm, range, StateError } from 'repose';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Order extends Model.define({
  name: 'order',
  fields: {
    id: 'int',
    price: { type: 'number', allowNull: true, validators: [range({ min: -100 })] },
    exact: decimal({ allowNull: true }),
    count: 'int',
    big: bigint(),
    note: { type: 'string', allowNull: true },
    title: 'string',
    due: { type: 'date', allowNull: true },
    day: { type: 'dateonly', allowNull: true },
    done: 'boolean',
    status: { type: 'enum', values: ['new', 'paid'] as const },
  },
  proxy: server.proxy('/orders', { dialect: plain() }),
}) {}

type Name = 'price' | 'exact' | 'count' | 'big' | 'note' | 'title' | 'due' | 'day' | 'done' | 'status';

const ROW = {
  ...{ id: 7, price: null, exact: null, count: 1, big: '1', note: null, title: 'Plan', due: '2026-11-23T09:00:00Z' },
  ...{ day: '2026-11-23', done: false, status: 'new' },
};
const form = (row: object = {}) => new RecordForm(Order.fromRow({ ...ROW, ...row }));

/** Types keys into an input that shows what the form says, as a controlled input does. Returns what it shows after each key. */
function typeKeys(edited: RecordForm<Order>, name: Name, keys: string): string[] {
  return [...keys].map((key) => {
    const field = edited.field(name);
    edited.enter(name, field.get().text + key);
    return field.get().text;
  });
}

describe('a text that is typed key by key', () => {
  test.each([
    ['price', '12.05', 12.05],
    ['price', '0.5', 0.5],
    ['price', '-1.50', -1.5],
    ['price', '.5', 0.5],
    ['price', '-.5', -0.5],
    ['price', '12.', 12],
    ['price', '007', 7],
    ['price', '1000', 1000],
    ['exact', '12.050', '12.050'],
    ['exact', '12.', '12'],
    ['count', '0012', 12],
    ['big', '-90071992547409930', -90071992547409930n],
    ['title', ' a  b ', ' a  b '],
    ['status', 'paid', 'paid'],
    ['day', '2026-12-01', '2026-12-01'],
  ] as const)('into %s stays as it is, and gives its value: %s', (name, keys, value) => {
    const edited = form({ price: null, count: '', title: '', status: '', day: '', big: '' });
    for (const each of ['count', 'big', 'status', 'day'] as const) edited.enter(each, '');
    expect(typeKeys(edited, name, keys)).toEqual([...keys].map((_, at) => keys.slice(0, at + 1)));
    expect(edited.record[name]).toBe(value);
    expect(edited.record.$.field(name).get().errors).toEqual([]);
  });

  test('is sent as its value', async () => {
    const edited = form();
    typeKeys(edited, 'price', '12.050');
    server.reply({ json: { ...ROW, price: 12.05 } });
    expect(await edited.submit()).toBe('saved');
    expect(server.requests.map(({ body }) => body)).toEqual([{ price: 12.05 }]);
    expect(edited.field('price').get()).toMatchObject({ text: '12.050', value: 12.05, dirty: false });
  });

  test.each([
    ['price', '1,5'],
    ['price', '-'],
    ['price', '.'],
    ['price', '1e'],
    ['price', '12 000'],
    ['price', ' '],
    ['price', '9007199254740993'],
    ['exact', '1.2.3'],
    ['count', '1.5'],
    ['big', 'x'],
    ['due', '2026-02-30'],
    ['day', '23.11.2026'],
  ] as const)('into %s and is no value, as %j, is reported, and stays as it is', async (name, text) => {
    const edited = form();
    edited.enter(name, text);
    edited.touch(name);
    expect(edited.field(name).get()).toMatchObject({ text, errors: [{ path: [name], code: 'type' }] });
    expect(edited.state.get()).toMatchObject({ valid: false, errors: { [name]: [{ code: 'type' }] } });
    expect(await edited.submit()).toBe(false);
    expect(server.requests).toEqual([]);
  });

  test('tells listeners at once, and never another text than that which was typed', () => {
    const edited = form();
    const shown: string[] = [];
    edited.field('price').subscribe(() => shown.push(edited.field('price').get().text));
    const typed: unknown[] = [];
    edited.state.subscribe(() => typed.push(edited.state.get().typed.price));
    typeKeys(edited, 'price', '1.50');
    expect(shown).toEqual(['1', '1.', '1.5', '1.50']);
    expect(new Set(typed)).toEqual(new Set([undefined, '1.', '1.50']));
    expect(edited.state.get().typed).toEqual({ price: '1.50' });
  });

  test('gives way to another value, to `set()` and to `reset()`', () => {
    const edited = form({ price: 2 });
    const text = () => edited.field('price').get().text;
    edited.enter('price', '1.50');
    edited.record.price = 3;
    expect(text()).toBe('3');
    edited.enter('price', '1.50');
    edited.set('price', 1.5);
    expect(text()).toBe('1.5');
    edited.enter('price', '2.0');
    expect([text(), edited.state.get().dirty]).toEqual(['2.0', false]);
    edited.reject();
    expect([text(), edited.state.get().typed]).toEqual(['2', {}]);
  });

  test('is refused for a name that is no field, a calculated field and an erased record, and nothing of it is kept', async () => {
    const edited = form();
    expect(() => edited.enter('nothing' as 'price', '1')).toThrow(StateError);
    server.reply({ status: 204 });
    await edited.record.erase();
    expect(() => edited.enter('price', '1.50')).toThrow(StateError);
    expect(edited.field('price').get().text).toBe('');
  });
});

describe('an emptied input', () => {
  test('is null again where it was null before, so that the field is not edited', () => {
    const edited = form();
    typeKeys(edited, 'note', '5');
    expect(edited.record.note).toBe('5');
    edited.enter('note', '');
    expect([edited.record.note, edited.record.dirty]).toEqual([null, false]);
  });

  test('of a text that was no null is an empty text', () => {
    const edited = form({ note: 'old' });
    edited.enter('note', '');
    edited.enter('title', '');
    expect([edited.record.note, edited.record.title]).toEqual(['', '']);
  });

  test('of a type without an empty text has no value', () => {
    const edited = form({ price: 1 });
    for (const name of ['price', 'count', 'due', 'status'] as const) edited.enter(name, '');
    expect(edited.record.$.modified).toEqual({ price: null, count: null, due: null, status: null });
  });

  test('of a new record is as if nothing had been typed', () => {
    const edited = new RecordForm(new Order());
    typeKeys(edited, 'title', 'a');
    edited.enter('title', '');
    expect([edited.record.title, edited.record.$.modified]).toEqual([undefined, {}]);
  });
});

describe('an element', () => {
  test('gives its text, and a check box its mark', () => {
    const edited = form();
    edited.enter('price', { type: 'text', value: '1.50' });
    edited.enter('done', { type: 'checkbox', value: 'on', checked: true });
    expect([edited.record.price, edited.record.done]).toEqual([1.5, true]);
  });

  test('with half a date leaves the field as it is, is reported, and stops submit and autosave', async () => {
    const clock = manualClock();
    const edited = new RecordForm(Order.fromRow({ ...ROW }), { autosave: 100, clock });
    edited.enter('due', { type: 'date', value: '', validity: { badInput: true } });
    edited.enter('title', 'Other');
    expect(edited.record.due?.toISOString()).toBe('2026-11-23T09:00:00.000Z');
    expect(edited.field('due').get()).toMatchObject({ text: '2026-11-23', dirty: false, errors: [] });
    expect(edited.state.get().typed).toEqual({ due: '' });
    edited.touch('due');
    expect(edited.field('due').get().errors).toMatchObject([{ path: ['due'], message: 'must be a date' }]);
    await clock.advance(200);
    expect(await edited.submit()).toBe(false);
    expect(server.requests).toEqual([]);
    edited.enter('due', { type: 'date', value: '2026-12-24', validity: { badInput: false } });
    expect(edited.field('due').get()).toMatchObject({ text: '2026-12-24', errors: [] });
    expect(edited.state.get()).toMatchObject({ valid: true, errors: {} });
  });
});

test('the text of a date is its day in UTC', () => {
  expect(form().field('due').get().text).toBe('2026-11-23');
});
