import type { RecordState, VALUES } from '../model/infer.js';
import type { Source } from '../util/value-source.js';
import type { StoreStatus } from './status-feed.js';

// The members of stores and records that the bindings of frameworks use.

/** A store, a view or a window: an object with a list. */
export interface Listed<L> {
  readonly list: Source<L>;
}

/** A store, a window, a session or an outbox: an object with a status. */
export interface Active<S> {
  readonly status: Source<S>;
}

/** A store: its list is there after the first load. */
export interface Loadable<L> extends Listed<L>, Active<Pick<StoreStatus, 'loaded' | 'loading' | 'error'>> {
  readonly ready: Promise<void>;
  load(): Promise<unknown>;
}

/** A record with fields of these types. */
export interface Shown<V> {
  readonly [VALUES]: V;
  readonly $: Pick<RecordState<V, unknown>, 'field' | 'state'>;
  set(values: object): unknown;
  save(): Promise<unknown>;
  reject(): void;
  erase(): Promise<unknown>;
}
