import { type Batch, ConflictError, type Store } from 'repose';
import type { FailedWrite, Outbox } from '../../src/outbox.js';
import type { Journal, Values, Verb } from './journal.js';
import type { AnyRecord } from './models.js';
import { Random } from './random.js';
import { isMarker, rowName, type TableName, tables, uniqueValue } from './tables.js';
import type { Tracker } from './tracker.js';

/** A store of records of some model. */
export type AnyStore = Store<never> & {
  add(values: object): AnyRecord[];
  remove(record: AnyRecord): AnyRecord[];
  getAt(index: number): AnyRecord | undefined;
  sync(options?: object): Promise<Batch<AnyRecord>>;
};

export interface StoreUseOptions {
  readonly name: string;
  readonly table: TableName;
  readonly store: AnyStore;
  readonly client: number;
  /** The share of the existing rows that this store edits, and the number of shares. */
  readonly share: number;
  readonly shares: number;
  readonly journal: Journal;
  readonly tracker: Tracker;
  /** Rows whose erase was requested, now or before a restart. */
  readonly given: Set<string>;
  /** The outbox of its writes, if there is one. */
  readonly outbox: Outbox | undefined;
  /** A record to which a new one of this store refers. */
  readonly parent: ((random: Random) => AnyRecord | undefined) | undefined;
  /** Called when the outbox has promised to send a write, and the journal says so. */
  readonly stored: () => void;
}

/** One store: edits, creates and erases its own rows, and records requests and results in the journal. */
export class StoreUse {
  readonly name: string;
  readonly store: AnyStore;
  readonly table: TableName;
  /** Unconfirmed edits, by record. */
  private readonly waiting = new Map<AnyRecord, Map<string, unknown>>();
  /** Records with an unconfirmed create. */
  private readonly unborn = new Set<AnyRecord>();
  /** Values that this store set last, by row: nobody else writes to its rows, so it must never show anything else. */
  private readonly last = new Map<string, Map<string, unknown>>();
  private created = 0;
  /** Chooses how conflicts are resolved. */
  private readonly random: Random;
  /** Failed writes of the outbox that are being handled. */
  private readonly solving = new Set<string>();

  constructor(private readonly options: StoreUseOptions) {
    this.name = options.name;
    this.table = options.table;
    this.store = options.store;
    this.random = new Random('conflict', options.client, options.name);
  }

  get model(): string {
    return this.table.slice(0, -1);
  }

  /** Number of records that wait to be sent. */
  get pending(): number {
    const { store } = this;
    return store.pending.created.length + store.pending.edited.length + store.pending.removed.length;
  }

  // ── Actions of a user ──

  create(random: Random, step: number): AnyRecord {
    const { client, tracker } = this.options;
    const marker = `@${client}.${this.name}.${step}.${(this.created += 1)}`;
    const values = this.values(step, tables[this.table].edited);
    const parent = this.options.parent?.(random);
    const named = parent && rowName('users', parent.getId(), parent.get(tables.users.marker));
    this.want('create', `${this.table}/${marker}`, values, named);
    const own = {
      ...(this.table === 'users' && { email: `${marker.slice(1)}@example.com` }),
      ...(parent && { userId: parent.getId() }),
    };
    const [record] = this.store.add({ ...values, ...own, [tables[this.table].marker]: marker }) as [AnyRecord];
    this.unborn.add(record);
    this.remember(record, values);
    tracker.count('create');
    return record;
  }

  edit(random: Random, step: number): AnyRecord | undefined {
    const record = this.own(random);
    if (!record) return undefined;
    const { edited } = tables[this.table];
    const fields = random.chance(0.3) ? edited : [random.pick(edited)];
    const values = this.values(step, fields);
    this.want('update', this.rowOf(record), values);
    record.set(values);
    this.remember(record, values);
    this.options.tracker.count('edit');
    return record;
  }

  /** Removes a record from the store, or erases it at once. */
  erase(random: Random): void {
    const record = this.own(random);
    if (!record || (this.table !== 'tasks' && !isMarker(this.markerOf(record)))) return;
    if (this.table === 'users' && isParent(record)) return;
    const row = this.rowOf(record);
    this.want('destroy', row, {});
    this.options.given.add(row);
    this.options.tracker.count('destroy');
    // After a restart a new record may be in another store, too: removed from one, it would still be created.
    if (!record.phantom && random.chance(0.5)) this.store.remove(record);
    else void this.run('destroy', record, record.erase());
  }

