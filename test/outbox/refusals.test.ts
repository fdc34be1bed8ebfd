import { expect, test } from 'vitest';
import { startApp } from './setting.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** Answers with a status and a `Retry-After` of so many seconds. */
const pause = (seconds: number, status: number) => () =>
  Response.json({}, { status, headers: { 'Retry-After': String(seconds) } });

test.each([
  [503, true],
  [429, true],
  [403, true],
  [503, false],
  [429, false],
  [403, false],
])(
  'a write during a pause that the server asked for stays queued until the pause ends (%s, keys: %s)',
  async (status, keys) => {
    const { server, outbox, User, clock } = await startApp({ keys, maxAttempts: 2, rate: { maxWait: 10 } });
    server.fault = pause(100, status);
    await quiet(User.load(1));
    server.fault = () => undefined;
    const sent = server.log.length;
    const user = new User({ name: 'Ada' });
    await expect(user.save()).rejects.toMatchObject({ reason: 'rate-pause', queued: true });
    for (let i = 0; i < 3; i += 1) await outbox.send();
    expect([user.$.unconfirmed, outbox.failed]).toEqual([false, []]);
    expect(outbox.entries).toMatchObject([{ state: 'queued', attempts: 0 }]);
    clock.advance(99_000);
    await outbox.send();
    expect(server.log).toHaveLength(sent);
    expect(clock.waiting.filter((ms) => ms >= 1000)).not.toEqual([]);
    clock.advance(1000);
    await outbox.drained();
    expect([...server.table('users').values()]).toMatchObject([{ name: 'Ada' }]);
    expect(user.phantom).toBe(false);
  },
);

test('an unconfirmed create stays unconfirmed when its repeat is held back by a pause', async () => {
  const { server, outbox, User } = await startApp({ keys: false, rate: { maxWait: 10 } });
  server.fault = () => 'before';
  const user = new User({ name: 'Ada' });
  await quiet(user.save());
  server.fault = pause(100, 503);
  await quiet(User.load(1));
  await quiet(user.save({ repeat: true }));
  expect([user.$.unconfirmed, outbox.failed.map(({ state }) => state)]).toEqual([true, ['unconfirmed']]);
});

test('drained() and send() resolve after the listeners of `failed` and `sent` were called', async () => {
  for (const status of [422, undefined])
    for (const way of ['drained', 'send'] as const) {
      const { server, outbox, User, clock } = await startApp();
      server.fault = () => 'before';
      await quiet(new User({ name: 'Ada' }).save());
      server.fault = () => status;
      const events: string[] = [];
      outbox.on('failed', () => void events.push('failed'));
      outbox.on('sent', () => void events.push('sent'));
      const end = outbox[way]();
      clock.advance(10_000);
      await end;
      expect(events).toEqual([status ? 'failed' : 'sent']);
    }
});

test('drained() resolves after the listeners of `failed` were called for a save', async () => {
  const { server, outbox, User } = await startApp();
  server.fault = () => 422;
  const events: string[] = [];
  outbox.on('failed', ({ state }) => void events.push(state));
  const saving = quiet(new User({ name: 'Ada' }).save());
  await expect.poll(() => outbox.size).toBe(1);
  await outbox.drained();
  expect(events).toEqual(['failed']);
  await saving;
});

const redirect = (status: number) => () => new Response(null, { status, headers: { Location: '/elsewhere' } });

test.each([
  [301, false, 'unconfirmed'],
  [302, false, 'unconfirmed'],
  [303, true, 'unconfirmed'],
  [307, false, 'failed'],
  [308, true, 'failed'],
])('a create redirected with %i (keys: %s) waits for a decision as `%s`', async (status, keys, state) => {
  const { server, outbox, User } = await startApp({ keys });
  server.fault = redirect(status);
  const user = new User({ name: 'Ada' });
  await expect(user.save()).rejects.toMatchObject({ reason: 'response-redirected' });
  await outbox.send();
  expect([server.log.length, user.$.unconfirmed]).toEqual([1, state === 'unconfirmed']);
  expect(outbox.failed).toMatchObject([{ state, error: { reason: 'response-redirected' } }]);
  server.fault = () => undefined;
  await outbox.retry(outbox.failed[0] as never);
  await outbox.send();
  expect([outbox.failed, outbox.size, user.phantom, server.table('users').size]).toEqual([[], 0, false, 1]);
});

test.each([301, 302, 303, 307, 308])('an update or erase redirected with %i waits for a decision', async (status) => {
  for (const erases of [false, true]) {
    const { server, outbox, User } = await startApp();
    server.table('users').set(1, { id: 1, name: 'old' });
    const user = await User.load(1);
    server.fault = redirect(status);
    user.name = 'Ada';
    await quiet(erases ? user.erase() : user.save());
    await outbox.send();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { reason: 'response-redirected' } }]);
    expect(server.log).toHaveLength(2);
    server.fault = () => undefined;
    await outbox.retry(outbox.failed[0] as never);
    await outbox.send();
    expect([outbox.failed, outbox.size, user.erased]).toEqual([[], 0, erases]);
    if (!erases) expect(server.table('users').get(1)).toMatchObject({ name: 'Ada' });
  }
});
