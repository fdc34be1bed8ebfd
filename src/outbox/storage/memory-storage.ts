import { OutboxError } from '../outbox-error.js';
import { LogTables } from './log-tables.js';
import { Occupancy, type OpenStorages } from './occupancy.js';
import type {
  ItemProgress,
  Leaving,
  LogQuery,
  LogView,
  OutboxStorage,
  Outcome,
  ProblemListener,
  PruneQuery,
  RemovalOptions,
  StoredItem,
} from './outbox-storage.js';

/** Keeps changes until the process ends: for tests, and for applications that only want failed writes to be sent again. */
class MemoryStorage implements OutboxStorage {
  readonly shared: boolean = false;
  private readonly tables: LogTables = new LogTables();
  private readonly occupancy: Occupancy = new Occupancy();
  private readonly outboxes: OpenStorages = new Map();
  private isOpen = false;

  async open(_problem: ProblemListener, leaving?: Leaving): Promise<void> {
    const refusal = () => new OutboxError('outbox-opened-twice', { what: 'This memory storage' });
    await this.occupancy.take(this.outboxes, '', refusal, leaving);
    this.isOpen = true;
  }

  async append(items: readonly StoredItem[]): Promise<readonly number[]> {
    const { tables } = this.opened();
    const added = items.map(({ scope, record, data }) => ({
      ...{ key: tables.nextKey(), scope, record, data },
      progress: undefined,
    }));
    tables.apply({ items: added });
    return added.map(({ key }) => key);
  }

  async read(query: LogQuery): Promise<LogView> {
    return this.opened().tables.read(query);
  }

  async update(progress: readonly ItemProgress[], unchanged: readonly ItemProgress[] = []): Promise<void> {
    const { tables } = this.opened();
    tables.check(unchanged);
    tables.apply({ progress });
  }

  async remove(outcome: Outcome, { identity, progress, unchanged = [] }: RemovalOptions = {}): Promise<void> {
    const { tables } = this.opened();
    tables.check(unchanged);
    tables.apply({ progress, outcome: { ...outcome, place: tables.nextPlace() }, identity });
  }

  async prune(query: PruneQuery): Promise<void> {
    this.opened().tables.apply({ prune: query });
  }

  watch(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.isOpen = false;
    this.occupancy.leave();
  }

  private opened(): this {
    if (!this.isOpen) throw new OutboxError('outbox-closed');
    return this;
  }
}

/**
 * A storage in memory. It outlives its outbox: another outbox that is opened with it, after the first one was closed, finds the remaining
 * writes.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'repose/outbox';
 *
 * const storage = memoryStorage(); // for tests: "reload" the page with another outbox
 * const first = new Outbox({ scope: 'user-7', storage, models: [User] });
 * await first.ready;
 * await first.close();
 * const second = new Outbox({ scope: 'user-7', storage, models: [User] });
 * ```
 */
export function memoryStorage(): OutboxStorage {
  return new MemoryStorage();
}
