import type { DataError } from '../errors/data-error.js';
import { ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import type { Connection } from './outbox-config.js';
import type { OutboxStatus } from './outbox-status.js';

/** The parts of an outbox that its status shows. */
interface StatusParts {
  readonly connection: Connection;
  size(): number;
  failed(): number;
  isSending(): boolean;
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
    const { size, failed, isSending, isPaused, connection } = this.parts;
    const { online } = connection;
    const undecided = failed();
    return {
      waiting: size() - undecided,
      failed: undecided,
      // A write that is saved without a network is stored, but not sent.
      sending: online && isSending(),
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
