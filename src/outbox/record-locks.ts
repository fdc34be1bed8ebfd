import type { InnerRecord } from '../model/record.js';
import { Lane } from '../model/record-core.js';
import type { ChangeLog } from './change-log.js';
import type { HeldRecord } from './held-record.js';
import type { Screen } from './screen.js';

/** The part of the platform's Web Locks that an outbox uses. */
export interface LockManager {
  request(name: string, callback: () => Promise<void>): Promise<unknown>;
  /** Tells which locks are held. Without it, an outbox keeps the outcomes of writes that only other open tabs may need. */
  query?(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

/** Locks records, so that writes of the same record by several record objects or in several tabs wait for each other. */
export class RecordLocks {
  private readonly lanes: Map<string, Lane> = new Map();

  constructor(
    private readonly scope: string,
    private readonly shared: LockManager | undefined,
  ) {}

  /** Takes locks of the scope by name. Resolves with the function that releases them. Rejects, and holds none, if one of them is refused. */
  async acquire(names: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    const releaseAll = () => {
      for (const release of releases.reverse()) release();
    };
    try {
      // Locks are always taken in the same order, which prevents deadlocks.
      for (const name of [...new Set(names)].sort().map((each) => `repose-outbox/${this.scope}/${each}`)) {
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

  /** The names of the locks of the scope that all tabs hold; undefined: that is not known. */
  async heldNames(): Promise<readonly string[] | undefined> {
    const { held = [] } = (await this.shared?.query?.()) ?? {};
    const start = `repose-outbox/${this.scope}/`;
    return (
      this.shared?.query && held.flatMap(({ name = '' }) => (name.startsWith(start) ? name.slice(start.length) : []))
    );
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

/** The parts of an outbox that a step under the locks of records needs. */
export interface LockContext {
  readonly log: ChangeLog;
  readonly locks: RecordLocks;
  readonly screen: Screen;
}

/**
 * Locks records, and reads and shows what is stored of them. `record` is one that is being written here. Resolves with the function that releases
 * them.
 */
export async function lockAndRead(
  context: LockContext,
  all: readonly { readonly held: HeldRecord; readonly record?: InnerRecord }[],
): Promise<() => void> {
  const { log, locks, screen } = context;
  const namesOf = () => all.flatMap(({ held }) => [...held.names]);
  const names = namesOf();
  const release = await locks.acquire(names);
  try {
    for (const { held, record } of all) {
      const { outcomes, added } = await log.refresh(held);
      screen.show(held, outcomes, added, record);
    }
  } catch (error) {
    release();
    throw error;
  }
  // The id of a created record is known now: other tabs may know the record by that.
  if (namesOf().length === names.length) return release;
  release();
  return lockAndRead(context, all);
}

/** Waits until a lock is held. Resolves with the function that releases it. */
function holdLock(request: (held: () => Promise<void>) => Promise<unknown>): Promise<() => void> {
  return new Promise((resolve, reject) => {
    request(() => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
