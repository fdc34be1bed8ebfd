import {
  type Clock,
  ConflictError,
  conflicts,
  decide,
  embed,
  etags,
  idempotency,
  Model,
  off,
  plain,
  reference,
  Session,
  Store,
  safeWrites,
} from 'repose';
import { historyOf } from 'repose/history';
import { memoryStorage, Outbox, type OutboxStorage } from 'repose/outbox';
import { Random } from '../faults/random.js';
import { Gates } from '../outbox/walks/gates.js';
import { WalkLocks } from '../outbox/walks/walk-locks.js';
import { StorageLog, sharedStorage, walkStorage } from '../outbox/walks/walk-storage.js';
import {
  type Answer,
  type Asked,
  FIELDS,
  isForeign,
  type LineRow,
  Oracle,
  type StoryRow,
  StoryServer,
  type Versions,
} from './oracle.js';

/** Steps within which everything must have ended when no faults happen any more. */
const PATIENCE = 3000;
const HOST = 'http://story.test';

export interface StoryOptions {
  readonly seed: number;
  /** The number of steps before all faults end. */
  readonly steps: number;
  /** Whether pages are also killed, storages fail, and lines are edited in several tabs. Then it is another story than without. @default false */
  readonly more?: boolean;
  /** Sends a request to a real server, which asks `answer`. @default the answer is given in this process */
  readonly send?: (input: string, init: RequestInit | undefined, answer: (asked: Asked) => Answer) => Promise<Response>;
}

/** The surroundings of a story, which its seed chooses. */
export interface StoryWorld {
  readonly method: 'PATCH' | 'PUT';
  readonly versions: Versions;
  readonly sorts: boolean;
  readonly keys: boolean;
  readonly repeats: boolean;
  readonly bulk: boolean;
  readonly strangers: boolean;
  readonly faults: boolean;
  readonly outbox: boolean;
  readonly tabs: number;
  readonly history: boolean;
}

export interface StoryResult {
  readonly findings: readonly string[];
  readonly world: StoryWorld;
  readonly log: readonly string[];
}

function worldOf(random: Random): StoryWorld {
  const versions = random.pick(['etag', 'etag', 'field', 'none'] as const);
  const method = random.pick(['PATCH', 'PATCH', 'PUT'] as const);
  const outbox = random.chance(0.5);
  return {
    ...{ method, versions, outbox, tabs: outbox ? random.integer(1, 3) : 1, history: false },
    ...{ sorts: random.chance(0.5), keys: random.chance(0.5), repeats: random.chance(0.5), bulk: random.chance(0.3) },
    // A request with the whole row writes old values of others back if nothing is compared.
    strangers: random.chance(0.6) && (versions !== 'none' || method === 'PATCH'),
    faults: random.chance(0.7),
  };
}

