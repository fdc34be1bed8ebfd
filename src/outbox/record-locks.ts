import { Lane } from '../model/record-core.js';

/** The part of the platform's Web Locks that an outbox uses. */
export interface LockManager {
  request(name: string, callback: () => Promise<void>): Promise<unknown>;
  /** Tells which locks are held. Without it, an outbox keeps the outcomes of writes that only other open tabs may need. */
  query?(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

/** Locks records, so that writes of the same record by several record objects or in several tabs wait for each other. */
export class RecordLocks {
  private readonly lanes: Map<string, Lane> = new Map();

  constructor(private readonly shared: LockManager | undefined) {}

  /** Takes locks by name. Resolves with the function that releases them. Rejects, and holds none, if one of them is refused. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases.reverse()) release();
    };
    try {
      // Locks are always taken in the same order, which prevents deadlocks.
      for (const name of [...new Set(names)].sort()) {
        releases.push(await this.acquireHere(name));
        if (this.shared) releases.push(await holdLock((held) => (this.shared as LockManager).request(name, held)));
      }
    } catch (error) {
      // A browser refuses a lock for a page whose scripts it has stopped. The locks taken so far would keep all later writes waiting.
      releaseAll();
      throw error;
    }
    return releaseAll;
  }

  /** The names of the locks that all tabs hold; undefined: that is not known. */
  async heldNames(): Promise<readonly string[] | undefined> {
    const { held = [] } = (await this.shared?.query?.()) ?? {};
    return this.shared?.query && held.map(({ name = '' }) => name);
  }

  private acquireHere(name: string): Promise<() => void> {
    const lane = this.lanes.get(name) ?? new Lane();
    this.lanes.set(name, lane);
    return holdLock((held) =>
      lane.run(held).finally(() => {
        if (!lane.busy && this.lanes.get(name) === lane) this.lanes.delete(name);
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
