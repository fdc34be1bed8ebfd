/** The promise of the first load of a store. */
export class FirstLoad {
  private deferred: Deferred | undefined = undefined;
  private hasSucceeded = false;
  private hasEnded = false;

  /** The same promise until the first load has failed. */
  get promise(): Promise<void> {
    this.deferred ??= createDeferred();
    if (this.hasSucceeded) this.deferred.resolve();
    return this.deferred.promise;
  }

  succeed(): void {
    this.hasSucceeded = true;
    this.deferred?.resolve();
  }

  /** Rejects the promise, also for later callers, unless the first load has succeeded: no load will come any more. */
  end(error: unknown): void {
    void this.promise;
    this.hasEnded = true;
    this.deferred?.reject(error);
  }

  fail(error: unknown): void {
    if (this.hasSucceeded || this.hasEnded) return;
    this.deferred?.reject(error);
    this.deferred = undefined;
  }
}

/** A promise, and the functions that settle it. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** A promise that nobody has to handle: what fails is reported elsewhere as well. */
export function createDeferred(): Deferred {
  const settle = {} as { -readonly [K in keyof Deferred]: Deferred[K] };
  settle.promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  settle.promise.catch(() => undefined);
  return settle;
}
