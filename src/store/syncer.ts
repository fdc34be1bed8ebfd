import { AbortError } from '../errors/abort-error.js';
import { type DataError, hasErrorBrand } from '../errors/data-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import { onDemand } from '../errors/on-demand.js';
import { SyncError } from '../errors/sync-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { CallOptions } from '../model/call.js';
import { coreOf, inner, isDirty, nameOf } from '../model/record.js';
import { erasedLater, eraseRecord, saveRecord } from '../model/write.js';
import type { WriteAction, WriteJob } from '../model/write-job.js';
import { Batch, type Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/event-emitter.js';
import { checkSignal } from './check-signal.js';
import type { Rollback } from './rollback.js';
import type { SyncOptions } from './store-config.js';
import { type Ending, isWanted, type SyncJob, type SyncSource, type SyncWriter } from './sync-job.js';
import type { SyncPlan } from './sync-plan.js';
import { syncTexts } from './texts.js';

const ACTIONS: readonly WriteAction[] = ['create', 'update', 'destroy'];

/** Writes what is pending: in the order of actions and references, so many at a time, an outcome for each. */
export async function syncSources<M extends BaseModel>(
  sources: readonly SyncSource<M>[],
  options: SyncOptions<M> = {},
): Promise<Batch<M>> {
  checkSignal(options.signal);
  const limits = sources.map(({ concurrency = 6 }) => concurrency);
  const { concurrency = Math.max(...limits) } = options;
  // At least one: a limit of none would leave writes undone.
  return new SyncRun<M>(collectJobs(sources), options, Math.max(concurrency, 1) || 1).run();
}

/** A job for each record: first by turn, then as they were given. A record that is to be destroyed is not written before. */
function collectJobs<M extends BaseModel>(sources: readonly SyncSource<M>[]): SyncJob<M>[] {
  const jobs: SyncJob<M>[] = [];
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
        jobs.push({
          ...{ source, action, record: inner(record), proxy, phase },
          ...{ level: 0, parents: [], waits: 0, next: [], refusal: undefined },
          ...{ outcome: undefined, sent: false },
        });
      }
    }
  }
  return jobs.sort((a, b) => a.phase - b.phase);
}

/** One `sync()`. */
class SyncRun<M extends BaseModel> implements SyncWriter<M> {
  private done = 0;
  private failed = 0;
  halt: ((job: SyncJob<M>) => DataError) | undefined;
  /** What may go, by turn: records, or several that go in one request. */
  private readonly ready: (readonly SyncJob<M>[])[][] = [];
  private part: typeof import('./sync-plan.js') | undefined;
  /** Knows what waits for what, and what goes together. */
  private plan: SyncPlan<M> | undefined;
  /** Takes back what was written, should anything fail. */
  rollback: Rollback<M> | undefined;

  readonly callOptions: CallOptions & object;

  constructor(
    private readonly jobs: readonly SyncJob<M>[],
    private readonly options: SyncOptions<M>,
    private readonly concurrency: number,
  ) {
    const { params, headers, signal } = options;
    this.callOptions = { params, headers, signal } as CallOptions & object;
  }

  async run(): Promise<Batch<M>> {
    const { jobs, ready } = this;
    const preparing = this.prepare();
    if (preparing) await preparing;
    if (this.part) this.plan = new this.part.SyncPlan(this, jobs, ready, this.options.batchSize);
    else for (const job of jobs) (ready[job.phase] ??= []).push([job]);
    for (const job of jobs) if (job.refusal) this.end({ job, error: job.refusal, attempted: true });
    for (const queue of ready) if (queue) await this.runPhase(queue);
    await this.plan?.staged();
    await this.rollback?.run(this.concurrency);
    return new Batch(jobs.map(({ outcome }) => outcome as Outcome<M>));
  }

