import { DefinitionError, Model, plain, reference, Store } from 'repose';
import { memoryStorage, Outbox, type OutboxConfig } from 'repose/outbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FailedEntry, outboxSource } from '../../src/binding/outbox-binding.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

function open(config: Partial<OutboxConfig> = {}) {
  const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage(), ...config });
  onTestFinished(() => outbox.close());
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: server.proxy('/tasks', { dialect: plain(), use: [outbox] }),
  }) {}
  const source = outboxSource(outbox);
  const told: ReturnType<typeof source.get>[] = [];
  const stop = source.subscribe(() => told.push(source.get()));
  onTestFinished(stop);
  /** Saves an edit, whatever becomes of it. */
  const save = async (title: string, id = 7) => {
    const record = Task.fromRow({ id, title: 'Call' });
    record.title = title;
    await record.save().catch(() => undefined);
    return record;
  };
  const failedEntry = (): FailedEntry => {
    expect(source.get().failed).toHaveLength(1);
    return source.get().failed[0] as FailedEntry;
  };
  return { outbox, source, told, save, failedEntry, Task };
}

const refused = { status: 422, json: { errors: [{ detail: 'This title is taken.' }] } };
const idle = { queued: 0, sending: 0, failed: [], online: true, paused: false, error: undefined };

describe('an outbox on a screen', () => {
  test('counts what is queued and what is being sent', async () => {
    const { outbox, source, told, save } = open();
    expect(source.get()).toMatchObject(idle);
    const now = source.get();
    expect([Object.isFrozen(now), source.get() === now]).toEqual([true, true]);
    const held = server.hold();
    const saving = save('Book');
    await held.request;
    expect(source.get()).toMatchObject({ queued: 0, sending: 1 });
    held.answer({ drop: true });
    await saving;
    await expect.poll(() => source.get()).toMatchObject({ queued: 1, sending: 0, error: { code: 'network' } });
    server.reply({ json: { id: 7, title: 'Book' } });
    expect(await source.get().sendNow()).toBe(true);
    await outbox.drained();
    expect(source.get()).toMatchObject(idle);
    expect(told).toHaveLength(new Set(told).size);
  });

  test('shows a refused write by a sentence of the server, and sends it again', async () => {
    const { outbox, source, save, failedEntry } = open();
    server.reply(refused);
    const record = await save('Taken');
    await expect.poll(() => source.get().failed.length).toBe(1);
    const entry = failedEntry();
    expect(entry).toMatchObject({ state: 'failed', record, userMessage: 'This title is taken.' });
    expect(failedEntry()).toBe(entry);
    server.reply({ json: { id: 7, title: 'Taken' } });
    expect(await entry.retry()).toBe(true);
    await outbox.drained();
    expect(source.get()).toMatchObject(idle);
    expect(record.dirty).toBe(false);
  });

  test('gives a refused write up: the record shows what the server has', async () => {
    const { source, save, failedEntry } = open();
    server.reply(refused, { json: { id: 7, title: 'Call' } });
    const record = await save('Taken');
    await expect.poll(() => source.get().failed.length).toBe(1);
    expect(await failedEntry().discard()).toBe(true);
    expect(source.get()).toMatchObject(idle);
    expect([record.title, record.dirty]).toEqual(['Call', false]);
    await expect.poll(() => server.lines).toEqual(['PATCH /tasks/7', 'GET /tasks/7']);
  });

  test('tells a decision that comes too late, and rejects nothing', async () => {
    const { outbox, source, save, failedEntry } = open();
    server.reply(refused, { json: { id: 7, title: 'Call' } });
    await save('Taken');
    await expect.poll(() => source.get().failed.length).toBe(1);
    const entry = failedEntry();
    await outbox.discard(entry);
    await expect.poll(() => server.lines).toHaveLength(2);
    expect([await entry.retry(), await entry.discard()]).toEqual([false, false]);
    expect(source.get().error).toMatchObject({ code: 'outbox-state' });
    expect(await source.get().sendNow()).toBe(true);
    expect(source.get()).toMatchObject(idle);
  });

  test('keeps the entries of other writes the same objects', async () => {
    const { source, save } = open();
    server.reply(refused, refused);
    await save('One', 1);
    await save('Two', 2);
    await expect.poll(() => source.get().failed.length).toBe(2);
    const [first, second] = source.get().failed;
    server.reply({ json: { id: 1, title: 'One' } });
    await first?.retry();
    await expect.poll(() => source.get().failed).toEqual([second]);
    expect(source.get().failed[0]).toBe(second);
  });

  test('says of a create without a response that its outcome is not known, also after a restart', async () => {
    const storage = memoryStorage();
    const { outbox, Task, source, failedEntry } = open({ storage });
    server.reply({ drop: true });
    await new Task({ title: 'New' }).save().catch(() => undefined);
    await expect.poll(() => source.get().failed.length).toBe(1);
    const { userMessage } = failedEntry();
    expect(failedEntry()).toMatchObject({ state: 'unconfirmed', userMessage: expect.stringContaining('not known') });
    await outbox.close();
    const later = open({ storage, models: [Task] });
    await later.outbox.ready;
    const restored = later.failedEntry();
    expect(restored).toMatchObject({ state: 'unconfirmed', userMessage });
    expect(later.failedEntry()).toBe(restored);
  });

  test('names the field of a refused write in the words of the model, also after a restart', async () => {
    const storage = memoryStorage();
    const messages = { 'user-validation': 'Bitte prüfen Sie die Angaben.' };
    const openGerman = () => {
      const outbox = new Outbox({ scope: 'user-7', storage });
      onTestFinished(() => outbox.close());
      class Task extends Model.define({
        name: 'task',
        fields: { id: 'int', ownerId: { type: 'int', label: 'Besitzer' } },
        messages,
        proxy: server.proxy('/tasks', { dialect: plain(), use: [outbox] }),
      }) {}
      return { outbox, Task };
    };
    const { outbox, Task } = openGerman();
    server.reply({ status: 422, json: { errors: { ownerId: ['ist unbekannt'] } } });
    const task = Task.fromRow({ id: 7, ownerId: 1 });
    task.ownerId = 2;
    await task.save().catch(() => undefined);
    const sentence = 'Bitte prüfen Sie die Angaben. Besitzer ist unbekannt.';
    expect(outbox.failed.map(({ error }) => error.userMessage)).toEqual([sentence]);
    await outbox.close();
    const later = openGerman();
    void new Store({ model: later.Task });
    await later.outbox.ready;
    expect(later.outbox.failed.map(({ error }) => error.userMessage)).toEqual([sentence]);
  });

  test('says that a write waits for the one that it belongs to', async () => {
    const { outbox, source, Task } = open();
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', taskId: reference('int') },
      proxy: server.proxy('/notes', { dialect: plain(), use: [outbox] }),
    }) {
      static override references() {
        return { taskId: Task };
      }
    }
    const task = new Task({ title: 'New' });
    server.reply({ status: 422, json: { errors: [{ detail: 'No.' }] } });
    await task.save().catch(() => undefined);
    await new Note({ taskId: task.id as number }).save().catch(() => undefined);
    await expect.poll(() => source.get().failed.map(({ state }) => state)).toEqual(['failed', 'held']);
    expect(source.get().failed[1]?.userMessage).toBe(
      'This was not saved, because an entry that it belongs to was not.',
    );
  });
});

test.each([undefined, null, {}, 'outbox', { status: 1 }])('%j in the place of an outbox is refused', (value) => {
  expect(() => outboxSource(value as never)).toThrow(DefinitionError);
  expect(() => outboxSource(value as never)).toThrow('must be an outbox');
});
