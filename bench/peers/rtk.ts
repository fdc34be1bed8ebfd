import { orderOf, type SourceRow } from '../data.js';
import { add, type Found, type Kit, type Live, type Table } from '../kit.js';

interface State {
  readonly ids: readonly number[];
  readonly entities: Readonly<Record<number, SourceRow>>;
}

interface Adapter {
  getInitialState(): State;
  setAll(state: State, rows: readonly SourceRow[]): State;
  updateOne(state: State, update: { id: number; changes: Partial<SourceRow> }): State;
  getSelectors(): { selectAll(state: State): readonly SourceRow[] };
}

interface Library {
  createEntityAdapter(options?: { sortComparer?: (a: SourceRow, b: SourceRow) => number }): Adapter;
}

/** The entity adapter of Redux Toolkit. It holds plain rows: dates stay text until they are used. */
export async function rtk(): Promise<Kit> {
  const name = '@reduxjs/toolkit';
  const { createEntityAdapter } = (await import(name)) as Library;
  return {
    name: 'rtk',
    hold: (rows) => {
      const adapter = createEntityAdapter();
      return new AdapterTable(createEntityAdapter, adapter, adapter.setAll(adapter.getInitialState(), rows));
    },
  };
}

class AdapterTable implements Table {
  constructor(
    private readonly create: Library['createEntityAdapter'],
    private readonly adapter: Adapter,
    private readonly state: State,
  ) {}

  get count(): number {
    return this.state.ids.length;
  }

  nameOf(id: number): string | undefined {
    return this.state.entities[id]?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.all()) {
      sum += add(r.id, r.name, r.email, r.age, r.salary, r.active, new Date(r.joined), r.department);
    }
    return sum;
  }

  filterBy(age: number, salary: number): Found {
    const found = this.all().filter((row) => row.age > age && row.salary < salary);
    return { count: found.length, id: (at) => (found[at] as SourceRow).id };
  }

  live(): Live {
    const adapter = this.create({ sortComparer: (a, b) => a.salary - b.salary || a.id - b.id });
    const { selectAll } = adapter.getSelectors();
    let state = adapter.setAll(adapter.getInitialState(), this.all());
    const shown = () => selectAll(state).filter(({ active }) => active);
    return {
      get count() {
        return shown().length;
      },
      set(id, field, value) {
        state = adapter.updateOne(state, { id, changes: { [field]: value } });
      },
      digest() {
        const rows = shown();
        let sum = 0;
        for (let id = 1; id <= state.ids.length; id += 1) sum += (state.entities[id] as SourceRow).salary;
        return {
          count: rows.length,
          order: orderOf(rows.length, (at) => (rows[at] as SourceRow).id),
          sum: Math.round(sum),
        };
      },
    };
  }

  private all(): readonly SourceRow[] {
    return this.adapter.getSelectors().selectAll(this.state);
  }
}
