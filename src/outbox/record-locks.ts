import { Lane } from '../operation/lane.js';

/** The part of the platform's Web Locks that an outbox uses. */
export interface LockManager {
  request(name: string, callback: () => Promise<void>): Promise<unknown>;
}

/** Locks records, so that writes of the same record by several record objects or in several tabs wait for each other. */
export class RecordLocks {
  private readonly lanes: Map<string, Lane> = new Map();

  constructor(private readonly shared: LockManager | undefined) {}

  /** Takes locks by name. Resolves with the function that releases them. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    // Locks are always taken in the same order, which prevents deadlocks.
    for (const name of [...new Set(names)].sort()) {
      releases.push(await this.acquireHere(name));
      if (this.shared) releases.push(await holdLock((held) => (this.shared as LockManager).request(name, held)));
    }
    return () => {
      for (const release of releases.reverse()) release();
    };
  }

  private acquireHere(name: string): Promise<() => void> {
    const lane = this.lanes.get(name) ?? new Lane();
    this.lanes.set(name, lane);
    return holdLock((held) =>
      lane.run(held).finally(() => {
        if (!lane.busy) this.lanes.delete(name);
      }),
    );
  }
}

/** Waits until a lock is held. Resolves with the function that releases it. */
function holdLock(request: (held: () => Promise<void>) => Promise<unknown>): Promise<() => void> {
  return new Promise((resolve, reject) => {
    request(() => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
