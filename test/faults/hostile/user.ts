import type { Batch } from 'repose';
import { rollback } from 'repose';
import type { Findings } from '../findings.js';
import type { Random } from '../random.js';
import type { Tracker } from '../tracker.js';
import type { Application } from './application.js';
import { edited, type KindName, kindOf, kinds, REFUSED_RANK } from './kinds.js';
import type { Ledger } from './ledger.js';
import type { HostileServer } from './server.js';
import {
  baseAt,
  type HostileRecord,
  isPending,
  isUnknown,
  jsonOf,
  type Subject,
  valueAt,
  valueFor,
} from './subject.js';
import { verify } from './verify.js';

export interface UserOptions {
  readonly application: Application;
  readonly server: HostileServer;
  readonly ledger: Ledger;
  readonly tracker: Tracker;
  /** Called with each step, for debugging. */
  readonly note: (line: string) => void;
  /** Whether it edits the field that is named `success`; the server has others there. */
  readonly editsSuccess: boolean;
}

/** Failures that the server and the network cause on purpose. */
const EXPECTED = new Set(['network', 'timeout', 'read', 'http', 'validation', 'skipped', 'undone', 'not-undone']);
/** Refusals of what an application may try at the wrong moment. */
const REFUSED = new Set(['busy', 'erased', 'outbox-state', 'outbox-unconfirmed']);

/** Share of the edits that set a value back. */
const SET_BACK = 0.35;

/** Whether a value can be set: it is known, and the server accepts it. */
function canBeSet([path, value]: readonly [string, unknown]): boolean {
  return value !== null && !isUnknown(value) && !(path === 'rank' && value === REFUSED_RANK);
}

/** An application that edits all collections and remembers its edits. */
export class HostileUser {
  /** Its records; those whose erase has ended are forgotten. */
  subjects: Subject[] = [];
  readonly findings: Findings;
  /** The collection that a sync with rollback is writing. */
  undoing: KindName | undefined = undefined;
  /** Number of values that were set. */
  private moment = 0;
  private created = 0;

  constructor(private readonly options: UserOptions) {
    this.findings = options.ledger.findings;
  }

  // ── Actions ──

  create(random: Random, kind: KindName): Subject {
    const ref = `@${kind}.${(this.created += 1)}`;
    this.options.ledger.wantCreate(ref);
    const paths = edited.filter((path) => path !== 'j.name' && random.chance(0.5));
    const values = [...paths, ...this.successOf(kind)].map((path) => [path, valueFor(path, ref, this.next())] as const);
    const [record] = this.options.application.stores[kind].add({ ref, ...Object.fromEntries(values) }) as [
      HostileRecord,
    ];
    const subject: Subject = {
      ...{ kind, ref, record, last: new Map(), earlier: new Map() },
      ...{ erase: false, gone: false, reported: false },
    };
    this.subjects.push(subject);
    for (const [path, value] of values) this.wants(subject, path, value);
    return subject;
  }

  edit(subject: Subject, random: Random): void {
    const { record, kind, ref } = subject;
    const hasName = typeof (record.get('j') as { name?: unknown } | null | undefined)?.name === 'string';
    const paths = [...edited.filter((each) => each !== 'j.name' || hasName), ...this.successOf(kind)];
    const earlier = random.chance(SET_BACK) ? this.earlierValues(subject, paths) : [];
    if (earlier.length > 0) return this.set(subject, ...random.pick(earlier));
    const path = random.pick(paths);
    const value = path === 'success' ? record.get(path) !== true : valueFor(path, ref, this.next());
    this.set(subject, path, value);
  }

  /** Values that fields can be set back to: those before their edits, where there are edits, else all that they have shown. */
  private earlierValues({ record, earlier }: Subject, paths: readonly string[]): (readonly [string, unknown])[] {
    const bases = paths.map((path) => [path, baseAt(record, path)] as const).filter(canBeSet);
    if (bases.length > 0) return bases;
    return paths
      .flatMap((path) => [...(earlier.get(path) ?? [])].map((value) => [path, value] as const))
      .filter(canBeSet);
  }

