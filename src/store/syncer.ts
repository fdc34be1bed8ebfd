import { AbortError } from '../errors/abort-error.js';
import type { DataError } from '../errors/data-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import { checkOptions } from '../errors/option-rules.js';
import { SyncError } from '../errors/sync-error.js';
import type { WriteAction } from '../extension/write.js';
import type { BaseModel } from '../model/base-model.js';
import type { CallOptions } from '../model/call.js';
import { coreOf, inner, isDirty } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { eraseRecord, saveRecord } from '../model/write.js';
import type { WriteJob } from '../model/write-job.js';
import { Batch, type Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { callSafely } from '../util/event-emitter.js';
import type { SyncOptions } from './store-config.js';
import type { BulkForm, StoreObserver, SyncUndo } from './store-observer.js';
import { SYNC_RULES } from './store-options.js';
import { storePartMissing } from './store-parts.js';
import { isStillWanted, type JobResult, type SyncJob, type SyncSource, type SyncWriter } from './sync-job.js';
import { SyncPlan } from './sync-plan.js';

const ACTIONS: readonly WriteAction[] = ['create', 'update', 'destroy'];

/**
 * Writes all pending changes of some stores and sessions, in the order of actions and references. The batch has an outcome for each
 * record.
 */
export async function syncSources<M extends BaseModel>(
  sources: readonly SyncSource<M>[],
  options: SyncOptions<M> = {},
): Promise<Batch<M>> {
  checkOptions('sync', options, SYNC_RULES, 'sync');
  const limits = sources.map(({ concurrency = 6 }) => concurrency);
  const { concurrency = Math.max(...limits) } = options;
  const observers = new Set(sources.flatMap((source) => source.observers));
  // With a limit of 0 or NaN nothing would be written, so at least one request is allowed.
  return new SyncRun<M>(collectJobs(sources), [...observers], options, Math.max(concurrency, 1) || 1).writeAll();
}

/** Creates a job for each record, sorted by phase. A record that will be destroyed is not created or updated before. */
function collectJobs<M extends BaseModel>(sources: readonly SyncSource<M>[]): SyncJob<M>[] {
  const jobs: SyncJob<M>[] = [];
  const orders = new Map<DataProxy, string[]>();
  const pendingOf = sources.map((source) => [source, source.pending()] as const);
  const planned = new Set<M>();
  const destroyed = new Set(pendingOf.flatMap(([, { destroy }]) => destroy));
  for (const [source, pending] of pendingOf) {
    for (const action of ACTIONS) {
      for (const record of pending[action]) {
        if (planned.has(record) || (action !== 'destroy' && destroyed.has(record))) continue;
        planned.add(record);
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
  stopReason: ((job: SyncJob<M>) => DataError) | undefined;
  /** Jobs that may be sent, by phase; the jobs of one entry go in one request. */
  private readonly ready: (readonly SyncJob<M>[])[][] = [];
  /** The order of the writes; undefined if no write waits for another, and each record goes in a request of its own. */
  private readonly plan: SyncPlan<M> | undefined;
  private readonly bulkForm: BulkForm<M> | undefined;
  private readonly undo: SyncUndo<M> | undefined;

  readonly callOptions: CallOptions & object;

  constructor(
    private readonly jobs: readonly SyncJob<M>[],
    observers: readonly StoreObserver<M>[],
    private readonly options: SyncOptions<M>,
    private readonly concurrency: number,
  ) {
    const { params, headers, signal } = options;
    this.callOptions = { params, headers, signal } as CallOptions & object;
    this.bulkForm = findBulkForm(jobs, observers);
    const { references } = jobs.find(({ record }) => record[MODEL].references)?.record[MODEL] ?? {};
    const ordered = references?.orderWrites(jobs) ?? false;
    if (ordered || this.bulkForm) {
      const groups = this.bulkForm?.group(jobs, options.batchSize) ?? jobs.map((job) => [job]);
      this.plan = new SyncPlan(this, groups, this.ready);
    } else for (const job of jobs) (this.ready[job.phase] ??= []).push([job]);
    this.undo = options.onFailure === 'rollback' ? openUndo(jobs, observers) : undefined;
  }

  async writeAll(): Promise<Batch<M>> {
    const { jobs, ready } = this;
    for (const job of jobs) if (job.refusal) this.finish({ job, error: job.refusal, attempted: true });
    for (const queue of ready) if (queue) await this.runPhase(queue);
    await this.plan?.enqueued();
    await this.undo?.finish(this.concurrency);
    return new Batch(jobs.map(({ outcome }) => outcome as Outcome<M>));
  }

  /** Writes the jobs of one phase, also those that are added to the queue meanwhile, `concurrency` at a time. */
  private runPhase(queue: (readonly SyncJob<M>[])[]): Promise<void> {
    return new Promise((resolve) => {
      let active = 0;
      let next = 0;
      const startNext = () => {
        for (; next < queue.length && active < this.concurrency; next += 1) {
          active += 1;
          const ended = () => {
            active -= 1;
            startNext();
          };
          this.writeGroup(queue[next] as readonly SyncJob<M>[]).then(ended, ended);
        }
        if (active === 0) resolve();
      };
      startNext();
    });
  }

  /** Writes the jobs of one request. Never rejects. */
  private writeGroup(jobs: readonly SyncJob<M>[]): Promise<unknown> {
    const waiting = jobs.filter((job) => !job.outcome);
    const [job] = waiting;
    if (job && waiting.length === 1) return this.write(job);
    if (this.bulkForm && job && !this.hasStopped) return this.bulkForm.write(waiting, this);
    return Promise.all(waiting.map((each) => this.write(each)));
  }

  get undoes(): boolean {
    return this.undo !== undefined;
  }

  get hasStopped(): boolean {
    if (this.options.signal?.aborted) this.stopReason ??= aborted;
    return this.stopReason !== undefined;
  }

  async write(job: SyncJob<M>): Promise<void> {
    const { record, action, proxy } = job;
    const core = coreOf(record);
    let operation: Operation | undefined;
    const onOperation = (created: Operation) => (operation = created);
    try {
      const waitedForOther = core.busy;
      // If another call is writing the record, this one waits, and then writes only the edits that are left.
      while (action !== 'destroy' && core.busy && !this.hasStopped) await core.lane.whenEnded(this.options.signal);
      if (this.hasStopped) return this.finish({ job, error: this.stopReason?.(job), attempted: false });
      if (action === 'destroy') {
        const { failure } = core;
        if (!core.erased && isStillWanted(job)) await eraseRecord(record, () => proxy, this.callOptions, onOperation);
        // Another call erased the record at the same time and failed. The record is shown again, but nobody took the removal back.
        else if (!core.erased && failure?.operation?.action === 'destroy') throw failure;
      } else if (core.erased || (core.phantom ? isStillWanted(job) : isDirty(record))) {
        this.sending(job);
        // A record whose last write failed is treated as waiting: nobody has asked for this save since the failure.
        const waited = waitedForOther || core.error !== undefined;
        await saveRecord(record, () => proxy, { ...this.callOptions, waited }, onOperation);
      }
      this.finish({ job, operation, attempted: true });
    } catch (error) {
      this.finish({ job, error: error as DataError, operation, attempted: true });
    }
  }

  sending(job: SyncJob<M>): void {
    this.undo?.sending(job);
  }

  /** Sets the outcome of a job, and of the jobs that end with it; stops the `sync()` if `onFailure` says so. */
  finish(result: JobResult<M>): void {
    const results = [result];
    for (const next of results) {
      if (next.job.outcome) continue;
      this.setOutcome(next);
      if (this.plan) results.push(...this.plan.ended(next));
    }
    if (result.error && result.attempted && (this.options.onFailure ?? 'continue') !== 'continue')
      this.stopReason ??= skipped(result.error);
  }

  private setOutcome(result: JobResult<M>): void {
    const { job, error, operation, attempted } = result;
    const { action, record, source } = job;
    const { jobs, options } = this;
    const outcome: Outcome<M> = {
      ...{ action, record: record as unknown as M },
      ...(error && { error: error as AnyOutcomeError }),
    };
    job.outcome = outcome;
    // A proxy without HTTP, such as `MemoryProxy`, makes no request, but has a result.
    job.sent = (operation?.request ?? operation?.resultSet) !== undefined;
    this.done += 1;
    if (error) this.failed += 1;
    this.undo?.ended(job, error);
    this.plan?.enqueue(result);
    if (attempted) source.ended(outcome, operation);
    const { done, failed } = this;
    if (options.onProgress) callSafely(options.onProgress, { done, failed, total: jobs.length, outcome });
  }
}

/** Finds the bulk form if a proxy has `batchActions`. Throws `DefinitionError` if no part has one. */
function findBulkForm<M extends BaseModel>(
  jobs: readonly SyncJob<M>[],
  observers: readonly StoreObserver<M>[],
): BulkForm<M> | undefined {
  if (!jobs.some(({ proxy }) => proxy.batchActions)) return undefined;
  const { bulkForm } = observers.findLast((observer) => observer.bulkForm) ?? {};
  if (!bulkForm) throw storePartMissing('bulkForm', '`batchActions: true`');
  return jobs.length > 1 ? bulkForm : undefined;
}

/** Opens the rollback of a `sync()`. Throws `DefinitionError` if no part has one. */
function openUndo<M extends BaseModel>(
  jobs: readonly SyncJob<M>[],
  observers: readonly StoreObserver<M>[],
): SyncUndo<M> {
  const part = observers.findLast((observer) => observer.openUndo);
  if (!part?.openUndo) throw storePartMissing('rollback', "`onFailure: 'rollback'`");
  return part.openUndo(jobs);
}

function skipped(cause: DataError): (job: WriteJob) => DataError {
  return ({ record }) =>
    new SyncError(
      'skipped',
      'sync-skipped',
      { ...modelAndId(record), why: cause.message },
      { cause, messages: record[MODEL].messages },
    );
}

function aborted({ record }: WriteJob): DataError {
  return new AbortError('sync-aborted', modelAndId(record), { messages: record[MODEL].messages });
}
