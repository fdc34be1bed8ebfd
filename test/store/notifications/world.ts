import {
  type DataProxy,
  differenceOf,
  embed,
  MemoryProxy,
  Model,
  NetworkError,
  type Operation,
  RecordForm,
  type RecordWindow,
  type ResultSet,
  rollback,
  Session,
  type Source,
  Store,
  type StoreChange,
  ValidationError,
  viewOf,
  windowOf,
} from 'repose';
import { groups } from 'repose/groups';
import { Random } from '../../faults/random.js';
import { remoteOf } from '../support.js';

const TITLES = ['a', 'b', 'B', 'c', 'zz'];
const TEAMS = ['red', 'green', 'blue'];

/** A server in memory, which refuses the next writes if it is told so. */
class Server extends MemoryProxy {
  refusals = 0;

  override create(operation: Operation): Promise<ResultSet> {
    return this.answer(operation, () => super.create(operation));
  }

  override update(operation: Operation): Promise<ResultSet> {
    return this.answer(operation, () => super.update(operation));
  }

  override erase(operation: Operation): Promise<ResultSet> {
    return this.answer(operation, () => super.erase(operation));
  }

  private async answer(operation: Operation, act: () => Promise<ResultSet>): Promise<ResultSet> {
    await Promise.resolve();
    if (this.refusals === 0) return act();
    this.refusals -= 1;
    throw this.refusals % 2 === 0
      ? new ValidationError([{ path: ['title'], code: 'refused', message: 'is refused', params: {} }], { status: 422 })
      : new NetworkError(new Error('offline'), { operation });
  }
}

function modelsOf(random: Random) {
  class Address extends Model.define({ name: 'address', fields: { city: 'string' }, proxy: { type: MemoryProxy } }) {}
  const rows = Array.from({ length: random.integer(0, 12) }, (_, at) => ({
    id: at + 1,
    title: random.pick(TITLES),
    team: random.pick(TEAMS),
    hours: random.integer(0, 5),
    address: { city: 'Rome' },
  }));
  const server = new Server({ data: rows });
  class Task extends Model.define({
    name: 'task',
    fields: {
      id: 'int',
      title: 'string',
      team: 'string',
      hours: 'int',
      address: embed(Address),
      double: { type: 'int', calculate: (task: { get(name: string): unknown }) => Number(task.get('hours')) * 2 },
    },
    proxy: server as DataProxy as never,
  }) {}
  return { server, Task };
}

type Task = InstanceType<ReturnType<typeof modelsOf>['Task']>;

/** Does random things with stores, views, windows, groups, forms and records, and writes down every call of a listener. */
export class World {
  readonly log: string[] = [];
  private readonly random: Random;
  private readonly server: Server;
  private readonly Task: ReturnType<typeof modelsOf>['Task'];
  private readonly session: Session | undefined;
  private readonly stores: Store<Task, { by: ['team'] }>[] = [];
  private readonly known: Set<Task> = new Set();
  private readonly stops: (() => void)[] = [];
  private readonly windows: RecordWindow<Task>[] = [];
  private readonly views: ReturnType<World['createView']>[] = [];
  private readonly settled: Promise<unknown>[] = [];
  private names = 0;
  private depth = 0;

  constructor(seed: number) {
    const random = (this.random = new Random('notifications', seed));
    const { server, Task } = modelsOf(random);
    this.server = server;
    this.Task = Task;
    this.session = random.chance(0.5) ? new Session() : undefined;
    const { session } = this;
    const shared = session ? { session } : {};
    this.watchSource('session.status', () => session?.status as Source<unknown> | undefined);
    const local = { pageSize: 0, remoteSort: false, remoteFilter: false } as const;
    this.addStore(
      new Store({ model: Task, ...shared, ...local, sorters: ['title'], groups: groups({ by: ['team'] }) }),
    );
    if (random.chance(0.7)) {
      const paged = { pageSize: random.integer(2, 4), remoteSort: true, remoteFilter: true } as const;
      this.addStore(new Store({ model: Task, ...shared, ...paged, groups: groups({ by: ['team'] }) }));
    }
  }

  async run(steps: number): Promise<string> {
    for (const store of this.stores) this.settle(store.load());
    await this.rest();
    for (let at = 0; at < steps; at += 1) {
      const name = this.stepName();
      this.log.push(`# ${name}`);
      this.attempt(() => this.act(name));
      if (this.random.chance(0.5)) await Promise.resolve();
      if (this.random.chance(0.3)) await this.rest();
    }
    await this.rest();
    for (const stop of this.stops) stop();
    return `${this.log.join('\n')}\n`;
  }

  // ── Steps ──

