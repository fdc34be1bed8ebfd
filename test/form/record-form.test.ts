import { conflicts, DefinitionError, embed, length, Model, presence, RecordForm, StateError } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Address extends Model.define({ name: 'address', fields: { city: 'string' } }) {}
class User extends Model.define({
  name: 'user',
  fields: {
    id: 'int',
    name: { type: 'string', validators: [presence()] },
    mail: { type: 'string', validators: [length({ min: 3 })] },
    address: embed(Address, { allowNull: true }),
  },
  proxy: { ...server.proxy('/users'), use: [conflicts()] },
}) {}

const ROW = { id: 7, name: 'Ada', mail: 'ada@x', address: { city: 'London' } };
const saved = () => User.fromRow(structuredClone(ROW));
const reply = (changes: object = {}) => ({ json: { ...ROW, ...changes } });

/** Records what a source tells. */
function watch<T>(source: { subscribe(listener: () => void): () => void; get(): T }): T[] {
  const told: T[] = [];
  source.subscribe(() => told.push(source.get()));
  return told;
}

describe('the fields of a form', () => {
  test('give value, errors, dirty and touched; the errors of the model only once the field was touched', () => {
    const form = new RecordForm(saved());
    const told = watch(form.field('name'));
    expect(form.field('name').get()).toEqual({ value: 'Ada', errors: [], dirty: false, touched: false, text: 'Ada' });
    form.set('name', '');
    form.touch('name');
    expect(told).toMatchObject([
      { value: '', errors: [], dirty: true, touched: false },
      { value: '', errors: [{ path: ['name'] }], dirty: true, touched: true },
    ]);
    form.set('name', 'Grace');
    expect(told.at(-1)).toEqual({ value: 'Grace', errors: [], dirty: true, touched: true, text: 'Grace' });
    expect(Object.isFrozen(told.at(-1))).toBe(true);
  });

  test('are the same source each time, with the same value until it changes', () => {
    const form = new RecordForm(saved());
    expect(form.field('name')).toBe(form.field('name'));
    const before = [form.field('name').get(), form.field('address').get(), form.state.get()];
    const told = [watch(form.field('name')), watch(form.field('address')), watch(form.state)];
    form.set('mail', 'other');
    form.touch('mail');
    expect(told.map((each) => each.length)).toEqual([0, 0, 1]);
    expect([form.field('name').get(), form.field('address').get()]).toEqual(before.slice(0, 2));
    expect(form.field('name').get()).toBe(before[0]);
    expect(form.state.get()).not.toBe(before[2]);
    expect(form.state.get()).toBe(form.state.get());
  });

  test('tell edits inside an embedded record', () => {
    const form = new RecordForm(saved());
    const [field, state] = [watch(form.field('address')), watch(form.state)];
    form.set('address.city', 'Oslo');
    form.set('address.city', 'Rome');
    expect([field.length, state.length]).toEqual([2, 2]);
    expect(form.record.address?.city).toBe('Rome');
  });

  test('show the errors of all fields after a submit', async () => {
    const form = new RecordForm(saved());
    form.set('name', '');
    form.set('mail', 'x');
    expect(form.state.get()).toMatchObject({ errors: {}, valid: false, submitted: false });
    expect(await form.submit()).toBe(false);
    expect(form.state.get()).toMatchObject({
      errors: { name: [{ path: ['name'] }], mail: [{ path: ['mail'] }] },
      ...{ valid: false, submitted: true, saving: false, error: undefined },
    });
    expect(form.field('address').get().touched).toBe(true);
    expect(server.requests).toEqual([]);
  });

  test("show the errors of the server's response also if they were not touched", async () => {
    const user = saved();
    const form = new RecordForm(user);
    const told = watch(form.field('name'));
    user.mail = 'taken@x';
    user.name = 'Bea';
    server.reply({ status: 422, json: { errors: { name: ['is taken'] } } });
    await user.save().catch(() => undefined);
    expect(told.at(-1)).toMatchObject({ touched: false, errors: [{ message: 'is taken' }] });
    expect(form.state.get().errors).toMatchObject({ name: [{ message: 'is taken' }] });
    form.set('name', 'Cleo');
    expect(form.field('name').get().errors).toEqual([]);
  });

  test('refuse names that are no fields, and values that the record refuses', () => {
    const form = new RecordForm(saved());
    expect(() => form.field('nmae' as 'name')).toThrow(StateError);
    expect(() => form.touch('__proto__' as 'name')).toThrow(StateError);
    expect(() => form.set('name', new Map() as never)).toThrow(StateError);
    expect(form.state.get()).toMatchObject({ dirty: false, submitted: false });
  });
});

