import type { Clock } from 'repose';

interface Alarm {
  readonly due: number;
  readonly callback: () => void;
}

/** Turns of the event loop after which only time can help; after which nothing can. */
const [QUIET, HOPELESS] = [5, 5000];

/** Time that passes only while a test waits for something that needs time. */
export class VirtualTime implements Clock {
  /** Requests without a response yet: no time passes while there are any. */
  private flying = 0;
  private time = 0;
  private readonly alarms = new Set<Alarm>();

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const alarm = { due: this.time + ms, callback };
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  /** The same `fetch`, whose responses take no time. */
  timeless(fetch: (input: string, init?: RequestInit) => Promise<Response>): typeof fetch {
    return async (input, init) => {
      this.flying += 1;
      try {
        return await fetch(input, init);
      } finally {
        this.flying -= 1;
      }
    };
  }

  /** Lets time pass until a promise has ended; rejects if nothing is left that could end it. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    promise.then(end, end);
    for (let quiet = 0; !ended; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.flying > 0) quiet = 0;
      else if (quiet > QUIET && !ended && this.pass()) quiet = 0;
      else if (quiet > HOPELESS) throw new Error('nobody will ever end what the test waits for');
    }
    return promise;
  }

  /** Runs the alarm that is due first; false if there is none. */
  private pass(): boolean {
    const [next] = [...this.alarms].sort((a, b) => a.due - b.due);
    if (!next) return false;
    this.alarms.delete(next);
    this.time = Math.max(this.time, next.due);
    next.callback();
    return true;
  }
}
