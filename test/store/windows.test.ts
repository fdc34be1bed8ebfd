import {
  AbortError,
  HttpError,
  MemoryProxy,
  Model,
  plain,
  Store,
  type StoreConfig,
  UnsupportedQueryError,
  viewOf,
  type WindowConfig,
  windowOf,
} from 'repose';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { ids, ServerRows, states } from './server-rows.js';
import { page, poll, rows, rowsFrom, shown, tick } from './support.js';

const server = useRestServer();

class User extends Model.define({
  name: 'user',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/users', { reader: { rootProperty: 'rows' } }),
}) {}

let collection: ServerRows;

beforeEach(() => {
  collection = new ServerRows(100);
  server.always(collection.answer);
});

function open(config: WindowConfig = {}, more: Partial<StoreConfig<User>> = {}) {
  const store = new Store({ model: User, pageSize: 10, remoteSort: true, remoteFilter: true, ...more });
  const window = windowOf(store, { prefetch: 0, settle: 0, ...config });
  const changes: string[] = [];
  window.on('change', ({ from, to }) => changes.push(`${from}-${to}`));
  const errors: string[] = [];
  window.on('exception', ({ error, operation }) => errors.push(`${error.code} ${operation.start}`));
  return { store, window, changes, errors };
}

/** The first index of each request that was sent. */
const starts = () =>
  server.requests.filter(({ method }) => method === 'GET').map(({ query }) => Number(query.get('start')));