  private stepName() {
    return this.random.weighed({
      ...{ edit: 14, batch: 4, reject: 3, add: 4, insert: 2, move: 2, remove: 4, removeAll: 0.3 },
      ...{ save: 6, erase: 3, sync: 4, refuse: 3, commit: 1, rejectAll: 1.5 },
      ...{
        load: 4,
        loadMore: 2,
        reload: 2,
        recordLoad: 2,
        othersEdit: 3,
        othersAdd: 2,
        othersErase: 2,
        setRecords: 0.5,
      },
      ...{ sort: 2, filter: 2, search: 1, group: 1, remote: 0.5, view: 2, window: 2, show: 3, flush: 2 },
      ...{
        watchRecord: 7,
        watchField: 7,
        watchForm: 3,
        watchStore: 6,
        watchView: 5,
        watchWindow: 4,
        unwatch: 3,
        react: 3,
      },
      ...{ disposeView: 0.7, disposeWindow: 0.7, disposeStore: 0.3, embedded: 4, sessionSync: 1 },
    });
  }

  private act(name: ReturnType<World['stepName']>): void {
    const { random, server } = this;
    const store = random.pick(this.stores);
    const record = this.anyRecord();
    switch (name) {
      case 'edit':
        return this.edit(record);
      case 'embedded':
        return void record?.address?.set('city', random.pick(['Rome', 'Oslo', 'Bern']));
      case 'batch':
        return store.batch(() => {
          const steps = ['edit', 'add', 'remove', 'reject', 'embedded', 'flush', 'sort'] as const;
          for (let left = random.integer(1, 4); left > 0; left -= 1) this.act(random.pick(steps));
        });
      case 'reject':
        return record?.reject();
      case 'commit':
        return record?.commit();
      case 'add':
        return this.know(
          random.pick<{ add(...values: object[]): Task[] }>([...this.stores, ...this.views]).add(this.values()),
        );
      case 'insert':
        return this.know(store.insert(random.integer(0, store.count), this.values(), this.values()));
      case 'move':
        return void (record && store.insert(random.integer(0, store.count), record));
      case 'remove':
        return void (record && store.remove(record));
      case 'removeAll':
        return void store.removeAll();
      case 'save':
        return this.settle(record?.save());
      case 'erase':
        return this.settle(record?.erase());
      case 'sync':
        return this.settle(store.sync(random.chance(0.2) ? { onFailure: rollback } : {}));
      case 'sessionSync':
        return this.settle(this.session?.sync());
      case 'refuse':
        server.refusals = random.integer(0, 3);
        return;
      case 'rejectAll':
        return store.reject();
      case 'load':
        return this.settle(store.load(random.chance(0.3) ? { page: 2 } : {}));
      case 'loadMore':
        return this.settle(store.loadMore());
      case 'reload':
        return this.settle(store.reload());
      case 'recordLoad':
        return this.settle(record?.load());
      case 'setRecords':
        return this.know(
          store.setRecords([
            { id: 1, ...this.values() },
            { id: 90, ...this.values() },
          ]),
        );
      case 'othersEdit':
        return this.asAnother(record?.id, (other) => {
          other.set(this.values() as never);
          return other.save();
        });
      case 'othersErase':
        return this.asAnother(record?.id, (other) => other.erase());
      case 'othersAdd':
        return this.settle(new this.Task(this.values() as never).save());
      case 'sort':
        return store.sort(random.pick(['title', 'hours', 'team'] as const), random.pick(['ASC', 'DESC'] as const));
      case 'filter':
        return random.chance(0.4)
          ? store.filter([])
          : store.filter({ property: 'hours', operator: 'ge', value: random.integer(0, 3) });
      case 'search':
        return store.search(random.pick(['', 'a', 'b']));
      case 'group':
        return random.chance(0.5) ? store.group([]) : store.group(random.pick(['team', 'hours'] as const));
      case 'remote':
        return random.chance(0.5)
          ? store.setRemote({ remoteSort: random.chance(0.5) })
          : store.setRemote({ remoteFilter: random.chance(0.5) });
      case 'flush':
        return random.pick<{ flush(): void }>([...this.stores, ...this.views]).flush();
      case 'view':
        return void (this.views.length < 3 && this.views.push(this.createView(store)));
      case 'window':
        return void (this.windows.length < 3 && this.windows.push(this.createWindow(store)));
      case 'show': {
        const start = random.integer(0, 10);
        return this.settle(this.anyWindow()?.show({ start, end: start + random.integer(0, 6) }));
      }
      default:
        return this.watch(name, store, record);
    }
  }

