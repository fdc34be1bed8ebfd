import {
  bigint,
  conflicts,
  decimal,
  etags,
  idempotency,
  Model,
  plain,
  type RateLimitConfig,
  rateLimit,
  reference,
} from 'repose';
import type { Outbox, OutboxConfig, OutboxStorage } from 'repose/outbox';
import { type ManualClock, manualClock } from '../helpers/manual-clock.js';
import { openOutbox } from './open-outbox.js';
import { type ModelServer, modelServer } from './server.js';
import { disk, type TestStorage } from './shared-storage.js';

/** An application process: its own models, and an outbox on a storage that it shares with earlier and later processes. */
export interface App {
  readonly server: ModelServer;
  readonly storage: TestStorage;
  readonly clock: ManualClock;
  readonly outbox: Outbox;
  readonly User: ReturnType<typeof models>['User'];
  readonly Task: ReturnType<typeof models>['Task'];
}

export function models(
  server: ModelServer,
  clock: ManualClock,
  keys: boolean,
  withEtags = false,
  rate: RateLimitConfig | undefined = undefined,
) {
  const proxy = {
    ...{ baseUrl: 'http://model.test', dialect: plain(), fetch: server.fetch, clock },
    use: [
      conflicts(),
      ...(keys ? [idempotency()] : []),
      ...(withEtags ? [etags()] : []),
      ...(rate ? [rateLimit(rate)] : []),
    ],
  };
  class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      name: 'string',
      mail: { type: 'string', allowNull: true },
      joined: { type: 'date', allowNull: true },
      amount: decimal({ allowNull: true }),
      big: bigint({ allowNull: true }),
      tags: { type: 'json' },
    },
    proxy: { type: 'rest', url: '/users', ...proxy },
  }) {}
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string', userId: reference('int') },
    proxy: { type: 'rest', url: '/tasks', ...proxy },
  }) {
    static override references() {
      return { userId: User };
    }
  }
  return { User, Task };
}

export interface AppOptions extends Partial<Omit<OutboxConfig, 'storage'>> {
  server?: ModelServer;
  storage?: OutboxStorage;
  keys?: boolean;
  withEtags?: boolean;
  rate?: RateLimitConfig;
}

/** Starts an application process. Nothing is sent until a test advances the clock or calls `send()`. */
export async function startApp({
  server = modelServer(),
  storage: given = disk(),
  keys = true,
  withEtags = false,
  rate,
  ...config
}: AppOptions = {}): Promise<App> {
  const clock = manualClock();
  const storage: TestStorage = 'all' in given ? (given as TestStorage) : disk(given);
  const declared = models(server, clock, keys, withEtags, rate);
  const outbox = await openOutbox({
    ...{ scope: 'user-7', storage, clock, random: () => 0.5, models: [declared.User, declared.Task] },
    ...config,
  });
  const User = declared.User.with({ proxy: { use: [outbox] } });
  const Task = declared.Task.with({ proxy: { use: [outbox] } });
  return { server, storage, clock, outbox, User, Task };
}
