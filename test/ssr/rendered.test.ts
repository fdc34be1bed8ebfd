import { Model, plain, receive, Session, Store, viewOf } from 'repose';
import { dehydrate, hydrate, stringify } from 'repose/ssr';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listSource, statusSource } from '../../src/binding/read-actions.js';
import { storeSource } from '../../src/binding/store-source.js';
import { renderedValue } from '../../src/util/value-source.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const fetch = async () => Response.json([{ id: 1, title: 'one' }], { headers: { 'X-Total-Count': '1' } });
const define = () =>
  class Task extends Model.define({
    name: 'task',
    fields: { id: 'int', title: 'string' },
    proxy: { type: 'rest', baseUrl: 'http://a.test', url: '/tasks', dialect: plain(), fetch },
  }) {};

type Tasks = Store<InstanceType<ReturnType<typeof define>>>;

/** A store that has read its state, and a row that came after. */
async function pushedTo(
  push: (store: Tasks) => unknown = (list) => receive(list, [{ id: 2, title: 'two' }]),
): Promise<Tasks> {
  const served = new Session();
  const list = new Store({ model: define(), session: served, pageSize: 0 });
  await list.load();
  const Task = define();
  const session = new Session();
  hydrate(session, stringify(dehydrate(served, [list])), [Task]);
  const store = new Store({ model: Task, session, pageSize: 0 });
  push(store);
  return store;
}

const titles = (tasks: readonly { title?: string | undefined }[]) => tasks.map(({ title }) => title).join();
/** The values that React takes for the first rendering of `useStore`, `useList` and `useStatus`, and for server rendering. */
const rendered = (store: Tasks) => {
  const { records, hasMore, page } = renderedValue(storeSource(store));
  const { total } = renderedValue(statusSource(store));
  return `${titles(records)} ${titles(renderedValue(listSource(store)).slice())} ${total} ${hasMore} ${page}`;
};

describe('the first rendering of a store that has read the state of its page', () => {
  test('shows what the server has rendered, and everybody else the present', async () => {
    vi.stubGlobal('document', {});
    const store = await pushedTo();
    expect(rendered(store)).toBe('one one 1 false 1');
    expect([titles(store.getRange()), titles(store.list.get().slice()), store.status.get().total]).toEqual([
      'one,two',
      'one,two',
      2,
    ]);
    expect(store.status.get()).not.toHaveProperty('page');
    expect(titles(viewOf(store).getRange())).toBe('one,two');
  });

  test('is that of the first change: without one, nothing is rendered once more', async () => {
    vi.stubGlobal('document', {});
    const store = await pushedTo((list) => list);
    for (const source of [statusSource(store), listSource(store)] as const)
      expect(renderedValue<unknown>(source)).toBe(source.get());
  });

  test('is the present of a source of the application, whatever members it has', () => {
    const source = { subscribe: () => () => undefined, get: () => 'now', rendered: true };
    expect(renderedValue(source)).toBe('now');
  });

  test('shows the present when the page has long been taken over', async () => {
    vi.stubGlobal('document', {});
    const store = await pushedTo();
    vi.advanceTimersByTime(9_000);
    expect(rendered(store)).toBe('one one 1 false 1');
    vi.advanceTimersByTime(2_000);
    expect(rendered(store)).toBe('one,two one,two 2 false 1');
  });

  test('shows the present on a server, whose stores may load after they have read a state', async () => {
    expect(rendered(await pushedTo())).toBe('one,two one,two 2 false 1');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('shows the present of a store without a state', async () => {
    vi.stubGlobal('document', {});
    const store = new Store({ model: define(), pageSize: 0 });
    await store.load();
    expect(rendered(store)).toBe('one one 1 false 1');
    store.add({ title: 'new' });
    expect(rendered(store)).toBe('one,new one,new 1 false 1');
  });
});
