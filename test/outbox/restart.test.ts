import type { OutboxEntry } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { live } from './setting.js';

const quiet = (promise: Promise<unknown>) => promise.catch(() => undefined);

/** What a server says of values that it does not take. */
const badName = () => Response.json({ errors: { name: ['bad'] } }, { status: 422 });

describe('after a restart', () => {
  test('a keyed create that was lost, and whose values are refused, is corrected under a key of its own', async () => {
    const first = await live();
    const { server, storage } = first;
    server.fault = () => 'before';
    await quiet(new first.User({ name: 'bad' }).save());
    const { outbox } = await live({ server, storage });
    server.fault = badName;
    await outbox.flush();
    expect(outbox.failed).toMatchObject([{ state: 'failed', error: { code: 'validation' } }]);
    server.fault = () => undefined;
    await outbox.repair(outbox.entries[0] as OutboxEntry, { name: 'good' });
    await outbox.drained();
    expect([...server.table('users').values()]).toMatchObject([{ name: 'good' }]);
    const keys = server.log.map(({ key }) => key);
    expect([keys[0] === keys[1], keys[1] === keys[2]]).toEqual([true, false]);
  });
});
