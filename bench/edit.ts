import { type Edit, freshRows, randomEdits } from './data.js';
import { type Digest, measure, type Row, round } from './harness.js';
import { budgetOf, type Change, type Kit, type Live } from './kit.js';

/** Sets one value at a time, and reads after each how many records are shown. */
async function apply(live: Live, edits: readonly Edit[]): Promise<number> {
  let shown = 0;
  for (const { id, field, value } of edits) {
    const done = live.set(id, field, value);
    if (done) await done;
    shown += live.count;
  }
  return shown;
}

const check = (live: Live): Digest => live.digest();

/** `npm run bench -- edit`: edits while a sort and a filter are kept up to date. */
export async function edit(kits: readonly Kit[], quick: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  const patient = kits.some((kit) => kit.patient);
  for (const n of quick ? [500, 1_500] : [1_000, 10_000, 100_000, 1_000_000]) {
    // Only Repose is measured with a million records.
    if (n > 100_000 && !patient) continue;
    rows.push(...(await edits(kits, n, quick)));
    const last = rows.at(-1) as Row;
    const first = (subject: string) => rows.find((row) => row.subject === subject) as Row;
    if (last.n === first(last.subject).n) continue;
    const growth = (subject: string) => {
      const now = rows.findLast((row) => row.subject === subject && row.case === 'one edit') as Row;
      return now.value / first(subject).value;
    };
    for (const { name: subject } of kits) {
      const [value, ratio] = [round(growth(subject), 2), round(growth(subject) / growth('floor'), 3)];
      rows.push({
        workload: 'edit',
        case: `one edit, growth from n = ${(rows[0] as Row).n.toLocaleString('en')}`,
        n,
        subject,
        value,
        unit: '×',
        ratio,
      });
    }
    if (n === (quick ? 1_500 : 100_000)) rows.push(...(await rejects(kits, n, quick)));
  }
  for (const n of quick ? [500, 1_500] : [1_000, 100_000, 1_000_000]) {
    if (n <= 100_000 || patient) rows.push(...(await listenedEdits(kits, n, quick)));
  }
  return rows;
}

async function liveOf(kit: Kit, n: number): Promise<Live> {
  const table = await kit.hold(freshRows(n, 1));
  return (await table.live?.()) as Live;
}

/** Makes as many edits in a turn as the slowest library does in acceptable time, on views that stay. */
async function edits(kits: readonly Kit[], n: number, quick: boolean): Promise<Row[]> {
  const lives = new Map<Kit, Live>();
  let slowest = 0;
  for (const kit of kits) {
    const live = await liveOf(kit, n);
    lives.set(kit, live);
    // The first edits also build the view.
    await apply(live, randomEdits(n, 4, 0));
    const next = randomEdits(n, 4, 1_000);
    const start = performance.now();
    await apply(live, next);
    slowest = Math.max(slowest, (performance.now() - start) / 4);
  }
  const time = quick ? 10 : kits.some(({ patient }) => patient) ? 2_500 : 1_000;
  const count = Math.min(quick ? 200 : 4_000, Math.max(3, Math.floor(time / slowest)));
  const subjects = kits.map((kit) => ({
    name: kit.name,
    prepare: (turn: number) => ({ live: lives.get(kit) as Live, edits: randomEdits(n, count, 1 + turn) }),
  }));
  return measure({
    workload: 'edit',
    n,
    unit: 'µs each',
    per: count,
    warmUp: quick ? 1 : 3,
    runs: quick ? 2 : 9,
    budget: budgetOf(kits, quick),
    subjects,
    steps: [
      {
        case: 'one edit',
        run: ({ live, edits }) => apply(live, edits),
        check: ({ live }) => check(live),
      },
    ],
  });
}

/** A view with a listener that keeps count, as a grid that applies the splices to its rows does. */
class Listened {
  private readonly counted = { count: 0, updated: 0 };

  constructor(private readonly live: Live) {
    this.counted.count = live.count;
    live.listen?.((change) => this.note(change));
  }

  /** Sets some values in each tick. */
  async apply(edits: readonly Edit[], perTick: number): Promise<number> {
    for (let at = 0; at < edits.length; at += perTick) {
      for (const { id, field, value } of edits.slice(at, at + perTick)) void this.live.set(id, field, value);
      // The listener is called at the end of the tick.
      await undefined;
    }
    return this.counted.updated;
  }

  digest(): Digest {
    const { live, counted } = this;
    if (counted.count !== live.count)
      throw new Error(`The events lead to ${counted.count} records, not to ${live.count}`);
    return live.digest();
  }

  private note({ splices, updated }: Change): void {
    for (const { remove, records } of splices) this.counted.count += records.length - remove;
    for (const _ of updated) this.counted.updated += 1;
  }
}

/** Edits of a view that is listened to, with one edit in a tick and with many. */
async function listenedEdits(kits: readonly Kit[], n: number, quick: boolean): Promise<Row[]> {
  const views = new Map<Kit, Listened>();
  for (const kit of kits) {
    const live = await liveOf(kit, n);
    if (!live.listen) return [];
    views.set(kit, new Listened(live));
  }
  const rows: Row[] = [];
  for (const perTick of [1, quick ? 64 : 256]) {
    const count = quick ? 128 : n > 100_000 ? 512 : 2_048;
    const subjects = kits.map((kit) => ({
      name: kit.name,
      prepare: (turn: number) => ({ view: views.get(kit) as Listened, edits: randomEdits(n, count, 1 + turn) }),
    }));
    const found = await measure({
      workload: 'edit',
      n,
      unit: 'µs each',
      per: count,
      warmUp: quick ? 1 : 3,
      runs: quick ? 2 : 9,
      budget: budgetOf(kits, quick),
      subjects,
      steps: [
        {
          case:
            perTick === 1
              ? 'one edit in a tick, with a listener'
              : `one of ${perTick} edits in a tick, with a listener`,
          run: ({ view, edits }) => view.apply(edits, perTick),
          check: ({ view }) => view.digest(),
        },
      ],
    });
    rows.push(...found);
  }
  return rows;
}

/** Rejects a thousand edits. */
async function rejects(kits: readonly Kit[], n: number, quick: boolean): Promise<Row[]> {
  const lives = new Map<Kit, Live>();
  for (const kit of kits) lives.set(kit, await liveOf(kit, n));
  if ([...lives.values()].some((live) => !live.reject)) return [];
  const subjects = kits.map((kit) => ({
    name: kit.name,
    prepare(turn: number) {
      const live = lives.get(kit) as Live;
      for (const { id, field, value } of randomEdits(n, 1_000, turn)) void live.set(id, field, value);
      return live;
    },
  }));
  const run = (live: Live) => {
    live.reject?.();
    return live.count;
  };
  const steps = [{ case: 'reject of 1,000 edits', before: (live: Live) => live.count, run, check }];
  const budget = budgetOf(kits, quick);
  return measure({
    workload: 'edit',
    n,
    unit: 'ms',
    warmUp: quick ? 1 : 5,
    runs: quick ? 2 : 11,
    budget,
    subjects,
    steps,
  });
}
