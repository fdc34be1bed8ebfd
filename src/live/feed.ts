import { checkOptions } from '../dev/checks.js';
import { liveMessages } from '../dev/texts.js';
import { inWords } from '../errors/error-context.js';
import { DefinitionError, StateError } from '../errors/mistakes.js';
import { any, callable, flag, list, milliseconds, object, type Rules } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { HttpError } from '../errors/request-errors.js';
import { parseWait, startTimer } from '../extensions/waiting.js';
import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { idKeyOf } from '../store/id-index.js';
import { eventsOfPage, type PageEvents } from '../store/keep-fresh-options.js';
import type { Store } from '../store/store.js';
import type { Session } from '../sync/session.js';
import { type Clock, systemClock } from '../util/clock.js';
import type { Data } from '../util/data-path.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { isPlainObject, reuseMembers } from '../util/values.js';
import type { FeedChange, FeedConfig, FeedSink, FeedState } from './feed-config.js';
import { type FeedTarget, targetOf } from './feed-target.js';

const FEED_RULES: Rules<FeedConfig> = {
  open: callable,
  models: list,
  version: any,
  collect: /* @__PURE__ */ milliseconds(0),
  refresh: flag,
  backoff: object,
  clock: any,
  random: callable,
  events: any,
};

/** The shortest time from one read of lists that changes have made stale to the next one, in milliseconds. */
const READ_INTERVAL = 1000;

/** A feed of changes. */
export interface Feed {
  /** The state as a source, for a screen. */
  readonly state: Source<FeedState>;
  /**
   * Connects anew at once, for example after the user has signed in. Does nothing after `close()`.
   *
   * @example
   * ```ts
   * import { feed, serverSentEvents } from 'repose/live';
   *
   * const live = feed(tasks, { open: serverSentEvents(Task) });
   * live.state.subscribe(() => show(live.state.get().status)); // 'failed' when the sign-in has expired
   * document.querySelector('#signed-in')?.addEventListener('click', () => live.reconnect());
   * ```
   */
  reconnect(): void;
  /** Ends the connection for good, after the changes that have come were taken. */
  close(): void;
}

/**
 * Keeps the records of a store or session as they are on the server, by the changes that the server sends. A lost connection is opened again
 * after a wait. If changes may have been missed, because the server cannot go on from the last one, what is on show is read again. Edits are
 * kept, as in `receive(store)`. Throws `DefinitionError` for wrong options.
 *
 * @example
 * ```ts
 * import { feed, serverSentEvents } from 'repose/live';
 *
 * const live = feed(tasks, { open: serverSentEvents(Task) });
 * // When the screen is closed:
 * live.close();
 * ```
 */
export function feed<M extends Model>(target: Store<M>, config: FeedConfig<M>): Feed;
export function feed(target: Session, config: FeedConfig): Feed;
export function feed(target: Store<Model> | Session, config: FeedConfig): Feed {
  return inWords(liveMessages, () => {
    checkOptions('feed', config, FEED_RULES);
    if (typeof config.open !== 'function') throw new DefinitionError('feed-open', {}, { messages: liveMessages });
    return new RunningFeed(targetOf(target, config.models), config);
  });
}

/** A change, or the cursor behind the changes before it. */
type Waiting = { readonly change: FeedChange } | { readonly cursor: string };

class RunningFeed implements Feed {
  readonly state: ValueSource<FeedState>;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly collect: number;
  private readonly base: number;
  /** The shortest wait before a new connection, as the server has asked for it; undefined: it has not. */
  private asked: number | undefined = undefined;
  private readonly max: number;
  private readonly detachers: (() => void)[] = [];
  private status: FeedState['status'] = 'connecting';
  private error: Error | undefined = undefined;
  /** Why what was missed could not be read. */
  private readError: Error | undefined = undefined;
  /** How often changes may have been missed, and up to which time what is on show was read since then. */
  private gaps = 0;
  private gapsRead = 0;
  /** Whether changes were missed, so that any list may lack some, since the last read began. */
  private hasMissed = false;
  private isReading = false;
  private readFailures = 0;
  /** When the last read began; undefined: there was none. */
  private readAt: number | undefined = undefined;
  private hasBeenLive = false;
  private cursor: string | undefined = undefined;
  private connection: AbortController | undefined = undefined;
  private waiting: Waiting[] = [];
  private failures = 0;
  private cancelWait: (() => void) | undefined = undefined;
  private cancelCollect: (() => void) | undefined = undefined;
  private cancelRead: (() => void) | undefined = undefined;

