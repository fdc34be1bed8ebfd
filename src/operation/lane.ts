import { followSignal } from '../util/abort.js';

/**
 * The queue of one record: one write in flight at a time, in the order they were asked for.
 * A write that finds the lane free starts in the same tick.
 */
export class Lane {
  private tail: Promise<unknown> | undefined = undefined;
  private waiting = 0;
  private isSettled = false;
  /** Called once, as soon as the lane is free. */
  whenFree: (() => void) | undefined = undefined;

  /** Whether a write is in flight or waits. */
  get busy(): boolean {
    return this.waiting > 0;
  }

  /** Whether a write is in flight or waits, but for one that has settled and only has to end. */
  get pending(): boolean {
    return this.waiting > (this.isSettled ? 1 : 0);
  }

  /** Notes whether the write in flight has settled: nobody has to wait for what it still does. */
  settle(isSettled: boolean = true): void {
    this.isSettled = isSettled && this.busy;
  }

  /** Resolves when the writes that are under way now have ended, however they ended, or when a signal aborts. */
  ended(signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve) => {
      const unfollow = followSignal({ abort: resolve }, signal);
      void Promise.resolve(this.tail).then(unfollow, unfollow).then(resolve);
    });
  }

  /** Runs a write when all earlier ones have ended, however they ended; `ended` is called before anybody hears of its end. */
  run<T>(task: () => Promise<T>, ended?: () => void): Promise<T> {
    this.waiting += 1;
    let result: Promise<T>;
    try {
      result = this.tail ? this.tail.then(task, task) : task();
    } catch (error) {
      result = Promise.reject(error);
    }
    this.tail = result;
    const end = () => {
      this.waiting -= 1;
      this.isSettled = false;
      ended?.();
      if (this.waiting > 0) return;
      this.tail = undefined;
      const { whenFree } = this;
      this.whenFree = undefined;
      whenFree?.();
    };
    result.then(end, end);
    return result;
  }
}
