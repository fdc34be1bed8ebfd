import { createRequire } from 'node:module';
import path from 'node:path';
import { orderOf, type SourceRow } from '../data.js';
import { add, type Found, type Kit, type Live, type SortKey, type Table } from '../kit.js';

type Query = (row: SourceRow) => boolean;
interface DstoreCollection {
  sort(keys: readonly { property: string; descending: boolean }[]): DstoreCollection;
  filter(query: object | Query): DstoreCollection;
  fetchSync(): readonly SourceRow[];
  track(): DstoreCollection & { on(event: string, listener: (event: TrackedEvent) => void): void };
}
interface TrackedEvent {
  readonly target: SourceRow;
  readonly index?: number;
  readonly previousIndex?: number;
}
interface DstoreMemory extends DstoreCollection {
  getSync(id: number): SourceRow | undefined;
  putSync(row: SourceRow): void;
}
type MemoryClass = new (options: { data: SourceRow[] }) => DstoreMemory;

/** Loads AMD modules with the loader of Dojo. */
function amd(...modules: string[]): Promise<unknown[]> {
  const baseUrl = path.join(import.meta.dirname, 'node_modules');
  return new Promise((resolve) => {
    const packages = ['dojo', 'dstore'].map((name) => ({ name, location: name === 'dstore' ? 'dojo-dstore' : name }));
    const callback = (...found: unknown[]) => resolve(found);
    Object.assign(globalThis, { dojoConfig: { async: true, baseUrl, packages, deps: modules, callback } });
    createRequire(import.meta.url)('dojo/dojo.js');
  });
}

/** dstore: rows in memory. It makes no records of the rows: dates stay text until they are used. */
export async function dstore(): Promise<Kit> {
  const [Memory, Trackable, declare] = await amd('dstore/Memory', 'dstore/Trackable', 'dojo/_base/declare');
  const Tracked = (declare as (bases: unknown[]) => MemoryClass)([Memory, Trackable]);
  return { name: 'dstore', hold: (rows) => new MemoryTable(new Tracked({ data: rows }), rows.length) };
}

class MemoryTable implements Table {
  constructor(
    private readonly store: DstoreMemory,
    readonly count: number,
  ) {}

  nameOf(id: number): string | undefined {
    return this.store.getSync(id)?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.store.fetchSync()) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, new Date(r.joined), r.department);
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    return found(this.store.sort(keys.map(({ property, descending = false }) => ({ property, descending }))));
  }

  filter(department: string): Found {
    return found(this.store.filter({ department }));
  }

  filterBy(age: number, salary: number): Found {
    return found(this.store.filter((row: SourceRow) => row.age > age && row.salary < salary));
  }

  live(): Live {
    const { store, count } = this;
    const sorters = ['salary', 'id'].map((property) => ({ property, descending: false }));
    const tracked = store.filter({ active: true }).sort(sorters).track();
    const shown = [...tracked.fetchSync()];
    // Events of dstore have the old and the new index of a row.
    const follow = ({ target, index, previousIndex }: TrackedEvent) => {
      if (previousIndex !== undefined) shown.splice(previousIndex, 1);
      if (index !== undefined) shown.splice(index, 0, target);
    };
    for (const event of ['add', 'update', 'delete']) tracked.on(event, follow);
    return {
      get count() {
        return shown.length;
      },
      set(id, field, value) {
        store.putSync({ ...(store.getSync(id) as SourceRow), [field]: value });
      },
      digest() {
        let sum = 0;
        for (let id = 1; id <= count; id += 1) sum += store.getSync(id)?.salary ?? 0;
        return {
          count: shown.length,
          order: orderOf(shown.length, (at) => (shown[at] as SourceRow).id),
          sum: Math.round(sum),
        };
      },
    };
  }
}

function found(collection: DstoreCollection): Found {
  const rows = collection.fetchSync();
  return { count: rows.length, id: (at) => (rows[at] as SourceRow).id };
}
