import fc from 'fast-check';
import { Model, type RecordWindow, Store, type WindowSnapshot, windowOf } from 'repose';
import { expect, test } from 'vitest';
import type { RecordSet } from '../../src/store/record-set.js';
import { manualClock } from '../helpers/manual-clock.js';
import { useRestServer } from '../helpers/use-rest-server.js';
import { ServerRows } from './server-rows.js';
import { tick } from './support.js';

const server = useRestServer();

class Item extends Model.define({
  name: 'item',
  fields: { id: 'int', name: 'string' },
  proxy: server.proxy('/items', { reader: { rootProperty: 'rows' } }),
}) {}

const SIZE = 4;
const index = fc.nat({ max: 30 });
/** The index of one of the windows. */
const windowIndex = fc.constantFrom(0, 0, 1);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('show'),
      at: index,
      count: fc.nat({ max: 9 }),
      wait: fc.boolean(),
      windowIndex,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('insert', 'delete'), at: index }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('edit', 'remove', 'remove'), at: index, windowIndex }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('sync', 'sync', 'reject', 'sort', 'later', 'fail', 'load', 'more', 'settle', 'add'),
    }),
  },
  fc.record({ kind: fc.constantFrom('reload', 'reopen'), windowIndex }),
);
interface Step {
  readonly kind: string;
  readonly at?: number;
  readonly count?: number;
  readonly wait?: boolean;
  readonly windowIndex?: number;
}

/** A window, and the rows that its listeners know from events. */
class Watched {
  readonly window: RecordWindow<Item>;
  range = { start: 0, end: 0 };
  private replica: WindowSnapshot<Item>;

  constructor(store: Store<Item>, keep: number) {
    this.window = windowOf(store, { keep, settle: 0 });
    this.replica = this.window.list.get();
    this.window.on('change', ({ from, to }) => this.checkChange(from, to));
  }

  show(range: { start: number; end: number }): Promise<void> {
    this.range = range;
    return this.window.show(range);
  }

  /** Waits until the window has no request in flight. */
  async quiet(): Promise<void> {
    const { loader } = this.window as unknown as { loader: { busy: boolean } };
    do await tick();
    while (loader.busy);
    await tick();
  }

  /** Checks that all differences are in the range of the event. */
  checkChange(from: number, to: number): void {
    const snapshot = this.window.list.get();
    const before = this.replica;
    for (let i = 0; i < Math.max(before.count, snapshot.count); i += 1) {
      if (i >= from && i < to) continue;
      expect([i, before.at(i), before.stateAt(i)]).toEqual([i, snapshot.at(i), snapshot.stateAt(i)]);
    }
    if (before.count !== snapshot.count) expect(to).toBe(Math.max(before.count, snapshot.count));
    this.replica = snapshot;
  }

  check(store: Store<Item>): void {
    const { window } = this;
    const snapshot = window.list.get();
    const all = snapshot.slice().filter((record) => record !== undefined);
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(all.map((record) => record.getId())).size).toBe(all.length);
    for (let i = 0; i < snapshot.count; i += 1) {
      expect([window.getAt(i), window.stateAt(i)]).toEqual([snapshot.at(i), snapshot.stateAt(i)]);
      if (snapshot.stateAt(i) === 'loaded') expect(snapshot.at(i)).toBeInstanceOf(Item);
    }
    for (const record of all) expect(store.getById(record.getId() as number)).toBe(record);
  }
}

/** A store with two windows, their expected state, and the steps applied to them. */
class Trial {
  readonly store: Store<Item>;
  readonly watched: [Watched, Watched];
  readonly collection = new ServerRows(30);
  readonly clock = manualClock();
  /** Edited names that are not saved yet. */
  readonly edits = new Map<Item, string>();
  readonly promises: Promise<unknown>[] = [];
  private next = 1000;

  constructor(
    readonly keep: number,
    tellsTotal: boolean,
    /** Whether the collection changes only by erases of this store. */
    private readonly still: boolean,
  ) {
    this.collection.tellsTotal = tellsTotal;
    server.reset();
    server.always(this.collection.answer);
    const proxy = server.proxy('/items', { reader: { rootProperty: 'rows' }, clock: this.clock });
    this.store = new Store({ model: Item, pageSize: SIZE, remoteSort: true, remoteFilter: true, proxy });
    this.watched = [new Watched(this.store, keep), new Watched(this.store, keep)];
  }

  get recordSet(): RecordSet<Item> {
    return (this.store as unknown as { recordSet: RecordSet<Item> }).recordSet;
  }

