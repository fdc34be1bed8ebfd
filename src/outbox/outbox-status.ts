import type { DataError } from '../errors/data-error.js';
import { ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import type { Connection } from './outbox-config.js';

/** The activity of an outbox at one moment: the value of the source `status`. Frozen. */
export interface OutboxStatus {
  /** Number of stored writes that the outbox sends by itself, those in flight included. */
  readonly waiting: number;
  /** Number of stored writes that need a decision of the application: those in `outbox.failed`. */
  readonly failed: number;
  /** Number of writes that are being sent. */
  readonly sending: number;
  /**
   * Whether there is a network.
   *
   * A `connection` of your own without `onOffline` shows a lost network with the next change.
   */
  readonly online: boolean;
  /** Whether queued writes are held back: after `pause()` or with `autoStart: false`, until `resume()`. */
  readonly paused: boolean;
  /**
   * The error of the last attempt that failed, or of the storage. Cleared by the next write that the server carries out, and when the
   * application retries, repairs, drops or confirms a write.
   */
  readonly error: DataError | undefined;
}

/** The parts of an outbox that its status shows. */
interface StatusParts {
  readonly connection: Connection;
  size(): number;
  failed(): number;
  sending(): number;
  isPaused(): boolean;
}

/** Makes the source `status` of an outbox. */
export class OutboxStatusFeed {
  readonly source: ValueSource<OutboxStatus> = new ValueSource<OutboxStatus>(
    (previous) => reuseMembers<OutboxStatus>(previous, this.read()),
    (isWatched) => this.followConnection(isWatched),
  );
  private lastError: DataError | undefined = undefined;
  private stops: readonly (() => void)[] = [];

  constructor(private readonly parts: StatusParts) {}

  /** Called after each change of what the status shows. */
  update(): void {
    this.source.update();
  }

  /** A write was sent, or the application has decided about one: the error before it is settled. */
  succeeded(): void {
    this.lastError = undefined;
    this.update();
  }

  failed(error: DataError): void {
    this.lastError = error;
    this.update();
  }

  private read(): OutboxStatus {
    const { size, failed, sending, isPaused, connection } = this.parts;
    const { online } = connection;
    const undecided = failed();
    return {
      waiting: size() - undecided,
      failed: undecided,
      // A write that is saved without a network is stored, but not sent.
      sending: online ? sending() : 0,
      online,
      paused: isPaused(),
      error: this.lastError,
    };
  }

  private followConnection(isWatched: boolean): void {
    const { connection } = this.parts;
    const update = () => this.update();
    for (const stop of this.stops) stop();
    this.stops = isWatched ? [connection.onOnline(update), connection.onOffline?.(update) ?? (() => undefined)] : [];
  }
}
