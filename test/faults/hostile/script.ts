import type { Findings } from '../findings.js';
import { Random } from '../random.js';
import type { Tracker } from '../tracker.js';
import type { Application } from './application.js';
import type { Decisions } from './decisions.js';
import { type Habit, type KindName, kindOf, kinds } from './kinds.js';
import type { HostileServer } from './server.js';
import { isPending, isSaved, isSettled, type Subject } from './subject.js';
import type { HostileUser } from './user.js';

export interface ScriptOptions {
  readonly seed: number;
  readonly habits: ReadonlySet<Habit>;
  readonly user: HostileUser;
  readonly decisions: Decisions;
  readonly server: HostileServer;
  readonly application: Application;
  readonly tracker: Tracker;
  readonly findings: Findings;
}

/** A step to take with a record. */
type Work = (subject: Subject) => unknown;

/** Most records at one time: further ones are erased. */
const CROWD = 40;
/** Steps between two comparisons of everything. */
const VERIFY_EVERY = 5;
/** Most rounds until everything has ended. */
const ROUNDS = 30;

/** Chooses the user's steps by the seed. */
export class Script {
  constructor(private readonly options: ScriptOptions) {}

  async step(number: number): Promise<void> {
    const { seed, user, tracker } = this.options;
    const random = new Random(seed, 'step', number);
    await this.act(random);
    await tracker.below(0);
    user.follow();
    if (number % VERIFY_EVERY === 0) user.verify();
  }

  /** Edits one record when a request arrives, as people type while requests are in flight. */
  editMeanwhile(number: number): void {
    const { seed, user, server } = this.options;
    const { undoing } = user;
    const random = new Random(seed, 'meanwhile', number);
    if (server.quiet || server.calm || !random.chance(undoing ? 0.6 : 0.15)) return;
    const fitting = this.subjects(({ kind }) => undoing === undefined || kind === undoing);
    if (fitting.length > 0) user.edit(random.pick(fitting), random);
  }

  /** Ends everything that is pending, with a server that answers as usual. */
  async drain(): Promise<void> {
    const { seed, user, decisions, server, application, tracker } = this.options;
    const { outbox } = application;
    server.quiet = true;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const random = new Random(seed, 'drain', round);
      await tracker.below(0);
      for (const subject of user.subjects) {
        user.mend(subject);
        await decisions.decide(subject, random);
        await decisions.retryFailed(subject);
      }
      for (const kind of kinds) await user.sync(kind);
      for (const subject of user.subjects) {
        if (subject.erase && !isSettled(subject) && !subject.record.$.saving) await user.erase(subject);
      }
      await outbox.send();
      user.follow();
      user.verify();
      if (user.subjects.every(isSettled) && outbox.size === 0) break;
    }
    this.judgeEnd();
  }

  private async act(random: Random): Promise<void> {
    const { user, decisions, habits, tracker } = this.options;
    const kind: KindName = random.pick(kinds);
    const anyOne = () => true;
    const works = {
      create: () => user.create(random, kind),
      edit: () => this.withOne(random, anyOne, (subject) => user.edit(subject, random)),
      spoil: () => this.withOne(random, anyOne, (subject) => user.spoil(subject)),
      mend: () => {
        for (const subject of this.subjects()) user.mend(subject);
      },
      save: () => this.withOne(random, isPending, (subject) => user.save(subject)),
      erase: () => this.withOne(random, anyOne, (subject) => user.erase(subject)),
      remove: () => this.withOne(random, isSaved, (subject) => user.remove(subject)),
      sync: () => user.sync(kind),
      reload: () => this.withOne(random, isSaved, (subject) => user.reload(subject)),
      loadOther: () => this.withOne(random, isSaved, (subject) => user.loadOther(subject)),
      list: () => user.list(kind),
      decide: () => this.withOne(random, isUnconfirmed, (subject) => decisions.decide(subject, random)),
      retryFailed: () => this.withOne(random, anyOne, (subject) => decisions.retryFailed(subject)),
      restart: () => user.restart(),
      behind: () => this.saveBehind(random),
      rollback: () => this.rollback(random.chance(0.4) ? 'parcels' : kind, random),
    };
    const weight = (habit: Habit, wanted: number) => (habits.has(habit) ? wanted : 0);
    const chosen = random.weighed<keyof typeof works>({
      ...{ create: 12, edit: 26, spoil: 2, mend: 3, save: 16, erase: 3, remove: 2, sync: 8 },
      ...{ reload: 4, loadOther: 2, list: 3, decide: 10, retryFailed: 4 },
      ...{ behind: weight('behind', 5), rollback: weight('rollback', 4), restart: weight('restart', 2) },
    });
    const isCrowded = this.subjects().length > CROWD && ['create', 'behind', 'rollback'].includes(chosen);
    const action = isCrowded ? 'erase' : chosen;
    tracker.count(`step: ${action}`);
    await works[action]();
  }

  /** Saves or erases a record while its create is in flight. */
  private async saveBehind(random: Random): Promise<void> {
    const { user } = this.options;
    const subject = user.create(random, random.chance(0.6) ? 'items' : random.pick(kinds));
    const first = user.save(subject);
    user.edit(subject, random);
    const second = random.chance(0.4) ? user.erase(subject) : user.save(subject);
    await Promise.all([first, second]);
  }

  /** A unit of work that fails as a whole: one of its records is refused. */
  private async rollback(kind: KindName, random: Random): Promise<void> {
    const { user, server } = this.options;
    // The row may exist already: a repeat under its key creates no other.
    if (kindOf[kind].keyed) {
      server.stormy = true;
      await user.save(user.create(random, kind));
      server.stormy = false;
    }
    await this.withOne(
      random,
      (each) => each.kind === kind,
      (subject) => user.edit(subject, random),
    );
    user.create(random, kind);
    const spoilt = user.create(random, kind);
    user.spoil(spoilt);
    await user.rollback(kind);
    if (random.chance(0.7)) user.mend(spoilt);
  }

  /** Records that the user still works with. */
  private subjects(fits: (subject: Subject) => boolean = () => true): Subject[] {
    const { subjects } = this.options.user;
    return subjects.filter((each) => !each.erase && !each.record.erased && !each.reported && fits(each));
  }

  /** Runs a step with a matching record, if there is one. */
  private async withOne(random: Random, fits: (subject: Subject) => boolean, work: Work): Promise<void> {
    const fitting = this.subjects(fits);
    if (fitting.length > 0) await work(random.pick(fitting));
  }

  /** Reports what is still pending when everything should have ended. */
  private judgeEnd(): void {
    const { user, server, application, findings } = this.options;
    const { outbox } = application;
    for (const { key, action, model, state, values } of outbox.entries)
      findings.unsettled.push(`outbox: ${action} of ${model} ${String(values['ref'] ?? key)} stays: ${state}`);
    for (const subject of user.subjects.filter((each) => !isSettled(each) && !each.reported)) {
      const { kind, ref, record } = subject;
      findings.unsettled.push(`${kind} ${ref} stays pending: ${record.$.error?.stack}`);
    }
    const known = new Set(user.subjects.map(({ ref }) => ref));
    for (const ref of server.references().filter((each) => !known.has(each)))
      findings.lost.push(`${ref} was erased, and is on the server in the end`);
  }
}

function isUnconfirmed({ record }: Subject): boolean {
  return record.$.unconfirmed;
}