  constructor(
    private readonly target: FeedTarget,
    private readonly config: FeedConfig,
  ) {
    const { clock = systemClock, random = Math.random, collect = 50, backoff = {}, events = eventsOfPage() } = config;
    this.clock = clock;
    this.random = random;
    this.collect = collect;
    this.base = backoff.base ?? 1000;
    this.max = backoff.max ?? 30_000;
    this.state = new ValueSource<FeedState>((previous) => {
      const { status, error, readError } = this;
      return reuseMembers<FeedState>(previous, {
        status,
        behind: this.gapsRead !== this.gaps,
        error: readError ?? error,
      });
    });
    this.followNetwork(events);
    this.detachers.push(target.onEnd(() => this.close()));
    this.connect();
  }

  reconnect(): void {
    if (this.status === 'closed') return;
    this.endConnection();
    this.failures = 0;
    this.connect();
  }

  close(): void {
    if (this.status === 'closed') return;
    this.endConnection();
    this.cancelRead?.();
    for (const detach of this.detachers.splice(0)) detach();
    this.status = 'closed';
    this.state.end();
  }

  private followNetwork(events: PageEvents | undefined): void {
    if (!events) return;
    const online = () => {
      if (this.status === 'waiting') this.reconnect();
    };
    events.addEventListener('online', online);
    this.detachers.push(() => events.removeEventListener('online', online));
  }

  // ── Connections ──

  private connect(): void {
    if (this.target.disposed) return this.close();
    const { target, config, cursor } = this;
    const connection = new AbortController();
    this.connection = connection;
    this.status = 'connecting';
    // The server sends what has changed since the cursor. Without one, nobody knows what has changed since the last connection.
    if (cursor === undefined && this.hasBeenLive) this.miss();
    const isCurrent = () => this.connection === connection;
    const sink: FeedSink = {
      changes: (changes, behind) => isCurrent() && this.take(changes, behind),
      live: () => isCurrent() && this.becomeLive(),
      reset: () => {
        if (!isCurrent()) return;
        this.miss();
        this.state.update();
        this.catchUp();
      },
      retryAfter: (milliseconds) => {
        // Zero is no wait, and a feed that asked again at once would ask for ever.
        if (isCurrent() && milliseconds > 0) this.asked = milliseconds;
      },
    };
    const { signal } = connection;
    const ended = (error?: unknown) => isCurrent() && this.connectionEnded(error);
    // In a later step, so that the caller has the feed before the first change comes.
    void Promise.resolve()
      .then(() => (isCurrent() ? config.open({ cursor, query: target.query, signal, sink }) : undefined))
      .then(() => ended(), ended);
    this.state.update();
  }

  private endConnection(): void {
    const { connection } = this;
    this.cancelWait?.();
    this.deliver();
    this.connection = undefined;
    connection?.abort();
  }

  private becomeLive(): void {
    if (this.status === 'live') return;
    this.status = 'live';
    this.failures = 0;
    this.error = undefined;
    // Earlier reads may lack changes that were made before the server began to send them.
    if (!this.hasBeenLive && this.cursor === undefined && this.target.hasRead) this.miss();
    this.hasBeenLive = true;
    this.state.update();
    this.catchUp();
  }

  private connectionEnded(error: unknown): void {
    this.deliver();
    this.connection = undefined;
    this.error = error === undefined ? undefined : error instanceof Error ? error : new Error(String(error));
    if (isFinal(this.error)) {
      this.status = 'failed';
      return this.state.update();
    }
    this.status = 'waiting';
    this.failures += 1;
    const { clock, asked } = this;
    const header = error instanceof HttpError ? error.response.headers.get('Retry-After') : null;
    const wait = Math.max(parseWait(header, clock.now()) ?? 0, asked ?? 0, this.waitAfter(this.failures, asked));
    this.cancelWait = startTimer(clock, wait, () => this.connect());
    this.state.update();
  }

  // ── Changes ──

  private take(changes: readonly FeedChange[], cursor: string | undefined): void {
    this.becomeLive();
    for (const change of changes) this.waiting.push({ change });
    if (cursor !== undefined) this.waiting.push({ cursor });
    this.cancelCollect ??= this.clock.after(this.collect, () => this.deliver());
  }

