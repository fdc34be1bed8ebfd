import type { DataError } from '../errors/data-error.js';
import type { WriteAction } from '../extension/write-hook.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { CalledParameters } from '../proxy/params-config.js';
import type { InnerRecord } from './record.js';
import type { ErasePlan } from './record-children.js';

/** A new record that the record of a job refers to. */
export interface Dependency {
  readonly job: WriteJob;
  /** The new record was created: its id replaces the temporary id in the record that refers to it. */
  saved(): void;
  /**
   * The new record was not created. Returns the error of the record that refers to it; undefined if it now refers to another one.
   */
  failed(cause: DataError | undefined): DataError | undefined;
  /** The new record was created and erased again by a rollback: its temporary id is put back. */
  undone(): void;
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
