import { Lane } from '../operation/lane.js';

/** What of the platform's Web Locks is used here. */
export interface LockManager {
  request(name: string, callback: () => Promise<void>): Promise<unknown>;
}

/** Makes writes of one record wait for each other: of several objects, and of several tabs. */
export class RecordLocks {
  private readonly lanes: Map<string, Lane> = new Map();

  constructor(private readonly shared: LockManager | undefined) {}

  /** Takes locks; resolves with what gives them back. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    // In one order for all, so that nobody waits for each other.
    for (const name of [...new Set(names)].sort()) {
      releases.push(await this.own(name));
      if (this.shared) releases.push(await hold((held) => (this.shared as LockManager).request(name, held)));
    }
    return () => {
      for (const release of releases.reverse()) release();
    };
  }

  private own(name: string): Promise<() => void> {
    const lane = this.lanes.get(name) ?? new Lane();
    this.lanes.set(name, lane);
    return hold((held) =>
      lane.run(held).finally(() => {
        if (!lane.busy) this.lanes.delete(name);
      }),
    );
  }
}

/** Waits until a lock is held; resolves with what gives it back. */
function hold(request: (held: () => Promise<void>) => Promise<unknown>): Promise<() => void> {
  return new Promise((resolve, reject) => {
    request(() => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