describe('submit', () => {
  test('saves the edits, and tells the start and the end of the save', async () => {
    const form = new RecordForm(saved());
    form.set('name', 'Grace');
    const told = watch(form.state);
    server.reply(reply({ name: 'Grace' }));
    expect(await form.submit()).toBe('saved');
    expect(told.map(({ saving, dirty }) => [saving, dirty])).toEqual([
      [false, true],
      [true, true],
      [false, false],
    ]);
    expect(form.state.get()).toMatchObject({ submitted: true, error: undefined, values: { name: 'Grace' } });
    expect(server.requests.map(({ method }) => method)).toEqual(['PUT']);
  });

  test('sends one request if it is called twice, also if that request fails', async () => {
    const form = new RecordForm(saved());
    form.set('name', 'Grace');
    server.reply({ status: 500 }, reply({ name: 'Grace' }));
    expect(await Promise.all([form.submit(), form.submit()])).toEqual([false, false]);
    expect(server.requests).toHaveLength(1);
    expect(await form.submit()).toBe('saved');
    expect(server.requests).toHaveLength(2);
  });

  test('saves edits that were made while the first submit was in flight', async () => {
    const form = new RecordForm(saved());
    form.set('name', 'Grace');
    const held = server.hold();
    const first = form.submit();
    form.set('address.city', 'Oslo');
    const second = form.submit();
    server.reply(reply({ name: 'Grace', address: { city: 'Oslo' } }));
    held.answer(reply({ name: 'Grace' }));
    expect(await Promise.all([first, second])).toEqual(['saved', 'saved']);
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      { name: 'Grace', address: { city: 'London' } },
      { name: 'Grace', address: { city: 'Oslo' } },
    ]);
    expect(form.state.get().dirty).toBe(false);
  });

  test('sends nothing without edits, but creates a new record', async () => {
    expect(await new RecordForm(saved()).submit()).toBe('saved');
    expect(server.requests).toEqual([]);
    server.reply({ status: 201, json: { ...ROW, id: 8 } });
    const user = new User({ name: 'New', mail: 'new@x' });
    expect(await new RecordForm(user).submit()).toBe('saved');
    expect([user.id, server.requests.map(({ method }) => method)]).toEqual([8, ['POST']]);
  });

  test('resolves with false and says why, whatever happens to the save', async () => {
    const form = new RecordForm(saved());
    for (const [answer, code] of [
      [{ status: 500 }, 'http'],
      [{ status: 401 }, 'auth'],
      [{ status: 422, json: { errors: { name: ['is taken'] } } }, 'validation'],
      [{ drop: true }, 'network'],
      [{ text: '<html>', headers: { 'Content-Type': 'text/html' } }, 'read'],
    ] as const) {
      form.set('name', `for ${code}`);
      server.reply(answer);
      expect(await form.submit()).toBe(false);
      expect(form.state.get()).toMatchObject({ saving: false, dirty: true, error: { code } });
    }
    form.set('name', 'again');
    expect(form.state.get().error).toBeUndefined();
  });

  test('tells that an outbox keeps the save, also when it is asked again', async () => {
    const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });
    onTestFinished(() => outbox.close());
    class Kept extends User.with({ proxy: { use: [outbox] } }) {}
    const form = new RecordForm(Kept.fromRow({ ...ROW }));
    form.set('name', 'Grace');
    server.reply({ drop: true });
    expect(await form.submit()).toBe('queued');
    expect(form.state.get()).toMatchObject({ dirty: false, error: undefined });
    server.reply({ drop: true });
    expect(await form.submit()).toBe('queued');
    server.reply(reply({ name: 'Grace' }));
    await outbox.send();
    await outbox.drained();
    expect(await form.submit()).toBe('saved');
    expect(server.lines).toEqual(Array(3).fill('PUT /users/7'));
  });

  test('gives the conflict, with its decisions', async () => {
    const form = new RecordForm(saved());
    form.set('name', 'Grace');
    server.reply({ status: 412 }, reply({ mail: 'theirs@x' }), reply({ name: 'Grace', mail: 'theirs@x' }));
    expect(await form.submit()).toBe(false);
    const { conflict, error } = form.state.get();
    expect(conflict).toBe(error);
    await conflict?.keepMine();
    expect(form.state.get()).toMatchObject({ conflict: undefined, dirty: false, values: { mail: 'theirs@x' } });
  });

  test('says that an erased record cannot be saved, without a rejection', async () => {
    const user = saved();
    const form = new RecordForm(user);
    const told = watch(form.state);
    server.reply({ status: 204 });
    await user.erase();
    expect(await form.submit()).toBe(false);
    expect(told.at(-1)?.error).toMatchObject({ name: 'StateError', code: 'erased' });
    form.reject();
    expect(form.state.get().error).toBeUndefined();
  });

  test('says that a model has no proxy, without a rejection', async () => {
    const form = new RecordForm(new Address({ city: 'Rome' }));
    expect(await form.submit()).toBe(false);
    expect(form.state.get().error).toBeInstanceOf(DefinitionError);
  });
});

