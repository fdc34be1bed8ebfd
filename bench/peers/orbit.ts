import type { SourceRow } from '../data.js';
import { add, type Found, type Kit, type Live, type SortKey, type Table } from '../kit.js';

interface OrbitRecord {
  readonly type: 'person';
  readonly id: string;
  readonly attributes: Omit<SourceRow, 'joined'> & { readonly joined: Date };
}

type Identity = Pick<OrbitRecord, 'type' | 'id'>;
interface Find {
  sort(...keys: readonly { attribute: string; order: 'ascending' | 'descending' }[]): Find;
  filter(filter: { attribute: string; value: unknown }): Find;
}
interface Transforms {
  addRecord(record: OrbitRecord): unknown;
  replaceAttribute(identity: Identity, name: string, value: unknown): unknown;
}
interface Cache {
  update(build: (transforms: Transforms) => unknown): unknown;
  query(build: (query: { findRecords(type: string): Find }) => Find): readonly OrbitRecord[];
  getRecordSync(identity: Identity): OrbitRecord | undefined;
}
interface Records {
  RecordSchema: new (settings: object) => object;
}
interface Memory {
  MemorySource: new (settings: object) => { readonly cache: Cache };
}

/** Orbit: the cache of a memory source; queries run on request. */
export async function orbit(): Promise<Kit> {
  const names = ['@orbit/records', '@orbit/memory'] as const;
  const { RecordSchema } = (await import(names[0])) as Records;
  const { MemorySource } = (await import(names[1])) as Memory;
  const attributes = {
    id: { type: 'number' },
    name: { type: 'string' },
    email: { type: 'string' },
    age: { type: 'number' },
    salary: { type: 'number' },
    active: { type: 'boolean' },
    joined: { type: 'datetime' },
    department: { type: 'string' },
  };
  return {
    name: 'orbit',
    most: 100_000,
    hold(rows) {
      const schema = new RecordSchema({ models: { person: { attributes } } });
      const { cache } = new MemorySource({ schema });
      cache.update((transforms) =>
        rows.map((row) =>
          transforms.addRecord({
            type: 'person',
            id: String(row.id),
            attributes: { ...row, joined: new Date(row.joined) },
          }),
        ),
      );
      return new CacheTable(cache, rows.length);
    },
  };
}

class CacheTable implements Table {
  constructor(
    private readonly cache: Cache,
    readonly count: number,
  ) {}

  nameOf(id: number): string | undefined {
    return this.recordOf(id)?.attributes.name;
  }

  readAll(): number {
    let sum = 0;
    for (const { attributes: r } of this.cache.query((query) => query.findRecords('person'))) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, r.joined, r.department);
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    return this.found((find) =>
      find.sort(
        ...keys.map(({ property, descending }) => {
          const order = descending ? ('descending' as const) : ('ascending' as const);
          return { attribute: property, order };
        }),
      ),
    );
  }

  filter(department: string): Found {
    return this.found((find) => find.filter({ attribute: 'department', value: department }));
  }

  live(): Live {
    const { cache, count } = this;
    return {
      count,
      set(id, field, value) {
        cache.update((transforms) => transforms.replaceAttribute({ type: 'person', id: String(id) }, field, value));
      },
      digest: () => {
        let sum = 0;
        for (let id = 1; id <= count; id += 1) sum += this.recordOf(id)?.attributes.salary ?? 0;
        return { sum: Math.round(sum) };
      },
    };
  }

  private recordOf(id: number): OrbitRecord | undefined {
    return this.cache.getRecordSync({ type: 'person', id: String(id) });
  }

  private found(build: (find: Find) => Find): Found {
    const records = this.cache.query((query) => build(query.findRecords('person')));
    return { count: records.length, id: (at) => (records[at] as OrbitRecord).attributes.id };
  }
}
