/** A listener of `on()`: called with the event's payload object. */
export type Listener<P> = (event: P) => void;

/**
 * Emits typed events. If a listener throws, the other listeners are still called, and the error is thrown again in a microtask, as
 * an uncaught error.
 *
 * @typeParam E Map from event name to payload.
 */
export class EventEmitter<E extends object> {
  private readonly listeners: Map<keyof E, Set<Listener<never>>> = new Map();
  private count = 0;

  constructor(
    /** Called when the first listener comes and when the last one has gone, whatever their events. */
    private readonly watched: (isWatched: boolean) => void = () => undefined,
  ) {}

  /** Adds a listener and returns the function that removes it. */
  on<K extends keyof E>(event: K, listener: Listener<E[K]>): () => void {
    let set = this.listeners.get(event);
    if (!set) this.listeners.set(event, (set = new Set()));
    // Each call makes a new wrapper, so that adding the same function twice gives two subscriptions.
    const wrapper: Listener<E[K]> = (payload) => listener(payload);
    set.add(wrapper as Listener<never>);
    this.count += 1;
    if (this.count === 1) this.watched(true);
    return () => {
      if (!set.delete(wrapper as Listener<never>)) return;
      this.count -= 1;
      if (this.count === 0) this.watched(false);
    };
  }

  /** Whether an event has listeners. */
  has(event: keyof E): boolean {
    return (this.listeners.get(event)?.size ?? 0) > 0;
  }

  /** Removes all listeners. */
  clear(): void {
    for (const set of this.listeners.values()) set.clear();
    const { count } = this;
    this.count = 0;
    if (count > 0) this.watched(false);
  }

  /** Calls the listeners that the event has at this moment: adding or removing listeners meanwhile changes nothing. */
  emit<K extends keyof E>(event: K, payload: E[K]): void {
    const set = this.listeners.get(event);
    if (set) for (const listener of [...set]) callSafely(listener as Listener<E[K]>, payload);
  }
}

/** Calls a function of the application. If it throws, the error is thrown again in a microtask, and the caller goes on. */
export function callSafely<A extends unknown[]>(fn: (...args: A) => unknown, ...args: A): void {
  try {
    fn(...args);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
