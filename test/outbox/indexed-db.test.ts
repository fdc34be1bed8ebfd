import 'fake-indexeddb/auto';
import { indexedDbStorage } from 'repose/outbox';
import { describe, expect, test } from 'vitest';
import { modelServer } from './server.js';
import { startApp } from './setting.js';
import { fakeLocks, listed } from './shared-storage.js';

describe('an IndexedDB storage', () => {
  test('keeps queued writes over a reload', async () => {
    const server = modelServer();
    const locks = fakeLocks();
    const first = await startApp({ server, locks, storage: listed(indexedDbStorage()) });
    server.fault = () => 'after';
    await new first.User({ name: 'Ada' }).save().catch(() => undefined);
    await first.outbox.close();
    server.fault = () => undefined;
    const { outbox } = await startApp({ server, locks, storage: listed(indexedDbStorage()) });
    await outbox.send();
    expect([...server.table('users').values()]).toEqual([{ id: 101, name: 'Ada' }]);
    expect(outbox.size).toBe(0);
  });
});
