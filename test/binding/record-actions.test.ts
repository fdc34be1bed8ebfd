import { Model, plain } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordSource } from '../../src/binding/record-actions.js';
import { uncaught } from '../helpers/uncaught.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

class Task extends Model.define({
  name: 'task',
  fields: { id: 'int', title: 'string' },
  proxy: server.proxy('/tasks', { dialect: plain() }),
}) {}
class Loose extends Model.define({ name: 'loose', fields: { id: 'int', title: 'string' } }) {}

const task = () => Task.fromRow({ id: 7, title: 'Call' });

describe('the writes of a record for a screen', () => {
  test('tell that a record was saved, and that it was erased', async () => {
    const record = task();
    const { save, erase } = recordSource(record).get();
    record.title = 'Book';
    server.reply({ status: 204 }, { status: 204 });
    expect([await save(), record.dirty]).toEqual(['saved', false]);
    expect([await erase(), record.erased]).toEqual(['saved', true]);
    expect(server.requests.map(({ method }) => method)).toEqual(['PATCH', 'DELETE']);
  });

  test.each([
    ['a server error', { status: 500 }, 'http'],
    ['a refusal', { status: 422, json: { errors: { title: ['is taken'] } } }, 'validation'],
    ['a missing login', { status: 401 }, 'auth'],
    ['a connection that breaks off', { drop: true }, 'network'],
  ])('never reject: after %s the error is at the record', async (_, reply, code) => {
    const record = task();
    const { save, erase, reject: undo } = recordSource(record).get();
    record.title = 'Book';
    server.reply(reply as object, reply as object);
    expect(await save()).toBe(false);
    expect(record.$.state.get().error).toMatchObject({ code });
    undo();
    expect(record.title).toBe('Call');
    expect(await erase()).toBe(false);
    expect(record.$.state.get().error).toMatchObject({ code });
  });

  test.each(['keepMine', 'takeTheirs'] as const)('%s() never rejects where conflicts() is missing', async (decide) => {
    const errors = uncaught();
    const record = task();
    record.title = 'Book';
    server.reply({ status: 412 });
    const actions = recordSource(record).get();
    expect([await actions.save(), await actions[decide]()]).toEqual([false, false]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ code: 'unresolvable' }]);
  });

  test('tell that an outbox keeps a write, and sends it', async () => {
    const outbox = new Outbox({ scope: 'user-7', storage: memoryStorage() });
    onTestFinished(() => outbox.close());
    class Note extends Task.with({ proxy: { use: [outbox] } }) {}
    const record = Note.fromRow({ id: 7, title: 'Call' }) as unknown as Task;
    record.title = 'Book';
    server.reply({ drop: true });
    expect(await recordSource(record).get().save()).toBe('queued');
    expect(record.$.state.get()).toMatchObject({ queued: true, error: undefined });
  });

  test('report a mistake of the program, which no record shows', async () => {
    const errors = uncaught();
    const record = Loose.fromRow({ id: 7, title: 'Call' });
    record.title = 'Book';
    expect(await recordSource(record).get().save()).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toMatchObject([{ code: 'definition' }]);
  });
});
