import { MemoryProxy, Model, Store } from 'repose';
import { tick } from './support.js';

export class Item extends Model.define({
  name: 'item',
  fields: { id: 'int', name: 'string', rank: 'int' },
  proxy: { type: MemoryProxy },
}) {}

export interface Values {
  name: string;
  rank: number;
}

interface Row extends Values {
  readonly id: number;
}

/** The configuration of a store in property tests. */
export interface Mode {
  /** Pages, sorted and filtered by the server; otherwise everything, sorted and filtered here. */
  readonly remote: boolean;
  readonly holdEdited: boolean;
}

/** One step of a property test; numbers choose among the records present. */
export type Step =
  | { do: 'edit'; at: number; values: Partial<Values> }
  | { do: 'add'; values: Values }
  | { do: 'insert'; at: number; values: Values }
  | { do: 'move'; from: number; at: number }
  | { do: 'remove'; at: number }
  | { do: 'restore'; at: number }
  | { do: 'sort'; by: keyof Values; down: boolean }
  | { do: 'filter'; least: number }
  | { do: 'clearFilter' }
  | { do: 'load'; page: number; meanwhile: readonly Step[] }
  | { do: 'sync' }
  | { do: 'reject' }
  | { do: 'commit' }
  | { do: 'tick' };

interface Entry {
  readonly record: Item;
  base: Values;
  edits: Partial<Values>;
  phantom: boolean;
  removed: boolean;
}

const PAGE = 3;

/** A store, and beside it the state that it should have, kept without code of the store. */
export class Oracle {
  readonly store: Store<Item>;
  private readonly server: MemoryProxy;
  private placed: Entry[] = [];
  private away: Entry[] = [];
  private order: { by: keyof Values; down: boolean } | undefined;
  private least: number | undefined;
  private page = 1;
  private hasLoaded = false;

  constructor(
    private readonly mode: Mode,
    rows: readonly Row[],
  ) {
    this.server = new MemoryProxy({ data: rows });
    const { remote, holdEdited } = mode;
    const paging = remote ? { pageSize: PAGE, remoteSort: true, remoteFilter: true } : { pageSize: 0 };
    this.store = new Store({ model: Item, proxy: this.server, holdEdited, ...paging });
  }

  /** The records that should be shown, computed from scratch. */
  view(): Item[] {
    return this.shown().map(({ record }) => record);
  }

  /** The values that a record should have. */
  expected(): [Item, Values][] {
    return [...this.placed, ...this.away].map((entry) => [entry.record, current(entry)]);
  }

