import { describe, expect, test } from 'vitest';
import { startApp } from './setting.js';

describe('a queued update that is answered with another record', () => {
  test('fails: nothing is sent to the other record, and the edits stay', async () => {
    const { User, server, outbox } = await startApp();
    server.table('users').set(7, { id: 7, name: 'Ada' });
    server.table('users').set(8, { id: 8, name: 'Bob' });
    const user = await User.load(7);
    server.fault = () => 'before';
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ queued: true });
    server.fault = () => Response.json({ id: 8, name: 'Grace' });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { reason: 'response-id' }, entry: { id: 7 } }]);
    expect([user.id, user.name, user.dirty]).toEqual([7, 'Grace', true]);
    server.fault = () => undefined;
    await user.save();
    expect(server.log.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill('PATCH /users/7'));
    expect([server.table('users').get(7)?.name, outbox.size, user.dirty]).toEqual(['Grace', 0, false]);
  });

  test('also fails when the record has further unsaved edits', async () => {
    const { User, server, outbox } = await startApp();
    server.table('users').set(7, { id: 7, name: 'Ada' });
    const user = await User.load(7);
    server.fault = () => 'before';
    user.name = 'Grace';
    await user.save().catch(() => undefined);
    user.mail = 'g@navy.test';
    server.fault = () => Response.json({ id: 8, name: 'Grace' });
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { reason: 'response-id' } }]);
    expect([user.id, user.name, user.mail, user.dirty]).toEqual([7, 'Grace', 'g@navy.test', true]);
  });
});
