import type { AnyDataError } from '../errors/is-data-error.js';

/** The activity of a store or window at one moment: the value of the source `status`. Frozen. */
export interface StoreStatus {
  /** Whether a load is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether a write of one of the records is in flight or waits. */
  readonly saving: boolean;
  /** The error of the last load that failed; cleared by the next load that succeeds. The errors of writes stand at their records. */
  readonly error: AnyDataError | undefined;
  /** Whether a load has succeeded. */
  readonly loaded: boolean;
  /** Number of records with changes that neither the server nor an outbox has: new, edited and removed ones. */
  readonly pending: number;
  /** Number of records of which an outbox keeps a save or the erase, and sends it by itself. */
  readonly queued: number;
  /** Size of the whole collection; undefined if it is not known. */
  readonly total: number | undefined;
}
