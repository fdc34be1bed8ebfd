import type { DataError } from '../errors/data-error.js';
import type { Action } from '../operation/actions.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { InnerRecord } from './record.js';

/** What is done to records by writing. */
export type WriteAction = Exclude<Action, 'read'>;

/** A new record that another one refers to. */
export interface Dependency {
  readonly job: WriteJob;
  /** It was created: its id takes the place of the temporary one. */
  saved(): void;
  /** It was not created. Returns what this one fails with; undefined where it refers to another one by now. */
  failed(cause: DataError | undefined): DataError | undefined;
  /** It was created, and erased again: it has its temporary id back. */
  undone(): void;
}

/** One record that `sync()` is to write, and what must be done before. */
export interface WriteJob {
  readonly record: InnerRecord;
  readonly action: WriteAction;
  readonly proxy: DataProxy;
  /** Its turn: what has a lower one ends before it starts. */
  phase: number;
  /** How many others must be done one after the other before it, within its turn. */
  level: number;
  /** New records that it refers to: without their ids it cannot be sent. */
  parents: readonly Dependency[];
  /** How many must end before it starts. */
  waits: number;
  /** Those that wait for it. */
  next: readonly WriteJob[];
  /** What it fails with without being sent. */
  refusal: DataError | undefined;
}
