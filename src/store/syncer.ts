import { AbortError } from '../errors/abort-error.js';
import type { DataError } from '../errors/data-error.js';
import type { AnyDataError } from '../errors/is-data-error.js';
import { NetworkError } from '../errors/network-error.js';
import { SyncError } from '../errors/sync-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { BulkWrite } from '../model/bulk.js';
import type { CallOptions } from '../model/call.js';
import { coreOf, type InnerRecord, inner, isDirty, nameOf } from '../model/record.js';
import type { UndoLog } from '../model/undo.js';
import { erasedLater, eraseRecord, saveRecord } from '../model/write.js';
import type { WriteAction, WriteJob } from '../model/write-job.js';
import { Batch, type Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/event-emitter.js';
import type { SyncOptions } from './store-config.js';
import { syncTexts } from './texts.js';

/** Where records are that are to be written. */
export interface SyncSource<M extends BaseModel> {
  /** What is to be written. */
  pending(): Readonly<Record<WriteAction, readonly M[]>>;
  /** How a record travels. */
  proxyOf(record: M): DataProxy;
  /** How many requests it allows at a time. */
  readonly concurrency: number | undefined;
  /** Hears how each write ended, after its change; not of those that were not attempted. */
  ended(outcome: Outcome<M>, operation: Operation | undefined): void;
}

interface Job<M extends BaseModel> extends WriteJob {
  readonly source: SyncSource<M>;
  outcome: Outcome<M> | undefined;
  /** Whether a request was sent for it. */
  sent: boolean;
  unit: Unit<M> | undefined;
}

/** What goes in one request: a record, or several of one kind. */
interface Unit<M extends BaseModel> {
  readonly jobs: Job<M>[];
  readonly phase: number;
  /** How many writes must end before. */
  waits: number;
}

interface Ending<M extends BaseModel> {
  readonly job: Job<M>;
  readonly error?: DataError | undefined;
  readonly operation?: Operation | undefined;
  /** Whether it was attempted, or refused for what it is. */
  readonly attempted: boolean;
}

const ACTIONS: readonly WriteAction[] = ['create', 'update', 'destroy'];

/** Writes what is pending: in the order of actions and references, so many at a time, an outcome for each. */
export async function syncSources<M extends BaseModel>(
  sources: readonly SyncSource<M>[],
  options: SyncOptions<M> = {},
): Promise<Batch<M>> {
  const jobs = collectJobs(sources);
  const { kit } = jobs.map(({ record }) => record[MODEL]).find((model) => model.kit.orderWrites) ?? {};
  const ordering = kit?.orderWrites?.(jobs);
  if (ordering) await ordering;
  const limits = sources.map(({ concurrency = 6 }) => concurrency);
  const { concurrency = Math.max(...limits) } = options;
  // At least one: a limit of none would leave writes undone.
  return new SyncRun<M>(jobs, options, Math.max(concurrency, 1) || 1).run();
}

/** A job for each record: first by turn, then as they were given. A record that is to be destroyed is not written before. */
function collectJobs<M extends BaseModel>(sources: readonly SyncSource<M>[]): Job<M>[] {
  const jobs: Job<M>[] = [];
  const orders = new Map<DataProxy, string[]>();
  const given = sources.map((source) => [source, source.pending()] as const);
  const seen = new Set<M>();
  const gone = new Set(given.flatMap(([, { destroy }]) => destroy));
  for (const [source, pending] of given) {
    for (const action of ACTIONS) {
      for (const record of pending[action]) {
        if (seen.has(record) || (action !== 'destroy' && gone.has(record))) continue;
        seen.add(record);
        const proxy = source.proxyOf(record);
        const order = orders.get(proxy) ?? proxy.batchOrder.split(',').map((each) => each.trim());
        orders.set(proxy, order);
        const phase = order.indexOf(action);
        if (phase < 0) continue;
        const links = { level: 0, parents: [], waits: 0, next: [], refusal: undefined, sent: false };
        jobs.push({
          source,
          action,
          record: inner(record),
          proxy,
          phase,
          ...links,
          outcome: undefined,
          unit: undefined,
        });
      }
    }
  }
  return jobs.sort((a, b) => a.phase - b.phase);
}

/** One `sync()`. */
class SyncRun<M extends BaseModel> {
  private done = 0;
  private failed = 0;
  /** Why nothing more is attempted. */
  private halt: ((job: Job<M>) => DataError) | undefined = undefined;
  /** What may go, by turn. */
  private readonly ready: Unit<M>[][] = [];
  /** What an outbox takes in of records that wait for others. */
  private readonly staged: Promise<void>[] = [];

  constructor(
    private readonly jobs: readonly Job<M>[],
    private readonly options: SyncOptions<M>,
    private readonly concurrency: number,
  ) {}

  async run(): Promise<Batch<M>> {
    const { jobs, options, ready } = this;
    const undo = options.onFailure === 'rollback' && new (await import('../model/undo.js')).UndoLog(jobs);
    const units = this.toUnits();
    for (const unit of units) {
      ready[unit.phase] ??= [];
      if (unit.waits === 0) ready[unit.phase]?.push(unit);
    }
    for (const job of jobs) if (job.refusal) this.end({ job, error: job.refusal, attempted: true });
    for (const queue of ready) if (queue) await this.runPhase(queue);
    await Promise.all(this.staged);
    if (undo && this.failed > 0) await this.undo(undo);
    return new Batch(jobs.map(({ outcome }) => outcome as Outcome<M>));
  }

  /** Takes back what was written. */
  private async undo(log: UndoLog): Promise<void> {
    const written = this.jobs.filter(({ outcome, sent }) => sent && !outcome?.error);
    const why = this.jobs.find(({ outcome }) => outcome?.error)?.outcome?.error as DataError;
    const failures = await log.undo(written, this.concurrency);
    for (const job of written) {
      const cause = failures.get(job);
      const stands = cause !== undefined || job.action === 'destroy';
      const code = stands ? 'not-undone' : 'undone';
      const params = { ...nameOf(job.record), why: (cause ?? why).message };
      const error = new SyncError(code, `sync-${cause ? code : stands ? 'gone' : code}`, params, {
        ...{ cause: cause ?? why, messages: syncTexts },
      });
      job.outcome = { ...(job.outcome as Outcome<M>), [stands ? 'undoError' : 'error']: error };
    }
  }

  /** What goes together: one by one but where `batchActions` allows for more. */
  private toUnits(): Unit<M>[] {
    const { batchSize = Number.POSITIVE_INFINITY } = this.options;
    const units: Unit<M>[] = [];
    const open = new Map<string, Unit<M>>();
    const numbers = new Map<unknown, number>();
    const numberOf = (part: unknown) => {
      const number = numbers.get(part) ?? numbers.size;
      numbers.set(part, number);
      return number;
    };
    for (const job of this.jobs) {
      const { proxy, record, action, phase, level, waits } = job;
      const key = proxy.batchActions && [numberOf(proxy), numberOf(record.constructor), action, phase, level].join();
      let unit = key ? open.get(key) : undefined;
      if (!unit || unit.jobs.length >= batchSize) {
        unit = { jobs: [], phase, waits: 0 };
        units.push(unit);
        if (key) open.set(key, unit);
      }
      unit.jobs.push(job);
      unit.waits += waits;
      job.unit = unit;
    }
    return units;
  }

  /** Runs what is ready, and what becomes so, so many at a time. */
  private runPhase(queue: Unit<M>[]): Promise<void> {
    return new Promise((resolve) => {
      let active = 0;
      let next = 0;
      const pump = () => {
        for (; next < queue.length && active < this.concurrency; next += 1) {
          active += 1;
          const ended = () => {
            active -= 1;
            pump();
          };
          this.runUnit(queue[next] as Unit<M>).then(ended, ended);
        }
        if (active === 0) resolve();
      };
      pump();
    });
  }

  /** Never rejects. */
  private async runUnit({ jobs }: Unit<M>): Promise<void> {
    const waiting = jobs.filter((job) => !job.outcome);
    const [job] = waiting;
    if (this.isHalted) for (const each of waiting) this.skip(each);
    else if (waiting.length > 1) await this.writeMany(waiting);
    else if (job) await this.writeOne(job);
  }

  private get isHalted(): boolean {
    if (this.options.signal?.aborted) this.halt ??= aborted;
    return this.halt !== undefined;
  }

  private skip(job: Job<M>): void {
    this.end({ job, error: this.halt?.(job), attempted: false });
  }

  private async writeOne(job: Job<M>): Promise<void> {
    const { record, action, proxy } = job;
    const core = coreOf(record);
    let operation: Operation | undefined;
    const use = (given: Operation) => (operation = given);
    try {
      if (action === 'destroy') {
        if (!core.erased) await eraseRecord(record, () => proxy, this.callOptions, use);
      } else {
        // What another call writes is not written again, but for what it leaves.
        while (core.busy) {
          await core.lane.ended(this.options.signal);
          if (this.isHalted) return this.skip(job);
          const held = erasedLater(record);
          if (held) throw held;
        }
        if (core.erased || core.phantom || isDirty(record))
          await saveRecord(record, () => proxy, this.callOptions, use);
      }
      this.end({ job, operation, attempted: true });
    } catch (error) {
      this.end({ job, error: error as DataError, operation, attempted: true });
    }
  }

  /** Several in one request, as far as they fit together; the others one by one. */
  private async writeMany(jobs: readonly Job<M>[]): Promise<void> {
    const [{ action, proxy }] = jobs as [Job<M>];
    const jobOf = new Map(jobs.map((job) => [job.record, job]));
    const one = (record: InnerRecord) => this.writeOne(jobOf.get(record) as Job<M>);
    try {
      const { fitsBulk, splitByAddress, writeBulk } = await import('../model/bulk.js');
      const partsOf = (records: Iterable<InnerRecord>) =>
        splitByAddress(
          [...records].filter((record) => fitsBulk(record, action, proxy)),
          action,
          proxy,
        );
      const ended: BulkWrite['ended'] = (record, error, operation) =>
        this.end({ job: jobOf.get(record) as Job<M>, error, operation, attempted: true });
      for (const part of partsOf(jobOf.keys())) {
        if (this.isHalted) break;
        // Others may have written or changed some of them while those before were on their way.
        const [records = []] = partsOf(part);
        if (records.length === 1) await one(records[0] as InnerRecord);
        else if (records.length > 1) await writeBulk({ action, proxy, records, options: this.callOptions, ended });
      }
      for (const job of jobs) if (!job.outcome) await (this.isHalted ? this.skip(job) : this.writeOne(job));
    } catch (cause) {
      const network = 'Nothing was sent: a part of the package could not be loaded ({why})';
      const error = new NetworkError(cause, { messages: { network } });
      for (const job of jobs) this.end({ job, error, attempted: true });
    }
  }

  private get callOptions(): CallOptions & object {
    const { params, headers, signal } = this.options;
    return { ...(params && { params }), ...(headers && { headers }), ...(signal && { signal }) };
  }

  /** Notes how a write ended, and what that means for those that wait for it. */
  private end(ending: Ending<M>): void {
    const endings = [ending];
    for (const each of endings) {
      if (each.job.outcome) continue;
      this.note(each);
      for (const next of each.job.next as readonly Job<M>[]) {
        const unit = next.unit as Unit<M>;
        unit.waits -= 1;
        if (unit.waits === 0) this.ready[unit.phase]?.push(unit);
        const error = next.outcome ? undefined : (next.refusal ?? this.follow(next, each));
        if (error) endings.push({ job: next, error, attempted: !this.halt });
      }
    }
    if (ending.error && ending.attempted && (this.options.onFailure ?? 'continue') !== 'continue')
      this.halt ??= skipped(ending.error);
  }

  /** Gives a record the id of one that it refers to, or returns why it cannot be sent. */
  private follow(next: Job<M>, { job, error }: Ending<M>): DataError | undefined {
    for (const dependency of next.parents) {
      if (dependency.job !== job) continue;
      if (!error) dependency.saved();
      else if (this.halt) return this.halt(next);
      else {
        const held = dependency.failed(error);
        if (held) return held;
      }
    }
    return undefined;
  }

  private note({ job, error, operation, attempted }: Ending<M>): void {
    const { action, record, source } = job;
    const { jobs, options } = this;
    // Those that tell of another record are in no union.
    const outcome: Outcome<M> = {
      ...{ action, record: record as unknown as M },
      ...(error && { error: error as AnyDataError }),
    };
    job.outcome = outcome;
    // Of proxies that make no requests, what they gave.
    job.sent = (operation?.request ?? operation?.resultSet) !== undefined;
    this.done += 1;
    if (error) this.failed += 1;
    const { journal } = job.proxy;
    // Where there is an outbox, it goes when the record that it waits for has been created.
    if (journal && error && !operation && /^parent-(failed|new)$/.test(error.reason)) {
      error.queued = true;
      this.staged.push(journal.stage(record, action, job.proxy));
    }
    if (attempted) source.ended(outcome, operation);
    const { done, failed } = this;
    if (options.onProgress) callSafely(options.onProgress, { done, failed, total: jobs.length, outcome });
  }
}

function skipped(cause: DataError): (job: WriteJob) => DataError {
  return ({ record }) =>
    new SyncError('skipped', 'sync-skipped', { ...nameOf(record), why: cause.message }, { cause, messages: syncTexts });
}

function aborted({ record }: WriteJob): DataError {
  return new AbortError('sync-aborted', nameOf(record), { messages: syncTexts });
}