  /** Gives the store what has come. */
  private deliver(): void {
    this.cancelCollect?.();
    this.cancelCollect = undefined;
    const { waiting, target } = this;
    this.waiting = [];
    if (target.disposed) return;
    const byModel = new Map<ModelDefinition, Map<unknown, FeedChange[]>>();
    for (const each of waiting) {
      // An empty id takes the cursor back, as the standard says: then nobody knows what has changed since.
      if ('cursor' in each) this.cursor = each.cursor === '' ? undefined : each.cursor;
      else this.collectChange(each.change, byModel);
    }
    for (const [model, changes] of byModel) this.deliverChanges(model, [...changes.values()].flat());
    if (this.config.refresh && byModel.size > 0 && target.isStale) {
      this.gaps += 1;
      this.state.update();
    }
    this.catchUp();
  }

  /** Keeps the last change of each record; with versions, all of its rows, because the last one may be older than those before. */
  private collectChange(change: FeedChange, byModel: Map<ModelDefinition, Map<unknown, FeedChange[]>>): void {
    if (!isPlainObject(change) || !('removed' in change || isPlainObject(change.row)))
      return this.refuse(new StateError('foreign', 'feed-change', {}, { messages: liveMessages }));
    const model = this.target.modelOf(change.model);
    // Another model is none of our business.
    if (!model) return;
    const changes = byModel.get(model) ?? new Map<unknown, FeedChange[]>();
    byModel.set(model, changes);
    const key = idKeyOf('removed' in change ? change.removed : model.rowId(change.row as Data)) ?? change;
    const before = changes.get(key) ?? [];
    const keeps = this.config.version !== undefined && 'row' in change && before.every((each) => 'row' in each);
    changes.delete(key);
    changes.set(key, keeps ? [...before, change] : [change]);
  }

  private deliverChanges(model: ModelDefinition, changes: readonly FeedChange[]): void {
    const receive = (each: readonly FeedChange[]) => {
      const rows = each.flatMap((change) => ('removed' in change ? [] : [change.row]));
      const removed = each.flatMap((change) => ('removed' in change ? [change.removed] : []));
      const { version } = this.config;
      this.target.receive(model, rows, version === undefined ? { removed } : { removed, version: version });
    };
    try {
      receive(changes);
    } catch {
      // One wrong change must not keep the others back.
      for (const change of changes)
        try {
          receive([change]);
        } catch (error) {
          this.refuse(error as Error);
        }
    }
  }

  /** A change could not be taken: what it has changed is read. */
  private refuse(error: Error): void {
    this.error = error;
    this.miss();
    this.state.update();
  }

  // ── Gaps ──

  private miss(): void {
    this.gaps += 1;
    this.hasMissed = true;
    if (!this.target.disposed) this.target.markStale();
  }

  /** Reads again what is on show, until that has succeeded. */
  private catchUp(): void {
    if (this.gapsRead === this.gaps || this.isReading || this.status !== 'live' || this.target.disposed) return;
    this.cancelRead?.();
    const { clock, config, readAt } = this;
    const wait = config.refresh && readAt !== undefined ? readAt + READ_INTERVAL - clock.now() : 0;
    // A clock that was set back must not make the wait longer.
    if (wait > 0) {
      this.cancelRead = clock.after(Math.min(wait, READ_INTERVAL), () => this.catchUp());
      return;
    }
    this.isReading = true;
    this.readAt = clock.now();
    const { gaps, hasMissed } = this;
    this.hasMissed = false;
    const ended = (error?: Error) => {
      this.isReading = false;
      if (error && hasMissed) this.hasMissed = true;
      if (this.status === 'closed') return;
      this.readFailures = error ? this.readFailures + 1 : 0;
      if (!error) {
        this.gapsRead = gaps;
        // A wrong change harms no more: what it may have changed was read.
        if (this.status === 'live') this.error = undefined;
      }
      this.readError = error;
      this.state.update();
      if (error) this.cancelRead = this.clock.after(this.waitAfter(this.readFailures), () => this.catchUp());
      else this.catchUp();
    };
    this.target.refresh(hasMissed).then(() => ended(), ended);
  }

  /** The wait after some failures, in milliseconds. */
  private waitAfter(failures: number, base: number = this.base): number {
    const bound = Math.min(this.max, base * 2 ** (failures - 1));
    return Math.ceil((bound * (1 + this.random())) / 2);
  }
}

/** Whether a server refuses a connection for good, as the same request would be refused again, or has ended the feed. */
function isFinal(error: Error | undefined): boolean {
  if (error instanceof DefinitionError || error instanceof StateError) return true;
  if (error instanceof ReadError) return error.reason === 'feed-ended';
  if (!(error instanceof HttpError)) return false;
  const { status, retryable } = error;
  // A sign-in that could not be renewed for want of a response, or that waits for a password, may work later.
  if (retryable) return false;
  return status >= 400 && status < 500 && ![408, 409, 423, 425, 429].includes(status);
}
