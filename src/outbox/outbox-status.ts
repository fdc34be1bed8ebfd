import type { DataError } from '../errors/data-error.js';

/** The activity of an outbox at one moment: the value of the source `status`. Frozen. */
export interface OutboxStatus {
  /** Number of stored writes that the outbox sends by itself, those in flight included. */
  readonly waiting: number;
  /** Number of stored writes that need a decision of the application: those in `outbox.failed`. */
  readonly failed: number;
  /** Whether a stored write is being sent. */
  readonly sending: boolean;
  /** Whether there is a network. */
  readonly online: boolean;
  /** Whether queued writes are held back: after `pause()` or with `autoStart: false`, until `resume()`. */
  readonly paused: boolean;
  /**
   * The error of the last attempt that failed, or of the storage. Cleared by the next write that the server carries out, and when the
   * application retries, repairs, drops or confirms a write.
   */
  readonly error: DataError | undefined;
}
