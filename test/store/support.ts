import type { Model, Operation, Store } from 'repose';
import { differenceOf } from 'repose';
import { expect } from 'vitest';
import type { Reply } from '../helpers/rest-server.js';

/** A response with one page of rows. */
export function page(rows: readonly object[], total?: number): Reply {
  return { json: { rows, ...(total !== undefined && { total }) } };
}

/** Rows with these ids and a name each. */
export function rows(...ids: number[]): { id: number; name: string }[] {
  return ids.map((id) => ({ id, name: `n${id}` }));
}

/** The rows with ids from one up to another. */
export function rowsFrom(first: number, last: number): { id: number; name: string }[] {
  return rows(...Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

/** The ids of the shown records, in order. */
export function shown<M extends Model>(records: Iterable<M>): (string | number | undefined)[] {
  return [...records].map((record) => record.getId());
}

/** The events of a store, one line each: `change +1 -2 >3 ~new` for added, removed, moved, updated. */
export function eventLog<M extends Model>(store: Store<M>): string[] {
  const log: string[] = [];
  store.on('change', (change) => {
    const { added, removed, moved } = differenceOf(change);
    const { updated } = change;
    const parts = Object.entries({ '+': added, '-': removed, '>': moved, '~': updated });
    const changed = parts.filter(([, records]) => records.length > 0);
    log.push(['change', ...changed.map(([sign, records]) => sign + names(records))].join(' '));
  });
  store.on('load', ({ records }) => log.push(`load ${names(records)}`));
  store.on('write', ({ operation }) => log.push(`write ${line(operation)}`));
  store.on('exception', ({ error, operation }) => log.push(`exception ${error.code} ${line(operation)}`));
  return log;
}

function names(records: readonly Model[]): string {
  return shown(records)
    .map((id) => (Number(id) < 0 ? 'new' : id))
    .join();
}

function line({ action, request }: Operation): string {
  return request?.method ? `${request.method} ${request.url?.replace('http://rest.test', '')}` : action;
}

/** Polls up to the time limit of a test, because other tests may slow the machine down. */
export function poll<T>(
  read: () => T,
): Pick<ReturnType<typeof expect.poll<T>>, 'toBe' | 'toBeInstanceOf' | 'toBeUndefined' | 'toEqual'> {
  return expect.poll(read, { timeout: 4500 });
}

/** Waits until everything scheduled for this tick has run. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The settings of a store that say who sorts and filters, with `'auto'` as it stands now. */
export function remoteOf(store: Pick<Store<never>, 'holdsAll'>): { remoteSort: boolean; remoteFilter: boolean } {
  const { remote } = store as unknown as { remote: { setting(name: string): boolean | 'auto' } };
  const isRemote = (name: string) => {
    const setting = remote.setting(name);
    return setting === 'auto' ? !store.holdsAll : setting;
  };
  return { remoteSort: isRemote('remoteSort'), remoteFilter: isRemote('remoteFilter') };
}