interface Surroundings {
  readonly world: StoryWorld;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

function defineOrder({ world, fetch, clock }: Surroundings) {
  class Line extends Model.define({ name: 'line', fields: { id: 'int', tag: 'string', q: 'string' } }) {}
  const { versions, keys, repeats, method, bulk } = world;
  return class Order extends Model.define({
    name: 'order',
    fields: {
      ...{ id: 'int', mark: 'string', a: 'string', b: 'string', c: 'string', lines: embed([Line]) },
      parentId: reference('int', { allowNull: true }),
    },
    proxy: {
      ...{
        type: 'rest',
        url: '/orders',
        baseUrl: HOST,
        fetch,
        clock,
        batchActions: bulk,
        actionMethods: { update: method },
      },
      dialect: plain(versions === 'field' ? { lockVersion: 'version' } : {}),
      use: repeats
        ? [
            safeWrites({ idempotency: keys, retry: { limit: 1, random: () => 0.5 } }),
            ...(versions === 'etag' ? [] : [off('etags')]),
          ]
        : [conflicts(), ...(versions === 'etag' ? [etags()] : []), ...(keys ? [idempotency()] : [])],
    },
  }) {
    static override references() {
      return { parentId: this };
    }
  };
}

type Order = InstanceType<ReturnType<typeof defineOrder>>;
type Line = Order['lines'][number];

interface Failure extends Error {
  readonly code?: string;
  readonly status?: number;
  readonly queued?: boolean;
}

/** A page of the application: its store, and its user. */
interface Tab {
  readonly name: string;
  readonly identity: object;
  readonly store: Store<Order>;
  readonly outbox: Outbox | undefined;
  readonly session: Session | undefined;
  /** Values that the user has typed and not saved since, by the place of the value: the screen must show it. */
  readonly pending: Map<string, string>;
  /** Records of whose conflict the user was told, until they are saved. */
  readonly conflicts: Set<Order>;
}

/** One random story: what users, strangers, the network and the server do, in an order that its seed repeats. */
export class Story {
  readonly oracle: Oracle = new Oracle();
  private readonly gates: Gates = new Gates();
  private readonly random: Random;
  private readonly world: StoryWorld;
  private readonly server: StoryServer;
  private readonly tabs: Tab[] = [];
  private readonly locks: WalkLocks = new WalkLocks(this.gates);
  private readonly storages: () => OutboxStorage;
  private readonly storageLog: StorageLog = new StorageLog();
  /** Marks of the records whose writes are being dropped. */
  private readonly dropping: Set<string> = new Set();
  private isCalm = false;
  private made = 0;
  private opened = 0;
  /** Calls whose promise has not ended, with their names, and the tabs that have made them. */
  private readonly calls: Map<object, { readonly name: string; readonly tab: Tab | undefined }> = new Map();
  /** The tab whose user acts. */
  private acting: Tab | undefined = undefined;

  constructor(private readonly options: StoryOptions) {
    this.random = new Random(options.seed, 'story');
    this.world = worldOf(this.random);
    this.server = new StoryServer(this.world, this.oracle);
    this.storages = sharedStorage(memoryStorage());
  }

  async run(): Promise<StoryResult> {
    const { oracle, world, gates } = this;
    const note = (error: unknown) => oracle.found(`unhandled: ${String((error as Error).stack)}`);
    process.on('unhandledRejection', note);
    try {
      for (let count = this.random.integer(1, 3); count > 0; count -= 1) this.server.add(this.newRow());
      for (let at = 0; at < world.tabs; at += 1) await this.open();
      for (let step = 0; step < this.options.steps; step += 1) {
        if (gates.count > 0 && this.random.chance(0.55)) gates.openOne(this.random, this.random.chance(0.8));
        else await this.act();
        await gates.settle();
        this.checkScreens();
      }
      await this.finish();
    } catch (error) {
      oracle.found(`thrown: ${(error as Error).stack}`);
    } finally {
      process.off('unhandledRejection', note);
    }
    return { findings: [...oracle.findings], world, log: gates.history };
  }

  // ── The world ──

  private note(text: string): void {
    this.gates.history.push(text);
  }

  private value(by: 't' | 'f' = 't'): string {
    this.made += 1;
    return `${by}${this.made}`;
  }

  private newLine(): LineRow {
    const tag = `L${this.value('t')}`;
    return { tag, q: `${tag}:${this.value()}` };
  }

  private newRow(): Readonly<Record<string, unknown>> {
    const values = Object.fromEntries(FIELDS.map((field) => [field, this.value()]));
    const lines = Array.from({ length: this.random.integer(0, 3) }, () => this.newLine());
    return { mark: `m${this.value()}`, ...values, lines, parentId: null };
  }

  private async open(): Promise<void> {
    const { gates, world, tabs } = this;
    const name = `tab ${(this.opened += 1)}`;
    const identity = { name };
    let now = 0;
    const clock: Clock = {
      now: () => now,
      after: (ms, callback) => {
        const due = now + ms;
        const ring = () => {
          now = Math.max(now, due);
          callback();
        };
        return gates.later(`${name}: a timer of ${ms} ms`, identity, ring, true);
      },
    };
    const Defined = defineOrder({ world, fetch: this.fetchOf(identity, name), clock });
    const outbox = world.outbox
      ? new Outbox({
          ...{ scope: 'a', clock, models: [Defined], random: () => 0.5, locks: this.locks.ofTab(identity, name) },
          storage: walkStorage(
            this.storages(),
            identity,
            name,
            gates,
            this.storageLog,
            (what) => what === 'append' && this.isFull(),
          ),
        })
      : undefined;
    const session = world.history ? new Session() : undefined;
    if (session) historyOf(session);
    const store = new Store({
      ...{ model: Defined, pageSize: 0 },
      ...(session && { session }),
      ...(outbox && { proxy: { use: [outbox] } }),
    }) as unknown as Store<Order>;
    const tab: Tab = {
      name,
      identity,
      store,
      outbox,
      session,
      pending: new Map(),
      conflicts: new Set(),
    };
    tabs.push(tab);
    this.acting = tab;
    this.note(`${name} is opened`);
    this.follow('load', store.load());
    await gates.settle();
  }

