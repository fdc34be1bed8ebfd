import fc from 'fast-check';
import { Model, type RecordWindow, Store, type WindowSnapshot } from 'repose';
import { expect, test } from 'vitest';
import type { Contents } from '../../src/store/contents.js';
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
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('show'), at: index, count: fc.nat({ max: 9 }), wait: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('insert', 'delete'), at: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('edit', 'remove'), at: index }) },
  fc.record({ kind: fc.constantFrom('sync', 'reject', 'sort', 'reload', 'fail', 'load', 'settle', 'clear') }),
);
interface Step {
  readonly kind: string;
  readonly at?: number;
  readonly count?: number;
  readonly wait?: boolean;
}

/** A window, what it must be like, and what is done to it. */
class Trial {
  readonly store: Store<Item>;
  readonly window: RecordWindow<Item>;
  readonly collection = new ServerRows(30);
  /** Names that were edited in and not written yet. */
  readonly edits = new Map<Item, string>();
  readonly promises: Promise<unknown>[] = [];
  range = { start: 0, end: 0 };
  private next = 1000;
  private replica: WindowSnapshot<Item>;
  private touched: [number, number] = [Number.POSITIVE_INFINITY, 0];

  constructor(
    readonly keep: number,
    tellsTotal: boolean,
  ) {
    this.collection.tellsTotal = tellsTotal;
    server.reset();
    server.always(this.collection.answer);
    this.store = new Store({ model: Item, pageSize: SIZE, remoteSort: true, remoteFilter: true });
    this.window = this.store.window({ keep });
    this.replica = this.window.snapshot;
    this.window.on('change', ({ from, to, version }) => {
      expect(version).toBe(this.window.snapshot.version);
      this.touched = [from, to];
      this.checkEvent();
    });
  }

  get contents(): Contents<Item> {
    return (this.store as unknown as { contents: Contents<Item> }).contents;
  }

  async run({ kind, at = 0, count = 0, wait }: Step): Promise<void> {
    const { store, window, collection } = this;
    const record = window.getAt(at);
    if (kind === 'show') {
      this.range = { start: at, end: at + count };
      const shown = window.show(this.range);
      this.promises.push(shown);
      if (wait) await shown.catch(() => undefined);
    } else if (kind === 'insert') collection.rows.splice(at, 0, { id: this.next, name: `n${this.next++}` });
    else if (kind === 'delete') collection.rows.splice(at, 1);
    else if (kind === 'edit' && record) {
      record.name = `edited ${this.next++}`;
      this.edits.set(record, record.name);
    } else if (kind === 'remove' && record) store.remove(record);
    else if (kind === 'sync') {
      const { outcomes } = await store.sync();
      for (const { record: written, error } of outcomes) if (!error) this.edits.delete(written);
    } else if (kind === 'reject' || kind === 'clear') {
      if (kind === 'reject') store.rejectChanges();
      else store.clearPending();
      this.edits.clear();
    } else if (kind === 'sort') store.sort('id', store.sorters[0]?.direction === 'ASC' ? 'DESC' : 'ASC');
    else if (kind === 'reload') this.promises.push(window.reload());
    else if (kind === 'fail') server.reply({ status: 500 });
    else if (kind === 'load') await store.load({ page: (this.next % 5) + 1 }).catch(() => undefined);
    else if (kind === 'settle') await this.quiet();
  }

  /** Waits until the window asks for nothing. */
  async quiet(): Promise<void> {
    const { loader } = this.window as unknown as { loader: { busy: boolean } };
    do await tick();
    while (loader.busy);
    await tick();
  }

  check(): void {
    const { window, store } = this;
    const { snapshot } = window;
    const all = snapshot.slice().filter((record) => record !== undefined);
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(all.map((record) => record.getId())).size).toBe(all.length);
    for (let i = 0; i < snapshot.count; i += 1) {
      expect([window.getAt(i), window.stateAt(i)]).toEqual([snapshot.at(i), snapshot.stateAt(i)]);
      if (snapshot.stateAt(i) === 'loaded') expect(snapshot.at(i)).toBeInstanceOf(Item);
    }
    for (const record of all) expect(store.getById(record.getId() as number)).toBe(record);
    const updated = new Set(store.getUpdatedRecords());
    for (const [record, name] of this.edits) {
      expect(record.name).toBe(name);
      if (!this.contents.hidden(record))
        expect([updated.has(record), store.getById(record.id)]).toEqual([true, record]);
    }
  }

  /** Nothing is under way. */
  checkQuiet(): void {
    const { window, contents } = this;
    for (let i = 0; i < window.count; i += 1) expect(window.stateAt(i)).not.toBe('loading');
    const { start, end } = this.range;
    // The blocks on show, and the one ahead.
    const shown = (Math.ceil((end + contents.removed.size) / SIZE) - Math.floor(start / SIZE) + 1) * SIZE;
    const pending = new Set([...contents.touched(), ...contents.removed]).size;
    expect(contents.all().length - contents.count).toBeLessThanOrEqual(Math.max(this.keep, shown) + pending);
    expect(contents.erasing.size).toBe(0);
  }

  /** What is different lies where the event says. */
  private checkEvent(): void {
    const { snapshot } = this.window;
    const [from, to] = this.touched;
    const before = this.replica;
    for (let i = 0; i < Math.max(before.count, snapshot.count); i += 1) {
      if (i >= from && i < to) continue;
      expect([i, before.at(i), before.stateAt(i)]).toEqual([i, snapshot.at(i), snapshot.stateAt(i)]);
    }
    if (before.count !== snapshot.count) expect(to).toBe(Math.max(before.count, snapshot.count));
    this.replica = snapshot;
  }

  async end(): Promise<void> {
    const { window, store, collection, contents } = this;
    await this.quiet();
    this.checkQuiet();
    const { length } = server.requests;
    await this.quiet();
    expect(server.requests.length).toBe(length);
    this.touched = [0, 0];
    this.checkEvent();
    // Every promise has settled.
    await Promise.allSettled(this.promises);
    server.reset();
    server.always(collection.answer);
    await window.show(this.range);
    await window.reload();
    this.check();
    await this.quiet();
    this.check();
    this.checkQuiet();
    const hidden = new Set([...contents.removed].map((record) => record.id));
    const direction = store.sorters[0]?.direction;
    const rows = direction
      ? [...collection.rows].sort((a, b) => (a.id - b.id) * (direction === 'ASC' ? 1 : -1))
      : collection.rows;
    const expected = rows.map(({ id }) => id).filter((id) => !hidden.has(id));
    const shown = window.snapshot.slice(this.range.start, this.range.end).map((record) => record?.id);
    expect(shown).not.toContain(undefined);
    const first = hidden.size > 0 ? expected.indexOf(shown[0] as number) : this.range.start;
    expect(shown).toEqual(expected.slice(first, first + shown.length));
    if (hidden.size === 0 && collection.tellsTotal && this.range.end > this.range.start)
      expect(window.total).toBe(expected.length);
    window.dispose();
    expect(contents.pins.size).toBe(0);
    // Only what is pending is left.
    expect([...contents.away].filter((record) => !record.dirty && !contents.hidden(record) && !record.$.error)).toEqual(
      [],
    );
  }
}

test('whatever happens, no record is at two places, edits stay, promises settle, and what is far is let go', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 8, 20),
      fc.boolean(),
      fc.array(step, { maxLength: 20 }),
      async (keep, tellsTotal, steps) => {
        const trial = new Trial(keep, tellsTotal);
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
