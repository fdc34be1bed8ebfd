import type { AnyDataError } from '../errors/is-data-error.js';
import type { Operation } from '../operation/operation.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import type { StoreStatus } from './status-feed.js';
import type { IndexRange } from './window-config.js';

/** The part of the status that the window itself knows. */
interface WindowLoadStatus extends Pick<StoreStatus, 'loading' | 'total'> {
  /** The range on show, as places on the server. */
  readonly places: IndexRange;
}

/** Makes the source `status` of a window. */
export class WindowStatusFeed {
  readonly source: ValueSource<StoreStatus> = new ValueSource<StoreStatus>(
    (previous) => this.read(previous),
    (isWatched) => this.followStore(isWatched),
  );
  /** The errors of blocks that could not be loaded, by the first place of the block. */
  private readonly failures: Map<number, AnyDataError> = new Map();
  private loaded = false;
  private unfollowStore: (() => void) | undefined = undefined;

  constructor(
    private readonly ofStore: Source<StoreStatus>,
    /** Number of rows in a block. */
    private readonly blockSize: number,
    private readonly loadStatus: () => WindowLoadStatus,
  ) {}

  /** Called when the request of a block has ended, with or without an error. */
  answered({ start = 0 }: Operation, error: AnyDataError | undefined): void {
    if (error) this.failures.set(start, error);
    else this.failures.delete(start);
    this.loaded ||= error === undefined;
  }

  private read(previous: StoreStatus | undefined): StoreStatus {
    const { saving, loadCount, stale, staleReason, pending, queued } = this.ofStore.get();
    const { loading, total, places } = this.loadStatus();
    const { loaded, blockSize } = this;
    // The response of another block says nothing about the records on show that are missing.
    const [, error] = [...this.failures].find(([at]) => at < places.end && at + blockSize > places.start) ?? [];
    return reuseMembers<StoreStatus>(previous, {
      ...{ loading, saving, error, loaded, loadCount },
      ...{ stale, staleReason, pending, queued, total },
    });
  }

  private followStore(isWatched: boolean): void {
    this.unfollowStore?.();
    this.unfollowStore = isWatched ? this.ofStore.subscribe(() => this.source.update()) : undefined;
  }
}