  /** A user of this store that is never erased, new ones first. */
  parent(random: Random): AnyRecord | undefined {
    const own = this.records().filter((record) => this.owns(record) && !record.erased && isParent(record));
    const fresh = own.filter(({ phantom }) => phantom);
    return own.length ? random.pick(fresh.length ? fresh : own) : undefined;
  }

  save(random: Random): void {
    const record = this.own(random);
    if (record && (record.dirty || record.phantom)) void this.run('update', record, record.save());
  }

  /** Reads one record again. */
  async reload(random: Random): Promise<void> {
    const record = this.own(random);
    if (!record || record.phantom) return;
    await this.options.tracker.track(record.load()).catch((error: Failure) => {
      // An erase whose response was lost has erased the row.
      if (error.status !== 404) this.tolerate('read', error);
    });
    this.verify();
  }

  async sync(): Promise<void> {
    this.options.tracker.count('sync');
    const batch = await this.options.tracker.track(this.store.sync());
    await Promise.all(batch.outcomes.map((outcome) => this.take(outcome)));
  }

  /** Outcome of a record in a sync. */
  take({ action, record, error }: Batch<AnyRecord>['outcomes'][number]): Promise<void> {
    return this.ended(action as Verb, record, error as Failure | undefined);
  }

  async load(page: number): Promise<void> {
    const { tracker } = this.options;
    tracker.count('load');
    try {
      await tracker.track(this.store.load({ page } as never));
    } catch (error) {
      this.tolerate('load', error as Failure);
    }
    this.verify();
  }

  /** Compares the values of the records with the values that were set. */
  verify(): void {
    // The row of a create that got no response is listed beside its record until the create is confirmed.
    const unborn = new Set([...this.unborn].map((record) => this.rowOf(record)));
    for (const record of this.records()) {
      if (!this.unborn.has(record) && unborn.has(this.rowOf(record))) continue;
      for (const [field, value] of this.last.get(this.rowOf(record)) ?? []) {
        const shown = record.get(field);
        if (JSON.stringify(shown) === JSON.stringify(value)) continue;
        this.odd(`${this.rowOf(record)} shows ${field} ${JSON.stringify(shown)}, but ${JSON.stringify(value)} was set`);
        this.last.delete(this.rowOf(record));
      }
    }
  }

  // ── Results ──

  private async run(op: Verb, record: AnyRecord, promise: Promise<unknown>): Promise<void> {
    const asked = Object.fromEntries(this.waiting.get(record) ?? []);
    const failure = await this.options.tracker.track(promise).then(
      () => undefined,
      (error: Failure) => error,
    );
    await this.ended(op, record, failure, asked);
  }

  /** Handles the end of a write; `asked`: the edits at the time of the call. */
  private async ended(op: Verb, record: AnyRecord, failure: Failure | undefined, asked: Values = {}): Promise<void> {
    const { tracker } = this.options;
    if (failure) {
      tracker.count(`failed: ${failure.status ?? failure.code ?? failure.name}`);
      return this.failed(op, record, failure, asked);
    }
    // A sync skips a record whose removal was undone.
    if (op === 'destroy') return record.erased ? this.acked('destroy', record, {}) : undefined;
    const waiting = this.waiting.get(record);
    const { modified } = record.$;
    const settled = [...(waiting ?? [])].filter(([field]) => !Object.hasOwn(modified, field));
    for (const [field] of settled) waiting?.delete(field);
    if (waiting?.size === 0) this.waiting.delete(record);
    const born = this.unborn.has(record) && !record.phantom;
    if (born) this.unborn.delete(record);
    if (born || settled.length) this.acked(born ? 'create' : 'update', record, Object.fromEntries(settled));
  }

  /** Handles a write that the outbox has sent. */
  sent(op: Verb, record: AnyRecord): void {
    void this.ended(op, record, undefined);
  }

