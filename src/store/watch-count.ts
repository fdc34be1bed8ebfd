/** Counts the sources and events of a store, its views and its windows that have listeners. */
export class WatchCount {
  private count = 0;

  constructor(
    /** Called when the first one gets a listener, and when the last one has lost them all. */
    private readonly onChange: (isWatched: boolean) => void,
  ) {}

  /** Called by each source and emitter when it gets its first listener, and when its last one has gone. */
  readonly changed = (isWatched: boolean): void => {
    this.count += isWatched ? 1 : -1;
    if (this.count === (isWatched ? 1 : 0)) this.onChange(isWatched);
  };
}
