import { orderOf, type SourceRow } from '../data.js';
import type { PlainRecord } from '../floor.js';
import { plainRecord } from '../floor.js';
import { add, type Found, type Kit, type Live, type SortKey, type Table } from '../kit.js';

interface Collection<T> {
  readonly size: number;
  readonly toArray: readonly T[];
  get(key: number): T | undefined;
  values(): Iterable<T>;
  update(key: number, change: (draft: T) => void): { readonly isPersisted: { readonly promise: Promise<unknown> } };
  preload(): Promise<void>;
  cleanup(): Promise<void>;
}

/** A reference to a record in a query; its members stand for their values. */
type Ref = Record<string, unknown>;
interface Query {
  where(test: (refs: { r: Ref }) => unknown): Query;
  orderBy(key: (refs: { r: Ref }) => unknown, direction?: 'asc' | 'desc'): Query;
  groupBy(key: (refs: { r: Ref }) => unknown): Query;
  select(values: (refs: { r: Ref }) => object): Query;
}

interface Library {
  createCollection<T>(options: unknown): Collection<T>;
  localOnlyCollectionOptions(options: object): unknown;
  createLiveQueryCollection<T>(options: object): Collection<T>;
  eq(a: unknown, b: unknown): unknown;
  gt(a: unknown, b: unknown): unknown;
  lt(a: unknown, b: unknown): unknown;
  and(a: unknown, b: unknown): unknown;
  sum(value: unknown): unknown;
}

/** TanStack DB: a local collection; queries are live query collections. */
export async function tanstackDb(): Promise<Kit> {
  const name = '@tanstack/db';
  const db = (await import(name)) as Library;
  return {
    name: 'tanstack-db',
    async hold(rows) {
      const records = rows.map((row: SourceRow) => plainRecord(row));
      const getKey = (record: PlainRecord) => record.id;
      const collection = db.createCollection<PlainRecord>(
        db.localOnlyCollectionOptions({ getKey, initialData: records }),
      );
      await collection.preload();
      return new CollectionTable(db, collection);
    },
  };
}

class CollectionTable implements Table {
  private shown: Collection<unknown> | undefined;

  constructor(
    private readonly db: Library,
    private readonly collection: Collection<PlainRecord>,
  ) {}

  get count(): number {
    return this.collection.size;
  }

  nameOf(id: number): string | undefined {
    return this.collection.get(id)?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.collection.values()) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, r.joined, r.department);
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    return this.found((query) =>
      keys.reduce(
        (sorted, { property, descending }) => sorted.orderBy(({ r }) => r[property], descending ? 'desc' : 'asc'),
        query,
      ),
    );
  }

  unsort(): void {
    this.close();
  }

  filter(department: string): Found {
    return this.found((query) => query.where(({ r }) => this.db.eq(r['department'], department)));
  }

  filterBy(age: number, salary: number): Found {
    const { and, gt, lt } = this.db;
    return this.found((query) => query.where(({ r }) => and(gt(r['age'], age), lt(r['salary'], salary))));
  }

  unfilter(): void {
    this.close();
  }

  sums(by: 'department' | 'age'): ReadonlyMap<unknown, number> {
    const groups = this.query<{ key: unknown; total: number }>((query) =>
      query.groupBy(({ r }) => r[by]).select(({ r }) => ({ key: r[by], total: this.db.sum(r['salary']) })),
    );
    return new Map(groups.toArray.map(({ key, total }) => [key, total]));
  }

  live(): Live {
    const { collection } = this;
    const view = this.query<PlainRecord>((query) =>
      query.where(({ r }) => this.db.eq(r['active'], true)).orderBy(({ r }) => r['salary']),
    );
    return {
      get count() {
        return view.size;
      },
      set(id, field, value) {
        const transaction = collection.update(id, (draft) => Object.assign(draft, { [field]: value }));
        return transaction.isPersisted.promise;
      },
      digest() {
        const shown = view.toArray;
        let sum = 0;
        for (let id = 1; id <= collection.size; id += 1) sum += collection.get(id)?.salary as number;
        return {
          count: view.size,
          order: orderOf(shown.length, (at) => (shown[at] as PlainRecord).id),
          sum: Math.round(sum),
        };
      },
    };
  }

  close(): void {
    void this.shown?.cleanup();
    this.shown = undefined;
  }

  private found(build: (query: Query) => Query): Found {
    const records = this.query<PlainRecord>(build).toArray;
    return { count: records.length, id: (at) => (records[at] as PlainRecord).id };
  }

  /** A live query that runs at once. */
  private query<T>(build: (query: Query) => Query): Collection<T> {
    this.close();
    const { collection } = this;
    const query = (start: { from(source: object): Query }) => build(start.from({ r: collection }));
    const shown = this.db.createLiveQueryCollection<T>({ query, startSync: true });
    this.shown = shown as Collection<unknown>;
    return shown;
  }
}
