import { orderOf, type SourceRow } from '../data.js';
import type { PlainRecord } from '../floor.js';
import { add, type Found, type Kit, type Live, type SortKey, type Table } from '../kit.js';

interface Library {
  makeObservable(target: object, annotations: object): void;
  observable: { map<V>(entries: Iterable<[number, V]>, options: object): Map<number, V> };
  computed<T>(read: () => T): { get(): T };
  autorun(effect: () => void): () => void;
  runInAction(change: () => void): void;
}

/** MobX: an observable map of records whose fields are observable; views are computed values. */
export async function mobx(): Promise<Kit> {
  const name = 'mobx';
  const library = (await import(name)) as Library;
  const { makeObservable, observable } = library;
  const annotations = {
    name: observable,
    email: observable,
    age: observable,
    salary: observable,
    active: observable,
    joined: observable,
    department: observable,
  };
  class Person implements PlainRecord {
    id: number;
    name: string;
    email: string;
    age: number;
    salary: number;
    active: boolean;
    joined: Date;
    department: string;

    constructor(row: SourceRow) {
      this.id = row.id;
      this.name = row.name;
      this.email = row.email;
      this.age = row.age;
      this.salary = row.salary;
      this.active = row.active;
      this.joined = new Date(row.joined);
      this.department = row.department;
      makeObservable(this, annotations);
    }
  }
  return {
    name: 'mobx',
    most: 100_000,
    hold: (rows) => {
      const entries = rows.map((row): [number, PlainRecord] => [row.id, new Person(row)]);
      return new MapTable(library, observable.map(entries, { deep: false }));
    },
  };
}

class MapTable implements Table {
  constructor(
    private readonly library: Library,
    private readonly records: Map<number, PlainRecord>,
  ) {}

  get count(): number {
    return this.records.size;
  }

  nameOf(id: number): string | undefined {
    return this.records.get(id)?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.records.values()) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, r.joined, r.department);
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    return this.found((records) =>
      records.sort((a, b) => {
        for (const { property, descending } of keys) {
          const [left, right] = [a[property], b[property]];
          if (left !== right) return left < right === !descending ? -1 : 1;
        }
        return 0;
      }),
    );
  }

  filter(department: string): Found {
    return this.found((records) => records.filter((record) => record.department === department));
  }

  filterBy(age: number, salary: number): Found {
    return this.found((records) => records.filter((record) => record.age > age && record.salary < salary));
  }

  sums(by: 'department' | 'age'): ReadonlyMap<unknown, number> {
    const sums = this.library.computed(() => {
      const found = new Map<unknown, number>();
      for (const record of this.records.values()) {
        const key = record[by];
        found.set(key, (found.get(key) ?? 0) + record.salary);
      }
      return found;
    });
    return this.observe(() => sums.get()).value;
  }

  live(): Live {
    const { records, library } = this;
    const view = library.computed(() =>
      [...records.values()].filter(({ active }) => active).sort((a, b) => a.salary - b.salary || a.id - b.id),
    );
    this.observe(() => view.get());
    return {
      get count() {
        return view.get().length;
      },
      set(id, field, value) {
        library.runInAction(() => Object.assign(records.get(id) as PlainRecord, { [field]: value }));
      },
      digest() {
        const shown = view.get();
        let sum = 0;
        for (const record of records.values()) sum += record.salary;
        return {
          count: shown.length,
          order: orderOf(shown.length, (at) => (shown[at] as PlainRecord).id),
          sum: Math.round(sum),
        };
      },
    };
  }

  private found(query: (records: PlainRecord[]) => PlainRecord[]): Found {
    const view = this.library.computed(() => query([...this.records.values()]));
    const { value, stop } = this.observe(() => view.get());
    stop();
    return { count: value.length, id: (at) => (value[at] as PlainRecord).id };
  }

  /** Reads as an observer, so that MobX keeps the values up to date. */
  private observe<T>(read: () => T): { value: T; stop(): void } {
    let value: T | undefined;
    const stop = this.library.autorun(() => {
      value = read();
    });
    return { value: value as T, stop };
  }
}
