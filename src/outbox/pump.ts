import type { DataError } from '../errors/data-error.js';
import { coreOf } from '../model/record.js';
import { sendStored } from '../model/write.js';
import { type BackoffSettings, scheduleRetry } from './backoff.js';
import type { ChangeLog } from './change-log.js';
import { classifyEntry } from './classify-entry.js';
import type { HeldRecord } from './held-record.js';
import type { Job } from './next-job.js';
import type { Connection } from './outbox-config.js';
import type { Screen } from './screen.js';
import type { LoggedChange, Progress } from './stored-change.js';
import { errorData } from './stored-error.js';

/** The parts and settings of an outbox that decide when stored changes are sent. */
export interface PumpContext extends BackoffSettings {
  readonly log: ChangeLog;
  readonly screen: Screen;
  readonly connection: Connection;
  readonly concurrency: number;
  /** Whether writes are in flight, decisions are being stored, or listeners are still to be called. */
  isBusy(): boolean;
  /** Whether writes are in flight. */
  isSending(): boolean;
  /** Whether this page may send: without locks, one page does. */
  maySend(): boolean;
  /** Reads what other tabs have stored. Never rejects. */
  look(): Promise<void>;
  /** Called when changes cannot be sent at all. */
  failed(held: HeldRecord, error: DataError): void;
  reportProblem(error: unknown): void;
}

/** Sends stored changes when they are due: several records at a time, and the changes of each record in their order. */
export class Pump {
  isStarted = false;
  private activeCount = 0;
  private stopTimer: (() => void) | undefined = undefined;
  private readonly stopOnline: () => void;
  /** Resolves the promises of `send()`. */
  private readonly flushWaiters: Set<() => void> = new Set();
  /** Resolves the promises of `drained()`. */
  private readonly drainWaiters: Set<() => void> = new Set();
  /** Called when no write is in flight any more. */
  private readonly endWaiters: Set<() => void> = new Set();
  /** The records for which `pumpAfter` waits. */
  private readonly awaited: Set<HeldRecord> = new Set();
  private isStopped = false;
  /** When the timer calls `pump()` next, in milliseconds since 1970. */
  private nextAt = Number.POSITIVE_INFINITY;

  constructor(private readonly context: PumpContext) {
    this.stopOnline = context.connection.onOnline(() => {
      void context.look().then(() => this.sendAllNow());
      void context.screen.readUnread();
    });
  }

  /** Sends the changes that are due, and starts a timer for the next ones. */
  pump(): void {
    const { context, flushWaiters } = this;
    if (this.isStopped) return;
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.nextAt = Number.POSITIVE_INFINITY;
    const isStarted = this.isStarted || flushWaiters.size > 0;
    if (!isStarted || !context.connection.online || !context.maySend()) return this.resolveWaiters();
    const now = context.clock.now();
    let nextDue = Number.POSITIVE_INFINITY;
    for (const held of context.log.records.values()) {
      if (this.activeCount >= context.concurrency) return;
      if (isActive(held) || !this.context.screen.prospectOf(held).isReady) continue;
      if (isBusy(held)) {
        this.pumpAfter(held);
        continue;
      }
      // If the clock was set back, the changes must not wait longer than their backoff.
      held.dueAt = Math.min(held.dueAt, now + held.wait);
      if (held.dueAt > now) nextDue = Math.min(nextDue, held.dueAt);
      else void this.send(held);
    }
    this.nextAt = nextDue;
    if (nextDue < Number.POSITIVE_INFINITY)
      this.stopTimer = context.clock.after(Math.min(nextDue - now, 2 ** 31 - 1), () => this.pump());
    this.resolveWaiters();
  }

  /** Makes all changes due now, and sends them. */
  sendAllNow(): void {
    for (const held of this.context.log.records.values()) {
      held.dueAt = 0;
      // Changes in flight may have been sent before the network was back, so they are repeated at once if they fail.
      held.retryAtOnce = isActive(held);
    }
    this.pump();
  }

  /** Sends all changes once. Resolves when each has been tried. */
  flush(): Promise<void> {
    // Nothing is sent any more, so that only the writes in flight are awaited.
    if (this.isStopped) return this.stop();
    return new Promise((resolve) => {
      this.flushWaiters.add(resolve);
      this.sendAllNow();
    });
  }

  /** Resolves when no change is queued. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.drainWaiters.add(resolve);
      this.resolveWaiters();
    });
  }

  /** Sets the wait of changes that failed temporarily. */
  postpone(held: HeldRecord, error: DataError | undefined): void {
    scheduleRetry(held, error, this.context);
    // `pump` looks at every record, which is slow for thousands of them, so it is called only if the timer must change.
    if (held.dueAt > this.context.clock.now() && held.dueAt >= this.nextAt && this.flushWaiters.size === 0)
      this.resolveWaiters();
    else this.pumpAfter(held);
  }