  async run({ kind, at = 0, count = 0, wait, windowIndex = 0 }: Step): Promise<void> {
    const { store, collection } = this;
    const watched = this.watched[windowIndex] as Watched;
    const { window } = watched;
    const record = window.getAt(at);
    if (this.still && ['insert', 'delete', 'add'].includes(kind)) return;
    if (kind === 'show') {
      const shown = watched.show({ start: at, end: at + count });
      this.promises.push(shown);
      if (wait) this.clock.advance(100);
      if (wait) await shown.catch(() => undefined);
    } else if (kind === 'insert') collection.rows.splice(at, 0, { id: this.next, name: `n${this.next++}` });
    else if (kind === 'delete') collection.rows.splice(at, 1);
    else if (kind === 'edit' && record) {
      record.name = `edited ${this.next++}`;
      this.edits.set(record, record.name);
    } else if (kind === 'remove' && record) store.remove(record);
    else if (kind === 'add') store.add({ name: `added ${this.next++}` });
    else if (kind === 'sync') {
      const { outcomes } = await store.sync();
      for (const { record: written, error } of outcomes) if (!error) this.edits.delete(written);
    } else if (kind === 'reject') {
      store.reject();
      this.edits.clear();
    } else if (kind === 'sort') store.sort('id', store.query.sorters[0]?.direction === 'ASC' ? 'DESC' : 'ASC');
    else if (kind === 'later') store.filter({ property: 'id', value: (this.next % 2) + 1 }, { delay: 100 });
    else if (kind === 'reload') this.promises.push(window.reload());
    else if (kind === 'reopen') {
      window.dispose();
      this.watched[windowIndex] = new Watched(store, this.keep);
    } else if (kind === 'fail') server.reply({ status: 500 });
    else if (kind === 'load') await store.load({ page: (this.next % 5) + 1 }).catch(() => undefined);
    else if (kind === 'more') await store.loadMore().catch(() => undefined);
    else if (kind === 'settle') await this.quiet();
  }

  /** Waits until no request is in flight. */
  async quiet(): Promise<void> {
    this.clock.advance(100);
    for (const each of this.watched) await each.quiet();
    for (const each of this.watched) await each.quiet();
  }

  check(): void {
    const { store, recordSet } = this;
    for (const each of this.watched) each.check(store);
    const updated = new Set(store.pending.edited);
    for (const [record, name] of this.edits) {
      expect(record.name).toBe(name);
      if (!recordSet.hidden(record)) expect([updated.has(record), store.getById(record.id)]).toEqual([true, record]);
    }
  }

  /** The ids that users should see. */
  private expected(test: (record: Item) => boolean = () => true): number[] {
    const { store, collection, recordSet } = this;
    const hidden = new Set([...recordSet.removed].filter(test).map((record) => record.id));
    return collection
      .find(store.query.sorters[0]?.direction, store.query.filters[0]?.value as number | undefined)
      .map(({ id }) => id)
      .filter((id) => !hidden.has(id));
  }

  /** No request is in flight. */
  checkQuiet(): void {
    const { recordSet } = this;
    let most = 0;
    for (const { window, range } of this.watched) {
      for (let i = 0; i < window.count; i += 1) expect(window.stateAt(i)).not.toBe('loading');
      // The shown blocks, and the prefetched one.
      const end = range.end + recordSet.removed.size;
      most += Math.max(this.keep, (Math.ceil(end / SIZE) - Math.floor(range.start / SIZE) + 1) * SIZE);
    }
    const pending = new Set([...recordSet.pendingRecords(), ...recordSet.removed]).size;
    expect(recordSet.offPage.size).toBeLessThanOrEqual(most + pending);
    expect(recordSet.erasing.size).toBe(0);
  }

  async end(): Promise<void> {
    const { collection, recordSet, watched } = this;
    await this.quiet();
    this.checkQuiet();
    const { length } = server.requests;
    await this.quiet();
    expect(server.requests.length).toBe(length);
    for (const each of watched) each.checkChange(0, 0);
    if (this.still) {
      for (const { window } of watched) {
        const { records } = window as unknown as { records: { has(record: Item): boolean } };
        // Windows that have loaded a removed record know its place.
        const expected = this.expected((record) => records.has(record));
        for (let i = 0; i < window.count; i += 1)
          if (window.stateAt(i) === 'loaded') expect([i, window.getAt(i)?.id]).toEqual([i, expected[i]]);
      }
    }
    // Every promise has settled.
    await Promise.allSettled(this.promises);
    server.reset();
    server.always(collection.answer);
    for (const { window, range } of watched) {
      await window.show(range);
      await window.reload();
    }
    this.check();
    await this.quiet();
    this.check();
    this.checkQuiet();
    const expected = this.expected();
    for (const { window, range } of watched) {
      const shown = window.list
        .get()
        .slice(range.start, range.end)
        .map((record) => record?.id);
      expect(shown).not.toContain(undefined);
      const first = recordSet.removed.size > 0 ? expected.indexOf(shown[0] as number) : range.start;
      expect(shown).toEqual(expected.slice(first, first + shown.length));
      if (recordSet.removed.size === 0 && collection.tellsTotal && range.end > range.start)
        expect(window.total).toBe(expected.length);
      window.dispose();
    }
    expect(recordSet.observers.having('keeps')).toEqual([]);
    // Only pending records are left.
    expect(
      [...recordSet.offPage].filter(
        (record) => !record.dirty && !record.phantom && !recordSet.hidden(record) && !record.$.error,
      ),
    ).toEqual([]);
  }
}

test('after any steps, no record is at two places, edits are kept, promises settle, and distant blocks are dropped', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 8, 20),
      fc.boolean(),
      fc.boolean(),
      fc.array(step, { minLength: 5, maxLength: 25 }),
      async (keep, tellsTotal, still, steps) => {
        const trial = new Trial(keep, tellsTotal, still);
        for (const each of steps) {
          await trial.run(each);
          trial.check();
        }
        await trial.end();
      },
    ),
    { numRuns: 100, ...(process.env.RUNS && { numRuns: Number(process.env.RUNS) }) },
  );
});
