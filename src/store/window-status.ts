import type { AnyDataError } from '../errors/is-data-error.js';
import { reuseMembers } from '../util/reuse.js';
import type { Source } from '../util/source.js';
import { ValueSource } from '../util/value-source.js';
import type { StoreStatus } from './store-status.js';

/** Makes the source `status` of a window. */
export class WindowStatusFeed {
  readonly source: ValueSource<StoreStatus> = new ValueSource<StoreStatus>(
    (previous) => this.read(previous),
    (isWatched) => this.followStore(isWatched),
  );
  private error: AnyDataError | undefined = undefined;
  private loaded = false;
  private unfollowStore: (() => void) | undefined = undefined;

  constructor(
    private readonly ofStore: Source<StoreStatus>,
    private readonly loadStatus: () => Pick<StoreStatus, 'loading' | 'total'>,
  ) {}

  /** Called when a request has ended, with or without an error. */
  answered(error: AnyDataError | undefined): void {
    this.error = error;
    this.loaded ||= error === undefined;
  }

  private read(previous: StoreStatus | undefined): StoreStatus {
    const { saving, pending } = this.ofStore.get();
    const { loading, total } = this.loadStatus();
    const { error, loaded } = this;
    return reuseMembers<StoreStatus>(previous, { loading, saving, error, loaded, pending, total });
  }

  private followStore(isWatched: boolean): void {
    this.unfollowStore?.();
    this.unfollowStore = isWatched ? this.ofStore.subscribe(() => this.source.update()) : undefined;
  }
}
