/** What `on` takes: called with the event's one payload object. */
export type Listener<P> = (event: P) => void;

/**
 * Typed events. A listener that throws starves no other: its error surfaces as an uncaught one, in a microtask.
 *
 * @typeParam E Map from event name to payload.
 */
export class EventEmitter<E extends object> {
  private readonly listeners: Map<keyof E, Set<Listener<never>>> = new Map();

  /** Adds a listener and returns the function that removes it. */
  on<K extends keyof E>(event: K, listener: Listener<E[K]>): () => void {
    let set = this.listeners.get(event);
    if (!set) this.listeners.set(event, (set = new Set()));
    // A wrapper of its own, so that one function added twice is two subscriptions.
    const own: Listener<E[K]> = (payload) => listener(payload);
    set.add(own as Listener<never>);
    return () => void set.delete(own as Listener<never>);
  }

  /** Whether anybody listens. */
  has(event: keyof E): boolean {
    return (this.listeners.get(event)?.size ?? 0) > 0;
  }

  /** Removes all listeners. */
  clear(): void {
    this.listeners.clear();
  }

  /** Calls the listeners that are there now. */
  emit<K extends keyof E>(event: K, payload: E[K]): void {
    const set = this.listeners.get(event);
    if (set) for (const listener of [...set]) callSafely(listener as Listener<E[K]>, payload);
  }
}

/** Calls a function that users gave; what it throws surfaces in a microtask instead of in the caller. */
export function callSafely<A extends unknown[]>(fn: (...args: A) => unknown, ...args: A): void {
  try {
    fn(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
