import type { DataError } from '../errors/data-error.js';
import type { WriteAction } from '../extension/write-hook.js';
import type { Operation } from '../operation/operation.js';
import type { CalledParameters } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { InnerRecord } from './record.js';
import type { ErasePlan } from './record-children.js';
import type { Entry } from './record-core.js';

/** A new record that the record of a job refers to. */
export interface Dependency {
  readonly job: WriteJob;
  /** The new record was created: its id replaces the temporary id in the record that refers to it. */
  saved(): void;
  /**
   * The new record was not created. Returns the error of the record that refers to it; undefined if it now refers to another one.
   */
  failed(cause: DataError | undefined): DataError | undefined;
}

/** One record that `sync()` is to write, and the jobs that must end before it. */
export interface WriteJob {
  readonly record: InnerRecord;
  readonly action: WriteAction;
  readonly proxy: DataProxy;
  /** The parameters that the functions of the proxy returned when `sync()` was called. */
  readonly calledParameters: CalledParameters | undefined;
  /** Jobs of a lower phase end before this one starts. */
  phase: number;
  /** Length of the longest chain of jobs, within the same phase, that must end before this one. */
  level: number;
  /** The new records that its record refers to: without their ids it cannot be sent. */
  parents: readonly Dependency[];
  /** How many jobs must end before this one starts. */
  waits: number;
  /** The jobs that wait for this one. */
  next: readonly WriteJob[];
  /** The children that are written before this erase, with what refuses it; undefined: there are none. */
  readonly erasePlan: ErasePlan | undefined;
  /** The error of a job that is not sent. */
  refusal: DataError | undefined;
}

/** A job whose place in the order of all writes was found. */
export interface PlannedJob extends WriteJob {
  readonly source: { readonly observers: readonly { keepsBranch?(record: never): boolean }[] };
  /** Undefined until the write has ended. */
  readonly outcome: object | undefined;
  /** The entry whose change it sends, captured when `sync()` was called. */
  readonly entry: Entry | undefined;
  /** The last job of earlier `sync()` calls for the record, which may have ended since; undefined: all of them have ended. */
  behind: PlannedJob | undefined;
  /** Called when it has ended. Only the next job of the record that has not ended may wait for it, so there is one at most. */
  onEnd: (() => void) | undefined;
}

/** The result of a job. */
export interface JobResult<J> {
  readonly job: J;
  readonly error?: DataError | undefined;
  readonly operation?: Operation | undefined;
  /** Whether the write was attempted, or refused because of its record; false if the `sync()` had stopped before. */
  readonly attempted: boolean;
}

/** The members of a running `sync()` that its plan uses. */
export interface PlanOwner<J> {
  /** Makes the error of a job that is no longer attempted; undefined while the `sync()` goes on. */
  readonly stopReason: ((job: J) => DataError) | undefined;
  /** Whether successful writes will be undone if a write fails. */
  readonly undoes: boolean;
}

/** The order of the writes of a `sync()`: which of them wait for others. */
export interface WritePlan<J> {
  /** Called when a write has ended. Returns the results of other jobs that end with it, because they cannot be sent any more. */
  ended(result: JobResult<J>): JobResult<J>[];
  /** If the parent of a record was not created, an outbox stores the write of the record, and sends it when the parent is created. */
  enqueue(result: JobResult<J>): void;
  /** Resolves when the outboxes have stored the waiting writes. */
  enqueued(): Promise<unknown>;
}

/** Makes the plan of jobs whose order was found; `groups` go in one request each, and the plan adds those that may be sent to `ready`, by phase. */
export type PlanMaker = <J extends PlannedJob>(
  owner: PlanOwner<J>,
  groups: readonly J[][],
  ready: (readonly J[])[][],
) => WritePlan<J>;
