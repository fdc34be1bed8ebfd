import { orderOf, type SourceRow } from './data.js';
import { add, type Change, type Found, type Kit, type Live, type SortKey, type Table } from './kit.js';

/** A record as an application writes it by hand. */
export interface PlainRecord {
  id: number;
  name: string;
  email: string;
  age: number;
  salary: number;
  active: boolean;
  joined: Date;
  department: string;
}

/** A record of a row, with its date converted. */
export function plainRecord(row: SourceRow): PlainRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    age: row.age,
    salary: row.salary,
    active: row.active,
    joined: new Date(row.joined),
    department: row.department,
  };
}

/** Plain objects with dates, and a Map by id, as an application without a library has them. */
export const floor: Kit = {
  name: 'floor',
  hold(rows) {
    const records: PlainRecord[] = new Array(rows.length);
    const byId = new Map<number, PlainRecord>();
    for (let at = 0; at < rows.length; at += 1) {
      const record = plainRecord(rows[at] as SourceRow);
      records[at] = record;
      byId.set(record.id, record);
    }
    return new PlainTable(records, byId);
  },
};

class PlainTable implements Table {
  constructor(
    private readonly records: PlainRecord[],
    private readonly byId: Map<number, PlainRecord>,
  ) {}

  get count(): number {
    return this.records.length;
  }

  nameOf(id: number): string | undefined {
    return this.byId.get(id)?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.records) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, r.joined, r.department);
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    return found([...this.records].sort(comparator(keys)));
  }

  unsort(): void {}

  filter(department: string): Found {
    return found(this.records.filter((record) => record.department === department));
  }

  filterBy(age: number, salary: number): Found {
    return found(this.records.filter((record) => record.age > age && record.salary < salary));
  }

  unfilter(): void {}

  sums(by: 'department' | 'age'): ReadonlyMap<unknown, number> {
    const sums = new Map<unknown, number>();
    for (const record of this.records) sums.set(record[by], (sums.get(record[by]) ?? 0) + record.salary);
    return sums;
  }

  live(): Live {
    return new SortedArray(this.records, this.byId);
  }
}

function found(records: readonly PlainRecord[]): Found {
  return { count: records.length, id: (at) => (records[at] as PlainRecord).id };
}

/** A comparator for one key or for several, as an application writes it by hand. */
function comparator(keys: readonly SortKey[]): (a: PlainRecord, b: PlainRecord) => number {
  const [first] = keys as readonly [SortKey];
  if (keys.length === 1 && !first.descending) {
    const { property } = first;
    return (a, b) => (a[property] < b[property] ? -1 : a[property] > b[property] ? 1 : 0);
  }
  return (a, b) => {
    for (const { property, descending } of keys) {
      if (a[property] !== b[property]) return a[property] < b[property] === !descending ? -1 : 1;
    }
    return 0;
  };
}

/** Active records by salary, then by id. An edit finds its place by binary search, and moves the record by splice. */
class SortedArray implements Live {
  private readonly shown: PlainRecord[];
  private readonly before = new Map<PlainRecord, { salary: number; active: boolean }>();
  private listener: ((change: Change) => void) | undefined;
  /** The changes of this tick. */
  private splices: { index: number; remove: number; records: PlainRecord[] }[] = [];
  private updated = new Set<PlainRecord>();

  constructor(
    private readonly records: readonly PlainRecord[],
    private readonly byId: Map<number, PlainRecord>,
  ) {
    this.shown = records.filter((record) => record.active).sort((a, b) => a.salary - b.salary || a.id - b.id);
  }

  get count(): number {
    return this.shown.length;
  }

  set(id: number, field: 'salary' | 'active', value: number | boolean): void {
    const record = this.byId.get(id) as PlainRecord;
    if (!this.before.has(record)) this.before.set(record, { salary: record.salary, active: record.active });
    this.change(record, field === 'salary' ? { salary: value as number } : { active: value as boolean });
  }

  listen(listener: (change: Change) => void): void {
    this.listener = listener;
  }

  reject(): void {
    for (const [record, values] of this.before) this.change(record, values);
    this.before.clear();
  }

  digest(): { count: number; order: number; sum: number } {
    const { shown, records } = this;
    return {
      count: shown.length,
      order: orderOf(shown.length, (at) => (shown[at] as PlainRecord).id),
      sum: Math.round(records.reduce((sum, { salary }) => sum + salary, 0)),
    };
  }

  private change(record: PlainRecord, values: Partial<PlainRecord>): void {
    if (this.listener) return this.changeAndNote(record, values);
    if (record.active) this.shown.splice(this.placeOf(record), 1);
    Object.assign(record, values);
    if (record.active) this.shown.splice(this.placeOf(record), 0, record);
  }

  /** The same, for a view that is listened to. */
  private changeAndNote(record: PlainRecord, values: Partial<PlainRecord>): void {
    const { splices, updated, shown } = this;
    if (updated.size === 0) queueMicrotask(() => this.flush());
    if (record.active) {
      const index = this.placeOf(record);
      shown.splice(index, 1);
      splices.push({ index, remove: 1, records: [] });
    }
    Object.assign(record, values);
    if (record.active) {
      const index = this.placeOf(record);
      shown.splice(index, 0, record);
      splices.push({ index, remove: 0, records: [record] });
    }
    updated.add(record);
  }

  private flush(): void {
    const { splices, updated } = this;
    this.splices = [];
    this.updated = new Set();
    this.listener?.({ splices, updated: [...updated].filter(({ active }) => active) });
  }

  private placeOf({ salary, id }: PlainRecord): number {
    const { shown } = this;
    let [low, high] = [0, shown.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = shown[middle] as PlainRecord;
      if (other.salary < salary || (other.salary === salary && other.id < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