  /** Decides about a failed write of the outbox, as a user would. */
  async solve(write: FailedWrite): Promise<void> {
    const { tracker } = this.options;
    const outbox = this.options.outbox as Outbox;
    const { key, error, entry } = write;
    const record = write.record as unknown as AnyRecord;
    const { code, status = 0 } = error as Failure;
    if (this.solving.has(key) || !entry) return;
    this.solving.add(key);
    if (write.state === 'held') return this.solveHeld(write, record);
    tracker.count(`given up: ${status || code}`);
    try {
      if (code === 'conflict' && (await this.resolve(record))) return;
      if (status === 404 && entry.action === 'destroy') {
        await tracker.track(outbox.discard(write));
        return this.acked('destroy', record, {});
      }
      if (status === 404) {
        this.drop(record, 'gone');
        return await tracker.track(outbox.discard(write));
      }
      if (code !== 'conflict') this.tolerate(`outbox, ${entry.action}`, error as Failure);
      await tracker.track(outbox.retry(write));
    } catch (problem) {
      // A save of the application may have succeeded meanwhile.
      if ((problem as Failure).code !== 'outbox-state') this.odd(`outbox: ${(problem as Error).stack}`);
    } finally {
      this.solving.delete(key);
    }
  }

  /** Handles a reference to a record that was lost in a restart and will never be saved. */
  private async solveHeld(write: FailedWrite, record: AnyRecord): Promise<void> {
    const { tracker, outbox } = this.options;
    try {
      this.drop(record, 'parent');
      await tracker.track((outbox as Outbox).discard(write));
    } finally {
      this.solving.delete(write.key);
    }
  }

  private async failed(op: Verb, record: AnyRecord, failure: Failure, asked: Values): Promise<void> {
    if (failure.queued) {
      const values = op === 'destroy' ? {} : asked;
      this.options.journal.write({ t: 'stored', op, row: this.rowOf(record), store: this.name, values });
      this.options.tracker.count(`stored: ${op}`);
      return this.options.stored();
    }
    // The record is going to be erased, so the save is not stored.
    if (failure.code === 'outbox-erase') return;
    // The outbox reports this failure, too, and gets the decision there.
    if (this.options.outbox && (failure.code === 'conflict' || failure.status === 404)) return;
    if (failure.code === 'conflict') return void (await this.resolve(record));
    if (failure.status === 404 || failure.status === 410) {
      // Only an earlier attempt whose response was lost can have erased the row.
      if (op === 'destroy') return this.acked('destroy', record, {});
      return this.drop(record, 'gone');
    }
    // An earlier call may have erased the record; an unconfirmed create without a known id cannot be erased.
    if ((failure.code === 'erased' && record.erased) || (op === 'destroy' && failure.code === 'outbox-unconfirmed'))
      return;
    // It is dropped with its parent, or the outbox reports it.
    if (failure.code === 'dependency') return;
    this.tolerate(op, failure);
  }

  /** Resolves a conflict in one of its ways; false if only the server's row was read. */
  private async resolve(record: AnyRecord): Promise<boolean> {
    const { tracker } = this.options;
    tracker.count('conflict');
    if (record.erased || record.phantom) return false;
    const { error } = record.$;
    // A conflict from before a restart has no such methods.
    const known = error instanceof ConflictError && !error.gone ? error : undefined;
    const ways = ['keepMine', 'merge', 'load', 'takeTheirs'] as const;
    // An acknowledged erase is not given up.
    const erases = known?.operation?.action === 'destroy';
    const way = known ? this.random.pick(erases ? ways.slice(0, 3) : ways) : 'load';
    this.want('update', this.rowOf(record), Object.fromEntries(this.waiting.get(record) ?? []));
    tracker.count(`conflict: ${way}`);
    const { modified } = record.$;
    try {
      if (way === 'load') await tracker.track(record.load());
      if (way === 'merge') await this.merge(known as ConflictError, erases);
      if (way === 'keepMine') await tracker.track((known as ConflictError).keepMine());
      if (way !== 'takeTheirs') return way !== 'load';
      await tracker.track(Promise.resolve((known as ConflictError).takeTheirs()));
      this.drop(record, 'theirs', modified);
    } catch (problem) {
      const { code, queued, status } = problem as Failure;
      // The network has duplicated the erase, since nobody else erases rows. The end checks the outbox.
      if (erases && status === 404) {
        if (!this.options.outbox) this.acked('destroy', record, {});
        return true;
      }
      // A save of the application, or another conflict that is reported separately, came first.
      if (queued || ['busy', 'unresolvable', 'conflict'].includes(code ?? '')) return way !== 'load';
      this.tolerate(`conflict, ${way}`, problem as Failure);
    }
    return way !== 'load';
  }