  /** Puts the writes in order, and loads what only some need; a promise where that takes time. */
  private prepare(): Promise<unknown> | undefined {
    const { jobs, options } = this;
    const { references } = jobs.find(({ record }) => record[MODEL].references)?.record[MODEL] ?? {};
    const ordered = references?.orderWrites(jobs) ?? false;
    const together = jobs.length > 1 && jobs.some(({ proxy }) => proxy.batchActions);
    const parts = [
      (ordered || together) && onDemand(import('./sync-plan.js')).then((part) => (this.part = part)),
      options.onFailure === 'rollback' &&
        onDemand(import('./rollback.js')).then(({ Rollback }) => (this.rollback = new Rollback(jobs))),
    ].filter(Boolean);
    if (parts.length === 0) return undefined;
    return Promise.all<unknown>(parts).catch((error: unknown) => {
      if (!hasErrorBrand(error)) throw error;
      for (const job of jobs) job.refusal = error;
    });
  }

  /** Runs what is ready, and what becomes so, so many at a time. */
  private runPhase(queue: (readonly SyncJob<M>[])[]): Promise<void> {
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
          this.runTogether(queue[next] as readonly SyncJob<M>[]).then(ended, ended);
        }
        if (active === 0) resolve();
      };
      pump();
    });
  }

  /** Never rejects. */
  private runTogether(jobs: readonly SyncJob<M>[]): Promise<unknown> {
    const waiting = jobs.filter((job) => !job.outcome);
    const [job] = waiting;
    if (job && waiting.length === 1) return this.write(job);
    if (this.part && job && !this.isHalted) return this.part.writeTogether(waiting, this);
    return Promise.all(waiting.map((each) => this.write(each)));
  }

  get isHalted(): boolean {
    if (this.options.signal?.aborted) this.halt ??= aborted;
    return this.halt !== undefined;
  }

  async write(job: SyncJob<M>): Promise<void> {
    const { record, action, proxy } = job;
    const core = coreOf(record);
    let operation: Operation | undefined;
    const use = (given: Operation) => (operation = given);
    try {
      const waits = core.busy;
      // What another call writes is not written again, but for what it leaves.
      while (action !== 'destroy' && core.busy && !this.isHalted) await core.lane.ended(this.options.signal);
      if (this.isHalted) return this.end({ job, error: this.halt?.(job), attempted: false });
      // Nor is an erase given up that an outbox could not do, unless the record was edited since.
      const held = action === 'destroy' ? undefined : erasedLater(record, waits || core.error !== undefined);
      if (held) throw held;
      if (action === 'destroy') {
        const { failure } = core;
        if (!core.erased && isWanted(job)) await eraseRecord(record, () => proxy, this.callOptions, use);
        // Brought back by another call's erase, which failed: it was not destroyed, nor did anybody take that back.
        else if (!core.erased && failure?.operation?.action === 'destroy') throw failure;
      } else if (core.erased || (core.phantom ? isWanted(job) : isDirty(record))) {
        this.sending(job);
        await saveRecord(record, () => proxy, this.callOptions, use);
      }
      this.end({ job, operation, attempted: true });
    } catch (error) {
      this.end({ job, error: error as DataError, operation, attempted: true });
    }
  }

  sending(job: SyncJob<M>): void {
    this.rollback?.note(job);
  }

  /** Notes how a write ended, and what follows for those that wait for it. */
  end(ending: Ending<M>): void {
    const endings = [ending];
    for (const each of endings) {
      if (each.job.outcome) continue;
      this.note(each);
      if (this.plan) endings.push(...this.plan.ended(each));
    }
    if (ending.error && ending.attempted && (this.options.onFailure ?? 'continue') !== 'continue')
      this.halt ??= skipped(ending.error);
  }

  private note(ending: Ending<M>): void {
    const { job, error, operation, attempted } = ending;
    const { action, record, source } = job;
    const { jobs, options } = this;
    const outcome: Outcome<M> = {
      ...{ action, record: record as unknown as M },
      ...(error && { error: error as AnyOutcomeError }),
    };
    job.outcome = outcome;
    // Of proxies that make no requests, what they gave.
    job.sent = (operation?.request ?? operation?.resultSet) !== undefined;
    this.done += 1;
    if (error) this.failed += 1;
    this.rollback?.ended(job, error);
    this.plan?.stage(ending);
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