describe('reject', () => {
  test('drops the edits, and hides the errors', async () => {
    const form = new RecordForm(saved());
    form.set('name', '');
    form.touch('name');
    await form.submit();
    const told = watch(form.field('name'));
    form.reject();
    expect(told).toEqual([{ value: 'Ada', errors: [], dirty: false, touched: false, text: 'Ada' }]);
    expect(form.state.get()).toMatchObject({ errors: {}, dirty: false, valid: true, submitted: false });
    form.set('name', '');
    expect(form.field('name').get().errors).toEqual([]);
  });
});

describe('autosave', () => {
  const idle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

  /** Waits until the record of a form is not being saved. */
  async function settled(form: RecordForm<User>): Promise<void> {
    if (!form.state.get().saving) return;
    await new Promise<void>((resolve) => {
      const stop = form.state.subscribe(() => {
        if (form.state.get().saving) return;
        stop();
        resolve();
      });
    });
  }

  test('saves once, that many milliseconds after the last edit', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.set('name', 'G');
    clock.advance(400);
    form.set('name', 'Grace');
    clock.advance(400);
    expect([server.requests.length, form.state.get().saving]).toEqual([0, false]);
    server.reply(reply({ name: 'Grace' }));
    clock.advance(100);
    expect(form.state.get().saving).toBe(true);
    await settled(form);
    expect(server.requests.map(({ body }) => body)).toMatchObject([{ name: 'Grace' }]);
    expect(form.state.get()).toMatchObject({ dirty: false, submitted: false });
    expect(clock.waiting).toEqual([]);
  });

  test('waits for the save in flight, and then sends what was edited meanwhile', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.set('name', 'Grace');
    const held = server.hold();
    clock.advance(500);
    await held.request;
    form.set('mail', 'grace@x');
    clock.advance(500);
    await idle();
    expect(server.requests).toHaveLength(1);
    server.reply(reply({ name: 'Grace', mail: 'grace@x' }));
    held.answer(reply({ name: 'Grace' }));
    await settled(form);
    expect(server.requests.map(({ body }) => body)).toMatchObject([{ mail: 'ada@x' }, { mail: 'grace@x' }]);
    expect(form.state.get().dirty).toBe(false);
  });

  test('sends nothing while the model finds errors, and nothing if the edit was undone', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.set('name', '');
    clock.advance(500);
    expect(form.state.get()).toMatchObject({ saving: false, dirty: true, errors: {} });
    form.set('name', 'Ada');
    clock.advance(500);
    await idle();
    expect([server.requests, form.state.get().dirty]).toEqual([[], false]);
  });

  test('shows a failure, and tries again only after the next edit', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.set('name', 'Grace');
    server.reply({ status: 503 }, reply({ name: 'Grace H' }));
    clock.advance(500);
    await settled(form);
    expect(form.state.get()).toMatchObject({ saving: false, dirty: true, error: { status: 503 } });
    expect(clock.waiting).toEqual([]);
    form.set('name', 'Grace H');
    clock.advance(500);
    await settled(form);
    expect(form.state.get()).toMatchObject({ dirty: false, error: undefined });
  });

  test('is replaced by a submit, and cancelled by a reset', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.set('name', 'Grace');
    server.reply(reply({ name: 'Grace' }));
    await form.submit();
    form.set('name', 'Bea');
    form.reject();
    expect(clock.waiting).toEqual([]);
    clock.advance(1000);
    await idle();
    expect(server.requests).toHaveLength(1);
  });

  test('is sent at once by `dispose()`, and not at all if the model finds errors', async () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { autosave: 500, clock });
    form.dispose();
    form.set('name', '');
    form.dispose();
    await idle();
    expect([server.requests.length, form.state.get().dirty]).toEqual([0, true]);
    form.set('name', 'Grace');
    server.reply(reply({ name: 'Grace' }));
    form.dispose();
    await settled(form);
    expect([server.requests.length, clock.waiting]).toEqual([1, []]);
  });

  test('begins and ends with the options', () => {
    const clock = manualClock();
    const form = new RecordForm(saved(), { clock });
    form.set('name', 'Grace');
    expect(clock.waiting).toEqual([]);
    form.setOptions({ autosave: 300, clock });
    form.set('name', 'Bea');
    expect(clock.waiting).toEqual([300]);
    form.setOptions({ clock });
    expect(clock.waiting).toEqual([]);
  });
});

test.each([
  [{}, {}, /a record/],
  [null, {}, /a record/],
  [saved(), { autosave: -1 }, /milliseconds from 0/],
  [saved(), { autosave: Number.POSITIVE_INFINITY }, /milliseconds from 0/],
  [saved(), { autoSave: 500 }, /autosave/],
])('a form of %j with the options %j is refused', (record, options, message) => {
  expect(() => new RecordForm(record as never, options as never)).toThrow(DefinitionError);
  expect(() => new RecordForm(record as never, options as never)).toThrow(message);
});