  /** Gives a record a value that the server refuses. */
  spoil(subject: Subject): void {
    this.set(subject, 'rank', REFUSED_RANK);
  }

  /** Removes the value that the server refuses. */
  mend(subject: Subject): void {
    const { record } = subject;
    if (!record.erased && record.get('rank') === REFUSED_RANK)
      this.set(subject, 'rank', valueFor('rank', subject.ref, this.next()));
  }

  private set(subject: Subject, path: string, value: unknown): void {
    this.options.note(`  ${subject.ref}: ${path} = ${jsonOf(value)}`);
    this.wants(subject, path, value);
    const { record, earlier } = subject;
    earlier.set(path, (earlier.get(path) ?? new Set()).add(valueAt(record, path)));
    record.set(path, value);
  }

  async save({ record }: Subject, options?: { repeat: boolean }): Promise<void> {
    await this.run('save', record.save(options));
  }

  async erase(subject: Subject): Promise<void> {
    const { record } = subject;
    this.wantsErase(subject);
    this.endErase(record, await this.run('erase', record.erase()));
  }

  /** Removes a record from its store: the next sync erases it. */
  remove(subject: Subject): void {
    this.wantsErase(subject);
    this.options.application.stores[subject.kind].remove(subject.record);
  }

  async reload({ record }: Subject): Promise<void> {
    await this.run('load', record.load());
  }

  async list(kind: KindName): Promise<void> {
    await this.run('list', this.options.application.stores[kind].load());
  }

  /** Reads the row of a record as another object. */
  async loadOther({ kind, record }: Subject): Promise<void> {
    const id = record.getId() as number;
    const { models } = this.options.application;
    await this.run('load by id', (models[kind] as typeof models.orders).load(id));
  }

  async sync(kind: KindName): Promise<void> {
    await this.run(
      'sync',
      this.options.application.stores[kind].sync().then((batch) => this.take(batch)),
    );
  }

  /** Writes new and edited records, one of which the server refuses, and has the rest undone. */
  async rollback(kind: KindName): Promise<void> {
    const { ledger } = this.options;
    const fresh = this.subjects.filter((each) => each.kind === kind && each.record.phantom && !each.erase);
    for (const { ref } of fresh) ledger.wantErase(ref);
    this.undoing = kind;
    await this.run(
      'rollback',
      this.options.application.stores[kind].sync({ onFailure: rollback }).then((batch) => this.take(batch)),
    );
    this.undoing = undefined;
    for (const { ref, erase } of fresh) ledger.wantErase(ref, erase);
  }

  // ── Results ──

  /** Waits for a call of the library; returns the error of a rejection. */
  async run(what: string, promise: Promise<unknown>): Promise<Failure | undefined> {
    const { tracker, note } = this.options;
    tracker.count(what);
    note(`  ${what}`);
    const failure = await tracker.track(promise).then(
      () => undefined,
      (error: Failure) => error,
    );
    if (failure) this.tolerate(what, failure);
    return failure;
  }

  /** Expects failures of the server; any other error is a finding. */
  tolerate(what: string, error: Failure): void {
    const { code = '', status } = error;
    this.options.tracker.count(`failed: ${code}${status ? ` ${status}` : ''}`);
    this.options.note(`  ${what} failed: ${error.message}`);
    if (!EXPECTED.has(code) && !REFUSED.has(code)) this.findings.odd.push(`${what}: ${error.stack}`);
  }

  /** Checks the outcomes of a sync. */
  private take(batch: Batch<HostileRecord>): void {
    for (const outcome of batch.outcomes) {
      const { record, error, action } = outcome;
      if (error) this.tolerate(`sync, ${action}`, error);
      if (action === 'destroy') this.endErase(record, error);
      if (record.$.unconfirmed && !batch.failures.some((each) => each.record === record))
        this.findings.odd.push(`${record.get('ref')} is unconfirmed after a sync, and not among its failures`);
    }
  }