  private fetchOf(tab: object, name: string): typeof globalThis.fetch {
    const { gates, server, options } = this;
    return async (input, init) => {
      const { pathname } = new URL(String(input));
      const method = init?.method ?? 'GET';
      const text = String(init?.body ?? '');
      const headers = new Headers(init?.headers);
      const match = headers.get('If-Match');
      const what = `${method} ${pathname} ${text}${match === null ? '' : ` if ${match}`}`;
      await gates.pass(`${name}: ${what} arrives`, tab, init?.signal);
      const fault = this.nextFault(method);
      if (fault) this.note(`  ${fault}`);
      if (fault === 'is lost') throw new TypeError('lost before');
      const answer = (asked: Asked): Answer =>
        typeof fault === 'number' ? { status: fault, json: { title: 'no' } } : server.answer(asked);
      const response = options.send
        ? await gates.work(() => options.send!(pathname, init, answer))
        : responseOf(answer({ method, path: pathname, text, headers }));
      await gates.pass(`${name}: answer ${response.status} to ${what}`, tab, init?.signal);
      if (fault === 'gets no response') throw new TypeError('lost after');
      return response;
    };
  }

  private nextFault(method: string): 'is lost' | 'gets no response' | number | undefined {
    if (this.isCalm || !this.world.faults) return undefined;
    const dice = this.random.integer(0, 99);
    if (dice < 6) return 'is lost';
    if (dice < 14) return 'gets no response';
    if (dice < 19) return 503;
    return dice < 24 && method !== 'GET' ? 422 : undefined;
  }

  private follow(
    name: string,
    promise: Promise<unknown>,
    ended: (error: Failure | undefined) => void = () => {},
  ): void {
    const call = {};
    this.calls.set(call, { name, tab: this.acting });
    const end = (error?: Failure) => {
      this.calls.delete(call);
      if (error) this.note(`  ${name} failed: ${error.code ?? error.name} ${error.status ?? ''}`);
      ended(error);
      this.tolerate(name, error);
    };
    promise.then(
      () => end(),
      (error: Failure) => end(error),
    );
  }

  /** Any error that is no outcome of the network, the server or a decision is a finding. */
  private tolerate(name: string, error: Failure | undefined): void {
    const expected = [
      'network',
      'timeout',
      'abort',
      'http',
      'conflict',
      'validation',
      'erased',
      'busy',
      'unresolvable',
      'dependency',
    ];
    if (error && !expected.includes(error.code ?? '') && !error.code?.startsWith('outbox-'))
      this.oracle.found(`error: ${name}: ${error.stack}`);
  }

  private isFull(): boolean {
    return this.options.more === true && !this.isCalm && this.world.faults && this.random.chance(0.02);
  }

  /** Ends a page without a word, and opens another one. What the page had typed, or had not stored yet, is lost. */
  private kill(tab: Tab): Promise<void> {
    const { gates, locks, tabs, oracle, calls, storageLog } = this;
    this.note(`${tab.name} is killed`);
    gates.close(tab.identity);
    locks.close(tab.identity);
    tabs.splice(tabs.indexOf(tab), 1);
    for (const [call, { tab: by }] of calls) if (by === tab) calls.delete(call);
    this.dropping.clear();
    const stored = new Set(storageLog.appended.flatMap(({ values }) => Object.values(values)));
    oracle.forget(tab, (value) => stored.has(value));
    // Its erases may not have been stored either.
    for (const mark of oracle.erased) oracle.gone.add(mark);
    oracle.erased.clear();
    return this.open();
  }

