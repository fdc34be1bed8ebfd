import fc from 'fast-check';
import type { StoreEvents } from 'repose';
import { differenceOf } from 'repose';
import { expect, test } from 'vitest';
import { type Item, type Mode, Oracle, type Step, type Values } from './oracle.js';
import { tick } from './support.js';

const index = fc.nat({ max: 11 });
const values: fc.Arbitrary<Values> = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), rank: fc.nat({ max: 3 }) });
const some = fc.oneof(
  values,
  values.map(({ name }) => ({ name })),
  values.map(({ rank }) => ({ rank })),
);

const change: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), at: index, values: some }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('add' as const), values }) },
  fc.record({ do: fc.constant('insert' as const), at: index, values }),
  fc.record({ do: fc.constant('move' as const), from: index, at: index }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), at: index }) },
  fc.record({ do: fc.constant('restore' as const), at: index }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: change },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('sort' as const),
      by: fc.constantFrom('name' as const, 'rank' as const),
      down: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('filter' as const), least: fc.nat({ max: 3 }) }),
  fc.record({
    do: fc.constantFrom('clearFilter' as const, 'reject' as const, 'commit' as const),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('load' as const),
      page: fc.integer({ min: 1, max: 3 }),
      meanwhile: fc.array(change, { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('sync' as const, 'tick' as const) }) },
);
const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 12 }), values), {
  maxLength: 8,
  selector: ([id]) => id,
});

/** The records that a listener knows from changes alone; checks that each change is complete and exact. */
class Replica {
  shown: Set<Item>;
  private order: readonly Item[];
  private texts: Map<Item, string>;
  private version = 0;
  /** Errors of the checks in the listener, which would reject no promise there. */
  private failure: unknown;

  constructor(private readonly oracle: Oracle) {
    this.order = oracle.store.list.get().slice();
    this.shown = new Set(this.order);
    this.texts = textsOf(this.order);
    oracle.store.on('change', (event) => {
      try {
        this.apply(event);
      } catch (error) {
        this.failure ??= error;
      }
    });
  }

  check(): void {
    if (this.failure) throw this.failure;
  }

  private apply(change: StoreEvents<Item>['change']): void {
    const { store } = this.oracle;
    const { added, removed, moved } = differenceOf(change);
    const { updated, version } = change;
    expect(added.length + removed.length + moved.length + updated.length).toBeGreaterThan(0);
    for (const record of added) expect(this.shown.has(record)).toBe(false);
    for (const record of [...removed, ...moved, ...updated]) expect(this.shown.has(record)).toBe(true);
    for (const record of removed) this.shown.delete(record);
    for (const record of [...moved, ...updated]) expect(this.shown.has(record)).toBe(true);
    for (const record of added) this.shown.add(record);
    expect(version).toBeGreaterThan(this.version);
    this.version = version;
    const now = store.list.get().slice();
    const stayed = (records: readonly Item[], without: readonly Item[]) =>
      records.filter((record) => !without.includes(record) && !moved.includes(record));
    // All records but the moved ones keep their order.
    expect(stayed(now, added)).toEqual(stayed(this.order, removed));
    const texts = textsOf(now);
    const changed = now.filter((record) => this.texts.has(record) && this.texts.get(record) !== texts.get(record));
    for (const record of changed) expect(updated).toContain(record);
    this.order = now;
    this.texts = texts;
  }
}

function textsOf(records: readonly Item[]): Map<Item, string> {
  return new Map(records.map((record) => [record, JSON.stringify([record, record.phantom, record.dirty])]));
}

/** Compares a store with its expected state; `seen` are all records that it ever held. */
function checkState(oracle: Oracle, seen: Set<Item>): void {
  const { store } = oracle;
  const view = oracle.view();
  expect([...store]).toEqual(view);
  // The records must be the same objects, not only equal ones.
  expect(view.every((record, i) => store.getAt(i) === record)).toBe(true);
  expect([store.count, store.list.get().slice()]).toEqual([view.length, view]);
  const known = new Set<Item>();
  for (const [record, { name, rank }] of oracle.expected()) {
    expect([record.name, record.rank]).toEqual([name, rank]);
    known.add(record);
    seen.add(record);
  }
  const [created, updated, removed] = oracle.pending();
  const pending = [store.pending.created, store.pending.edited, store.pending.removed];
  expect(pending.map((records) => new Set(records))).toEqual([created, updated, removed]);
  expect(pending.map((records) => records.length)).toEqual([created.size, updated.size, removed.size]);
  // A record that is neither shown nor pending must be forgotten.
  for (const record of seen) {
    const found = store.getById(record.getId() as number) === record;
    expect(found).toBe(known.has(record) && !removed.has(record));
  }
}

const modes: [string, Mode][] = [
  ['everything here, sorted and filtered here', { remote: false, holdEdited: false }],
  ['everything here, edited records held in place', { remote: false, holdEdited: true }],
  ['pages of a server that sorts and filters', { remote: true, holdEdited: false }],
];

test.each(modes)(
  '%s: after any steps, the shown records equal those computed from scratch, and events report every change',
  async (_, mode) => {
    await fc.assert(
      fc.asyncProperty(rows, fc.array(step, { maxLength: 25 }), async (data, steps) => {
        const oracle = new Oracle(
          mode,
          data.map(([id, each]) => ({ id, ...each })),
        );
        const replica = new Replica(oracle);
        const seen = new Set<Item>();
        for (const each of steps) {
          await oracle.run(each);
          checkState(oracle, seen);
          replica.check();
        }
        await tick();
        replica.check();
        expect(replica.shown).toEqual(new Set(oracle.view()));
      }),
      { numRuns: 150 },
    );
  },
);