  /** Continues an acknowledged erase even if both sides changed. */
  private async merge(conflict: ConflictError, erases: boolean): Promise<void> {
    const { tracker } = this.options;
    const merging = tracker.track(conflict.merge(({ mine }) => mine));
    await merging.catch((problem) => {
      if (!erases || problem !== conflict) throw problem;
      return tracker.track(conflict.keepMine());
    });
  }

  /** Expects failures of the network and the server; any other error is a finding. */
  private tolerate(what: string, failure: Failure): void {
    const { code, status = 0 } = failure;
    const passing =
      ['network', 'timeout', 'abort'].includes(code ?? '') || [408, 429].includes(status) || status >= 500;
    // A truncated response is not valid JSON.
    if (passing || (code === 'read' && failure.reason !== 'response-no-id')) return;
    this.odd(`${what}: ${failure.stack ?? failure}`);
  }

  private acked(op: Verb, record: AnyRecord, values: Values): void {
    const row = this.rowOf(record);
    if (op === 'destroy') {
      this.waiting.delete(record);
      this.last.delete(row);
    }
    this.options.journal.write({ t: 'acked', op, row, store: this.name, values });
    this.options.tracker.count(`acked: ${op}`);
  }

  /** Gives up the edits of a record, even from before a restart. */
  private drop(record: AnyRecord, why: string, modified: Values = record.$.modified): void {
    const row = this.rowOf(record);
    const values = { ...modified, ...Object.fromEntries(this.waiting.get(record) ?? []) };
    const create = record.phantom;
    this.options.journal.write({ t: 'dropped', create, row, store: this.name, values, why });
    this.waiting.delete(record);
    this.unborn.delete(record);
    this.last.delete(row);
    if (!record.erased) record.reject();
  }

  // ── Helpers ──

  /** Whether a record belongs to this store's share. */
  owns(record: AnyRecord): boolean {
    const { client, share, shares } = this.options;
    const marker = this.markerOf(record);
    if (isMarker(marker)) return marker.startsWith(`@${client}.${this.name}.`);
    return Number(record.getId()) % shares === share;
  }

  private records(): AnyRecord[] {
    const { store } = this;
    return Array.from({ length: store.count }, (_, at) => store.getAt(at)!);
  }

  /** A record of this store's share. */
  private own(random: Random): AnyRecord | undefined {
    // A record to be erased is not used any more, though it is listed while a conflict is resolved.
    const own = this.records().filter(
      (record) => !record.erased && this.owns(record) && !this.options.given.has(this.rowOf(record)),
    );
    return own.length ? random.pick(own) : undefined;
  }

  private values(step: number, fields: readonly string[]): Record<string, unknown> {
    const { client } = this.options;
    return Object.fromEntries(fields.map((field, at) => [field, uniqueValue(this.table, field, client, step, at)]));
  }

  private remember(record: AnyRecord, values: Values): void {
    const row = this.rowOf(record);
    const waiting = this.waiting.get(record) ?? new Map<string, unknown>();
    const last = this.last.get(row) ?? new Map<string, unknown>();
    for (const [field, value] of Object.entries(values)) {
      waiting.set(field, value);
      last.set(field, value);
    }
    this.waiting.set(record, waiting);
    this.last.set(row, last);
  }

  private want(op: Verb, row: string, values: Values, parent?: string): void {
    this.options.journal.write({ t: 'want', op, row, store: this.name, values, parent });
  }

  private odd(what: string): void {
    this.options.journal.write({ t: 'odd', what: `${this.name}: ${what}` });
  }

  private markerOf(record: AnyRecord): unknown {
    return record.get(tables[this.table].marker);
  }

  private rowOf(record: AnyRecord): string {
    return rowName(this.table, record.getId(), this.markerOf(record));
  }
}

/** Whether tasks may refer to a user: every second created one, by its marker. */
function isParent(record: AnyRecord): boolean {
  const marker = record.get(tables.users.marker);
  return isMarker(marker) && marker.includes('.users.') && /[02468]$/.test(marker);
}

/** The error that a promise was rejected with. */
interface Failure extends Error {
  readonly code?: string;
  /** Whether the outbox has the write and sends it by itself. */
  readonly queued?: boolean;
  readonly reason?: string;
  readonly status?: number;
}
