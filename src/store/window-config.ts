import type { AnyDataError } from '../errors/is-data-error.js';
import type { Operation } from '../operation/operation.js';

/** Rows from one index up to, without, another. */
export interface IndexRange {
  readonly start: number;
  readonly end: number;
}

/** Options of a window. */
export interface WindowConfig {
  /** Index of the first row on show. @default 0 */
  start?: number;
  /** Index behind the last row on show; without it nothing is loaded before `show`. */
  end?: number;
  /** Rows to load ahead, in the direction of scrolling; 0: none. @default pageSize */
  prefetch?: number;
  /** Records that stay at most: those on show, those ahead and those that are pending always do. @default 40 pages */
  keep?: number;
}

/** Whether a row is here as the server last gave it, on its way, or neither. */
export type LoadState = 'loaded' | 'loading' | 'missing';

/** All changes of a tick lie in these rows; where only the total became known, in none. */
export interface WindowChange {
  readonly version: number;
  /** The first of them. */
  readonly from: number;
  /** Behind the last of them. */
  readonly to: number;
}

/** Events of a window. */
export interface WindowEvents {
  /** Rows, their states, or their number have changed: all changes of a tick in one event. */
  change: WindowChange;
  /** A block could not be loaded; follows its `change`. */
  exception: { readonly error: AnyDataError; readonly operation: Operation };
}

/** What a window holds at one moment: immutable, and the same one until the window changes. */
export interface WindowSnapshot<M> {
  /** Rises with every change. */
  readonly version: number;
  /** Number of rows in all; an estimate while that is unknown. */
  readonly count: number;
  /** Number of rows in all; undefined while unknown. */
  readonly total: number | undefined;
  /** The record of a row; undefined where none is here. */
  at(index: number): M | undefined;
  /** Whether a row is here, on its way, or neither. */
  stateAt(index: number): LoadState;
  /** Rows from one index up to, without, another; undefined where there is none. */
  slice(start?: number, end?: number): (M | undefined)[];
}
