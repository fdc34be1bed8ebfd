import { type AuthError, auth, DefinitionError, type Extension, Model, plain, RestProxy, rateLimit } from 'repose';
import { memoryStorage, Outbox } from 'repose/outbox';
import { restServer } from 'repose/testing';
import { describe, expect, test, vi } from 'vitest';
import { deferred } from '../helpers/rest-server.js';
import { EventClock, ending, settled } from './support.js';

describe('auth() with a function as scope', () => {
  /** A proxy whose `headers` are those of whoever is signed in, and a server that holds its answers back. */
  function signedIn(use: readonly Extension[] = []) {
    const world = { user: 'Ada', tokens: { Ada: 'Ada old', Bob: 'Bob' } as Record<string, string> };
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const dialog = deferred<boolean>();
    const renew = vi.fn(() => dialog.promise);
    const clock = new EventClock();
    const proxy = new RestProxy({
      ...{ url: 'https://api.test/users', dialect: plain(), clock },
      headers: () => ({ Authorization: world.tokens[world.user] ?? '' }),
      use: [auth({ scope: () => world.user, renew }), ...use],
      fetch: async (_, { method, headers } = {}) => {
        const token = new Headers(headers).get('Authorization');
        sent.push(`${method} ${token}`);
        await new Promise<void>((resolve) => answers.push(resolve));
        return new Response('{}', { status: token === 'Ada old' ? 401 : 200 });
      },
    });
    const send = (method: string) => ending(proxy.send({ method, url: 'https://api.test/users/7' }));
    const answerAll = async () => {
      await settled();
      for (const go of answers.splice(0)) go();
      await settled();
    };
    return { world, sent, send, answerAll, dialog, renew, clock };
  }

  const refused = { name: 'AuthError', reason: 'auth-user', status: 401, userMessage: 'Please sign in again.' };

  test('never sends a call of one user with the token of another one who signs in before the 401', async () => {
    const { world, sent, send, answerAll, renew } = signedIn();
    const write = send('PUT');
    await settled();
    world.user = 'Bob';
    await answerAll();
    expect([write.error, sent, renew.mock.calls.length]).toMatchObject([refused, ['PUT Ada old'], 0]);
    expect((write.error as AuthError).message).toContain('PUT https://api.test/users/7 was not sent');
  });

  test('never does so after a renewal that ends when another one has signed in, who does not wait for it', async () => {
    const { world, sent, send, answerAll, dialog } = signedIn();
    const [write, waiting] = [send('PUT'), send('PATCH')];
    await answerAll();
    const behind = send('POST');
    await settled();
    world.user = 'Bob';
    const other = send('GET');
    await answerAll();
    expect(other.value).toMatchObject({ status: 200 });
    dialog.resolve(true);
    await answerAll();
    expect([write.error, waiting.error, behind.error]).toMatchObject([refused, refused, refused]);
    expect(sent).toEqual(['PUT Ada old', 'PATCH Ada old', 'GET Bob']);
  });

  test('never does so where a limit of requests holds the call back', async () => {
    const { world, sent, send, answerAll, clock } = signedIn([rateLimit({ requests: 1, per: 1000 })]);
    world.tokens['Ada'] = 'Ada';
    const [first, second] = [send('PUT'), send('PATCH')];
    await answerAll();
    world.user = 'Bob';
    await clock.advance(3000);
    expect([first.value, second.error, sent]).toMatchObject([{ status: 200 }, refused, ['PUT Ada']]);
  });

  test('is refused if it is neither a function nor a text', () => {
    expect(() => auth({ renew: () => true, scope: 7 as never })).toThrow(DefinitionError);
  });

  test('a proxy with a scope sends for the user of that name only, also what an outbox has kept', async () => {
    let user = 'Ada';
    const server = restServer({ collections: { '/notes': [] } });
    const renew = vi.fn(() => true);
    class Note extends Model.define({
      name: 'note',
      fields: { id: 'int', text: 'string' },
      proxy: {
        ...{ type: 'rest', url: '/notes', baseUrl: server.baseUrl, fetch: server.fetch, dialect: plain() },
        headers: () => ({ Authorization: user }),
        use: [auth({ scope: () => user, renew })],
      },
    }) {}
    const outbox = new Outbox({ scope: 'Ada', storage: memoryStorage() });
    const Own = Note.with({ proxy: { scope: 'Ada', use: [outbox] } });
    server.fetch.plan({ type: 'drop' });
    const saved = new Own({ text: 'by Ada' }).save();
    await expect(saved).rejects.toMatchObject({ code: 'network', queued: true });
    const asked = server.requests.length;
    user = 'Bob';
    await outbox.send();
    const note = new Own({ text: 'too late' }).save();
    await expect(note).rejects.toMatchObject({ ...refused, userMessage: expect.any(String), queued: true });
    expect([server.requests.length, outbox.size, outbox.failed, renew.mock.calls.length]).toEqual([asked, 2, [], 0]);
    user = 'Ada';
    await outbox.send();
    const sent = server.requests.slice(asked).map(({ headers }) => headers.get('authorization'));
    expect([sent, outbox.size]).toEqual([['Ada', 'Ada'], 0]);
    await outbox.close();
  });
});

test('a renewal that fails says of the writes that an outbox keeps that they are queued, and of nothing else', async () => {
  class Note extends Model.define({
    name: 'note',
    fields: { id: 'int', text: 'string' },
    proxy: {
      ...{ type: 'rest', url: 'https://api.test/notes', dialect: plain() },
      fetch: async () => new Response('{}', { status: 401 }),
      use: [auth({ renew: () => false })],
      headers: { Authorization: 'old' },
    },
  }) {}
  const outbox = new Outbox({ scope: 'Ada', storage: memoryStorage() });
  const kept = Note.with({ proxy: { use: [outbox] } }).fromRow({ id: 1, text: 'a' });
  const other = Note.fromRow({ id: 2, text: 'a' });
  for (const note of [kept, other]) note.text = 'b';
  await outbox.ready;
  const ended = await Promise.allSettled([kept.save(), other.save(), Note.load(3)]);
  const errors = ended.map((each) => (each as PromiseRejectedResult).reason as AuthError);
  expect(errors.map(({ code, queued = false }) => [code, queued])).toEqual([
    ['auth', true],
    ['auth', false],
    ['auth', false],
  ]);
  expect([kept.$.queued, other.$.queued, outbox.size]).toEqual([true, false, 1]);
  await outbox.close();
});
