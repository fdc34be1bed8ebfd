import { DEPARTMENTS, type SourceRow } from '../data.js';
import { add, type Found, type Kit, type Live, type SortKey, type Table } from '../kit.js';

interface BackboneModel {
  readonly id: number;
  get(name: string): never;
  set(values: object): void;
}

interface BackboneCollection {
  readonly length: number;
  readonly models: readonly BackboneModel[];
  comparator: ((a: BackboneModel, b: BackboneModel) => number) | undefined;
  get(id: number): BackboneModel | undefined;
  sort(): void;
  where(values: object): readonly BackboneModel[];
  filter(test: (model: BackboneModel) => boolean): readonly BackboneModel[];
  groupBy(key: string): Record<string, readonly BackboneModel[]>;
}

interface Library {
  Model: { extend(members: object): unknown };
  Collection: { extend(members: object): new (rows: readonly SourceRow[], options: object) => BackboneCollection };
}

/** Backbone: a collection that is sorted on request; it does not keep itself sorted. */
export async function backbone(): Promise<Kit> {
  const name = 'backbone';
  const { default: library } = (await import(name)) as { default: Library };
  const Person = library.Model.extend({
    parse: (row: SourceRow) => ({ ...row, joined: new Date(row.joined) }),
  });
  const People = library.Collection.extend({ model: Person });
  return { name: 'backbone', hold: (rows) => new BackboneTable(new People(rows, { parse: true })) };
}

const value = (model: BackboneModel, name: string): number => model.get(name);

class BackboneTable implements Table {
  constructor(private readonly collection: BackboneCollection) {}

  get count(): number {
    return this.collection.length;
  }

  nameOf(id: number): string | undefined {
    return this.collection.get(id)?.get('name');
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.collection.models) {
      sum += add(
        r.id,
        r.get('name'),
        r.get('email'),
        r.get('age'),
        r.get('salary'),
        r.get('active'),
        r.get('joined'),
        r.get('department'),
      );
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    this.collection.comparator = (a, b) => {
      for (const { property, descending } of keys) {
        const [left, right] = [value(a, property), value(b, property)];
        if (left !== right) return left < right === !descending ? -1 : 1;
      }
      return 0;
    };
    this.collection.sort();
    return found(this.collection.models);
  }

  unsort(): void {
    this.collection.comparator = (a, b) => a.id - b.id;
    this.collection.sort();
  }

  filter(department: string): Found {
    return found(this.collection.where({ department }));
  }

  filterBy(age: number, salary: number): Found {
    return found(this.collection.filter((model) => value(model, 'age') > age && value(model, 'salary') < salary));
  }

  sums(by: 'department' | 'age'): ReadonlyMap<unknown, number> {
    return new Map(
      Object.entries(this.collection.groupBy(by)).map(([key, models]) => [
        DEPARTMENTS.includes(key) ? key : Number(key),
        models.reduce((sum, model) => sum + value(model, 'salary'), 0),
      ]),
    );
  }

  live(): Live {
    const { collection } = this;
    return {
      get count() {
        return collection.length;
      },
      set(id, field, given) {
        collection.get(id)?.set({ [field]: given });
      },
      digest() {
        return { sum: Math.round(collection.models.reduce((sum, model) => sum + value(model, 'salary'), 0)) };
      },
    };
  }
}

function found(models: readonly BackboneModel[]): Found {
  return { count: models.length, id: (at) => (models[at] as BackboneModel).id };
}
