import { describe, expect, test } from 'vitest';
import { type App, startApp } from './setting.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);
const ROW = { id: 7, name: 'Ada', mail: null, owner: 'added by the server' };

/** Starts a process whose server answers a create with `Location` alone and updates whole rows. */
async function start(options: Parameters<typeof startApp>[0] = {}): Promise<App> {
  const app = await startApp(options);
  const { server } = app;
  const User = app.User.with({ proxy: { actionMethods: { update: 'PUT' } } });
  server.fault = (method) => (method === 'POST' ? created(app) : undefined);
  return { ...app, User };
}

function created({ server }: Pick<App, 'server'>): Response {
  server.table('users').set(7, ROW);
  return new Response(null, { status: 201, headers: { Location: '/users/7' } });
}

const lines = ({ server }: App) => server.log.map(({ method, path }) => `${method} ${path}`);

describe('a record whose create was answered with less than the row', () => {
  test('is read before the outbox sends its whole row', async () => {
    const app = await start();
    const user = await new app.User({ name: 'Ada' }).save();
    user.name = 'Grace';
    await user.save();
    expect(lines(app)).toEqual(['POST /users', 'GET /users/7', 'PUT /users/7']);
    expect(app.server.log.at(-1)?.body).toEqual({ ...ROW, name: 'Grace' });
    expect([app.outbox.size, user.dirty]).toEqual([0, false]);
  });

  test.each([
    ['gets no response', 'before' as const],
    ['is answered with 503', 503],
  ])('keeps its edits in the outbox if the read %s, and sends them later', async (_, fault) => {
    const app = await start();
    const { server, outbox, clock } = app;
    const user = await new app.User({ name: 'Ada' }).save();
    server.fault = () => fault;
    user.name = 'Grace';
    const error = await user.save().catch((each) => each);
    expect([error.queued, outbox.entries]).toMatchObject([true, [{ action: 'update', values: { name: 'Grace' } }]]);
    expect(lines(app)).toEqual(['POST /users', 'GET /users/7']);
    server.fault = () => undefined;
    const drained = outbox.drained();
    await clock.advance(3_600_000);
    await drained;
    expect(lines(app).slice(2)).toEqual(['GET /users/7', 'PUT /users/7']);
    expect(server.log.at(-1)?.body).toEqual({ ...ROW, name: 'Grace' });
    expect([outbox.size, user.dirty, user.$.error]).toEqual([0, false, undefined]);
  });

  test('is in conflict, and nothing is sent, if somebody has changed the edited field since', async () => {
    const app = await start({ withEtags: true });
    const user = await new app.User({ name: 'Ada' }).save();
    app.server.table('users').set(7, { ...ROW, name: 'Stranger' });
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ code: 'conflict' });
    expect(lines(app)).not.toContain('PUT /users/7');
    expect(app.outbox.failed).toMatchObject([{ state: 'failed' }]);
    expect(user.name).toBe('Grace');
  });

  test('has its edits stored before the read is answered', async () => {
    const app = await start();
    const { server, storage } = app;
    const user = await new app.User({ name: 'Ada' }).save();
    let arrived: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    server.fault = () => {
      arrived();
      return new Promise(() => undefined);
    };
    user.name = 'Grace';
    void quiet(user.save());
    await asked;
    // The process ends here; the next one finds the stored edit.
    server.fault = () => undefined;
    const next = await startApp({ server, storage });
    expect(next.outbox.entries).toMatchObject([{ action: 'update', id: 7, values: { name: 'Grace' } }]);
    await next.outbox.send();
    await next.outbox.drained();
    expect(server.table('users').get(7)).toEqual({ ...ROW, name: 'Grace' });
  });

  test('rejects the save when the read is refused, and the outbox does not retry', async () => {
    const app = await start();
    const { server, outbox } = app;
    const user = await new app.User({ name: 'Ada' }).save();
    server.fault = () => 403;
    user.name = 'Grace';
    await expect(user.save()).rejects.toMatchObject({ status: 403 });
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { status: 403 }, entry: { action: 'update' } }]);
    await outbox.send();
    expect(lines(app)).toEqual(['POST /users', 'GET /users/7']);
    server.fault = () => undefined;
    user.name = 'Hopper';
    await user.save();
    expect([server.table('users').get(7)?.name, outbox.size]).toEqual(['Hopper', 0]);
  });

  test('is read before its next save when the outbox sent the create while the record had other edits', async () => {
    const app = await start();
    const { server, outbox } = app;
    const user = new app.User({ name: 'Ada' });
    server.fault = () => 503;
    await quiet(user.save());
    user.name = 'Grace';
    server.fault = (method) => (method === 'POST' ? created(app) : undefined);
    await outbox.send();
    await outbox.drained();
    expect([user.phantom, user.id, user.name, user.dirty]).toEqual([false, 7, 'Grace', true]);
    await user.save();
    expect(lines(app).slice(2)).toEqual(['GET /users/7', 'PUT /users/7']);
    expect(server.log.at(-1)?.body).toEqual({ ...ROW, name: 'Grace' });
  });

  test('is read before its next save when its unconfirmed create was confirmed with the id alone', async () => {
    const app = await start({ keys: false });
    const { server, outbox } = app;
    const user = new app.User({ name: 'Ada' });
    server.table('users').set(7, ROW);
    server.fault = (method) => (method === 'POST' ? 'before' : undefined);
    await quiet(user.save());
    await outbox.confirm(outbox.entries[0] as (typeof outbox.entries)[0], { id: 7 });
    user.name = 'Grace';
    await user.save();
    expect(lines(app).slice(1)).toEqual(['GET /users/7', 'PUT /users/7']);
    expect(server.log.at(-1)?.body).toEqual({ ...ROW, name: 'Grace' });
  });
});
