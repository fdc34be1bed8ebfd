import { DataProxy, differenceOf, Model, type Operation, RestProxy, ResultSet, Store, viewOf } from 'repose';
import { groups } from 'repose/groups';
import { fields, orderOf, type SourceRow } from './data.js';
import { add, type Change, type Found, type Kit, type Live, type SortKey, type Table } from './kit.js';

/** A proxy that returns parsed rows. */
class RowsProxy extends DataProxy {
  rows: SourceRow[] = [];

  read(operation: Operation): Promise<ResultSet> {
    const { rows } = this;
    this.rows = [];
    operation.resultSet = new ResultSet({ rows: rows as never[], total: rows.length }) as ResultSet<never>;
    return Promise.resolve(operation.resultSet);
  }

  create(): Promise<ResultSet> {
    throw new Error('These rows are only read');
  }

  update(): Promise<ResultSet> {
    return this.create();
  }

  erase(): Promise<ResultSet> {
    return this.create();
  }
}

const parsed = new RowsProxy();
const Person = Model.define({ name: 'person', fields, proxy: parsed });

/** A response whose text was received before, so that only the work on the text is measured. */
class ReceivedResponse extends Response {
  constructor(private readonly received: string) {
    super(null, { headers: { 'content-type': 'application/json' } });
  }

  override text(): Promise<string> {
    return Promise.resolve(this.received);
  }
}

/** A value that every row of the benchmark has. */
const given = <T>(value: T | undefined): T => value as T;

let received = '';
const rest = new RestProxy({
  url: 'http://127.0.0.1/api/people',
  fetch: () => {
    const response = new ReceivedResponse(received);
    received = '';
    return Promise.resolve(response);
  },
});
const RemotePerson = Model.define({ name: 'person', fields, proxy: rest });

/** Records in a store. */
export const repose: Kit = {
  name: 'repose',
  patient: true,
  async hold(rows) {
    parsed.rows = rows;
    const store = new Store({ model: Person, pageSize: 0 });
    await store.load();
    return new StoreTable(store);
  },
  async load(text) {
    received = text;
    const store = new Store({ model: RemotePerson, pageSize: 0 });
    await store.load();
    return new StoreTable(store as unknown as Store<InstanceType<typeof Person>>);
  },
};

class StoreTable implements Table {
  constructor(private readonly store: Store<InstanceType<typeof Person>>) {}

  get count(): number {
    return this.store.count;
  }

  nameOf(id: number): string | undefined {
    return this.store.getById(id)?.name;
  }

  readAll(): number {
    let sum = 0;
    for (const r of this.store) {
      sum += add(
        r.id,
        given(r.name),
        given(r.email),
        given(r.age),
        given(r.salary),
        given(r.active),
        given(r.joined),
        given(r.department),
      );
    }
    return sum;
  }

  sort(keys: readonly SortKey[]): Found {
    this.store.sort(keys.map(({ property, descending }) => ({ property, direction: descending ? 'DESC' : 'ASC' })));
    return this.found();
  }

  unsort(): void {
    this.store.sort([]);
    this.found();
  }

  filter(department: string): Found {
    this.store.filter({ property: 'department', value: department });
    return this.found();
  }

  filterBy(age: number, salary: number): Found {
    this.store.filter({ filterFn: (record) => given(record.age) > age && given(record.salary) < salary });
    return this.found();
  }

  unfilter(): void {
    this.store.filter([]);
    this.found();
  }

  sums(by: 'department' | 'age'): ReadonlyMap<unknown, number> {
    const view = viewOf(this.store, { groups: groups({ by: [by], summaries: { salary: 'sum' } }) });
    const sums = new Map(view.groups.groups.map(({ key, summaries }) => [key, summaries.salary]));
    view.dispose();
    return sums;
  }

  live(): Live {
    const { count } = this;
    this.store.sort('salary');
    this.store.filter({ property: 'active', value: true });
    return new LiveStore(this.store, count);
  }

  /** The records that are shown; reading the first one makes sure that the work was done. */
  private found(): Found {
    const { store } = this;
    store.getAt(0);
    return { count: store.count, id: (at) => store.getAt(at)?.id as number };
  }
}

class LiveStore implements Live {
  constructor(
    private readonly store: Store<InstanceType<typeof Person>>,
    private readonly total: number,
  ) {}

  get count(): number {
    return this.store.count;
  }

  set(id: number, field: 'salary' | 'active', value: number | boolean): void {
    const record = this.store.getById(id) as InstanceType<typeof Person>;
    if (field === 'salary') record.salary = value as number;
    else record.active = value as boolean;
  }

  listen(listener: (change: Change) => void): void {
    this.store.on('change', (change) => listener({ splices: differenceOf(change).splices, updated: change.updated }));
  }

  reject(): void {
    this.store.reject();
  }

  digest(): { count: number; order: number; sum: number } {
    const { store, total } = this;
    let sum = 0;
    for (let id = 1; id <= total; id += 1) sum += store.getById(id)?.salary ?? 0;
    return {
      count: store.count,
      order: orderOf(store.count, (at) => store.getAt(at)?.id as number),
      sum: Math.round(sum),
    };
  }
}
