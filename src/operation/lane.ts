import { followSignal } from '../util/abort.js';

/**
 * The queue of one record's writes. One write is in flight at a time; the others wait, in the order in which they were requested.
 * A write that finds the lane free starts in the same tick.
 */
export class Lane {
  private tail: Promise<unknown> | undefined = undefined;
  /** How many writes are in flight or wait. */
  protected unfinished = 0;
  /** Whether the write in flight has settled: it may still have work to do, but it counts as ended. */
  hasSettled = false;
  /** Called once, as soon as the lane is free. */
  onFree: (() => void) | undefined = undefined;

  /** Whether a write is in flight or waits. */
  get busy(): boolean {
    return this.unfinished > 0;
  }

  /** Resolves when all writes that are in flight or wait now have ended, successfully or not, or when `signal` aborts. */
  whenEnded(signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve) => {
      const unfollow = followSignal({ abort: resolve }, signal);
      void Promise.resolve(this.tail).then(unfollow, unfollow).then(resolve);
    });
  }

  /**
   * Runs a write when all earlier writes have ended, successfully or not. `onEnd` is called before any handler of the returned
   * promise.
   */
  run<T>(task: () => Promise<T>, onEnd?: () => void): Promise<T> {
    if (this.unfinished === 0) this.hasSettled = false;
    this.unfinished += 1;
    let result: Promise<T>;
    try {
      result = this.tail ? this.tail.then(task, task) : task();
    } catch (error) {
      result = Promise.reject(error);
    }
    this.tail = result;
    const end = () => {
      this.unfinished -= 1;
      this.hasSettled = false;
      onEnd?.();
      if (this.unfinished > 0) return;
      this.tail = undefined;
      const { onFree } = this;
      this.onFree = undefined;
      onFree?.();
    };
    result.then(end, end);
    return result;
  }
}
