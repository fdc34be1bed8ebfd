import { decide } from 'repose';
import type { Random } from '../random.js';
import type { Application } from './application.js';
import { type Members, rowText } from './exact-json.js';
import { kindOf, type Topic } from './kinds.js';
import type { HostileServer } from './server.js';
import { failedWriteOf, type Subject } from './subject.js';
import type { Failure, HostileUser } from './user.js';

export interface DecisionOptions {
  readonly user: HostileUser;
  readonly server: HostileServer;
  readonly application: Application;
  readonly topics: ReadonlySet<Topic>;
}

/** Decides about unconfirmed creates and writes that an outbox holds, as only an application can. */
export class Decisions {
  constructor(private readonly options: DecisionOptions) {}

  /** Looks up the result of an unconfirmed create, and settles the record. */
  async decide(subject: Subject, random: Random): Promise<void> {
    const { user, server } = this.options;
    const { outbox } = this.options.application;
    const { kind, ref, record } = subject;
    if (!record.$.unconfirmed || record.$.saving) return;
    if (kindOf[kind].keyed && random.chance(0.6)) return user.save(subject);
    const write = failedWriteOf(outbox, record);
    const unconfirmed = write?.state === 'unconfirmed' ? write : undefined;
    const row = server.find(ref);
    const answer = row && this.rowFor(row, random);
    try {
      if (answer && unconfirmed && random.chance(0.6)) await user.run('confirm', outbox.confirm(unconfirmed, answer));
      else if (answer) decide(record as never, answer);
      else if (unconfirmed && random.chance(0.4)) await user.run('retry', outbox.retry(unconfirmed));
      else if (random.chance(0.5)) await user.save(subject, { repeat: true });
      else decide(record as never, null);
    } catch (error) {
      user.tolerate('decision', error as Failure);
    }
    if (unconfirmed) await this.expectSent(subject);
  }

  /** Checks that a record does not stay unconfirmed after a decision. */
  private async expectSent({ kind, ref, record }: Subject): Promise<void> {
    const { user } = this.options;
    const { outbox } = this.options.application;
    await user.run('flush', outbox.send());
    await user.run('drained', outbox.drained());
    const write = failedWriteOf(outbox, record);
    if (write?.state === 'unconfirmed' && !record.phantom)
      user.findings.unsettled.push(`${kind} ${ref}: its ${write.entry?.action} stays in the outbox, unconfirmed`);
  }

  /** Retries a refused write of the outbox, without the refused value. */
  async retryFailed(subject: Subject): Promise<void> {
    const { user } = this.options;
    const { outbox } = this.options.application;
    const write = failedWriteOf(outbox, subject.record);
    if (write?.state !== 'failed' || subject.record.$.saving) return;
    user.mend(subject);
    const isGone = subject.erase && (write.error as Failure).status === 404;
    if (isGone) {
      await user.run('drop', outbox.discard(write));
      subject.gone = true;
    } else if (subject.erase) await user.run('retry', outbox.retry(write));
    else await user.save(subject);
  }

  /** Result of a look-up: the row, or only its id if that is enough or if JavaScript cannot hold the row. */
  private rowFor(row: Members, random: Random): object {
    const { topics } = this.options;
    const isWhole = !topics.has('numbers') && !(topics.has('partial') && random.chance(0.5));
    if (isWhole) return JSON.parse(rowText(row)) as object;
    const { id = '' } = row;
    const read = JSON.parse(id) as unknown;
    // JavaScript would round the id to that of another row.
    return { id: typeof read !== 'number' || Number.isSafeInteger(read) ? read : id };
  }
}