  // ── Actions ──

  private act(): void | Promise<void> {
    const { random, tabs, world, options } = this;
    const tab = random.pick(tabs);
    this.acting = tab;
    if (options.more && world.outbox && random.chance(0.03)) return this.kill(tab);
    const records = this.recordsOf(tab);
    const dice = random.integer(0, 99);
    if (dice < 8 || records.length === 0) return this.create(tab);
    const record = random.pick(records);
    if (dice < 30) this.typeInto(tab, record);
    else if (dice < 45) {
      if (world.tabs === 1 || options.more) this.editLines(tab, record);
    } else if (dice < 68) this.save(tab, record);
    else if (dice < 72) this.sync(tab);
    else if (dice < 75) this.erase(tab, record);
    else if (dice < 78) this.discard(tab, record);
    else if (dice < 83) this.load(tab, record);
    else if (dice < 86) this.loadAll(tab);
    else if (dice < 88) record.$.abort();
    else if (dice < 94) this.decide(tab, record);
    else this.strangerEdits();
  }

  /**
   * The records that the user works with. The row of a create that has no response yet is listed beside its record until the create is
   * answered or decided on; the user knows that both are one.
   */
  private recordsOf({ store }: Tab): Order[] {
    const records = [...store].filter((record) => !record.erased);
    const made = new Set(records.filter(({ phantom }) => phantom).map(({ mark }) => mark));
    // A limit: a save or an edit of a record that is just being dropped may be dropped with it. The user waits for the end of the drop.
    return records.filter(({ mark, phantom }) => (phantom || !made.has(mark)) && !this.dropping.has(mark as string));
  }

  /** The user looks at a record: whatever is on the screen has been seen. */
  private look(record: Order): void {
    for (const field of FIELDS) this.oracle.see(`${record.mark}.${field}`, record.get(field));
    for (const { tag, q } of record.lines ?? []) this.oracle.see(`${record.mark}/${tag}`, q);
  }

  /** Takes what a read has put under edits as seen, where the documents say that it is. */
  private seeRows(tab: Tab): void {
    for (const record of this.recordsOf(tab)) {
      const row = this.server.rows.get(record.id as number);
      if (!row) continue;
      // The oracle asks for no conflict of a list about a row that was read while the list was edited.
      if (Object.hasOwn(record.$.modified, 'lines')) this.lookAt(record, 'lines', row.lines);
      // docs/reference/records.md: whoever was told of a conflict, reads the record again and saves it has decided.
      if (tab.conflicts.has(record)) for (const field of FIELDS) this.lookAt(record, field, row[field]);
    }
  }

  private create(tab: Tab): void {
    const { mark, a, lines } = this.newRow() as { mark: string; a: string; lines: readonly LineRow[] };
    const [record] = tab.store.add({ mark, a, b: '', c: '', lines, parentId: null } as never) as [Order];
    this.noteTyped(tab, `${mark}.a`, a);
    this.note(`${tab.name} makes ${mark} ${a}`);
    this.look(record);
  }

  private typeInto(tab: Tab, record: Order): void {
    const field = this.random.pick(FIELDS);
    const value = this.value();
    this.look(record);
    record.set(field, value);
    this.noteTyped(tab, `${record.mark}.${field}`, value);
    this.note(`${tab.name} types ${record.mark}.${field} = ${value}`);
  }

  private noteTyped(tab: Tab, place: string, value: string): void {
    this.oracle.type(place, value, tab);
    tab.pending.set(place, value);
  }

  private editLines(tab: Tab, record: Order): void {
    const { oracle, random } = this;
    const lines = record.lines ?? [];
    this.look(record);
    const dice = random.next();
    const line = lines.length > 0 ? random.pick(lines) : undefined;
    // A limit: a tab takes a line that another tab has added and sent for one of a stranger until it is told (seed 134).
    if (this.world.tabs > 1 && (!line || dice < 0.25)) return;
    if (!line || dice < 0.25) {
      const made = this.newLine();
      record.set('lines', [...lines, made]);
      this.note(`${tab.name} adds line ${made.tag} to ${record.mark}`);
    } else if (dice < 0.75) {
      line.q = `${line.tag}:${this.value()}`;
      oracle.editedLines.add(line.tag as string);
      this.note(`${tab.name} types line ${line.q} in ${record.mark}`);
    } else if (dice < 0.9) {
      oracle.removedLines.add(line.tag as string);
      record.set(
        'lines',
        lines.filter((each) => each !== line),
      );
      this.note(`${tab.name} removes line ${line.tag} of ${record.mark}`);
    } else {
      record.set('lines', lines.toReversed());
      this.note(`${tab.name} reverses the lines of ${record.mark}`);
    }
  }

