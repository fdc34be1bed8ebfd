import { type ConflictError, decide, isDataError } from 'repose';
import type { FailedWrite } from 'repose/outbox';
import { expect } from 'vitest';
import { describeEnd, type Ended, FAULTS, type FaultKey, type UserRecord, type World } from './subset-world.js';

/** A command of a script; `at` chooses a record, `faults` happen to its first requests. */
export type Step =
  | { readonly do: 'create' | 'list' | 'sync'; readonly faults: readonly FaultKey[] }
  | { readonly do: 'read' | 'twice'; readonly at: number; readonly faults: readonly FaultKey[] }
  | WriteStep
  | { readonly do: 'mend' };

interface WriteStep {
  readonly do: 'update' | 'erase';
  readonly at: number;
  readonly faults: readonly FaultKey[];
  /** Whether somebody else changes the row before. */
  readonly changed: boolean;
  /** How a conflict is resolved. */
  readonly way: 'keepMine' | 'merge' | 'takeTheirs' | 'later';
}

/** A record of the script. */
interface Known {
  readonly label: string;
  readonly record: UserRecord;
  /** Values that the server must hold at the end. */
  name: string;
  note: string;
  erased: boolean;
  /** Whether its last write ended well, so that it is known how the next one ends. */
  settled: boolean;
}

/** Trouble that a request meets: a fault, or a row that somebody else has changed. */
type Trouble = FaultKey | 'outdated';

type WriteAction = 'create' | 'update' | 'erase';

/** Troubles that a retry may avoid. */
const PASSING: readonly Trouble[] = ['drop', 'lose', 'busy', 'limited'];

/** The error that each ends with. */
const ENDS = {
  ...{ drop: 'network', lose: 'network', busy: 'http 503', limited: 'http 429' },
  ...{ unauthorized: 'auth 401', conflict: 'conflict 412', outdated: 'conflict 412' },
} as const satisfies Record<Trouble, string>;

/** How a command on a settled record ends, and how many requests that takes. */
interface Promised {
  readonly end: string;
  readonly count: number;
}

/** Plays a script, and compares each outcome with the promises of the guides about the chosen extensions. */
export class Play {
  readonly outcomes: string[] = [];
  private readonly known: Known[] = [];
  private count = 0;

