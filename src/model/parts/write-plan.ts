import type { DataError } from '../../errors/data-error.js';
import { changeToSend } from '../change.js';
import { skipped } from '../record-error.js';
import { settleRefused } from '../settle.js';
import { reportOutcome } from '../write.js';
import type { JobResult, PlannedJob, PlanOwner, WriteJob, WritePlan } from '../write-job.js';

/** The jobs that go in one request. */
interface Unit<J> {
  readonly jobs: readonly J[];
  readonly phase: number;
  /** Number of writes that must end before this request is sent. */
  waits: number;
}

/** The order of the writes of a `sync()`: which writes wait for others, and which go in one request. */
export class OrderedWrites<J extends PlannedJob> implements WritePlan<J> {
  private readonly unitOf: Map<WriteJob, Unit<J>> = new Map();
  /** Promises of outboxes that store records whose parents were not created yet, by the jobs of these records. */
  private readonly enqueuing: Map<WriteJob, Promise<void>> = new Map();

  /** `groups` are the jobs that go in one request each; the plan adds those that may be sent to `ready`, by phase. */
  constructor(
    private readonly sync: PlanOwner<J>,
    groups: readonly J[][],
    private readonly ready: (readonly J[])[][],
  ) {
    for (const jobs of groups) {
      const unit: Unit<J> = { jobs, phase: jobs[0]?.phase ?? 0, waits: 0 };
      ready[unit.phase] ??= [];
      for (const job of jobs) {
        this.unitOf.set(job, unit);
        unit.waits += job.waits;
      }
      this.queueIfReady(unit);
    }
  }

  /** Called when a write has ended. Returns the results of other jobs that end with it, because they cannot be sent any more. */
  ended(result: JobResult<J>): JobResult<J>[] {
    const { sync } = this;
    const results: JobResult<J>[] = [];
    for (const job of result.job.next as readonly J[]) {
      const unit = this.unitOf.get(job) as Unit<J>;
      unit.waits -= 1;
      this.queueIfReady(unit);
      const error = job.outcome
        ? undefined
        : (job.refusal ?? this.resolveParent(job, result) ?? this.keepBranch(job, result));
      if (error) results.push({ job, error, attempted: !sync.stopReason });
    }
    return results;
  }

  /**
   * If the parent of a record was not created, an outbox stores the write of the record, and sends it when the parent is created.
   */
  enqueue({ job, error, operation }: JobResult<J>): void {
    const { record, action, proxy } = job;
    const change = changeToSend(record, job.entry);
    if (!error || operation || this.sync.undoes || !/^parent-(failed|new)$/.test(error.reason)) return;
    const report = () => reportOutcome(record, action, proxy, { error, ending: 'noNews' }, change);
    // An outbox stores only what refers to stored records.
    const earlier = job.parents.flatMap((each) => this.enqueuing.get(each.job) ?? []);
    this.enqueuing.set(job, earlier.length > 0 ? Promise.all(earlier).then(report) : report());
  }

  /** Resolves when the outboxes have stored the waiting writes. */
  enqueued(): Promise<unknown> {
    return Promise.all(this.enqueuing.values());
  }

  /**
   * Returns the error with which the erase of a record fails because one below it, in a tree, could not be erased. The record is shown again, as
   * that one is: sent alone, later, its erase would leave the other without it.
   */
  private keepBranch(next: J, { job, error }: JobResult<J>): DataError | undefined {
    if (!error || job.action !== 'destroy' || next.action !== 'destroy') return undefined;
    if (!next.source.observers.some((observer) => observer.keepsBranch?.(next.record as never))) return undefined;
    const { stopReason } = this.sync;
    if (stopReason) return stopReason(next);
    const refusal = skipped(error)(next);
    settleRefused(next.record, refusal, 'restored');
    return refusal;
  }

  private queueIfReady(unit: Unit<J>): void {
    if (unit.waits === 0) this.ready[unit.phase]?.push(unit.jobs);
  }

  /** Gives a record the id of its parent that was just created, or returns the error with which the record fails. */
  private resolveParent(next: J, { job, error }: JobResult<J>): DataError | undefined {
    const { stopReason } = this.sync;
    for (const dependency of next.parents) {
      if (dependency.job !== job) continue;
      if (!error) dependency.saved();
      else if (stopReason) return stopReason(next);
      else {
        const refusal = dependency.failed(error);
        if (refusal) return refusal;
      }
    }
    return undefined;
  }
}