  /** Notes what the screen shows of a record when its save is called. */
  private noteSave(tab: Tab, record: Order): void {
    for (const field of FIELDS) {
      const value = record.get(field) as string;
      this.oracle.saved.add(value);
      // Another tab may have given up all values of the record, but what was typed here and not saved by then is wanted.
      const place = `${record.mark}.${field}`;
      // A value that another tab has taken back, and that is shown here still, is saved again.
      const isAgain = Object.hasOwn(record.$.modified, field) && this.oracle.givenUp.has(value);
      if (tab.pending.get(place) === value || isAgain) this.oracle.type(place, value, tab);
    }
    for (const { q } of record.lines ?? []) this.oracle.saved.add(q as string);
    // docs/reference/outbox.md: whoever was told of a conflict and saves again replaces what others have saved.
    const row = tab.outbox && tab.conflicts.has(record) ? this.server.rows.get(record.id as number) : undefined;
    if (row) for (const field of [...FIELDS, 'lines']) this.lookAt(record, field, row[field]);
    // Another tab that saves the same field later is shown here, too.
    if (this.world.tabs > 1) for (const field of FIELDS) tab.pending.delete(`${record.mark}.${field}`);
    this.note(`${tab.name} saves ${record.mark} ${JSON.stringify(record.$.modified)}`);
  }

  private save(tab: Tab, record: Order): void {
    if (!record.dirty && !record.phantom) return;
    this.noteSave(tab, record);
    this.follow(`save of ${record.mark}`, record.save(), (error) => this.ended(tab, record, error));
  }

  private sync(tab: Tab): void {
    const records = this.recordsOf(tab).filter(({ dirty, phantom }) => dirty || phantom);
    for (const record of records) this.noteSave(tab, record);
    // It saves what was typed into a record that is being dropped, and into the row of an unconfirmed create, too.
    for (const record of tab.store) {
      if (records.includes(record)) continue;
      for (const field of FIELDS) this.oracle.saved.add(record.get(field) as string);
      for (const { q } of record.lines ?? []) this.oracle.saved.add(q as string);
    }
    this.follow(
      'sync',
      tab.store.sync().then((batch) => {
        for (const { record, error } of batch.outcomes) this.ended(tab, record as Order, error as Failure | undefined);
      }),
    );
  }

  private ended(tab: Tab, record: Order, error: Failure | undefined): void {
    if (error?.status === 404) this.forget(tab, record);
    if (error?.code === 'conflict') tab.conflicts.add(record);
    else if (!error) tab.conflicts.delete(record);
  }

  private erase(tab: Tab, record: Order): void {
    const { mark } = record;
    if (record.$.unconfirmed || this.recordsOf(tab).length < 3) return;
    this.note(`${tab.name} erases ${mark}`);
    this.oracle.erased.add(mark as string);
    this.follow(`erase of ${mark}`, record.erase(), (error) => {
      // The request may have got no answer, and the record is shown again: the user goes on with it.
      if (!error || record.erased || error.queued) return;
      this.oracle.erased.delete(mark as string);
      // An outbox keeps an erase behind a create without a response, and sends it when that is decided.
      if (tab.outbox || !this.server.rowOf(mark as string)) this.oracle.gone.add(mark as string);
    });
  }

  /** The user gives up what is not saved. */
  private discard(tab: Tab, record: Order): void {
    if (!record.dirty) return;
    this.note(`${tab.name} discards ${record.mark}`);
    this.giveUp(tab, record, tab);
    record.reject();
  }

