import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { RecordId } from '../operation/actions.js';
import type { PageEvents } from '../store/keep-fresh-options.js';
import type { Query } from '../store/query.js';
import type { ReceiveOptions } from '../store/store-config.js';
import type { Clock } from '../util/clock.js';

/** One change on the server: a row as the server has it now, or the id of a row that it has no longer. */
export type FeedChange =
  | {
      /** The row, as a response would hold it. */
      readonly row: object;
      /** The name of the model, `name` in `define()`. A feed of a store leaves it out, or passes over changes of other models. */
      readonly model?: string | undefined;
    }
  | {
      /** The id of a row that was erased. */
      readonly removed: RecordId;
      readonly model?: string | undefined;
    };

/** Takes what a connection receives. Calls after the connection has ended do nothing. */
export interface FeedSink {
  /**
   * Takes changes in the order in which they were made, and the cursor behind the last one: what the server needs to go on from there. The
   * cursor counts once the changes are in the store.
   *
   * @example
   * ```ts
   * import { feed } from 'repose/live';
   *
   * feed(tasks, {
   *   // One long poll is one connection: the feed opens the next one.
   *   async open({ cursor = '', signal, sink }) {
   *     const { rows, next } = await (await fetch(`/tasks/changes?after=${cursor}`, { signal })).json();
   *     sink.changes(rows.map((row: object) => ({ row })), next);
   *   },
   * });
   * ```
   */
  changes(list: readonly FeedChange[], cursor?: string | undefined): void;
  /** Says that the server sends all changes from now on. The first changes say so as well. */
  live(): void;
  /**
   * Says that changes may have been missed: what is on show is read again.
   *
   * @example
   * ```ts
   * import type { OpenFeed } from 'repose/live';
   *
   * const open: OpenFeed = async ({ cursor = '', signal, sink }) => {
   *   const answer = await fetch(`/tasks/changes?after=${cursor}`, { signal });
   *   if (answer.status === 410) sink.reset('gap'); // the server does not keep changes that old
   *   else sink.changes(await answer.json(), answer.headers.get('X-Cursor') ?? undefined);
   * };
   * ```
   */
  reset(why: 'gap'): void;
  /**
   * Sets the shortest wait before the next connection, in milliseconds, in place of `backoff.base`: the server asks for it. It holds for all
   * connections of the feed, until another one is set. Zero, and what is no number, changes nothing.
   *
   * @example
   * ```ts
   * import type { OpenFeed } from 'repose/live';
   *
   * const open: OpenFeed = async ({ cursor = '', signal, sink }) => {
   *   const answer = await fetch(`/tasks/changes?after=${cursor}`, { signal });
   *   sink.retryAfter(1000 * Number(answer.headers.get('X-Poll-Seconds')));
   *   sink.changes(await answer.json(), answer.headers.get('X-Cursor') ?? undefined);
   * };
   * ```
   */
  retryAfter(milliseconds: number): void;
}

/** The state with which a connection is opened. */
export interface FeedConnection<M extends Model = Model> {
  /** The cursor behind the last change that was taken; undefined: there is none, and the next change counts. */
  readonly cursor: string | undefined;
  /** The query of the store, for servers that can send the changes of some rows only; undefined for a session. */
  readonly query: Query<M> | undefined;
  /** Aborts when the feed is closed or connects anew. */
  readonly signal: AbortSignal;
  readonly sink: FeedSink;
}

/**
 * Connects to the server, and passes what it sends to the sink. The promise ends with the connection: the feed then connects again, after a
 * wait, whether the promise resolved or rejected.
 */
export type OpenFeed<M extends Model = Model> = (connection: FeedConnection<M>) => Promise<void>;

/** Options of `feed()`. */
export interface FeedConfig<M extends Model = Model> {
  /** Opens one connection, such as `serverSentEvents(Task)`. */
  open: OpenFeed<M>;
  /** For a session: the models of the changes. @default none; a store has its own */
  models?: readonly ModelType<Model>[] | undefined;
  /** Tells which of two rows of a record is the newer one, as in `receive(store)`. @default each row counts as newer than the one before */
  version?: ReceiveOptions<M>['version'];
  /** Changes are collected for this time, in milliseconds, so that a screen is drawn once for many of them. @default 50 */
  collect?: number | undefined;
  /**
   * Whether a list that a change leaves `stale` is read again by itself: a created row takes its place, and one that does not pass the filter
   * any more leaves. It begins at most one read per second, however many changes come.
   * @default false: the status of the list says `stale`
   */
  refresh?: boolean | undefined;
  /**
   * The waits before a new connection, in milliseconds: they double from `base` to `max`, each with a random part. None is shorter than the
   * server asks for by `retry:` or `Retry-After`. @default { base: 1000, max: 30_000 }
   */
  backoff?: { readonly base?: number | undefined; readonly max?: number | undefined } | undefined;
  /** The source of time; for tests. */
  clock?: Clock | undefined;
  /** Random numbers from 0 to 1; for tests. @default Math.random */
  random?: (() => number) | undefined;
  /** The source of the event `online`; for tests. @default the window of the browser; elsewhere none */
  events?: PageEvents | undefined;
}

/** The state of a feed at one moment. Frozen. */
export interface FeedState {
  /**
   * `connecting`: a connection is being opened; `live`: changes come in; `waiting`: the connection was lost, and is opened again by itself;
   * `failed`: the server refuses or has ended the feed, and only `reconnect()` tries again; `closed`: for good.
   */
  readonly status: 'connecting' | 'live' | 'waiting' | 'failed' | 'closed';
  /** Whether changes may have been missed that were not read again yet. */
  readonly behind: boolean;
  /** Why the last connection ended, why a change was refused, or why what was missed could not be read; undefined: all is well. */
  readonly error: Error | undefined;
}
