import type { DataError } from '../errors/data-error.js';
import { reuseMembers } from '../util/reuse.js';
import { ValueSource } from '../util/value-source.js';
import type { Journal } from './journal.js';
import type { Connection } from './outbox-config.js';
import type { OutboxStatus } from './outbox-status.js';
import type { Queue } from './queue.js';
import type { Sender } from './sender.js';

/** The parts of an outbox that its status shows. */
interface StatusParts {
  readonly queue: Queue;
  readonly journal: Journal;
  readonly sender: Sender;
  readonly connection: Connection;
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
    const { queue, journal, sender, connection } = this.parts;
    const { online } = connection;
    const failed = this.countFailed();
    return {
      waiting: queue.items.size + queue.unreadable.size - failed,
      failed,
      // A write that is saved without a network is stored, but not sent.
      sending: online && journal.activeCount > 0,
      online,
      paused: !sender.isStarted,
      error: this.lastError,
    };
  }

  /** Counts the writes of `outbox.failed`. Visits only writes that may be among them, because the queue may have thousands. */
  private countFailed(): number {
    const { queue, journal, sender } = this.parts;
    const isHeld = (key: string): boolean => {
      const item = queue.get(key);
      if (item?.entry.state !== 'queued') return false;
      const why = journal.records.canSend(item) ? sender.blockOf(item)?.why : 'model';
      return why !== undefined && why !== 'waits';
    };
    const candidates = new Set(queue.index.dependent);
    for (const [model, keys] of queue.index.byModel)
      if (!journal.records.knows(model)) for (const key of keys) candidates.add(key);
    return queue.index.undecided.size + queue.unreadable.size + [...candidates].filter(isHeld).length;
  }

  private followConnection(isWatched: boolean): void {
    const { connection } = this.parts;
    const update = () => this.update();
    for (const stop of this.stops) stop();
    this.stops = isWatched ? [connection.onOnline(update), connection.onOffline?.(update) ?? (() => undefined)] : [];
  }
}
