import { type KeepFreshOptions, keepFresh, Model, Store, viewOf, windowOf } from 'repose';
import { systemClock } from 'repose/extend';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, rows, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { type: 'json', rootProperty: 'rows' } }),
}) {}

/** A page of a browser that a test shows, hides and focuses. */
class Page extends EventTarget {
  readonly document = { visibilityState: 'visible' };

  tell(event: string): void {
    this.dispatchEvent(new Event(event));
  }

  setVisibility(visibilityState: 'visible' | 'hidden'): void {
    this.document.visibilityState = visibilityState;
    this.tell('visibilitychange');
  }
}

/** Waits until the loads and saves in flight have ended. */
async function settle({ status }: Pick<Store<User>, 'status'>): Promise<void> {
  await tick();
  await vi.waitFor(() => expect(status.get()).toMatchObject({ loading: false, saving: false }), { interval: 1 });
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A store that has loaded once, at the time 0, and is kept fresh. */
async function freshStore(options: KeepFreshOptions = {}) {
  server.always(({ method }) => (method === 'GET' ? page(rows(1, 2), 2) : { status: 204 }));
  const store = new Store({ model: User });
  const errors: string[] = [];
  store.on('exception', ({ error }) => errors.push(error.code));
  const [clock, events] = [manualClock(), new Page()];
  const stop = keepFresh(store, { clock, events, ...options });
  stops.push(stop);
  await store.load();
  return { store, clock, events, stop, errors };
}

/** Names of the requests since the first load. */
const since = () => server.lines.slice(1).map((line) => line.replace(/[?].*/, ''));
const reloaded = 'GET /users';

describe('keepFresh() refreshes', () => {
  test.each(['focus', 'online', 'visibilitychange'])('on the event `%s`', async (event) => {
    const { store, events } = await freshStore();
    events.tell(event);
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('the page that is shown, by `reload()`', async () => {
    const { store, events } = await freshStore();
    await store.load({ page: 2 });
    events.tell('focus');
    await settle(store);
    expect(server.lines.at(-1)).toContain('page=2');
  });

  test('once for events that come together', async () => {
    const { store, events } = await freshStore();
    events.setVisibility('visible');
    events.tell('focus');
    events.tell('online');
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('in the interval `every`, again and again', async () => {
    const { store, clock } = await freshStore({ every: 1000 });
    clock.advance(999);
    await settle(store);
    expect(since()).toEqual([]);
    clock.advance(1);
    await settle(store);
    clock.advance(1000);
    await settle(store);
    expect(since()).toEqual([reloaded, reloaded]);
  });

  test('on no event that is switched off, and in no interval by default', async () => {
    const { store, clock, events } = await freshStore({ onFocus: false, onReconnect: false });
    events.tell('focus');
    events.tell('online');
    events.setVisibility('hidden');
    events.setVisibility('visible');
    clock.advance(1e9);
    await settle(store);
    expect(clock.waiting).toEqual([]);
    expect(since()).toEqual([]);
  });

  test('without a page only in the interval, as in Node', async () => {
    server.always(() => page(rows(1), 1));
    const [store, clock] = [new Store({ model: User }), manualClock()];
    await store.load();
    stops.push(keepFresh(store, { clock, every: 1000 }));
    clock.advance(1000);
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('on the events of the window if none are given', async () => {
    const events = new Page();
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
    vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events));
    try {
      const { store, stop } = await freshStore({ events: undefined as never });
      events.tell('focus');
      await settle(store);
      expect(since()).toEqual([reloaded]);
      stop();
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('a window', async () => {
    server.always(() => page(rows(1, 2), 2));
    const [store, clock, events] = [new Store({ model: User }), manualClock(), new Page()];
    const shown = windowOf(store, { start: 0, end: 2 });
    stops.push(keepFresh(shown, { clock, events, staleAfter: 1000 }), () => shown.dispose());
    await settle(shown);
    clock.advance(999);
    events.tell('focus');
    await settle(shown);
    expect(since()).toEqual([]);
    clock.advance(1);
    events.setVisibility('visible');
    events.tell('focus');
    await settle(shown);
    expect(since()).toEqual([reloaded]);
    events.tell('focus');
    await settle(shown);
    expect(since()).toEqual([reloaded]);
  });
});

describe('keepFresh() does not refresh', () => {
  test('data younger than `staleAfter`, counted from the last load that succeeded', async () => {
    const { store, clock, events } = await freshStore({ staleAfter: 1000 });
    clock.advance(600);
    await store.load();
    clock.advance(999);
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([reloaded]);
    server.reply({ status: 500 });
    await store.load().catch(() => undefined);
    clock.advance(1);
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([reloaded, reloaded, reloaded]);
  });

  test('data loaded before its call until they are older than `staleAfter`', async () => {
    server.always(() => page(rows(1), 1));
    const [store, clock, events] = [new Store({ model: User }), manualClock(), new Page()];
    await store.load();
    clock.advance(5000);
    stops.push(keepFresh(store, { clock, events, staleAfter: 1000 }));
    clock.advance(999);
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([]);
    clock.advance(1);
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('before the first load', async () => {
    const [store, clock, events] = [new Store({ model: User }), manualClock(), new Page()];
    stops.push(keepFresh(store, { clock, events, every: 1000 }));
    events.tell('focus');
    clock.advance(1000);
    await settle(store);
    server.reply(page(rows(1), 1));
    await store.load();
    await settle(store);
    expect(server.lines).toHaveLength(1);
  });

  test('during a load, or because of an event during a load', async () => {
    const { store, events } = await freshStore();
    const held = server.hold();
    const load = store.load({ params: { other: 1 } });
    await held.request;
    events.tell('focus');
    held.answer(page(rows(1), 1));
    await load;
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('because of an event during a load that fails', async () => {
    const { store, events, errors } = await freshStore();
    const held = server.hold();
    const load = store.load();
    await held.request;
    events.tell('focus');
    held.answer({ status: 500 });
    await expect(load).rejects.toMatchObject({ status: 500 });
    await settle(store);
    expect(errors).toEqual(['http']);
    expect(since()).toEqual([reloaded]);
  });

  test('while a record is being erased', async () => {
    const { store, events } = await freshStore();
    const held = server.hold();
    const erased = (store.getById(1) as User).erase();
    await held.request;
    events.tell('focus');
    expect(store.status.get().loading).toBe(false);
    held.answer({ status: 204 });
    await erased;
    await settle(store);
    expect(since()).toEqual(['DELETE /users/1', reloaded]);
  });

  test('records that were given by `setRecords()` until they are older than `staleAfter`', async () => {
    server.always(() => page(rows(1), 1));
    const [store, clock, events] = [new Store({ model: User }), manualClock(), new Page()];
    stops.push(keepFresh(store, { clock, events, staleAfter: 1000 }));
    clock.advance(5000);
    store.setRecords(rows(1));
    clock.advance(999);
    events.tell('focus');
    await settle(store);
    expect(server.lines).toEqual([]);
    clock.advance(1);
    events.tell('focus');
    await settle(store);
    expect(server.lines).toHaveLength(1);
  });

  test('while the page is hidden: an interval that was due then is made up for once when the page is shown', async () => {
    const { store, clock, events } = await freshStore({ every: 1000, onFocus: false });
    events.setVisibility('hidden');
    clock.advance(1000);
    clock.advance(1000);
    await settle(store);
    expect(since()).toEqual([]);
    events.setVisibility('visible');
    await settle(store);
    expect(since()).toEqual([reloaded]);
    events.setVisibility('visible');
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('while there are edits or a save: it waits until both have ended', async () => {
    const { store, events } = await freshStore();
    const user = store.getById(1) as User;
    user.name = 'Ada';
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([]);
    const held = server.hold();
    const saved = user.save();
    await held.request;
    events.tell('focus');
    await tick();
    expect(store.status.get().loading).toBe(false);
    held.answer({ status: 204 });
    await saved;
    await settle(store);
    expect(since()).toEqual(['PUT /users/1', reloaded]);
  });

  test('while a record is removed or new, until the change is taken back', async () => {
    const { store, events } = await freshStore();
    const [added] = store.add({ name: 'new' }) as [User];
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([]);
    store.remove(added);
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('inside the change that takes the last edit back', async () => {
    const { store, events } = await freshStore();
    const user = store.getById(1) as User;
    user.name = 'Ada';
    events.tell('focus');
    user.reject();
    expect(store.status.get().loading).toBe(false);
    user.name = 'Grace';
    await settle(store);
    expect(since()).toEqual([]);
  });

  test('what a load has brought while the refresh waited', async () => {
    const { store, events } = await freshStore();
    const user = store.getById(1) as User;
    user.name = 'Ada';
    events.tell('focus');
    await store.load();
    user.reject();
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });

  test('after it was stopped', async () => {
    const { store, clock, events, stop } = await freshStore({ every: 1000 });
    const user = store.getById(1) as User;
    user.name = 'Ada';
    events.tell('focus');
    user.reject();
    stop();
    stop();
    events.tell('focus');
    events.tell('online');
    events.setVisibility('visible');
    clock.advance(1000);
    await settle(store);
    expect(clock.waiting).toEqual([]);
    expect(since()).toEqual([]);
  });
});

describe('a refresh that fails', () => {
  test('is reported by the store, and tried again at the next occasion', async () => {
    const { store, clock, events, errors } = await freshStore({ every: 1000, staleAfter: 1000 });
    clock.advance(999);
    server.reply({ status: 500 });
    clock.advance(1);
    await settle(store);
    expect(errors).toEqual(['http']);
    expect(store.status.get().error).toMatchObject({ status: 500 });
    await tick();
    expect(since()).toEqual([reloaded]);
    events.tell('focus');
    await settle(store);
    expect(store.status.get().error).toBeUndefined();
    expect(since()).toEqual([reloaded, reloaded]);
  });

  test('is no unhandled rejection, also where `canLoad` refuses it', async () => {
    server.always(() => page(rows(1), 1));
    let allowed = true;
    const [store, events] = [new Store({ model: User, canLoad: () => allowed }), new Page()];
    stops.push(keepFresh(store, { events }));
    await store.load();
    allowed = false;
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([]);
    allowed = true;
    events.tell('focus');
    await settle(store);
    expect(since()).toEqual([reloaded]);
  });
});

describe('keepFresh() throws DefinitionError', () => {
  const store = new Store({ model: User });

  test.each([
    [{ every: 0 }, 'every'],
    [{ every: -1 }, 'every'],
    [{ every: Number.NaN }, 'every'],
    [{ every: Number.POSITIVE_INFINITY }, 'every'],
    [{ every: 2 ** 31 }, 'every'],
    [{ staleAfter: -1 }, 'staleAfter'],
    [{ staleAfter: Number.NaN }, 'staleAfter'],
    [{ onFocus: 'yes' }, 'onFocus'],
    [{ onReconnect: 1 }, 'onReconnect'],
    [{ clock: { now: () => 0 } }, 'clock'],
    [{ events: {} }, 'events'],
    [{ everry: 1000 }, 'every'],
  ])('for the options %o', (options, named) => {
    const error = expect.objectContaining({ name: 'DefinitionError', message: expect.stringContaining(`${named}`) });
    expect(() => keepFresh(store, options as never)).toThrow(error);
  });

  test('for what is no store or window, such as a view', () => {
    const view = viewOf(store);
    for (const wrong of [undefined, null, {}, view])
      expect(() => keepFresh(wrong as never)).toThrow('a store or a window (for a view, its store)');
    view.dispose();
  });

  test('not for the options that it knows', () => {
    const options = { onFocus: true, onReconnect: false, every: 1, staleAfter: 0, clock: systemClock };
    const stop = keepFresh(store, options);
    expect(stop()).toBeUndefined();
  });
});
