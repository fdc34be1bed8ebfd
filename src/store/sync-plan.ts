import type { DataError } from '../errors/data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { tellEnded } from '../model/settle-write.js';
import type { WriteJob } from '../model/write-job.js';
import type { Ending, SyncJob, SyncWriter } from './sync-job.js';

/** What goes in one request: a record, or several of one kind. */
interface SyncUnit<M extends BaseModel> {
  readonly jobs: readonly SyncJob<M>[];
  readonly phase: number;
  /** How many writes must end before. */
  waits: number;
}

/** The writes of a `sync()` that wait for each other, or go together. */
export class SyncPlan<M extends BaseModel> {
  private readonly unitOf: Map<WriteJob, SyncUnit<M>> = new Map();
  /** What an outbox takes in of records that wait for others. */
  private readonly stages: Promise<void>[] = [];

  /** `groups` are the jobs that go in one request; `ready` is given those that may go, by turn. */
  constructor(
    private readonly sync: SyncWriter<M>,
    groups: readonly SyncJob<M>[][],
    private readonly ready: (readonly SyncJob<M>[])[][],
  ) {
    for (const jobs of groups) {
      const unit: SyncUnit<M> = { jobs, phase: jobs[0]?.phase ?? 0, waits: 0 };
      ready[unit.phase] ??= [];
      for (const job of jobs) {
        this.unitOf.set(job, unit);
        unit.waits += job.waits;
      }
      this.release(unit);
    }
  }

  /** A write has ended. Returns those that end with it. */
  ended(ending: Ending<M>): Ending<M>[] {
    const { sync } = this;
    const endings: Ending<M>[] = [];
    for (const job of ending.job.next as readonly SyncJob<M>[]) {
      const unit = this.unitOf.get(job) as SyncUnit<M>;
      unit.waits -= 1;
      this.release(unit);
      const error = job.outcome ? undefined : (job.refusal ?? this.follow(job, ending));
      if (error) endings.push({ job, error, attempted: !sync.halt });
    }
    return endings;
  }

  /** Where there is an outbox, what waits for a record goes when that has been created. */
  enqueue({ job, error, operation }: Ending<M>): void {
    const { record, action, proxy } = job;
    if (!error || operation || this.sync.undoes || !/^parent-(failed|new)$/.test(error.reason)) return;
    this.stages.push(tellEnded(record, action, proxy, { error, ending: 'noNews' }));
  }

  /** Resolves when the outboxes have taken in what waits. */
  enqueued(): Promise<unknown> {
    return Promise.all(this.stages);
  }

  private release(unit: SyncUnit<M>): void {
    if (unit.waits === 0) this.ready[unit.phase]?.push(unit.jobs);
  }

  /** Gives a record the id of one that it refers to, or returns why it cannot be sent. */
  private follow(next: SyncJob<M>, { job, error }: Ending<M>): DataError | undefined {
    const { halt } = this.sync;
    for (const dependency of next.parents) {
      if (dependency.job !== job) continue;
      if (!error) dependency.saved();
      else if (halt) return halt(next);
      else {
        const held = dependency.failed(error);
        if (held) return held;
      }
    }
    return undefined;
  }
}
