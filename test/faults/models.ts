import { conflicts, etags, idempotency, Model, plain, type RestProxyConfig, reference, retry } from 'repose';
import type { TableName } from './tables.js';

export interface ModelOptions {
  /** Origin of the fault proxy. */
  readonly url: string;
  /** Milliseconds until a request is given up. */
  readonly timeout: number;
  /** `limit` of `retry()`; 0: no `retry()`. */
  readonly repeats: number;
  /** Safeguards that are left out on purpose, to see the campaign fail. */
  readonly without: readonly string[];
}

/** The three models, for different kinds of servers: PATCH with ETags, PUT with ETags, PUT without ETags. */
export function createModels({ url, timeout, repeats, without }: ModelOptions) {
  const shared: Partial<RestProxyConfig> = { baseUrl: url, timeout };
  const use = [
    conflicts(),
    ...(without.includes('idempotency') ? [] : [idempotency()]),
    ...(repeats > 0 ? [retry({ limit: repeats, backoff: { base: 5, max: 40 }, deadline: 5000 })] : []),
  ];
  const guarded = [...use, ...(without.includes('etags') ? [] : [etags()])];
  class User extends Model.define({
    name: 'user',
    fields: {
      id: 'int',
      name: 'string',
      email: 'string',
      badge: { type: 'string', allowNull: true },
      salary: { type: 'string', allowNull: true },
      settings: { type: 'json', allowNull: true },
    },
    proxy: { type: 'rest', ...shared, url: '/plain/users', use: guarded, dialect: plain() },
  }) {}
  return {
    tasks: class Task extends Model.define({
      name: 'task',
      fields: {
        id: 'int',
        title: 'string',
        origin: 'string',
        estimate: { type: 'number', allowNull: true },
        userId: reference('int', { allowNull: true }),
      },
      proxy: { type: 'rest', ...shared, url: '/classic/tasks', use: guarded, reader: { rootProperty: 'data' } },
    }) {
      static override references() {
        return { userId: User };
      }
    },
    users: User,
    teams: class Team extends Model.define({
      name: 'team',
      fields: { id: 'int', name: 'string', city: { type: 'string', allowNull: true } },
      proxy: { type: 'rest', ...shared, url: '/api/teams', use, reader: { rootProperty: 'data' } },
    }) {},
  } satisfies Record<TableName, unknown>;
}

/** A record of any model. */
export interface AnyRecord {
  readonly phantom: boolean;
  readonly dirty: boolean;
  readonly erased: boolean;
  readonly $: { readonly modified: Readonly<Record<string, unknown>>; readonly error: unknown };
  getId(): unknown;
  get(name: string): unknown;
  set(values: object): void;
  save(): Promise<unknown>;
  erase(): Promise<unknown>;
  load(): Promise<unknown>;
  reject(): void;
}
