/** The promise of the first load of a store. */
export class FirstLoad {
  private deferred: Deferred | undefined = undefined;
  private hasSucceeded = false;

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

  fail(error: unknown): void {
    if (this.hasSucceeded) return;
    this.deferred?.reject(error);
    this.deferred = undefined;
  }
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

function createDeferred(): Deferred {
  const settle = {} as { -readonly [K in keyof Deferred]: Deferred[K] };
  settle.promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  // The load itself reports its error; nobody has to wait for this promise.
  settle.promise.catch(() => undefined);
  return settle;
}
