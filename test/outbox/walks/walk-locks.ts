import type { LockManager } from 'repose/outbox';
import type { Gates } from './gates.js';

interface Request {
  readonly tab: object;
  readonly start: () => void;
}

/** The locks of a browser. A tab that is closed loses its locks; nothing else takes them away. */
export class WalkLocks {
  private readonly held: Map<string, object> = new Map();
  private readonly waiting: Map<string, Request[]> = new Map();

  constructor(private readonly gates: Gates) {}

  /** The lock manager of a tab. */
  ofTab(tab: object, name: string): LockManager {
    return {
      request: async (lock, callback) => {
        await this.gates.pass(`${name}: asks for ${lock}`, tab);
        await new Promise<void>((start) => {
          this.waiting.set(lock, [...(this.waiting.get(lock) ?? []), { tab, start }]);
          this.grant(lock);
        });
        try {
          return await callback();
        } finally {
          // The locks of a closed tab may belong to another one by now.
          if (this.held.get(lock) === tab) this.free(lock);
        }
      },
    };
  }

  /** Releases the locks of a tab, and forgets its requests. */
  close(tab: object): void {
    for (const [lock, requests] of this.waiting)
      this.waiting.set(
        lock,
        requests.filter((each) => each.tab !== tab),
      );
    for (const [lock, holder] of this.held) if (holder === tab) this.free(lock);
  }

  private free(lock: string): void {
    this.held.delete(lock);
    this.grant(lock);
  }

  private grant(lock: string): void {
    if (this.held.has(lock)) return;
    const [next, ...others] = this.waiting.get(lock) ?? [];
    if (!next) return;
    this.waiting.set(lock, others);
    this.held.set(lock, next.tab);
    next.start();
  }
}