  private watch(name: string, store: Store<Task, { by: ['team'] }>, record: Task | undefined): void {
    const { random } = this;
    switch (name) {
      case 'watchRecord':
        if (record) this.watchRecord(record);
        return;
      case 'watchField':
        if (record)
          this.watchSource(`field ${this.nameOf(record)}`, () =>
            record.$.field(random.pick(['title', 'team', 'double', 'address'] as const)),
          );
        return;
      case 'watchForm':
        if (record) this.watchForm(record);
        return;
      case 'watchStore':
        return this.watchStore(store);
      case 'watchView':
        return this.watchView();
      case 'watchWindow':
        return this.watchWindow();
      case 'unwatch':
        return void this.stops.splice(random.integer(0, this.stops.length), 1)[0]?.();
      case 'react':
        return this.react(store, record);
      case 'disposeView':
        return this.views.splice(0, 1)[0]?.dispose();
      case 'disposeWindow':
        return this.windows.splice(0, 1)[0]?.dispose();
      case 'disposeStore':
        if (this.stores.length > 1) this.stores.splice(1, 1)[0]?.dispose();
    }
  }

  private edit(record: Task | undefined): void {
    const { random } = this;
    if (!record) return;
    if (random.chance(0.3)) record.set(this.values() as never);
    else if (random.chance(0.5)) record.title = random.pick(TITLES);
    else record.hours = random.integer(0, 5);
  }

  // ── Listeners ──

  private watchSource(name: string, find: () => Source<unknown> | undefined): void {
    this.attempt(() => {
      const source = find();
      if (!source) return;
      const id = this.nextName();
      this.stops.push(source.subscribe(() => this.told(`${name} ${id}`, () => source.get())));
    });
  }

  private watchRecord(record: Task): void {
    const name = this.nameOf(record);
    this.watchSource(`state ${name}`, () => record.$.state);
    if (this.random.chance(0.5)) return;
    this.stops.push(record.on('set', ({ modified }) => this.told(`set ${name}`, () => modified)));
    this.stops.push(record.on('commit', () => this.told(`commit ${name}`, () => undefined)));
    this.stops.push(record.on('erase', () => this.told(`erase ${name}`, () => undefined)));
  }

  private watchForm(record: Task): void {
    const form = new RecordForm(record);
    this.watchSource(`form ${this.nameOf(record)}`, () => form.state as Source<unknown>);
    this.watchSource(`form title ${this.nameOf(record)}`, () => form.field('title') as Source<unknown>);
  }

  private watchStore(store: Store<Task, { by: ['team'] }>): void {
    const name = `store${this.stores.indexOf(store)}`;
    const which = this.random.pick(['change', 'list', 'status', 'groups', 'load'] as const);
    if (which === 'list') return this.watchSource(`${name}.list`, () => store.list);
    if (which === 'status') return this.watchSource(`${name}.status`, () => store.status);
    if (which === 'groups') return this.watchGroups(name, store.groups);
    const id = this.nextName();
    if (which === 'change') this.stops.push(store.on('change', (change) => this.changed(`${name} ${id}`, change)));
    else {
      this.stops.push(store.on('load', ({ records }) => this.told(`${name} load ${id}`, () => records)));
      this.stops.push(store.on('write', ({ operation }) => this.told(`${name} write ${id}`, () => operation.action)));
      this.stops.push(store.on('exception', ({ error }) => this.told(`${name} exception ${id}`, () => error.code)));
    }
  }

  private watchGroups(name: string, all: Store<Task, { by: ['team'] }>['groups']): void {
    this.attempt(() => {
      this.stops.push(
        all.on('change', ({ added, removed, changed }) =>
          this.told(`${name}.groups`, () => [added, removed, changed].map((each) => each.map(({ key }) => key))),
        ),
      );
    });
  }

  private watchView(): void {
    const at = this.random.integer(0, this.views.length - 1);
    const view = this.views[at];
    if (!view) return;
    this.watchSource(`view${at}.list`, () => view.list);
    if (this.random.chance(0.5)) this.stops.push(view.on('change', (change) => this.changed(`view${at}`, change)));
    else this.watchGroups(`view${at}`, view.groups as never);
  }

  private watchWindow(): void {
    const window = this.anyWindow();
    if (!window) return;
    const name = `window${this.windows.indexOf(window)}`;
    this.watchSource(`${name}.list`, () => window.list);
    this.watchSource(`${name}.status`, () => window.status);
    this.stops.push(window.on('change', ({ from, to }) => this.told(name, () => [from, to])));
    this.stops.push(window.on('exception', ({ error }) => this.told(`${name} exception`, () => error.code)));
  }

