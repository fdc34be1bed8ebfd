import type { AnyDataError } from '../errors/is-data-error.js';

/** The activity of a session at one moment: the value of the source `status`. Frozen. */
export interface SessionStatus {
  /** Whether a load of one of the stores, or a `load()` of the session, is in flight or scheduled. */
  readonly loading: boolean;
  /** Whether a write of one of the records is in flight or waits. */
  readonly saving: boolean;
  /**
   * The error of the last load that failed, by the session or by one of its stores; the next load there that succeeds clears it. The
   * errors of writes stand at their records.
   */
  readonly error: AnyDataError | undefined;
  /** Number of records with changes that neither the server nor an outbox has: new, edited and removed ones. */
  readonly pending: number;
  /** Number of records of which an outbox keeps a save or the erase, and sends it by itself. */
  readonly queued: number;
}