  /** Calls `pump` when no write of the record is in flight any more, and none waits. */
  pumpAfter(held: HeldRecord): void {
    if (this.awaited.has(held)) return;
    this.awaited.add(held);
    void this.whenFree(held).then(() => {
      this.awaited.delete(held);
      this.pump();
    });
  }

  private async whenFree(held: HeldRecord): Promise<void> {
    // Another write may be called for while the ones before it end.
    do await (held.record && coreOf(held.record).whenEnded(undefined));
    while (isBusy(held));
  }

  /** Stops sending for good. Resolves when the writes in flight have ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.stopTimer?.();
    this.stopOnline();
    for (const held of this.context.log.records.values()) {
      await held.sending;
      // A write that a record or store sends is not in `sending`.
      if (held.record && coreOf(held.record).busy) await coreOf(held.record).whenEnded(undefined);
    }
    // Two records of one row send through one place, of which only one is the record there.
    while (this.context.isSending()) await new Promise<void>((resolve) => this.endWaiters.add(resolve));
    for (const resolve of [...this.flushWaiters, ...this.drainWaiters]) resolve();
  }

  /** Whether changes are being sent, or will be sent without a decision of the application. */
  private willBeSent(held: HeldRecord): boolean {
    return isActive(held) || (!held.isEmpty && !this.context.screen.prospectOf(held).waitsFor);
  }

  /** Resolves the promises of `send()` and `drained()` if there is nothing left to wait for. */
  resolveWaiters(): void {
    const { context, flushWaiters, drainWaiters } = this;
    if (!context.isSending()) resolveAll(this.endWaiters);
    // Listeners are called for each ended write before these promises resolve.
    if (flushWaiters.size + drainWaiters.size === 0 || context.isBusy()) return;
    if (drainWaiters.size > 0 && !this.some((held) => this.willBeSent(held))) resolveAll(drainWaiters);
    if (flushWaiters.size === 0 || this.activeCount > 0) return;
    const now = context.clock.now();
    const isDue = (held: HeldRecord) =>
      held.dueAt <= now && held.activeWrites === 0 && this.context.screen.prospectOf(held).isReady === true;
    if (!context.connection.online || !context.maySend() || !this.some(isDue)) resolveAll(flushWaiters);
  }

  private some(test: (held: HeldRecord) => boolean): boolean {
    for (const held of this.context.log.records.values()) if (test(held)) return true;
    return false;
  }

  /** Sends what is next of a record. Never rejects. */
  private send(held: HeldRecord): Promise<void> {
    held.sending ??= this.sendNow(held);
    return held.sending;
  }

  private async sendNow(held: HeldRecord): Promise<void> {
    const { screen } = this.context;
    this.activeCount += 1;
    const job = this.context.log.jobOf(held) as Job;
    try {
      const record = screen.recordOf(held);
      const proxy = screen.proxyOf(held, job.group);
      if (!coreOf(record).busy) await sendStored(record, job.action, proxy);
    } catch (error) {
      // The end of a write is handled by its hooks.
      if (!held.isHandled) await this.endBeforeSending(held, job, error as DataError);
    } finally {
      held.isHandled = false;
      this.activeCount -= 1;
      held.sending = undefined;
      this.pump();
    }
  }

  /** Handles that changes could not be made into a request. */
  private async endBeforeSending(held: HeldRecord, job: Job, error: DataError): Promise<void> {
    const { log, reportProblem } = this.context;
    const outcome = classifyEntry(
      { action: job.action, repeatable: true, attempts: 1 },
      { error, ending: 'noNews' },
      false,
      1,
      false,
    );
    if (outcome === 'queued' || outcome === 'never-connected') return scheduleRetry(held, error, this.context);
    const progress = { state: 'refused', attempts: 0, error: errorData(error) } as const;
    const refused = job.group.map((each): readonly [LoggedChange, Progress] => [each, progress]);
    await log.updateSurely(held, refused).catch(reportProblem);
    held.error = error;
    this.context.failed(held, error);
  }
}

/** Whether changes of a record are being sent. */
function isActive({ sending, activeWrites }: HeldRecord): boolean {
  return sending !== undefined || activeWrites > 0;
}

function isBusy({ record }: HeldRecord): boolean {
  return record !== undefined && coreOf(record).busy;
}

function resolveAll(waiting: Set<() => void>): void {
  const all = [...waiting];
  waiting.clear();
  for (const resolve of all) resolve();
}
