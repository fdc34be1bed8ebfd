import { checkOptions, inDevelopment } from '../dev/checks.js';
import type { DataError } from '../errors/data-error.js';
import { asDataError, inWords } from '../errors/error-context.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Messages } from '../errors/message-format.js';
import { AbortError } from '../errors/request-errors.js';
import type { WriteAction } from '../extension/write-hook.js';
import type { CallOptions } from '../model/call.js';
import { changeToSend, sendsAnything } from '../model/change.js';
import type { Model } from '../model/model.js';
import { coreOf, inner, isDirty } from '../model/record.js';
import type { ErasePlan } from '../model/record-children.js';
import { modelAndId, skipped } from '../model/record-error.js';
import { endEntry } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { WriteOptions } from '../model/write.js';
import { captureErase, captureSave, eraseRecord, saveRecord } from '../model/write.js';
import type { JobResult, WriteJob, WritePlan } from '../model/write-job.js';
import { Batch, type Outcome } from '../operation/batch.js';
import type { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import { type CalledParameters, callParameters, copyParams } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { followSignal } from '../util/abort.js';
import { callSafely } from '../util/notifier.js';
import type { SyncOptions } from './store-config.js';
import { SYNC_RULES } from './store-options.js';
import { groupWrites, writeTogether } from './sync-bulk.js';
import { isStillWanted, openJob, type SyncJob, type SyncSource, type SyncWriter, TAKEN_BACK } from './sync-job.js';
import type { SyncUndo } from './sync-rollback.js';

const ACTIONS: readonly WriteAction[] = ['create', 'update', 'destroy'];

/**
 * Writes all pending changes of the given stores and sessions, in the order of references and, apart from that, of actions
 * (`batchOrder`). The batch has an outcome for each record. `messages` are the texts of the model, if there is one model.
 */
export async function syncSources<M extends Model>(
  sources: readonly SyncSource<M>[],
  options: SyncOptions<M> = {},
  messages?: Messages,
): Promise<Batch<M>> {
  inDevelopment(inWords, messages, () => checkOptions('sync', options, SYNC_RULES, 'sync'));
  const limits = sources.map(({ concurrency = 6 }) => concurrency);
  const { concurrency = Math.max(1, ...limits) } = options;
  const jobs = collectJobs(options.records ? sources.map((each) => restrictTo(each, options.records)) : sources);
  const run = new SyncRun<M>(jobs, options, concurrency);
  for (const { source, record } of jobs) source.recordSet?.syncing.add(record);
  try {
    return await run.writeAll();
  } finally {
    for (const { source, record } of jobs) source.recordSet?.syncing.delete(record);
  }
}

/** A source that has no other pending records than the given ones. */
function restrictTo<M extends Model>(source: SyncSource<M>, records: readonly M[] = []): SyncSource<M> {
  const chosen = new Set(records.map(inner));
  const chosenOf = (pending: readonly M[]) => pending.filter((each) => chosen.has(inner(each)));
  const pending = () => {
    const { create, update, destroy } = source.pending();
    return { create: chosenOf(create), update: chosenOf(update), destroy: chosenOf(destroy) };
  };
  return { ...source, pending };
}

/**
 * Creates a job for each pending record, sorted by phase: the place of its action in `batchOrder`. Records whose action is not in
 * `batchOrder` stay pending. A record that will be destroyed gets no job for a create or update.
 */
function collectJobs<M extends Model>(sources: readonly SyncSource<M>[]): SyncJob<M>[] {
  const jobs: SyncJob<M>[] = [];
  const orders = new Map<DataProxy, string[]>();
  const parameters = new Map<DataProxy, CalledParameters | undefined>();
  const erasePlans = new Map<M, ErasePlan>();
  const pendingOf = pendingWithChildren(sources, erasePlans);
  const planned = new Set<M>();
  const destroyed = new Set(pendingOf.flatMap(([, { destroy }]) => destroy));
  for (const [source, pending] of pendingOf) {
    for (const action of ACTIONS) {
      for (const record of pending[action]) {
        if (planned.has(record) || (action !== 'destroy' && destroyed.has(record))) continue;
        planned.add(record);
        inner(record)[CORE]?.refuseWrite?.();
        const proxy = source.proxyOf(record);
        const order = orders.get(proxy) ?? proxy.batchOrder.split(',').map((each) => each.trim());
        orders.set(proxy, order);
        const phase = order.indexOf(action);
        if (phase < 0) continue;
        if (!parameters.has(proxy)) parameters.set(proxy, callParameters(proxy));
        jobs.push({
          ...{ source, action, record: inner(record), proxy, phase, calledParameters: parameters.get(proxy) },
          ...{ level: 0, parents: [], waits: 0, next: [], refusal: undefined },
          ...{ outcome: undefined, sent: false, entry: undefined, uncaptured: undefined },
          ...{ behind: undefined, onEnd: undefined },
          erasePlan: action === 'destroy' ? erasePlans.get(record) : undefined,
        });
      }
    }
  }
  return jobs.sort((a, b) => a.phase - b.phase);
}

/** The pending records of sources, and of the children that are written before records that are erased. */
function pendingWithChildren<M extends Model>(
  sources: readonly SyncSource<M>[],
  erasePlans: Map<M, ErasePlan>,
): (readonly [SyncSource<M>, ReturnType<SyncSource<M>['pending']>])[] {
  const all = [...sources];
  // Children that are erased may have children themselves, so the list grows while it is read.
  for (const source of all)
    for (const record of source.pending().destroy) {
      const plan = erasePlans.has(record) ? undefined : inner(record)[CORE]?.children?.writes?.prepareErase();
      if (!plan) continue;
      erasePlans.set(record, plan);
      all.push(...(plan.sources as unknown as readonly SyncSource<M>[]));
    }
  // A source that was read before may have more to write now.
  return all.map((source) => [source, source.pending()] as const);
}

/** One run of `sync()`. */
class SyncRun<M extends Model> implements SyncWriter<M> {
  private done = 0;
  private failed = 0;
  stopReason: ((job: SyncJob<M>) => DataError) | undefined;
  /** Groups of jobs that may be sent now, by phase. The bulk form sends a group in one request. */
  private readonly ready: (readonly SyncJob<M>[])[][] = [];
  /** Knows which writes wait for others; undefined if no model refers to another. */
  private readonly plan: WritePlan<SyncJob<M>> | undefined;
  private readonly undo: SyncUndo<M> | undefined;

  readonly callOptions: CallOptions & object;

  constructor(
    private readonly jobs: readonly SyncJob<M>[],
    private readonly options: SyncOptions<M>,
    private readonly concurrency: number,
  ) {
    const { params, headers, signal } = options;
    this.callOptions = { params: copyParams(params), headers: copyParams(headers), signal } as CallOptions & object;
    const { references } = jobs.find(({ record }) => record[MODEL].references)?.record[MODEL] ?? {};
    const openPlan = references?.orderWrites(jobs);
    const groups = groupWrites(jobs, options.batchSize);
    if (openPlan) this.plan = openPlan(this, groups, this.ready);
    else for (const group of groups) (this.ready[(group[0] as SyncJob<M>).phase] ??= []).push(group);
    const { onFailure = 'continue' } = options;
    if (onFailure !== 'continue' && onFailure !== 'stop') this.undo = onFailure.openUndo(jobs) as SyncUndo<M>;
    // Nothing can fail any more, so each captured change is released when its job ends.
    for (const job of jobs) hold(job, this.callOptions);
  }

  async writeAll(): Promise<Batch<M>> {
    const { jobs, ready } = this;
    for (const job of jobs) if (job.refusal) this.finish({ job, error: job.refusal, attempted: true });
    for (const queue of ready) if (queue) await this.runPhase(queue);
    await this.plan?.enqueued();
    await this.undo?.finish(this.concurrency);
    return new Batch(jobs.map(({ outcome }) => outcome as Outcome<M>));
  }

  /** Writes the groups of one phase, `concurrency` at a time. The plan adds groups to the queue while this runs. */
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

  /** Writes the jobs of one group: in one request with the bulk form, otherwise each in its own request. Never rejects. */
  private writeGroup(jobs: readonly SyncJob<M>[]): Promise<unknown> {
    for (const job of jobs) this.checkErase(job);
    const waiting = jobs.filter((job) => !job.outcome);
    const [job] = waiting;
    if (job && waiting.length === 1) return this.write(job);
    if (job && !this.hasStopped) return writeTogether(waiting, this);
    return Promise.all(waiting.map((each) => this.write(each)));
  }

  /** Ends an erase that is refused, or whose children could not be written before it. */
  private checkErase(job: SyncJob<M>): void {
    if (!job.erasePlan || job.outcome) return;
    const { refusal, children } = job.erasePlan;
    const failed = this.jobs.find((each) => children.has(each.record) && each.outcome?.error)?.outcome?.error;
    const error = refusal ?? (failed && skipped(failed)(job));
    if (error) this.finish({ job, error, attempted: true });
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
    let error: DataError | undefined;
    const onOperation = (created: Operation) => (operation = created);
    try {
      const earlier = this.earlierEnd(job);
      if (earlier) await earlier;
      const waitedForOther = core.busy;
      // If another call is writing the record, this job waits, and then writes only the edits that are left.
      while (action !== 'destroy' && core.busy && !this.hasStopped) await core.whenEnded(this.options.signal);
      if (this.hasStopped) return this.finish({ job, error: this.stopReason?.(job), attempted: false });
      if (action !== 'destroy') {
        if (core.erased || isLeftToWrite(job)) {
          // `waited` makes an outbox refuse the save if an erase of the record failed before: the application must learn of that first.
          const waited = waitedForOther || core.error !== undefined;
          await saveRecord(record, { ...this.optionsOf([job]), proxy, entry: job.entry, waited }, onOperation);
        }
      } else if (!core.erased) {
        const { failure, phantom, unconfirmed } = core;
        if (isStillWanted(job))
          await eraseRecord(record, { ...this.optionsOf([job]), proxy, entry: job.entry }, onOperation);
        // The erase of another call failed, which showed the record again. The job reports that error, because nobody has taken the
        // removal back.
        else if (failure?.operation?.action === 'destroy') throw failure;
        // An erase of an unconfirmed create was refused with the error of the create.
        else if (phantom && unconfirmed) throw unconfirmed;
      }
    } catch (cause) {
      error = cause as DataError;
    }
    this.finish({ job, error, operation, attempted: true });
  }

  /**
   * Waits for the jobs of earlier `sync()` calls for the same record, unless the caller aborts this one. Only what may be undone has to wait: it
   * must not have what an earlier one saves.
   */
  private earlierEnd(job: SyncJob<M>): Promise<void> | undefined {
    const earlier = this.undoes && openJob(job.behind);
    if (!earlier || this.options.signal?.aborted) return undefined;
    return new Promise<void>((resolve) => {
      const unfollow = followSignal({ abort: resolve }, this.options.signal);
      earlier.onEnd = () => {
        unfollow();
        resolve();
      };
    }).then(() => this.earlierEnd(job));
  }

  optionsOf(jobs: readonly SyncJob<M>[]): WriteOptions {
    const { undo, callOptions } = this;
    const jobOf = new Map<unknown, SyncJob<M>>(jobs.map((job) => [job.record, job]));
    // Jobs that go in one request have one proxy, whose functions were called once for all.
    const { calledParameters, uncaptured } = jobs[0] as SyncJob<M>;
    const shared = { ...callOptions, calledParameters, uncaptured };
    if (!undo) return shared;
    const captured: WriteOptions['captured'] = (record, change) =>
      undo.captured(jobOf.get(record) as SyncJob<M>, change);
    return { ...shared, captured };
  }

  /** Sets the outcome of a job, and of jobs that can no longer be sent because of it. Stops the `sync()` as `onFailure` says. */
  finish(result: JobResult<SyncJob<M>>): void {
    const results = [result];
    for (const next of results) {
      if (next.job.outcome) continue;
      this.setOutcome(
        next.error || isDone(next.job) ? next : { ...next, error: takenBack(next.job), attempted: false },
      );
      if (this.plan) results.push(...this.plan.ended(next));
    }
    if (result.error && result.attempted && (this.options.onFailure ?? 'continue') !== 'continue')
      this.stopReason ??= skipped(result.error);
  }

  private setOutcome(result: JobResult<SyncJob<M>>): void {
    const { job, error, operation, attempted } = result;
    const { action, record, source } = job;
    const { jobs, options } = this;
    const outcome: Outcome<M> = {
      ...{ action, record: record },
      ...(error && { error: error as AnyOutcomeError }),
    };
    job.outcome = outcome;
    // A proxy without HTTP, such as `MemoryProxy`, builds no request; its result shows that it has written.
    job.sent = (operation?.request ?? operation?.resultSet) !== undefined;
    this.done += 1;
    if (error) this.failed += 1;
    this.undo?.ended(job, error);
    this.plan?.enqueue(result);
    if (job.entry) endEntry(record, job.entry);
    if (attempted) source.ended(outcome, operation);
    const { done, failed } = this;
    // The jobs that have ended before this one are needed no more.
    if (job.behind) job.behind = openJob(job.behind);
    if (record[CORE]?.job === job) record[CORE].job = job.behind;
    job.onEnd?.();
    job.onEnd = undefined;
    if (options.onProgress) callSafely(options.onProgress, { done, failed, total: jobs.length, outcome });
  }
}

/** Captures the values that a job sends, unless they cannot be written: then the job fails when its turn comes. */
function hold<M extends Model>(job: SyncJob<M>, options: CallOptions & object): void {
  const { action, record, proxy, calledParameters, refusal } = job;
  if (refusal) return;
  const call = { ...options, calledParameters };
  if (action !== 'destroy') {
    // Every record that has something to save has a core.
    const core = record[CORE];
    job.behind = core?.job;
    if (core) core.job = job;
    return void Object.assign(job, captureSave(record, proxy, call));
  }
  try {
    if (!coreOf(record).phantom) job.entry = captureErase(record, proxy, call);
  } catch (cause) {
    job.uncaptured = asDataError(cause);
  }
}

/**
 * Whether the end of a job without an error means that nothing of it is left to write. If `reject()` has taken back the create of a new record
 * that its store still holds, the record was not created, and still has to be.
 */
function isDone<M extends Model>(job: SyncJob<M>): boolean {
  const { phantom, erased } = coreOf(job.record);
  return job.action !== 'create' || !phantom || erased || !isStillWanted(job);
}

/** Whether a create or update still has something to send: nobody has taken it back, and no other write has settled it. */
function isLeftToWrite<M extends Model>(job: SyncJob<M>): boolean {
  const { record, entry } = job;
  const core = coreOf(record);
  const change = changeToSend(record, entry);
  if (entry ? !change : !isDirty(record) && !core.phantom) return false;
  return core.phantom ? isStillWanted(job) : !change || sendsAnything(change);
}

/** The error of a new record whose create was taken back before it was sent. */
function takenBack({ record }: WriteJob): DataError {
  return new AbortError(TAKEN_BACK, modelAndId(record), { messages: record[MODEL].messages });
}

/** The error of a job that is not attempted because the caller has aborted the `sync()`. */
function aborted({ record }: WriteJob): DataError {
  return new AbortError('sync-aborted', modelAndId(record), { messages: record[MODEL].messages });
}
