import { DEPARTMENTS, freshRows, orderOf } from './data.js';
import { type Digest, measure, type Row, type Step } from './harness.js';
import { budgetOf, type Found, type Kit, type SortKey, type Table } from './kit.js';

const one: readonly SortKey[] = [{ property: 'name' }];
const three: readonly SortKey[] = [
  { property: 'department' },
  { property: 'age', descending: true },
  { property: 'email' },
];

const check = (_table: Table, { count, id }: Found): Digest => ({ count, order: orderOf(count, id) });

/** Sorts by keys for the first time, then by the same keys again, after another order was shown in between. */
const sorting = (keys: readonly SortKey[], name: string): Step<Table>[] => {
  const step = {
    can: (table: Table) => table.sort !== undefined,
    run: (table: Table) => table.sort?.(keys),
    check,
  };
  return [
    { ...step, case: `sort by ${name}` },
    { ...step, case: `sort by ${name}, again`, before: (table) => table.unsort?.() },
  ];
};

/** Filters several times, each time by other values: one filter takes too little time to be measured. */
const series = (filter: (table: Table, at: number) => Found): ((table: Table) => number[]) => {
  return (table) => DEPARTMENTS.map((_, at) => filter(table, at).count);
};
const counts = (_table: Table, found: readonly number[]): Digest => ({ counts: found.join() });

const filtering: Step<Table>[] = [
  {
    case: `${DEPARTMENTS.length} filters by a property`,
    can: (table) => table.filter !== undefined,
    run: series((table, at) => table.filter?.(DEPARTMENTS[at] as string) as Found),
    check: counts,
  },
  {
    case: `${DEPARTMENTS.length} filters by a predicate`,
    can: (table) => table.filterBy !== undefined,
    before: (table) => table.unfilter?.(),
    run: series((table, at) => table.filterBy?.(25 + at, 90_000 - 3_000 * at) as Found),
    check: counts,
  },
];

/** The sums by department, then by age. */
const grouping: Step<Table>[] = [
  {
    case: 'group and sum, twice',
    can: (table) => table.sums !== undefined,
    run: (table) => [table.sums?.('department'), table.sums?.('age')],
    check: (_table, found: readonly ReadonlyMap<unknown, number>[]) => ({
      sums: found.map((sums) => [...sums].map(([key, sum]) => `${key} ${Math.round(sum)}`).sort()).join(),
    }),
  },
];

/** `npm run bench -- query`: sorts, filters and sums of loaded records. */
export async function query(kits: readonly Kit[], quick: boolean): Promise<Row[]> {
  const n = quick ? 1_000 : 100_000;
  const rows: Row[] = [];
  for (const steps of [sorting(one, 'one key'), sorting(three, 'three keys'), filtering, grouping]) {
    const subjects = kits.map((kit) => ({
      name: kit.name,
      prepare: (turn: number) => kit.hold(freshRows(n, turn)),
      close: (table: Table) => table.close?.(),
    }));
    const budget = budgetOf(kits, quick);
    rows.push(
      ...(await measure({
        workload: 'query',
        n,
        unit: 'ms',
        warmUp: quick ? 1 : 3,
        runs: quick ? 2 : 11,
        budget,
        subjects,
        steps,
      })),
    );
  }
  return rows;
}