  private giveUp(tab: Tab, record: Order, only?: Tab): void {
    for (const field of FIELDS) {
      this.oracle.giveUp(`${record.mark}.${field}`, only);
      tab.pending.delete(`${record.mark}.${field}`);
    }
    for (const { tag } of record.lines ?? []) this.oracle.removedLines.add(tag as string);
  }

  private forget(tab: Tab, record: Order): void {
    this.giveUp(tab, record);
    this.oracle.erased.add(record.mark as string);
    record.reject();
  }

  private loadAll(tab: Tab): void {
    this.follow('load', tab.store.load(), () => this.seeRows(tab));
  }

  private load(tab: Tab, record: Order): void {
    if (record.phantom) return;
    this.note(`${tab.name} reads ${record.mark}`);
    this.follow(`read of ${record.mark}`, record.load(), () => this.seeRows(tab));
  }

  /** Decides about a write that its outbox could not send. Returns whether there was one. */
  private decideFailed(tab: Tab): boolean {
    const { outbox } = tab;
    // The user of a conflict decides it at its record, unless that is no longer in the list, because somebody has erased its row.
    const shown: ReadonlySet<unknown> = new Set(this.recordsOf(tab));
    const write = outbox?.failed.find(
      ({ error, record }) =>
        error?.code !== 'conflict' || !(record?.$.error instanceof ConflictError) || !shown.has(record),
    );
    if (!outbox || !write) return false;
    const record = write.record as Order | undefined;
    const mark = (record?.mark ?? this.server.rows.get(write.entry?.id as number)?.mark) as string;
    const row = this.server.rowOf(mark);
    // A limit: what is typed or saved while a busy record waits for the end of its drop may be dropped with it (seed 272).
    const isBusy = record?.$.saving ?? false;
    const isRetried =
      write.state === 'unconfirmed' ? !row : write.state === 'failed' && (isBusy || this.random.chance(0.6));
    const how = isRetried ? 'retry' : write.state === 'unconfirmed' ? 'confirm' : 'drop';
    this.note(`${tab.name} decides about ${mark} (${write.state}): ${how}`);
    // A retry after a conflict is the decision to replace what others have saved.
    // A record that was made of stored changes may have no mark.
    const told = { mark, lines: record?.lines ?? [] };
    if (row) for (const field of [...FIELDS, 'lines']) this.lookAt(told, field, row[field]);
    if (how === 'retry') this.follow('retry', outbox.retry(write));
    else if (how === 'confirm') this.follow('confirm', outbox.confirm(write, row as never));
    else {
      for (const field of FIELDS) {
        this.oracle.giveUp(`${mark}.${field}`);
        for (const { pending } of this.tabs) pending.delete(`${mark}.${field}`);
      }
      this.dropping.add(mark);
      for (const { tag } of record?.lines ?? []) this.oracle.removedLines.add(tag as string);
      if (write.entry?.action === 'destroy') this.oracle.erased.delete(mark);
      if (write.entry?.action === 'create') this.oracle.gone.add(mark);
      this.follow('drop', outbox.discard(write), () => this.dropping.delete(mark));
    }
    return true;
  }

  /** Decides about a record that needs it, as a user who looks at the server. Returns whether it did. */
  private decide(tab: Tab, record: Order): boolean {
    const { $ } = record;
    if (tab.outbox && this.decideFailed(tab)) return true;
    if ($.saving || record.erased || (tab.outbox && $.unconfirmed)) return false;
    // The key of a request for several records is not that of each record.
    if ($.unconfirmed && (!this.world.keys || this.world.bulk)) {
      const row = this.server.rowOf(record.mark as string);
      this.note(`${tab.name} decides about ${record.mark}: ${row ? 'it is there' : 'it is not there'}`);
      // Whoever decides has looked at the row.
      if (row) for (const field of [...FIELDS, 'lines']) this.lookAt(record, field, row[field]);
      decide(record, (row ?? null) as never);
      return true;
    }
    if ($.error instanceof ConflictError) {
      this.resolve(tab, record, $.error);
      return true;
    }
    return false;
  }