  /** Handles a missing row: only an own attempt whose response was lost can have erased it. */
  private endErase(record: HostileRecord, error: Failure | undefined): void {
    const subject = this.subjects.find((each) => each.record === record);
    if (!subject || error?.status !== 404) return;
    const { kind, ref } = subject;
    if (this.options.server.find(ref)) this.findings.odd.push(`${kind} ${ref}: 404, but it is there`);
    subject.gone = true;
    subject.record.reject();
  }

  /** Compares all records without pending writes with the expected values. */
  verify(): void {
    const { server, application, note } = this.options;
    if (server.active > 0) return;
    const queued = new Set(application.outbox.entries.map(({ key }) => key));
    for (const subject of this.subjects) {
      const { ref, record, reported } = subject;
      verify({ subject, row: server.find(ref), queued: queued.has(record.$.key) }, this.findings);
      if (subject.reported !== reported) note(`  ${ref}: FOUND`);
    }
    const isOver = ({ record, erase, gone }: Subject) => erase && (record.erased || gone) && !queued.has(record.$.key);
    this.subjects = this.subjects.filter((each) => !isOver(each));
  }

  /** Restarts the application, which continues with the writes of its outbox. */
  async restart(): Promise<void> {
    const { application, server } = this.options;
    const subjects = this.subjects.filter(({ kind }) => kindOf[kind].queued);
    // Records that are to be erased are hidden afterwards: nobody could follow them.
    if (subjects.some(({ erase }) => erase)) return;
    server.calm = true;
    for (const subject of subjects) if (isPending(subject) && !subject.record.$.unconfirmed) await this.save(subject);
    await application.restart();
    for (const kind of kinds) if (kindOf[kind].queued) await this.list(kind);
    for (const subject of subjects) this.findAgain(subject);
    server.calm = false;
  }

  private findAgain(subject: Subject): void {
    const { kind, ref, record, last } = subject;
    const { stores, outbox } = this.options.application;
    const store = stores[kind];
    const shown = Array.from({ length: store.count }, (_, at): HostileRecord | undefined => store.getAt(at));
    const failed = outbox.failed.map((write) => write.record as unknown as HostileRecord | undefined);
    // The row of an unconfirmed create may be listed beside its record, about which the user has to decide.
    const all = [...failed, ...store.pending.created, ...store.pending.edited, ...shown];
    const found = all.find((each) => each?.get('ref') === ref);
    if (!found) return void this.findings.lost.push(`${kind} ${ref}: nothing is left of it after a restart`);
    subject.record = found;
    // An edit made while the create is unconfirmed is not stored until it is saved.
    for (const path of record.$.unconfirmed ? [...last.keys()] : []) {
      const value = valueAt(found, path);
      if (value === undefined) last.delete(path);
      else last.set(path, value);
    }
  }

  /** Continues with the records of the stores, which keep one of two duplicates. */
  follow(): void {
    for (const subject of this.subjects) {
      const { kind, ref, record, erase } = subject;
      if (record.phantom || record.erased || record.$.saving || erase) continue;
      const store = this.options.application.stores[kind];
      const held = store.getById(record.getId());
      // A store drops a saved record that is not on its page.
      if (!held) store.add(record);
      else if (held !== record && held.get('ref') === ref) subject.record = held;
    }
  }

  private successOf(kind: KindName): readonly 'success'[] {
    return this.options.editsSuccess && kindOf[kind].hasSuccess ? ['success'] : [];
  }

  private wants({ ref, last }: Subject, path: string, value: unknown): void {
    this.options.ledger.wantValue(ref, path, jsonOf(value));
    last.set(path, value);
  }

  private wantsErase(subject: Subject): void {
    subject.erase = true;
    this.options.ledger.wantErase(subject.ref);
  }

  private next(): number {
    return (this.moment += 1);
  }
}

/** The error that a call is rejected with. */
export interface Failure extends Error {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}