  constructor(readonly world: World) {}

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.do === 'create') await this.create(step.faults);
      else if (step.do === 'list') await this.list(step.faults);
      else if (step.do === 'sync') await this.sync(step.faults);
      else if (step.do === 'mend') await this.mend();
      else if ('at' in step) {
        const there = this.known.filter(({ erased }) => !erased);
        const one = there[step.at % Math.max(1, there.length)];
        if (one && step.do === 'read') await this.read(one, step.faults);
        else if (one && step.do === 'twice') await this.saveTwice(one, step.faults);
        else if (one && 'way' in step) await this.write(step, one);
      }
    }
  }

  /** Ends all faults and pending writes, then compares the server's rows with the saved values. */
  async end(): Promise<void> {
    await this.mend();
    const { outbox, rows } = this.world;
    if (outbox) {
      outbox.resume();
      await this.world.time.until(outbox.drained());
      expect(outbox.entries).toEqual([]);
    }
    const wanted = this.known
      .filter(({ erased }) => !erased)
      .map(({ label, name, note, record }) => ({ id: record.id, label, name, note }));
    const byLabel = (a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : 1);
    expect([...rows].sort(byLabel)).toEqual(wanted.sort(byLabel));
    for (const { record, erased } of this.known)
      if (!erased) expect([record.dirty, record.phantom, record.$.unconfirmed]).toEqual([false, false, false]);
  }

  private async create(faults: readonly FaultKey[]): Promise<void> {
    const { world } = this;
    this.count += 1;
    const [label, name] = [`label ${this.count}`, `name ${this.count}`];
    const [record] = world.store.add({ label, name, note: '' });
    const one: Known = {
      ...{ label, name, note: '', record: record as UserRecord },
      ...{ erased: false, settled: true },
    };
    this.known.push(one);
    const ended = await this.suffer(faults, () => one.record.save());
    this.compare('create', one, faults, ended);
    if (ended.error) expect(one.record.$.unconfirmed).toBe(this.wasHit(ended, ['lose', 'busy']));
    this.settle(one, ended);
  }

  private async write(step: WriteStep, one: Known): Promise<void> {
    const { world } = this;
    const { settled } = one;
    const { phantom } = one.record;
    const { unconfirmed } = one.record.$;
    const before = world.rowOf(one.label);
    this.count += 1;
    // A change by somebody else is noticed only if no fault hides it.
    const faults = step.changed ? [] : step.faults;
    if (step.changed && before) {
      one.note = `note ${this.count}`;
      world.changeBehind(one.label, one.note);
    }
    if (step.do === 'update') one.name = one.record.name = `name ${this.count}`;
    const ended = await this.suffer<unknown>(faults, () =>
      step.do === 'update' ? one.record.save() : one.record.erase(),
    );
    // An unconfirmed create cannot be erased before it is known; an outbox queues the erase behind the create.
    if (step.do === 'erase' && unconfirmed) this.refused(ended);
    if (step.do === 'erase' && (!unconfirmed || world.outbox)) one.erased = true;
    if (unconfirmed && !world.has('idempotency')) this.refused(ended);
    const outdated = step.changed && world.has('etags');
    const conflicting = settled && (faults[0] === 'conflict' || outdated);
    if (settled) this.compare(step.do, one, outdated ? ['outdated'] : faults, ended);
    if (phantom && step.do === 'erase') return;
    if (conflicting) await this.endConflict(step, one, ended.error as ConflictError);
    else this.settle(one, ended);
  }

  /** Checks that an unconfirmed create is not sent again by itself. */
  private refused({ error, requests }: Ended<unknown>): void {
    expect(error).toBeDefined();
    expect(requests).toEqual([]);
  }

  private async endConflict(step: WriteStep, one: Known, error: ConflictError): Promise<void> {
    const { world } = this;
    one.settled = false;
    const way = step.do === 'erase' && step.way === 'merge' ? 'keepMine' : step.way;
    if (way === 'later') return;
    const ended = await this.suffer<unknown>([], async () => error[way]());
    if (!world.has('conflicts')) {
      expect(describeEnd(ended.error)).toBe('unresolvable');
      expect(String(ended.error)).toContain('conflicts()');
      expect(ended.requests).toEqual([]);
      return;
    }
    expect(describeEnd(ended.error)).toBe('done');
    if (way === 'takeTheirs') {
      one.name = world.rowOf(one.label)?.name as string;
      one.erased = false;
      expect([one.record.name, one.record.note]).toEqual([one.name, one.note]);
    }
    expect(world.outbox?.entries ?? []).not.toContainEqual(expect.objectContaining({ id: one.record.id }));
    this.settle(one, ended);
  }

  private async read(one: Known, faults: readonly FaultKey[]): Promise<void> {
    if (one.record.phantom) return;
    const ended = await this.suffer(
      faults.filter((fault) => fault !== 'conflict'),
      () => one.record.load(),
    );
    this.expectEnd(
      this.promised(
        'read',
        faults.filter((fault) => fault !== 'conflict'),
      ),
      ended,
    );
  }

  /** Saves again while the first save is on its way. */
  private async saveTwice(one: Known, faults: readonly FaultKey[]): Promise<void> {
    const { record } = one;
    const { unconfirmed } = record.$;
    const ended = await this.suffer(faults, async () => {
      const saves = [0, 1].map(() => {
        this.count += 1;
        one.name = record.name = `name ${this.count}`;
        return record.save();
      });
      const ends = await Promise.allSettled(saves);
      this.outcomes.push(...ends.map((end) => describeEnd(end.status === 'rejected' ? end.reason : undefined)));
      await saves[1];
    });
    if (unconfirmed && !this.world.has('idempotency')) this.refused(ended);
    this.settle(one, ended);
  }

  private async list(faults: readonly FaultKey[]): Promise<void> {
    const { world } = this;
    const given = faults.filter((fault) => fault !== 'conflict');
    const rows = world.rows.map(({ label, name }) => `${label}: ${name}`);
    const ended = await this.suffer(given, () => world.list());
    this.expectEnd(this.promised('read', given), ended);
    if (!ended.error) expect(ended.value).toEqual(rows);
  }

  private async sync(faults: readonly FaultKey[]): Promise<void> {
    const { world } = this;
    for (const one of this.known.slice(-3).filter(({ erased }) => !erased)) {
      this.count += 1;
      one.name = one.record.name = `name ${this.count}`;
    }
    const ended = await this.suffer(faults, () => world.store.sync());
    expect(ended.error).toBeUndefined();
    for (const { record, error, action } of ended.value?.outcomes ?? []) {
      const one = this.known.find((each) => each.record === record) as Known;
      this.outcomes.push(`${one.label} ${describeEnd(error)}`);
      // A failed erase has restored the record: its unsaved changes were saved here, and the erase is still to be done.
      if (one.erased && action !== 'destroy') continue;
      this.settle(one, { error });
    }
  }

  /** Ends all pending writes, as an application would. */
  private async mend(): Promise<void> {
    const { outbox } = this.world;
    if (outbox) await this.mendQueued();
    for (const one of this.known) if (!one.settled) await this.mendOne(one);
  }

  private async mendQueued(): Promise<void> {
    const { world } = this;
    const outbox = world.outbox as NonNullable<typeof world.outbox>;
    for (let round = 0; round < 5 && outbox.size > 0; round += 1) {
      const before = world.requests.length;
      await world.time.until(outbox.send());
      // An unconfirmed create is not sent again by itself.
      const unconfirmed = outbox.failed
        .filter(({ state }) => state === 'unconfirmed')
        .map(({ record }) => labelOf(record));
      for (const { method, body } of world.requests.slice(before))
        if (method === 'POST')
          expect(unconfirmed).not.toContain((JSON.parse(body as string) as { label: string }).label);
      for (const write of outbox.failed) await this.decide(write);
    }
    await world.time.until(outbox.send());
    expect(outbox.size).toBe(0);
  }

  private async decide(write: FailedWrite): Promise<void> {
    const { world } = this;
    const row = world.rowOf(labelOf(write.record));
    const { error } = (write.record as unknown as UserRecord).$;
    // Both ways resolve a conflict of a later write.
    if (error?.code === 'conflict' && row && world.has('conflicts') && this.count % 2 === 0) {
      expect(describeEnd((await this.suffer([], () => (error as ConflictError).keepMine())).error)).toBe('done');
      return;
    }
    const deciding =
      write.state === 'unconfirmed' && row ? world.outbox?.confirm(write, row) : world.outbox?.retry(write);
    await world.time.until(Promise.resolve(deciding));
  }

  private async mendOne(one: Known): Promise<void> {
    const { world } = this;
    const { record, label } = one;
    for (let round = 0; round < 4; round += 1) {
      if (record.$.unconfirmed && !world.has('idempotency')) {
        this.refused(await this.suffer([], () => record.save()));
        decide(record, world.rowOf(label) ?? null);
      }
      const there = world.rowOf(label) !== undefined;
      const open = one.erased ? !record.erased : record.phantom || record.dirty;
      if (!open) break;
      const ended = await this.suffer<unknown>([], () => (one.erased ? record.erase() : record.save()));
      if (!ended.error) break;
      if (one.erased && !there && describeEnd(ended.error) === 'http 404') {
        // Only a repeat of an erase that was already done can find no row.
        expect(['retry', 'outbox', 'confirm'].some((name) => world.names.has(name as never))).toBe(false);
        break;
      }
      expect(describeEnd(ended.error)).toMatch(/^conflict 4/);
      if (world.has('conflicts')) await this.suffer([], () => (ended.error as ConflictError).keepMine());
      else await this.suffer([], () => record.load());
    }
    if (!one.erased && !record.phantom) await this.suffer([], () => record.load());
    one.settled = true;
  }

  private settle(one: Known, { error }: { readonly error: unknown }): void {
    one.settled = error === undefined;
    if (error !== undefined) return;
    // The server holds the values of each save() that resolved.
    const rows = this.world.rows.filter(({ label }) => label === one.label);
    if (one.erased) expect(rows).toEqual([]);
    else expect(rows).toEqual([{ id: one.record.id, label: one.label, name: one.name, note: one.note }]);
  }

  private async suffer<T>(faults: readonly FaultKey[], act: () => Promise<T>): Promise<Ended<T>> {
    const ended = await this.world.suffer(faults, act);
    this.outcomes.push(describeEnd(ended.error));
    return ended;
  }

  private compare(action: WriteAction, one: Known, faults: readonly Trouble[], ended: Ended<unknown>): void {
    this.expectEnd(this.promised(action, faults), ended);
    if (!ended.error)
      expect(
        this.world.outbox?.entries.filter(({ key, id }) => key === one.record.$.key || id === one.record.id) ?? [],
      ).toEqual([]);
    const code = isDataError(ended.error) ? ended.error.code : undefined;
    if (this.world.outbox && ended.error) {
      // A write that was not accepted is kept, and its state says whether it is sent again by itself.
      const [queued, failed] = [this.world.outbox.entries, this.world.outbox.failed];
      expect(queued.some((entry) => entry.key === one.record.$.key || entry.id === one.record.id)).toBe(true);
      expect(failed.some(({ record }) => labelOf(record) === one.label)).toBe(
        code === 'conflict' || !describeEnd(ended.error).endsWith('queued'),
      );
    }
  }

  private expectEnd(promised: Promised, ended: Ended<unknown>): void {
    expect({ end: describeEnd(ended.error), count: ended.requests.length }).toEqual(promised);
  }

  private wasHit({ requests }: Ended<unknown>, faults: readonly FaultKey[]): boolean {
    return requests.some(({ fault }) => faults.some((name) => FAULTS[name] === fault));
  }

  /** The promise of the guides about the first command on a settled record. */
  private promised(action: WriteAction | 'read', faults: readonly Trouble[]): Promised {
    const { world } = this;
    const repeats = world.has('retry') && (action !== 'create' || world.has('idempotency'));
    let [renewed, done, mayBeDone] = [false, false, false];
    for (let at = 0; ; at += 1) {
      const count = at + 1;
      const fault = faults[at];
      if (fault === undefined) {
        // The record's own earlier attempt has changed the row; a read of the row shows that.
        const reads = done && action === 'update' && world.has('etags');
        return { end: 'done', count: count + (reads ? 1 : 0) };
      }
      if (fault === 'lose') done = true;
      if (fault === 'lose' || fault === 'busy') mayBeDone = true;
      if (fault === 'unauthorized' && world.has('auth') && !renewed) {
        renewed = true;
        continue;
      }
      if (PASSING.includes(fault) && repeats) {
        renewed = false;
        continue;
      }
      const conflicting = fault === 'conflict' || fault === 'outdated';
      const lost = action === 'create' && mayBeDone && !world.has('idempotency');
      const queued = world.outbox && action !== 'read' && !conflicting && !lost;
      return { end: queued ? `${ENDS[fault]} queued` : ENDS[fault], count };
    }
  }
}

function labelOf(record: FailedWrite['record']): string {
  return (record as unknown as UserRecord).label as string;
}
