/** A listener of `on()`: called with the event's payload object. */
export type Listener<P> = (event: P) => void;

/** The hooks of those who listen to events: one for each event, called with its payload. `E` maps the names of events to payloads. */
export type Listeners<E> = { readonly [K in keyof E]: Listener<E[K]> };

type Arguments<F> = NonNullable<F> extends (...args: infer A) => unknown ? A : never;
/** Observers that all have the hook `K`. */
export type Having<H, K extends keyof H> = readonly (H & { readonly [N in K]-?: NonNullable<H[N]> })[];

/**
 * Knows everybody who follows one thing, such as a store or a record, and notifies them in the order in which they were attached.
 * Observers are objects with hooks of this package; listeners are functions of the application, each for one event.
 *
 * @typeParam H The hooks that observers may have.
 */
export class Notifier<H extends object> {
  private readonly observers: Set<H> = new Set();
  /** The observers by the name of their hooks. Cached, because a hook is looked up for each of up to a million rows. */
  private readonly byHook: Map<PropertyKey, readonly H[]> = new Map();

  constructor(
    /** Called when the first observer or listener comes, and when the last one has gone. */
    private readonly watched: (isWatched: boolean) => void = () => undefined,
  ) {}

  get all(): readonly H[] {
    return [...this.observers];
  }

  /** Attaches an observer; returns the function that detaches it. */
  attach(observer: H): () => void {
    const { observers } = this;
    observers.add(observer);
    this.byHook.clear();
    if (observers.size === 1) this.watched(true);
    return () => {
      if (!observers.delete(observer)) return;
      this.byHook.clear();
      if (observers.size === 0) this.watched(false);
    };
  }

  /**
   * Adds a listener of the application, whose type the caller has checked; returns the function that removes it. A function that is added
   * twice is called twice.
   */
  on(event: keyof H, listener: Listener<never>): () => void {
    return this.attach({ [event]: listener } as H);
  }

  /** The observers that have a hook, at this moment: attaching and detaching makes another list. */
  having<K extends keyof H>(hook: K): Having<H, K> {
    let found = this.byHook.get(hook);
    if (!found) {
      found = this.all.filter((observer) => observer[hook] !== undefined);
      this.byHook.set(hook, found);
    }
    return found as Having<H, K>;
  }

  has(hook: keyof H): boolean {
    return this.having(hook).length > 0;
  }

  /** Calls a hook of the observers that have it. An error that a hook throws is that of the caller. */
  tell<K extends keyof H>(hook: K, ...args: Arguments<H[K]>): void {
    for (const observer of this.having(hook)) (observer[hook] as (...all: Arguments<H[K]>) => void)(...args);
  }

  /** Calls the listeners of an event. If one throws, the others are called all the same, and the error is thrown again in a microtask. */
  emit<K extends keyof H>(event: K, ...[payload]: Arguments<H[K]>): void {
    for (const observer of this.having(event)) callSafely(observer[event] as Listener<unknown>, payload);
  }

  /** Detaches everybody. */
  clear(): void {
    const { size } = this.observers;
    this.observers.clear();
    this.byHook.clear();
    if (size > 0) this.watched(false);
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
