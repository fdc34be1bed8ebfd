/**
 * The queue of one record: one write in flight at a time, in the order they were asked for.
 * A write that finds the lane free starts in the same tick.
 */
export class Lane {
  private tail: Promise<unknown> | undefined = undefined;
  private waiting = 0;

  /** Whether a write is in flight or waits. */
  get busy(): boolean {
    return this.waiting > 0;
  }

  /** Resolves when the writes that are under way now have ended, however they ended, or when a signal aborts. */
  async ended(signal: AbortSignal | undefined): Promise<void> {
    if (!this.tail || signal?.aborted) return;
    let stop: () => void = () => undefined;
    const aborted = new Promise<void>((resolve) => {
      stop = resolve;
    });
    signal?.addEventListener('abort', stop);
    await Promise.race([aborted, this.tail.catch(() => undefined)]);
    signal?.removeEventListener('abort', stop);
  }

  /** Runs a write when all earlier ones have ended, however they ended. */
  run<T>(task: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const run = async () => {
      try {
        return await task();
      } finally {
        this.waiting -= 1;
        if (this.waiting === 0) this.tail = undefined;
      }
    };
    const result = this.tail ? this.tail.then(run, run) : run();
    this.tail = result;
    return result;
  }
}