  private resolve(tab: Tab, record: Order, error: ConflictError): void {
    const way = this.random.pick(['keepMine', 'takeTheirs', 'merge'] as const);
    const name = `${way} of ${record.mark}`;
    this.note(`${tab.name}: ${name}`);
    const isErase = error.operation?.action === 'destroy';
    // The user is shown both sides before the decision.
    this.follow(
      name,
      error.inspect().then(async (sides) => {
        if (record.$.error !== error || record.erased) return;
        for (const { field, theirs } of sides) this.lookAt(record, field, theirs);
        this.noteSave(tab, record);
        if (isErase && way !== 'takeTheirs') this.oracle.erased.add(record.mark as string);
        if (way === 'keepMine') return error.keepMine();
        if (way === 'takeTheirs') {
          this.giveUp(tab, record);
          // The row of the others stays.
          if (isErase) this.oracle.erased.delete(record.mark as string);
          return error.takeTheirs();
        }
        return error.merge(({ field, mine, theirs }) => {
          if (this.random.chance(0.5)) return mine;
          this.note(`  theirs for ${field}`);
          this.giveUpField(tab, record, field);
          return theirs;
        });
      }),
      (failure) => {
        if (failure && isErase && !record.erased) this.oracle.erased.delete(record.mark as string);
        this.ended(tab, record, failure);
      },
    );
  }

  private lookAt(record: Pick<Order, 'mark' | 'lines'>, field: string, theirs: unknown): void {
    if (field === 'lines') {
      for (const { tag, q } of (theirs ?? []) as readonly Line[]) {
        this.oracle.see(`${record.mark}/${tag}`, q);
        // A list is one value of a decision: whoever keeps the own list has decided about the lines that one side lacks.
        this.oracle.removedLines.add(tag as string);
      }
      for (const { tag } of record.lines ?? []) this.oracle.editedLines.add(tag as string);
    } else this.oracle.see(`${record.mark}.${field}`, theirs);
  }

  private giveUpField(tab: Tab, record: Order, field: string): void {
    this.oracle.giveUp(`${record.mark}.${field}`);
    tab.pending.delete(`${record.mark}.${field}`);
    if (field === 'lines') for (const { tag } of record.lines ?? []) this.oracle.removedLines.add(tag as string);
  }

  private strangerEdits(): void {
    const { server, world, random, oracle } = this;
    if (!world.strangers || this.isCalm || server.rows.size === 0) return;
    const row = random.pick([...server.rows.values()]);
    const dice = random.next();
    const value = this.value('f');
    const line = row.lines.length > 0 ? random.pick(row.lines) : undefined;
    const shown = this.tabs.flatMap((tab) => [...tab.store].map((record) => ({ tab, record })));
    // The user of a create without a response could not tell its row, which stays in the list until that is read again, from its record.
    const isMade = !shown.some(({ record }) => record.phantom && record.mark === row.mark);
    if (isMade && random.chance(0.15)) {
      this.note(`a stranger erases ${row.mark}`);
      oracle.gone.add(row.mark);
      server.rows.delete(row.id);
      return;
    }
    this.note(`a stranger changes ${row.mark} by ${value} (${dice.toFixed(2)})`);
    if (dice < 0.5) server.put(row.id, { ...row, [random.pick(FIELDS)]: value });
    else if (dice < 0.75 && line)
      server.put(row.id, {
        ...row,
        lines: row.lines.map((each) => (each === line ? { ...each, q: `${each.tag}:${value}` } : each)),
      });
    else if (dice < 0.9)
      server.put(row.id, { ...row, lines: [...row.lines, { tag: `F${this.made}`, q: `F${this.made}:${value}` }] });
    else if (line) {
      oracle.takenLines.add(line.tag);
      oracle.removedLines.add(line.tag);
      server.put(row.id, { ...row, lines: row.lines.filter((each) => each !== line) });
    }
    // Whoever has saved again after a conflict replaces what others have saved until the row is read before the request.
    const now = server.rows.get(row.id) as StoryRow;
    for (const { tab, record } of shown)
      if (tab.outbox && tab.conflicts.has(record) && record.id === row.id && (record.$.queued || record.$.saving))
        for (const field of [...FIELDS, 'lines']) this.lookAt(record, field, now[field]);
  }

  // ── The laws of the screen, and the end ──

