import type { DataError } from '../errors/data-error.js';
import type { BaseModel } from '../model/base-model.js';
import { type BulkWrite, fitsBulk, splitByAddress, writeBulk } from '../model/bulk.js';
import type { InnerRecord } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { WriteJob } from '../model/write-job.js';
import { type Ending, isWanted, type SyncJob, type SyncWriter } from './sync-job.js';

/** What goes in one request: a record, or several of one kind. */
interface SyncUnit<M extends BaseModel> {
  readonly jobs: SyncJob<M>[];
  readonly phase: number;
  /** How many writes must end before. */
  waits: number;
}

/** The writes of a `sync()` that wait for each other, or go together. */
export class SyncPlan<M extends BaseModel> {
  private readonly unitOf: Map<WriteJob, SyncUnit<M>> = new Map();
  /** What an outbox takes in of records that wait for others. */
  private readonly stages: Promise<void>[] = [];

  /** `ready` is given what may go, by turn. */
  constructor(
    private readonly sync: SyncWriter<M>,
    jobs: readonly SyncJob<M>[],
    private readonly ready: (readonly SyncJob<M>[])[][],
    batchSize: number = Number.POSITIVE_INFINITY,
  ) {
    for (const unit of toUnits(jobs, batchSize)) {
      ready[unit.phase] ??= [];
      for (const job of unit.jobs) {
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
  stage({ job, error, operation }: Ending<M>): void {
    const { record, action, proxy } = job;
    if (!error || operation || this.sync.rollback || !/^parent-(failed|new)$/.test(error.reason)) return;
    if (proxy.journal) this.stages.push(proxy.journal.stage(record, action, proxy, error));
  }

  /** Resolves when the outboxes have taken in what waits. */
  staged(): Promise<unknown> {
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

/** What goes together: one by one but where `batchActions` allows for more. */
function toUnits<M extends BaseModel>(jobs: readonly SyncJob<M>[], batchSize: number): SyncUnit<M>[] {
  const units: SyncUnit<M>[] = [];
  const open = new Map<string, SyncUnit<M>>();
  const numbers = new Map<unknown, number>();
  const numberOf = (part: unknown) => {
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    return number;
  };
  for (const job of jobs) {
    const { proxy, record, action, phase, level } = job;
    const key = proxy.batchActions && [numberOf(proxy), numberOf(record.constructor), action, phase, level].join();
    let unit = key ? open.get(key) : undefined;
    if (!unit || unit.jobs.length >= batchSize) {
      unit = { jobs: [], phase, waits: 0 };
      units.push(unit);
      if (key) open.set(key, unit);
    }
    unit.jobs.push(job);
  }
  return units;
}

/** Writes several records in one request, as far as they fit together; the others one by one. */
export async function writeTogether<M extends BaseModel>(
  jobs: readonly SyncJob<M>[],
  sync: SyncWriter<M>,
): Promise<void> {
  const [{ action, proxy }] = jobs as [SyncJob<M>];
  const jobOf = new Map(jobs.map((job) => [job.record, job]));
  const partsOf = (records: Iterable<InnerRecord>) =>
    splitByAddress(
      [...records].filter((each) => {
        // What is known of it in part cannot be written back: it goes alone, for which it is read first.
        const isUnknown = sync.rollback && action === 'update' && each[CORE]?.partial;
        return !isUnknown && isWanted(jobOf.get(each) as SyncJob<M>) && fitsBulk(each, action, proxy);
      }),
      action,
      proxy,
    );
  const ended: BulkWrite['ended'] = (record, error, operation) =>
    sync.end({ job: jobOf.get(record) as SyncJob<M>, error, operation, attempted: true });
  for (const part of partsOf(jobOf.keys())) {
    if (sync.isHalted) break;
    // Others may have written or changed some of them while those before were on their way.
    const [records = []] = partsOf(part);
    if (records.length === 1) await sync.write(jobOf.get(records[0] as InnerRecord) as SyncJob<M>);
    else if (records.length > 1) {
      for (const record of records) sync.sending(jobOf.get(record) as SyncJob<M>);
      await writeBulk({ action, proxy, records, options: sync.callOptions, ended });
    }
  }
  for (const job of jobs) if (!job.outcome) await sync.write(job);
}
