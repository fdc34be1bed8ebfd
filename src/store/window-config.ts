import type { AnyDataError } from '../errors/is-data-error.js';
import type { Model } from '../model/model.js';
import type { Operation } from '../operation/operation.js';
import type { Query } from './query.js';

/** A range of indices, from `start` up to, but not including, `end`. */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/** Options of a window. */
export interface WindowConfig<M extends Model = Model> {
  /** A query of its own, which the server must apply as a whole. @default the query of the store, whatever it becomes */
  query?: Query<M>;
  /** Index of the first record on show. @default 0 */
  start?: number;
  /** Index behind the last record on show. Without it, nothing is loaded before the first `show()`. */
  end?: number;
  /**
   * Number of records to load ahead in the direction of scrolling; 0 for none. While they are loaded, no further page is asked for. @default
   * pageSize
   */
  prefetch?: number;
  /**
   * Milliseconds that a place must rest on show before it is asked for, if `show()` jumps there: while a user drags the scroll bar, only the
   * place where it rests is loaded. The first place, and one that touches the place before it, such as the next rows, are asked for at once;
   * so is every place with 0. @default 80
   */
  settle?: number;
  /**
   * Maximum number of records that the window holds. Records on show, records ahead and pending ones always stay. @default 40 pages
   */
  keep?: number;
}

/** Whether a record is loaded for the present query, being loaded, or missing. */
export type LoadState = 'loaded' | 'loading' | 'missing';

/** The range of indices in which records changed during a tick. The range is empty if only the total became known. */
export interface WindowChange {
  readonly version: number;
  /** Index of the first record that changed. */
  readonly from: number;
  /** Index behind the last record that changed. */
  readonly to: number;
}

/** Events of a window. */
export interface WindowEvents {
  /** Records, their load states, or their number have changed: all changes of a tick in one event. */
  change: WindowChange;
  /** A block of records could not be loaded. Follows the `change` event. */
  exception: { readonly error: AnyDataError; readonly operation: Operation };
}

/** A window at one moment: the value of the source `window.list`. Frozen. */
export interface WindowSnapshot<M> {
  /** Number of records in the collection; an estimate while the total is unknown. */
  readonly count: number;
  /** Number of records in the collection; undefined while unknown. */
  readonly total: number | undefined;
  /** The record at an index; undefined if it is not loaded. */
  at(index: number): M | undefined;
  /** Whether the record at an index is loaded, being loaded, or missing. */
  stateAt(index: number): LoadState;
  /**
   * The records from index `start` up to, but not including, `end`; undefined for each that is not loaded.
   *
   * @example
   * ```ts
   * const rows = windowOf(users, { start: 100, end: 150 });
   * show(rows.list.get().slice(100, 150).map((user) => user?.name ?? '…')); // '…' until the row is loaded
   * ```
   */
  slice(start?: number, end?: number): (M | undefined)[];
}