  /** Edits are on the screen until they are saved or given up. */
  private checkScreens(): void {
    for (const tab of this.tabs)
      for (const record of this.recordsOf(tab)) {
        for (const field of FIELDS) {
          const place = `${record.mark}.${field}`;
          const typed = tab.pending.get(place);
          if (typed === undefined || record.get(field) === typed) continue;
          // The row of an unconfirmed create is a record of its own until the application has decided: its edits are shown there (seed 5859).
          const isRow = (each: Order) => record.phantom && each.mark === record.mark && each.get(field) === typed;
          if ([...tab.store].some(isRow)) continue;
          // The user has given the record up, and a list may show its row until the erase is answered.
          if (this.oracle.erased.has(record.mark as string)) continue;
          // A saved value is shown until somebody else has written another one.
          const isSaved =
            !Object.hasOwn(record.$.modified, field) && (this.oracle.served.get(place) ?? []).includes(typed);
          if (isSaved && isForeign(record.get(field))) tab.pending.delete(place);
          else
            this.oracle.found(
              `screen: ${tab.name} shows ${place} as ${String(record.get(field))}, and the user has typed ${typed}`,
            );
        }
      }
  }

  private async finish(): Promise<void> {
    const { gates, tabs, oracle, random } = this;
    this.isCalm = true;
    this.note('no faults any more');
    let isRead = false;
    for (let left = PATIENCE; left > 0; left -= 1) {
      if (gates.count > 0) gates.openOne(random, true);
      else if (tabs.some((tab) => this.goOn(tab))) isRead = false;
      else if (isRead) break;
      else {
        isRead = true;
        for (const { store, outbox } of tabs) {
          if (outbox) this.follow('flush', outbox.send());
          this.follow('load', store.load());
        }
      }
      await gates.settle();
      this.checkScreens();
      if (left === 1) oracle.found('stuck: the story has no end');
    }
    for (const { name } of this.calls.values()) oracle.found(`open: ${name} has no end`);
    oracle.checkEnd([...this.server.rows.values()], this.world.tabs);
    for (const tab of tabs) this.checkAtEnd(tab);
    for (const { name, outbox } of tabs)
      if (outbox && outbox.size > 0)
        oracle.found(`stuck: ${name} keeps ${outbox.failed.map(({ state }) => state).join()} of ${outbox.size} writes`);
  }

  /** Takes the decisions and saves what is left. Returns whether there was anything to do. */
  private goOn(tab: Tab): boolean {
    this.acting = tab;
    if (this.decideFailed(tab)) return true;
    for (const record of this.recordsOf(tab)) {
      if (this.decide(tab, record)) return true;
      if (record.$.saving || record.$.queued || !(record.dirty || record.phantom)) continue;
      this.save(tab, record);
      return true;
    }
    return false;
  }

  /** With nothing to save, the screen shows the rows of the server. */
  private checkAtEnd(tab: Tab): void {
    const { oracle, server } = this;
    const shown = this.recordsOf(tab);
    for (const row of server.rows.values())
      if (!shown.some((record) => record.id === row.id)) oracle.found(`screen: ${tab.name} does not show ${row.mark}`);
    for (const record of shown) {
      const row = server.rows.get(record.id as number);
      if (!row) {
        oracle.found(`screen: ${tab.name} shows ${record.mark}, which is not on the server`);
        continue;
      }
      const linesOf = (lines: readonly { readonly id?: unknown; readonly q?: unknown }[]) =>
        JSON.stringify(lines.map(({ id, q }) => [id, q]));
      for (const field of FIELDS)
        if (record.get(field) !== row[field])
          oracle.found(
            `screen: ${tab.name} shows ${row.mark}.${field} as ${String(record.get(field))}, the server has ${String(row[field])}`,
          );
      if (linesOf(record.lines ?? []) !== linesOf(row.lines))
        oracle.found(
          `screen: ${tab.name} shows the lines ${linesOf(record.lines ?? [])} of ${row.mark}, the server has ${linesOf(row.lines)}`,
        );
    }
  }
}

function responseOf({ status, json, headers = {} }: Answer): Response {
  return json === undefined ? new Response(null, { status, headers }) : Response.json(json, { status, headers });
}
