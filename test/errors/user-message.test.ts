import { AddressError, type DataError, Model, NetworkError, plain, SyncError } from 'repose';
import { OutboxError } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { userMessages } from '../../src/errors/user-message.js';
import type { Reply } from '../helpers/rest-server.js';
import { useRestServer } from '../helpers/use-rest-server.js';

const server = useRestServer();

function createUser(messages?: Record<string, string>) {
  return class User extends Model.define({
    name: 'user',
    fields: { id: 'int', name: 'string' },
    proxy: server.proxy('/users', { dialect: plain(), ...(messages && { messages }) }),
  }) {};
}

/** The sentence for the user when a change of a saved record is answered like this. */
async function told(reply: Reply, messages?: Record<string, string>): Promise<string | undefined> {
  const User = createUser(messages);
  const user = User.fromRow({ id: 7, name: 'Ada' });
  user.name = 'Eve';
  server.reply(reply);
  const error: unknown = await user.save().catch((cause: unknown) => cause);
  return (error as DataError).userMessage;
}

describe('error.userMessage', () => {
  test.each(Object.entries(userMessages))('%s is a sentence without words of developers: %s', (_, text) => {
    expect(text.replace('{count}', '2')).toMatch(/^[A-Z][^`{}]+\.$/);
    expect(text).not.toMatch(/request|HTTP|status|proxy|model|field|record/i);
  });

  test.each([
    ['in its own words', { status: 403, json: { title: 'No', detail: 'The year is closed.' } }, 'The year is closed.'],
    ['without words', { status: 403, json: {} }, 'You are not allowed to do this.'],
    ['without a sign-in', { status: 401, json: { detail: 'JWT expired' } }, 'Please sign in again.'],
    ['as gone', { status: 404, text: '<html>' }, 'This is not there any more.'],
    ['as changed', { status: 412, json: {} }, 'Somebody else has changed this in the meantime.'],
    ['by field', { status: 422, json: { errors: { name: ['is taken'] } } }, 'Name is taken.'],
    ['without a reason', { status: 422, json: {} }, 'Some entries are not valid. Please check them.'],
    ['as a whole', { status: 422, json: { detail: 'This order is empty.' } }, 'This order is empty.'],
    ['in plain text', { status: 409, text: 'This order is closed.' }, 'This order is closed.'],
    ['on a page of HTML', { status: 404, text: '<title>Cannot GET /orders/1</title>' }, 'This is not there any more.'],
    [
      'for later',
      { status: 503, json: { detail: 'upstream 10.0.0.7' } },
      'The server cannot do this now. Please try again later.',
    ],
    ['with its own failure', { status: 500, json: { detail: 'SQLSTATE[42S02]' } }, 'The server could not do this.'],
  ])('tells a user what the server refused %s', async (_, reply, expected) => {
    expect(await told(reply)).toBe(expected);
  });

  test('has the sentence of the model or proxy for its key', async () => {
    expect(await told({ status: 500, json: {} }, { 'user-server': 'Das ging nicht.' })).toBe('Das ging nicht.');
  });

  test('tells of changes only where there are some', async () => {
    const User = createUser().with({ proxy: { fetch: () => Promise.reject(new TypeError('offline')) } });
    const loading = (await User.load(7).catch((error: unknown) => error)) as DataError;
    const user = User.fromRow({ id: 7, name: 'Ada' });
    user.name = 'Eve';
    const saving = (await user.save().catch((error: unknown) => error)) as DataError;
    expect([loading.userMessage, saving.userMessage]).toEqual([
      'The server cannot be reached.',
      'The server cannot be reached. Your changes are kept.',
    ]);
    const creating = (await new User({ name: 'Eve' }).save().catch((error: unknown) => error)) as DataError;
    expect(creating.userMessage).toBe('No response came. It is not known yet whether this was saved.');
  });

  test('names no developer words for mistakes, other records and storages', () => {
    expect(new AddressError('url-missing', { action: 'read' }).userMessage).toMatch(
      /^Something is wrong with this application/,
    );
    expect(new SyncError('skipped', 'sync-skipped', {}).userMessage).toMatch(/^This was not saved, because of another/);
    expect(new OutboxError('outbox-quota').userMessage).toBe('Your changes could not be stored on this device.');
    const queued = Object.assign(new NetworkError(new Error('x')), { queued: true });
    expect(queued.userMessage).toBe('The server cannot be reached. Your changes are kept, and will be sent.');
  });
});