  /** Adds a listener that changes something itself. */
  private react(store: Store<Task, { by: ['team'] }>, record: Task | undefined): void {
    const { random } = this;
    let left = 2;
    const reaction = random.pick([
      'edit',
      'remove',
      'flush',
      'unwatch',
      'add',
      'reject',
      'watchStore',
      'disposeView',
    ] as const);
    const react = () => {
      if (left === 0 || this.depth > 1) return;
      left -= 1;
      this.depth += 1;
      this.log.push(`> ${reaction}`);
      this.attempt(() => this.act(reaction));
      this.depth -= 1;
    };
    this.attempt(() => {
      if (record && random.chance(0.4)) this.stops.push(record.$.state.subscribe(react));
      else if (random.chance(0.4)) this.stops.push(store.on('change', react));
      else this.stops.push(random.pick([store.list, store.status]).subscribe(react));
    });
  }

  private changed(name: string, change: StoreChange<Task>): void {
    this.told(name, () => {
      const { added, removed, moved, splices } = differenceOf(change);
      const { updated } = change;
      const places = splices.map(({ index, remove, records }) => `${index}/${remove}/${records.length}`);
      return { added, removed, moved, updated, places };
    });
  }

  private told(name: string, read: () => unknown): void {
    let value: unknown;
    try {
      value = read();
    } catch (error) {
      value = (error as Error).name;
    }
    this.log.push(`${name} ${this.text(value)}`);
  }

  // ── Details ──

  private addStore(store: Store<Task, { by: ['team'] }>): void {
    this.stores.push(store);
    this.watchStore(store);
    this.watchStore(store);
  }

  private createView(store: Store<Task, { by: ['team'] }>) {
    const hours = this.random.integer(0, 3);
    return viewOf(store, {
      filters: this.random.chance(0.6) ? [{ property: 'hours', operator: 'ge', value: hours }] : [],
      sorters: this.random.chance(0.6) ? [this.random.pick(['title', 'hours', 'team'] as const)] : [],
      holdEdited: this.random.chance(0.3),
      groups: groups({ by: ['team'] }),
    });
  }

  private createWindow(store: Store<Task, { by: ['team'] }>) {
    const remote = this.stores
      .map((each) => ({ each, ...remoteOf(each) }))
      .find(({ remoteSort, remoteFilter }) => remoteSort && remoteFilter)?.each;
    return windowOf(remote ?? store, { start: 0, end: this.random.integer(1, 5), prefetch: 2, settle: 0, keep: 8 });
  }

  private anyWindow() {
    return this.windows[this.random.integer(0, Math.max(this.windows.length - 1, 0))];
  }

  /** A record that is shown, or one that was seen before. */
  private anyRecord(): Task | undefined {
    const { random } = this;
    for (const store of this.stores) this.know(store.getRange());
    for (const window of this.windows)
      for (const each of window.list.get().slice(0, 12)) if (each) this.known.add(each as Task);
    const all = [...this.known];
    return all.length > 0 ? random.pick(all) : undefined;
  }

  private know(records: readonly Task[]): void {
    for (const each of records) this.known.add(each);
  }

  private values(): object {
    const { random } = this;
    return {
      title: random.pick(TITLES),
      team: random.pick(TEAMS),
      hours: random.integer(0, 5),
      address: { city: 'Rome' },
    };
  }

  private asAnother(id: number | undefined, act: (other: Task) => Promise<unknown>): void {
    const row = this.server.data.find((each) => (each as { id: number }).id === id);
    if (row) this.settle(act(this.Task.fromRow(row) as Task));
  }

  private settle(promise: Promise<unknown> | undefined): void {
    if (promise)
      this.settled.push(
        promise.catch((error: Error) => this.log.push(`! ${(error as { code?: string }).code ?? error.name}`)),
      );
  }

  private attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.log.push(`! ${(error as { code?: string }).code ?? (error as Error).stack}`);
    }
  }

  private async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  private nextName(): string {
    this.names += 1;
    return `#${this.names}`;
  }

  private nameOf(record: Task): string {
    return String(record.getId());
  }

  /** A value of an event or source, short and always the same text. */
  private text(value: unknown): string {
    if (value instanceof Model) return 'city' in value ? `city ${value.city}` : this.nameOf(value as Task);
    if (value instanceof Error) return String((value as { code?: string }).code ?? value.name);
    if (Array.isArray(value)) return `[${value.map((each) => this.text(each)).join()}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    if ('slice' in value) return this.text([...(value as { slice(): unknown[] }).slice()]);
    const isTold = (name: string) => name !== 'loadCount' && name !== 'staleReason';
    const members = Object.entries(value).filter(
      ([name, each]) => each !== undefined && each !== false && isTold(name),
    );
    return `{${members.map(([name, each]) => `${name}:${this.text(each)}`).join()}}`;
  }
}
