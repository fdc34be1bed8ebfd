/** Counts actions, and the promises that are returned and that settle. */
export class Tracker {
  made = 0;
  settled = 0;
  readonly counts: Record<string, number> = {};
  private readonly open = new Set<Promise<unknown>>();

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Follows a promise of the library. */
  track<T>(promise: Promise<T>): Promise<T> {
    this.made += 1;
    const settle = () => {
      this.settled += 1;
      this.open.delete(promise);
    };
    this.open.add(promise);
    promise.then(settle, settle);
    return promise;
  }

  /** Waits until at most `limit` promises are pending. */
  async below(limit: number): Promise<void> {
    while (this.open.size > limit) await Promise.race(this.open).catch(() => undefined);
  }
}