describe('RecordWindow', () => {
  describe('show()', () => {
    test.each([1e7, Number.MAX_SAFE_INTEGER])('loads the whole collection for an end of %d', async (end) => {
      const { window } = open({ start: 0, end });
      await window.show({ start: 0, end });
      expect(states(window, 0, 101)).toBe(`${'#'.repeat(100)}.`);
      expect([window.total, server.requests.length]).toEqual([100, 10]);
    });

    test('sends at most 100 requests when all of them fail', async () => {
      server.always(() => ({ status: 500 }));
      const { window } = open();
      await expect(window.show({ start: 0, end: Number.MAX_SAFE_INTEGER })).rejects.toBeInstanceOf(HttpError);
      expect(server.requests).toHaveLength(100);
    });

    test('loads a range of more than 100 blocks completely before it resolves', async () => {
      collection = new ServerRows(1050);
      server.always(collection.answer);
      const { window } = open({ keep: 0 });
      const done = window.show({ start: 0, end: Number.MAX_SAFE_INTEGER });
      await tick();
      expect(['loading', 'missing']).toEqual([window.stateAt(999), window.stateAt(1000)]);
      await done;
      expect([window.getAt(1049)?.id, server.requests.length]).toEqual([1050, 105]);
      expect(
        window.list
          .get()
          .slice()
          .every((record) => record),
      ).toBe(true);
    });

    test('loads the blocks that a range touches, with matching page, start and limit', async () => {
      const { window } = open();
      await window.show({ start: 15, end: 25 });
      expect([...server.lines].sort()).toEqual([
        'GET /users?page=2&start=10&limit=10',
        'GET /users?page=3&start=20&limit=10',
      ]);
      expect(ids(window, 9, 31)).toEqual(['-', ...Array.from({ length: 20 }, (_, i) => i + 11), '-']);
      expect(states(window, 8, 32)).toBe('..####################..');
      expect([window.total, window.count]).toEqual([100, 100]);
    });

    test('sends the sorters and filters of the store', async () => {
      const { window } = open(
        {},
        { sorters: [{ property: 'id', direction: 'DESC' }], filters: [{ property: 'id', value: 7 }] },
      );
      await window.show({ start: 0, end: 3 });
      expect(ids(window, 0, 3)).toEqual([98, 91, 84]);
      expect(window.total).toBe(14);
    });

    test('marks rows as loading at once', async () => {
      const { window } = open();
      expect(states(window, 0, 20)).toBe('....................');
      const loaded = window.show({ start: 0, end: 5 });
      expect(states(window, 0, 20)).toBe('~~~~~~~~~~..........');
      await loaded;
      expect(states(window, 0, 20)).toBe('##########..........');
    });

    test('sends requests only for the last of several calls in one tick', async () => {
      const { window } = open();
      void window.show({ start: 50, end: 55 });
      void window.show({ start: 0, end: 5 });
      await window.show({ start: 20, end: 25 });
      expect(starts()).toEqual([20]);
    });

    test('does not load rows again that are loaded', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 40 });
      await window.show({ start: 20, end: 40 });
      await window.show({ start: 0, end: 10 });
      expect(starts().sort()).toEqual([0, 10, 20, 30]);
    });

    test('does not request a block again that is in flight', async () => {
      const { window } = open();
      const held = server.hold();
      const first = window.show({ start: 0, end: 5 });
      await held.request;
      const second = window.show({ start: 3, end: 12 });
      await poll(() => starts()).toEqual([0, 10]);
      held.answer(page(rows(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 100));
      await Promise.all([first, second]);
      expect([starts(), states(window, 0, 20)]).toEqual([[0, 10], '#'.repeat(20)]);
    });

    test('aborts a load that a later call makes useless, and settles it with the later one', async () => {
      const { window, errors } = open();
      const held = server.hold();
      const settled: string[] = [];
      const first = window.show({ start: 0, end: 5 }).then(() => settled.push(states(window, 50, 55)));
      await held.request;
      const second = window.show({ start: 50, end: 55 });
      await Promise.all([first, second]);
      held.answer(page(rows(1, 2, 3), 3));
      await tick();
      expect(settled).toEqual(['#####']);
      expect([states(window, 0, 10), window.total, errors]).toEqual(['..........', 100, []]);
    });

    test('keeps at most `concurrency` requests of the store in flight', async () => {
      const { window } = open({}, { concurrency: 2 });
      const held = [server.hold(), server.hold()];
      const loaded = window.show({ start: 0, end: 50 });
      await Promise.all(held.map(({ request }) => request));
      await tick();
      expect([server.requests.length, states(window, 0, 50)]).toEqual([2, '~'.repeat(50)]);
      for (const { request, answer } of held) answer(collection.answer(await request));
      await loaded;
      expect([starts().sort(), states(window, 0, 50)]).toEqual([[0, 10, 20, 30, 40], '#'.repeat(50)]);
    });

    test('accepts fractions, negative numbers and ranges beyond the end, but no infinity', async () => {
      const { window } = open();
      await window.show({ start: -3.5, end: 9.2 });
      expect(starts()).toEqual([0]);
      await window.show({ start: 95, end: 140 });
      expect(starts()).toEqual([0, 90]);
      await window.show({ start: 500, end: 550 });
      await window.show({ start: 5, end: 5 });
      expect(starts()).toEqual([0, 90]);
      expect(() => window.show({ start: 0, end: Number.NaN })).toThrow(UnsupportedQueryError);
      expect(() => window.show({ start: 0, end: Number.POSITIVE_INFINITY })).toThrow(UnsupportedQueryError);
    });

    test('is called by the window itself when it is created with an `end`', async () => {
      const { window } = open({ end: 10 });
      await window.show({ start: 0, end: 10 });
      expect([starts(), window.getAt(9)?.name]).toEqual([[0], 'n10']);
    });
  });

  describe('a window with a proxy', () => {
    const reader = { rootProperty: 'rows' };

    test('that supports page numbers only loads its blocks', async () => {
      const { window } = open({}, { proxy: server.proxy('/users', { dialect: plain(), reader }) });
      server.always(({ query }) => {
        const before = (Number(query.get('page')) - 1) * 10;
        return page(rowsFrom(before + 1, before + 10), 100);
      });
      await window.show({ start: 15, end: 25 });
      expect([...server.lines].sort()).toEqual(['GET /users?page=2&limit=10', 'GET /users?page=3&limit=10']);
      expect([ids(window, 15, 17), window.total]).toEqual([[16, 17], 100]);
    });

    test('that supports offsets only loads its blocks', async () => {
      const config = { dialect: plain(), startParam: 'start', pageParam: '', reader };
      const { window } = open({}, { proxy: server.proxy('/users', config) });
      await window.show({ start: 15, end: 20 });
      expect([server.lines, ids(window, 15, 17)]).toEqual([['GET /users?start=10&limit=10'], [16, 17]]);
    });

    test('that supports neither refuses to show later blocks, and sends nothing', async () => {
      const config = { dialect: plain(), startParam: '', pageParam: '', reader };
      const { window, errors } = open({}, { proxy: server.proxy('/users', config) });
      await expect(window.show({ start: 15, end: 20 })).rejects.toThrow('start=10');
      expect([server.lines, errors]).toEqual([[], ['unsupported-query 10']]);
    });

    test('without a server shows its rows', async () => {
      const { window } = open({}, { proxy: { type: MemoryProxy, data: rowsFrom(1, 25) } });
      await window.show({ start: 15, end: 40 });
      expect([ids(window, 18, 40), window.total]).toEqual([[19, 20, 21, 22, 23, 24, 25], 25]);
    });

    test('whose responses say whether a next page exists ends only at a page without one', async () => {
      const { window } = open({}, { proxy: server.proxy('/users', { reader: { ...reader, nextProperty: 'next' } }) });
      const answers = [
        { rows: rowsFrom(1, 7), next: '?page=2' },
        { rows: rowsFrom(11, 20), next: null },
      ];
      server.always(({ query }) => ({ json: answers[Number(query.get('page')) - 1] }));
      await window.show({ start: 0, end: 10 });
      expect([window.total, states(window, 0, 10)]).toEqual([undefined, '#######...']);
      await window.show({ start: 10, end: 20 });
      expect([window.total, window.count]).toEqual([20, 20]);
    });

    test('whose pages hold fewer rows than requested marks the other rows as missing', async () => {
      const { window } = open();
      server.always(({ query }) => page(collection.rows.slice(Number(query.get('start'))).slice(0, 8), 100));
      await window.show({ start: 0, end: 20 });
      expect([window.total, states(window, 0, 20), server.lines.length <= 6]).toEqual([
        100,
        '########..########..',
        true,
      ]);
    });
  });

  describe('settle', () => {
    const openAtRest = (config: WindowConfig = {}) => {
      const clock = manualClock();
      const opened = open({ settle: 80, ...config }, { proxy: { clock } as never });
      return { ...opened, clock };
    };

    test('asks for the place at which a dragged scroll bar rests, and for no other', async () => {
      collection = new ServerRows(5000);
      server.always(collection.answer);
      const { window, clock } = openAtRest();
      await window.show({ start: 0, end: 10 });
      for (let start = 100; start < 5000; start += 100) {
        void window.show({ start, end: start + 10 });
        await tick();
        clock.advance(16);
      }
      const rest = window.show({ start: 4990, end: 5000 });
      await tick();
      expect([starts(), window.stateAt(4995), window.total]).toEqual([[0], 'loading', 5000]);
      clock.advance(79);
      await tick();
      expect(starts()).toEqual([0]);
      clock.advance(1);
      await rest;
      expect([starts(), ids(window, 4990, 4992)]).toEqual([
        [0, 4990],
        [4991, 4992],
      ]);
    });

    test('asks for the first place, and for rows that touch those on show, at once', async () => {
      const { window, clock } = openAtRest();
      await window.show({ start: 50, end: 60 });
      await window.show({ start: 55, end: 65 });
      await window.show({ start: 65, end: 75 });
      await window.show({ start: 40, end: 65 });
      expect([starts(), clock.waiting]).toEqual([[50, 60, 70, 40], []]);
    });

    test('does not wait again for small scrolls behind a jump, and asks for the last range', async () => {
      const { window, clock } = openAtRest();
      await window.show({ start: 0, end: 10 });
      void window.show({ start: 50, end: 60 });
      clock.advance(60);
      const last = window.show({ start: 52, end: 60 });
      await tick();
      expect(starts()).toEqual([0]);
      clock.advance(20);
      await last;
      expect(starts()).toEqual([0, 50]);
    });

    test('shows a place that is loaded without waiting, and aborts requests that nobody needs', async () => {
      const { window, clock } = openAtRest();
      await window.show({ start: 0, end: 10 });
      const { request, answer } = server.hold();
      void window.show({ start: 10, end: 20 });
      await request;
      await window.show({ start: 0, end: 5 });
      const jump = window.show({ start: 80, end: 90 });
      await window.show({ start: 0, end: 5 });
      await jump;
      answer(page(rows(11)));
      clock.advance(200);
      await tick();
      expect(starts()).toEqual([0, 10]);
    });

    test('loads a new query for the place at rest only, and ends with the window', async () => {
      const { window, store, clock } = openAtRest();
      await window.show({ start: 0, end: 10 });
      const shownThere = window.show({ start: 50, end: 60 });
      store.sort('id', 'DESC');
      await tick();
      expect(starts()).toEqual([0]);
      clock.advance(80);
      await shownThere;
      expect([starts(), ids(window, 50, 52)]).toEqual([
        [0, 50],
        [50, 49],
      ]);
      const left = window.show({ start: 0, end: 5 });
      window.dispose();
      await expect(left).rejects.toBeInstanceOf(AbortError);
      expect(clock.waiting).toEqual([]);
    });
  });

  describe('prefetch', () => {
    test('asks for no further page while the rows ahead are loaded', async () => {
      const { window } = open({ prefetch: 3 });
      await window.show({ start: 0, end: 5 });
      await window.show({ start: 2, end: 7 });
      await tick();
      expect(starts()).toEqual([0]);
      await window.show({ start: 3, end: 8 });
      await poll(starts).toEqual([0, 10]);
      await window.show({ start: 12, end: 17 });
      await window.show({ start: 14, end: 18 });
      await poll(starts).toEqual([0, 10, 20]);
    });

    test('asks for the page before while the user scrolls back', async () => {
      const { window } = open({ prefetch: 3 });
      await window.show({ start: 54, end: 57 });
      await window.show({ start: 53, end: 56 });
      await tick();
      expect(starts()).toEqual([50]);
      await window.show({ start: 52, end: 55 });
      await poll(starts).toEqual([50, 40]);
    });

    test('loads the next block in the direction of scrolling, after the shown ones', async () => {
      const { window } = open({ prefetch: 10 });
      await window.show({ start: 40, end: 50 });
      await poll(() => states(window, 50, 70)).toBe('##########..........');
      await window.show({ start: 20, end: 30 });
      await poll(() => states(window, 0, 30)).toBe(`..........${'#'.repeat(20)}`);
      expect(starts()).toEqual([40, 50, 20, 10]);
    });

    test('does not load a block again that was shown meanwhile', async () => {
      const { window } = open({ prefetch: 10 });
      await window.show({ start: 0, end: 10 });
      await window.show({ start: 10, end: 20 });
      await poll(() => states(window, 0, 40)).toBe(`${'#'.repeat(30)}..........`);
      expect(starts()).toEqual([0, 10, 20]);
    });

    test('loads nothing beyond the ends of the collection', async () => {
      const { window } = open({ prefetch: 30 });
      await window.show({ start: 85, end: 95 });
      await window.show({ start: 5, end: 10 });
      await tick();
      expect(starts()).toEqual([80, 90, 0]);
    });

    test('rejects no promise when it fails, and is tried again by the next show()', async () => {
      const { window, errors } = open({ prefetch: 10 });
      server.reply(collection.answer, { status: 500 });
      await window.show({ start: 0, end: 10 });
      await poll(() => errors).toEqual(['http 10']);
      expect(states(window, 0, 20)).toBe('##########..........');
      await window.show({ start: 0, end: 9 });
      await poll(() => states(window, 0, 20)).toBe('#'.repeat(20));
    });
  });

  describe('keep', () => {
    test('drops the blocks farthest from the shown ones first', async () => {
      const { window, store } = open({ keep: 30 });
      for (const start of [0, 10, 20, 30]) await window.show({ start, end: start + 10 });
      expect(states(window, 0, 40)).toBe(`..........${'#'.repeat(30)}`);
      expect(store.getById(1)).toBeUndefined();
      await window.show({ start: 0, end: 10 });
      expect(states(window, 0, 40)).toBe(`${'#'.repeat(30)}..........`);
    });

    test('never drops shown and prefetched blocks', async () => {
      const { window } = open({ keep: 0, prefetch: 10 });
      await window.show({ start: 5, end: 25 });
      await poll(() => states(window, 0, 50)).toBe(`${'#'.repeat(40)}..........`);
      await tick();
      expect(starts().sort((a, b) => a - b)).toEqual([0, 10, 20, 30]);
    });

    test('does not drop an edited record from the store, which is the same object when its block is loaded again', async () => {
      const { window, store } = open({ keep: 10 });
      await window.show({ start: 0, end: 10 });
      const edited = window.getAt(3) as User;
      edited.name = 'edited';
      await window.show({ start: 50, end: 60 });
      expect([window.getAt(3), store.getById(4), store.pending.edited]).toEqual([undefined, edited, [edited]]);
      expect(store.getById(5)).toBeUndefined();
      await window.show({ start: 0, end: 10 });
      expect(window.getAt(3)).toBe(edited);
      expect([edited.name, edited.dirty]).toEqual(['edited', true]);
      await window.show({ start: 50, end: 60 });
      await store.sync();
      expect([collection.rows[3]?.name, store.getById(4)]).toEqual(['edited', undefined]);
    });
  });

  describe('the total of a window', () => {
    test('is unknown until a short page marks the end', async () => {
      collection = new ServerRows(34);
      collection.tellsTotal = false;
      server.always(collection.answer);
      const { window } = open();
      const seen: unknown[] = [];
      for (const start of [0, 10, 20, 30]) {
        await window.show({ start, end: start + 10 });
        seen.push([window.total, window.count]);
      }
      expect(seen).toEqual([
        [undefined, 20],
        [undefined, 30],
        [undefined, 40],
        [34, 34],
      ]);
      expect(ids(window, 30, 99)).toEqual([31, 32, 33, 34]);
    });

    test('is known when an empty page follows the last full one', async () => {
      collection = new ServerRows(20);
      collection.tellsTotal = false;
      server.always(collection.answer);
      const { window } = open({ prefetch: 10 });
      await window.show({ start: 0, end: 20 });
      expect([window.total, window.count]).toEqual([undefined, 30]);
      await poll(() => window.total).toBe(20);
      expect([window.count, states(window, 10, 30)]).toEqual([20, '##########..........']);
      await window.show({ start: 15, end: 30 });
      expect(starts()).toEqual([0, 10, 20]);
    });

    test('stays unknown after an empty page far behind the end', async () => {
      collection = new ServerRows(25);
      collection.tellsTotal = false;
      server.always(collection.answer);
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      const loaded = window.show({ start: 900, end: 910 });
      expect(window.count).toBe(920);
      await loaded;
      expect([window.total, window.count]).toEqual([undefined, 20]);
      await window.show({ start: 15, end: 30 });
      expect([window.total, starts()]).toEqual([25, [0, 900, 10, 20]]);
    });

    test('that came from a short page is unknown again after a longer one', async () => {
      collection = new ServerRows(15);
      collection.tellsTotal = false;
      server.always(collection.answer);
      const { window } = open({ keep: 0 });
      await window.show({ start: 10, end: 20 });
      expect(window.total).toBe(15);
      await window.show({ start: 0, end: 10 });
      collection.rows.push(...rowsFrom(16, 24));
      await window.show({ start: 10, end: 20 });
      expect([window.total, ids(window, 13, 20)]).toEqual([undefined, [14, 15, 16, 17, 18, 19, 20]]);
    });

    test('may shrink, and records behind the new end are dropped', async () => {
      const { window, store } = open();
      await window.show({ start: 80, end: 100 });
      collection.rows.length = 85;
      await window.show({ start: 70, end: 90 });
      expect([window.total, ids(window, 80, 100)]).toEqual([85, [81, 82, 83, 84, 85]]);
      expect(store.getById(90)).toBeUndefined();
    });

    test('may shrink to 0', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      collection.rows = [];
      await window.reload();
      expect([window.total, window.count, window.getAt(0)]).toEqual([0, 0, undefined]);
    });

    test('may grow', async () => {
      collection = new ServerRows(15);
      server.always(collection.answer);
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      collection.rows.push(...rows(16, 17, 18, 19, 20, 21, 22));
      await window.show({ start: 10, end: 30 });
      expect([window.total, window.count, states(window, 10, 30)]).toEqual([22, 22, `${'#'.repeat(12)}........`]);
    });

    test('is the number of rows if the server does not page', async () => {
      const { window } = open();
      server.reply(page(rows(...Array.from({ length: 37 }, (_, i) => i + 1))));
      await window.show({ start: 20, end: 30 });
      expect([window.total, ids(window, 0, 3), states(window, 0, 38)]).toEqual([37, [1, 2, 3], `${'#'.repeat(37)}.`]);
      expect(starts()).toEqual([20]);
    });
  });

  describe('records that move between requests', () => {
    test('are shown at their newest place, and their older place is loaded again', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      collection.rows.unshift({ id: 1000, name: 'first' });
      await window.show({ start: 0, end: 20 });
      expect(ids(window, 0, 20)).toEqual([1000, ...Array.from({ length: 19 }, (_, i) => i + 1)]);
      expect(starts()).toEqual([0, 10, 0]);
    });

    test('leave their older place missing if it is not shown', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      collection.rows.unshift({ id: 1000, name: 'first' });
      await window.show({ start: 10, end: 20 });
      expect([states(window, 0, 20), ids(window, 8, 12)]).toEqual(['#########.##########', [9, '-', 10, 11]]);
      await window.show({ start: 0, end: 10 });
      expect(ids(window, 0, 11)).toEqual([1000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    test('that move back and forth with every response are shown at one place, without endless requests', async () => {
      const { window } = open();
      // The server returns the row with id 10 in both blocks.
      server.always(({ query }) =>
        page(
          query.get('start') === '0'
            ? rows(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
            : rows(10, 12, 13, 14, 15, 16, 17, 18, 19, 20),
          20,
        ),
      );
      await window.show({ start: 0, end: 20 });
      const { length } = server.requests;
      await window.show({ start: 0, end: 19 });
      await tick();
      expect([length <= 6, server.requests.length]).toEqual([true, length]);
      expect(ids(window, 0, 20).filter((id) => id === 10)).toEqual([10]);
    });
  });

  describe('errors of a window', () => {
    test('make a failed block missing and emit `exception`; the block is loaded again when it is shown next', async () => {
      const { window, errors, changes } = open();
      server.reply({ status: 500 });
      await expect(window.show({ start: 0, end: 10 })).rejects.toBeInstanceOf(HttpError);
      await tick();
      expect([states(window, 0, 10), errors, starts()]).toEqual(['..........', ['http 0'], [0]]);
      expect(changes).toEqual(['0-20', '0-10']);
      await window.show({ start: 0, end: 10 });
      expect([states(window, 0, 10), errors, starts()]).toEqual(['##########', ['http 0'], [0, 0]]);
    });

    test('of one block do not keep the other blocks from loading', async () => {
      const { window } = open();
      server.always((request) => (request.query.get('start') === '10' ? { status: 500 } : collection.answer(request)));
      await expect(window.show({ start: 0, end: 30 })).rejects.toBeInstanceOf(HttpError);
      expect(states(window, 0, 30)).toBe('##########..........##########');
    });

    test('may be answered by showing the same range again in a listener', async () => {
      const { window } = open();
      server.reply({ status: 500 }, { status: 500 });
      let times = 0;
      window.on('exception', () => void (times++ < 2 && window.show({ start: 0, end: 10 })));
      await window.show({ start: 0, end: 10 });
      expect([times, states(window, 0, 10)]).toEqual([2, '##########']);
    });

    test('cause no unhandled rejection when no caller waits', async () => {
      const { window, errors } = open();
      server.reply({ status: 500 }, { status: 500 });
      void window.show({ start: 0, end: 10 });
      await poll(() => errors).toEqual(['http 0']);
      void window.reload();
      await poll(() => errors).toEqual(['http 0', 'http 0']);
    });
  });

  describe('another query of the store', () => {
    test('loads the shown blocks again, once for all changes of a tick, and keeps the old rows until then', async () => {
      const { window, store } = open();
      await window.show({ start: 0, end: 20 });
      await window.show({ start: 5, end: 10 });
      store.filter({ property: 'id', value: 2 });
      store.sort('id', 'DESC');
      expect(states(window, 0, 20)).toBe('~~~~~~~~~~..........');
      expect([ids(window, 0, 12), window.total]).toEqual([['-', '-', '-', '-', '-', 6, 7, 8, 9, 10, '-', '-'], 100]);
      await window.show({ start: 5, end: 10 });
      expect(starts().slice(2)).toEqual([0]);
      expect([ids(window, 0, 12), window.total]).toEqual([[100, 98, 96, 94, 92, 90, 88, 86, 84, 82, '-', '-'], 50]);
      expect(store.getById(6)).toBeUndefined();
    });

    test('aborts requests in flight', async () => {
      const { window, store } = open();
      const held = server.hold();
      const loaded = window.show({ start: 0, end: 10 });
      await held.request;
      store.sort('id', 'DESC');
      await loaded;
      held.answer(page(rows(1, 2, 3), 3));
      await tick();
      expect([ids(window, 0, 2), window.total]).toEqual([[100, 99], 100]);
    });

    test('with a delay aborts requests at once, keeps the old rows, and sends nothing until the delay ends', async () => {
      const clock = manualClock();
      const proxy = server.proxy('/users', { reader: { rootProperty: 'rows' }, clock });
      const { window, store } = open({}, { proxy });
      await window.show({ start: 0, end: 10 });
      const held = server.hold();
      void window.show({ start: 5, end: 15 });
      await held.request;
      store.filter({ property: 'id', value: 2 }, { delay: 300 });
      const loaded = window.show({ start: 5, end: 25 });
      held.answer(page(rowsFrom(11, 20), 100));
      await fetch(server.url, { method: 'HEAD' }); // Once this request is answered, all earlier ones have reached the server.
      await tick();
      expect([states(window, 0, 31), ids(window, 8, 12)]).toEqual([
        `${'#'.repeat(10)}${'~'.repeat(20)}.`,
        [9, 10, '-', '-'],
      ]);
      clock.advance(299);
      await tick();
      expect(starts()).toEqual([0, 10]);
      clock.advance(1);
      await loaded;
      expect([ids(window, 5, 25), window.total]).toEqual([Array.from({ length: 20 }, (_, i) => 12 + 2 * i), 50]);
      expect(server.requests.filter(({ method }) => method === 'GET').map(({ query }) => query.has('filter'))).toEqual([
        ...[false, false],
        ...[true, true, true],
      ]);
    });

    test('is sent at once when abort() ends its delay', async () => {
      const clock = manualClock();
      const proxy = server.proxy('/users', { reader: { rootProperty: 'rows' }, clock });
      const { window, store } = open({}, { proxy });
      await window.show({ start: 0, end: 10 });
      store.search('x', { delay: 300 });
      store.abort();
      await window.show({ start: 0, end: 10 });
      expect([clock.waiting, server.lines[1]]).toEqual([[], 'GET /users?page=1&start=0&limit=10&query=x']);
      store.search('y', { delay: 300 });
      const other = windowOf(store, { start: 0, end: 10 });
      clock.advance(300);
      await Promise.all([window, other].map((each) => each.show({ start: 0, end: 10 })));
      expect(server.requests.slice(2).map(({ query }) => query.get('query'))).toEqual(['y', 'y']);
    });

    test('with fewer rows leaves a range behind the new end empty', async () => {
      const { window, store } = open();
      await window.show({ start: 50, end: 60 });
      store.filter({ property: 'id', value: 30 });
      await window.show({ start: 50, end: 60 });
      expect([window.total, window.count, window.getAt(50)]).toEqual([3, 3, undefined]);
    });

    test('with more rows makes the window grow', async () => {
      const { window, store } = open({}, { filters: [{ property: 'id', value: 30 }] });
      await window.show({ start: 0, end: 20 });
      expect(window.total).toBe(3);
      store.filter([]);
      await window.show({ start: 0, end: 20 });
      expect([window.total, states(window, 0, 20)]).toEqual([100, '#'.repeat(20)]);
    });

    test('that fails keeps the old rows and marks them as missing', async () => {
      const { window, store, errors } = open();
      await window.show({ start: 0, end: 10 });
      server.reply({ status: 500 });
      store.sort('id', 'DESC');
      await poll(() => errors).toEqual(['http 0']);
      expect([ids(window, 0, 2), states(window, 0, 2)]).toEqual([[1, 2], '..']);
      await window.show({ start: 0, end: 10 });
      expect([ids(window, 0, 2), states(window, 0, 2)]).toEqual([[100, 99], '##']);
    });

    test('may be avoided with reload(), which loads the shown blocks again', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      collection.rows[0] = { id: 1, name: 'changed' };
      const record = window.getAt(0);
      await window.reload();
      expect([window.getAt(0), record?.name, starts()]).toEqual([record, 'changed', [0, 0]]);
    });

    test.each([
      [{ remoteSort: false, sorters: ['name' as const] }],
      [{ remoteFilter: false, filters: [{ property: 'name' as const, value: 'x' }] }],
      [{ filters: [{ filterFn: () => true }] }],
      [{ remoteSort: false, sorters: ['name' as const], allowPartial: true }],
    ])('that runs locally is refused when the window is created: %j', (more) => {
      expect(() => open({}, more)).toThrow(UnsupportedQueryError);
    });

    test('that runs locally is refused while a window exists', () => {
      const { window, store } = open({}, { remoteSort: false });
      expect(() => store.sort('name')).toThrow(UnsupportedQueryError);
      expect(store.query.sorters).toEqual([]);
      window.dispose();
      store.sort('name');
      expect(store.query.sorters).toHaveLength(1);
    });

    test.each([{ prefetch: -1 }, { settle: -1 }, { keep: Number.NaN }, { prefetch: Number.POSITIVE_INFINITY }])(
      'window options %j are refused',
      (config) => {
        expect(() => open(config)).toThrow(UnsupportedQueryError);
      },
    );

    test('a window of a store without pages is refused', () => {
      expect(() => open({}, { pageSize: 0 })).toThrow('pageSize');
    });
  });

  describe('records of a window', () => {
    test('belong to the store, but are not shown by it', async () => {
      const { window, store } = open();
      await store.load({ start: 0, limit: 3 });
      await window.show({ start: 0, end: 10 });
      expect(shown(store)).toEqual([1, 2, 3]);
      expect(window.getAt(0)).toBe(store.getAt(0));
      const record = store.getById(7) as User;
      expect(window.getAt(6)).toBe(record);
      record.name = 'edited';
      expect(store.pending.edited).toEqual([record]);
      await store.sync();
      expect([collection.rows[6]?.name, store.getById(7), shown(store)]).toEqual(['edited', record, [1, 2, 3]]);
      await store.load({ start: 20, limit: 3 });
      expect([store.getById(1), window.getAt(0)?.getId(), shown(store)]).toEqual([window.getAt(0), 1, [21, 22, 23]]);
    });

    test('are reported once per tick when they are edited', async () => {
      const { window, changes } = open();
      await window.show({ start: 0, end: 10 });
      changes.length = 0;
      const snapshot = window.list.get();
      (window.getAt(3) as User).name = 'a';
      (window.getAt(5) as User).name = 'b';
      await tick();
      expect(changes).toEqual(['3-6']);
      const now = window.list.get();
      expect(now).toBe(snapshot);
    });

    test('are not reported when a load brings them unchanged', async () => {
      const { window, store, changes } = open();
      await window.show({ start: 0, end: 10 });
      changes.length = 0;
      await store.load();
      expect(changes).toEqual([]);
    });

    test('disappear at once when they are removed, and those behind move up', async () => {
      const { window, store, changes } = open();
      await window.show({ start: 0, end: 10 });
      changes.length = 0;
      store.remove(window.getAt(2) as User);
      expect([ids(window, 0, 10), window.total, states(window, 7, 11)]).toEqual([
        [1, 2, 4, 5, 6, 7, 8, 9, 10, '-'],
        99,
        '##..',
      ]);
      await tick();
      expect(changes).toEqual(['2-100']);
      store.reject();
      expect([ids(window, 0, 10), window.total]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 100]);
    });

    test('that are erased leave no gap: rows that become missing are loaded', async () => {
      const { window, store } = open();
      await window.show({ start: 0, end: 10 });
      store.remove(window.getAt(2) as User, window.getAt(4) as User);
      await poll(() => ids(window, 0, 10)).toEqual([1, 2, 4, 6, 7, 8, 9, 10, 11, 12]);
      await store.sync();
      expect([window.total, collection.rows.length]).toEqual([98, 98]);
      await poll(() => ids(window, 0, 10)).toEqual([1, 2, 4, 6, 7, 8, 9, 10, 11, 12]);
      expect(states(window, 0, 10)).toBe('##########');
    });

    test('that are erased move up all records behind them, also those that are not shown', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 30 });
      await window.show({ start: 0, end: 10 });
      await window.getAt(2)?.erase();
      await poll(() => states(window, 0, 30)).toBe(`${'#'.repeat(29)}.`);
      expect([ids(window, 0, 4), ids(window, 9, 12), ids(window, 27, 30)]).toEqual([
        [1, 2, 4, 5],
        [11, 12, 13],
        [29, 30, '-'],
      ]);
      expect([window.total, starts()]).toEqual([99, [0, 10, 20]]);
    });

    test('that are erased at an unknown place make the window load all shown blocks again', async () => {
      const { window, store } = open();
      await store.load({ page: 2 });
      await window.show({ start: 0, end: 10 });
      await window.show({ start: 30, end: 40 });
      await store.getById(12)?.erase();
      expect([ids(window, 30, 32), states(window, 0, 40)]).toEqual([[31, 32], `${'.'.repeat(30)}${'~'.repeat(10)}`]);
      await window.show({ start: 30, end: 40 });
      expect([ids(window, 30, 32), window.total, starts()]).toEqual([[32, 33], 99, [10, 0, 30, 30]]);
    });

    test('do not include new ones before these are saved and loaded', async () => {
      const { window, store } = open();
      await window.show({ start: 90, end: 100 });
      const [added] = store.add({ name: 'new' });
      await tick();
      expect([window.total, window.list.get().slice().includes(added)]).toEqual([100, false]);
      await store.sync();
      await window.reload();
      await window.show({ start: 95, end: 101 });
      expect([window.total, window.getAt(100)]).toEqual([101, added]);
    });

    test('are shown at their old place again when their erase fails', async () => {
      const { window, store } = open();
      await window.show({ start: 0, end: 10 });
      store.remove(window.getAt(2) as User);
      server.always((request) => (request.method === 'DELETE' ? { status: 500 } : collection.answer(request)));
      await store.sync();
      expect([ids(window, 0, 4), window.total, window.getAt(2)?.$.error?.code]).toEqual([[1, 2, 3, 4], 100, 'http']);
    });

    test('are loaded again when the store drops them', async () => {
      const { window, store } = open();
      await window.show({ start: 0, end: 10 });
      const record = window.getAt(2) as User;
      store.remove(record);
      await tick();
      store.commit();
      await poll(() => states(window, 0, 10)).toBe('##########');
      expect([ids(window, 0, 4), window.getAt(2) === record]).toEqual([[1, 2, 3, 4], false]);
    });

    test('keep their saved values when an older response arrives', async () => {
      const { window, store } = open({ keep: 10 });
      await window.show({ start: 0, end: 10 });
      const record = window.getAt(3) as User;
      record.name = 'edited';
      await window.show({ start: 50, end: 60 });
      const old = { ...collection.rows[3] } as { id: number; name: string };
      const held = server.hold();
      const loaded = window.show({ start: 0, end: 10 });
      const request = await held.request;
      await store.sync();
      const answer = collection.answer(request).json as { rows: object[] };
      answer.rows[3] = old;
      held.answer({ json: answer });
      await loaded;
      expect([window.getAt(3), window.getAt(3)?.name]).toEqual([record, 'edited']);
    });

    test('that are erased are not shown again by an older response, which is requested again', async () => {
      const { window, store } = open();
      await window.show({ start: 0, end: 10 });
      const held = server.hold();
      const loaded = window.show({ start: 10, end: 20 });
      const before = collection.answer(await held.request);
      await store.getById(1)?.erase();
      held.answer(before);
      await loaded;
      expect([window.total, ids(window, 10, 20)]).toEqual([99, [12, 13, 14, 15, 16, 17, 18, 19, 20, 21]]);
    });

    test('are shared by windows, and each window drops them separately', async () => {
      const { window, store } = open();
      const other = windowOf(store, { start: 5, end: 10, prefetch: 0 });
      await Promise.all([window.show({ start: 0, end: 10 }), other.show({ start: 5, end: 10 })]);
      const record = window.getAt(7);
      expect(other.getAt(7)).toBe(record);
      window.dispose();
      expect([store.getById(8), other.getAt(7)]).toEqual([record, record]);
      other.dispose();
      expect(store.getById(8)).toBeUndefined();
    });
  });

  describe('a snapshot of a window', () => {
    test('does not change later', async () => {
      const { window } = open();
      await window.show({ start: 0, end: 10 });
      const snapshot = window.list.get();
      collection.rows.length = 5;
      await window.reload();
      expect([
        snapshot.total,
        snapshot.count,
        snapshot.at(9)?.name,
        snapshot.stateAt(9),
        snapshot.slice(8, 10).length,
      ]).toEqual([100, 100, 'n10', 'loaded', 2]);
      expect([
        window.total,
        window.getAt(9),
        window.list.get().slice().length,
        window.list.get().slice(-3, 99).length,
      ]).toEqual([5, undefined, 5, 5]);
    });
  });

  test('a filter function that throws while rows arrive makes only its view throw, not the window', async () => {
    const { window, store } = open({ keep: 0 });
    let breaks = false;
    const view = viewOf(store, {
      filters: [
        {
          filterFn: () => {
            if (breaks) throw new Error('broken');
            return true;
          },
        },
      ],
    });
    await store.load();
    expect(view.count).toBe(10);
    breaks = true;
    for (const row of collection.rows) row.name += '!';
    await window.show({ start: 0, end: 10 });
    expect(() => view.count).toThrow('broken');
    breaks = false;
    expect([view.count, view.getAt(0)?.name]).toEqual([10, window.getAt(0)?.name]);
    await window.show({ start: 50, end: 60 });
    await store.load({ page: 9 });
    expect([store.getById(1), ids(window, 50, 52)]).toEqual([undefined, [51, 52]]);
  });

  describe('dispose() of a window', () => {
    test('may be called in a listener', async () => {
      const { window } = open();
      window.on('change', () => window.dispose());
      await expect(window.show({ start: 0, end: 10 })).rejects.toBeInstanceOf(AbortError);
      expect(window.count).toBe(0);
    });

    test('aborts requests, rejects pending promises and drops the records', async () => {
      const { window, store, changes } = open();
      await window.show({ start: 0, end: 10 });
      const edited = window.getAt(0) as User;
      edited.name = 'edited';
      const held = server.hold();
      const loaded = window.show({ start: 20, end: 30 });
      await held.request;
      changes.length = 0;
      window.dispose();
      window.dispose();
      await expect(loaded).rejects.toBeInstanceOf(AbortError);
      await expect(window.show({ start: 0, end: 10 })).rejects.toThrow('The window was disposed of');
      await expect(window.reload()).rejects.toBeInstanceOf(AbortError);
      held.answer(page(rows(1)));
      await tick();
      expect([window.count, window.total, window.getAt(0), changes]).toEqual([0, 0, undefined, []]);
      expect([store.getById(1), store.getById(2), server.requests.length]).toEqual([edited, undefined, 2]);
      store.sort('id');
      await tick();
      expect(server.requests.length).toBe(2);
    });
  });
});