  /** The records that should be pending, whether shown or not. */
  pending(): [created: Set<Item>, updated: Set<Item>, removed: Set<Item>] {
    const all = [...this.placed, ...this.away];
    const pick = (test: (entry: Entry) => boolean) => new Set(all.filter(test).map(({ record }) => record));
    return [
      pick((entry) => entry.phantom),
      pick((entry) => !entry.phantom && !entry.removed && isDirty(entry)),
      pick((entry) => entry.removed),
    ];
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'tick':
        return tick();
      case 'load':
        return this.load(step.page, step.meanwhile);
      case 'sync':
        return this.sync();
      case 'sort':
      case 'filter':
      case 'clearFilter':
        return this.query(step);
      default:
        return this.change(step);
    }
  }

  /** Steps that end synchronously. */
  private change(step: Step): void {
    const { store } = this;
    const shown = this.shown();
    const chosen = (at: number): Entry | undefined => shown[at % Math.max(1, shown.length)];
    if (step.do === 'edit') {
      const entry = chosen(step.at);
      if (!entry) return;
      entry.record.set(step.values);
      entry.edits = { ...entry.edits, ...step.values };
      settle(entry);
    } else if (step.do === 'add') {
      const [record] = store.add(step.values) as [Item];
      this.placed.push(entryOf(record, step.values, true));
    } else if (step.do === 'insert') {
      const before = chosen(step.at);
      const [record] = store.insert(before ? shown.indexOf(before) : 0, step.values) as [Item];
      this.place(entryOf(record, step.values, true), before);
    } else if (step.do === 'move') {
      const [entry, before] = [chosen(step.from), chosen(step.at)];
      if (!entry || !before) return;
      store.insert(shown.indexOf(before), entry.record);
      if (entry !== before) this.place(entry, before);
    } else if (step.do === 'remove') {
      const entry = chosen(step.at);
      if (!entry) return;
      store.remove(entry.record);
      if (entry.phantom) this.forget(entry);
      else entry.removed = true;
    } else if (step.do === 'restore') {
      const removed = [...this.placed, ...this.away].filter((each) => each.removed);
      const entry = removed[step.at % Math.max(1, removed.length)];
      if (!entry) return;
      store.add(entry.record);
      entry.removed = false;
      this.place(entry, undefined);
    } else this.settleAll(step.do);
  }

  private settleAll(how: Step['do']): void {
    const { store } = this;
    const all = [...this.placed, ...this.away];
    if (how === 'reject') store.reject();
    else store.commit();
    for (const entry of all) {
      const goes = how === 'reject' ? entry.phantom : entry.removed;
      if (goes) this.forget(entry);
      else if (how !== 'commit') Object.assign(entry, { edits: {}, removed: false });
      else if (!entry.phantom) Object.assign(entry, { base: current(entry), edits: {} });
    }
    this.letGo();
  }

  private async query(step: Step): Promise<void> {
    const { store } = this;
    if (step.do === 'sort') {
      this.order = step;
      store.sort(step.by, step.down ? 'DESC' : 'ASC');
    } else if (step.do === 'filter') {
      this.least = step.least;
      store.filter({ property: 'rank', operator: 'ge', value: step.least });
    } else {
      this.least = undefined;
      store.filter([]);
    }
    if (!this.mode.remote || !this.hasLoaded) return;
    while (store.status.get().loading) await tick();
    await tick();
    this.page = 1;
    this.takeRows();
  }

  private async load(page: number, meanwhile: readonly Step[]): Promise<void> {
    this.page = page;
    const loading = this.mode.remote ? this.store.load({ page }) : this.store.load();
    for (const step of meanwhile) this.change(step);
    await loading;
    this.hasLoaded = true;
    this.takeRows();
  }

  private async sync(): Promise<void> {
    (await this.store.sync()).orThrow();
    for (const entry of [...this.placed, ...this.away]) {
      if (entry.removed) this.forget(entry);
      else Object.assign(entry, { base: current(entry), edits: {}, phantom: false });
    }
    this.letGo();
  }

  /** Replaces the expected records by the rows that the server would return now. */
  private takeRows(): void {
    const { remote } = this.mode;
    const all = [...this.placed, ...this.away];
    const rows = this.server.data as Row[];
    const asked = remote ? this.ordered(rows, (row) => row).slice((this.page - 1) * PAGE, this.page * PAGE) : rows;
    const placed = asked.map(({ id, name, rank }) => {
      const known = all.find((entry) => !entry.phantom && entry.record.id === id);
      const entry = known ?? entryOf(this.store.getById(id) as Item, { name, rank }, false);
      entry.base = { name, rank };
      return settle(entry);
    });
    if (!remote) placed.push(...all.filter((entry) => entry.phantom));
    this.away = all.filter((entry) => !placed.includes(entry));
    this.placed = placed;
    this.letGo();
  }

  private shown(): Entry[] {
    const present = this.placed.filter((entry) => !entry.removed);
    const seen = (entry: Entry) => (this.mode.holdEdited ? entry.base : current(entry));
    return this.mode.remote ? present : this.ordered(present, seen);
  }

  private ordered<T>(items: readonly T[], valuesOf: (item: T) => Values): T[] {
    const { order, least } = this;
    const kept = items.filter((item) => least === undefined || valuesOf(item).rank >= least);
    if (!order) return kept;
    const rank = (item: T) => valuesOf(item)[order.by];
    return kept.sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0) * (order.down ? -1 : 1));
  }

  private place(entry: Entry, before: Entry | undefined): void {
    this.forget(entry);
    this.placed.splice(before ? this.placed.indexOf(before) : this.placed.length, 0, entry);
  }

  private forget(entry: Entry): void {
    this.placed = this.placed.filter((each) => each !== entry);
    this.away = this.away.filter((each) => each !== entry);
  }

  /** Only pending records of other pages are kept. */
  private letGo(): void {
    this.away = this.away.filter((entry) => entry.phantom || entry.removed || isDirty(entry));
  }
}

function entryOf(record: Item, base: Values, phantom: boolean): Entry {
  return { record, base: { ...base }, edits: {}, phantom, removed: false };
}

function current({ base, edits }: Entry): Values {
  return { ...base, ...edits };
}

function isDirty({ edits }: Entry): boolean {
  return Object.keys(edits).length > 0;
}

/** An edit back to the saved value is no edit. */
function settle(entry: Entry): Entry {
  const kept = Object.entries(entry.edits).filter(([name, value]) => entry.base[name as keyof Values] !== value);
  entry.edits = Object.fromEntries(kept);
  return entry;
}
