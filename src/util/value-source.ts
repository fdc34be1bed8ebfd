import { callSafely } from './notifier.js';

/**
 * A value that a screen shows. `get` returns the same object until the value has changed, and each change is told to the listeners, so
 * that a source fits React's `useSyncExternalStore`, signals and similar functions of other frameworks as it is. Both functions are
 * bound: they can be passed on without their source.
 *
 * @example
 * ```ts
 * const name = user.$.field('name');
 * const stop = name.subscribe(() => show(name.get().value));
 * ```
 */
export interface Source<T> {
  /** Adds a listener; returns the function that removes it. A listener is called after the value has changed. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the present value: frozen, and the same object as before if nothing has changed. */
  readonly get: () => T;
}

/** The member of a source that gives what a server has rendered. A symbol, because sources of applications may have any name. */
export const RENDERED: unique symbol = Symbol('rendered');

/** A source that may know the value from which a server has rendered the page. */
export interface RenderedSource<T> extends Source<T> {
  /** Returns the value of the server's page, for the first rendering in the page. @default `get` */
  [RENDERED]?: (() => T) | undefined;
}

/** The value that a page shows at its first rendering. */
export function renderedValue<T>({ get, [RENDERED]: rendered = get }: RenderedSource<T>): T {
  return rendered();
}

/**
 * A source that reads its value when somebody asks for it. Whoever changes the value must call `update`, or raise `version` and later call
 * `deliver`. While the source has listeners, it keeps the value until then.
 */
export class ValueSource<T> implements Source<T> {
  /** Each listener with the value that it was told last, so that a change made by a listener is told to the others once. */
  private readonly listeners: Map<() => void, T> = new Map();
  private value: T | undefined = undefined;
  /** Rises with every change that may alter the value. */
  version: number = 0;
  /** The version of the value that was read last; undefined: it is not kept. */
  private readVersion: number | undefined = undefined;

  constructor(
    /** Reads the value. Returns `previous` itself if nothing has changed. */
    // A method type, because parameters of methods are bivariant.
    private readonly read: { read(previous: T | undefined): T }['read'],
    /** Called when the first listener comes and when the last one has gone. */
    private readonly watched: (isWatched: boolean) => void = () => undefined,
    /** When the value is kept until it changes: always, while there are listeners, or never, because it may change without a call. */
    private readonly keeps: 'always' | 'watched' | 'never' = 'watched',
  ) {}

  readonly get = (): T => {
    const { version } = this;
    if (this.readVersion === version) return this.value as T;
    this.value = this.read(this.value);
    const isKept = this.keeps === 'watched' ? this.listeners.size > 0 : this.keeps === 'always';
    this.readVersion = isKept ? version : undefined;
    return this.value;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    // A wrapper of its own for each call, so that adding the same function twice gives two subscriptions.
    const entry = () => listener();
    if (this.listeners.size === 0) this.watched(true);
    try {
      this.listeners.set(entry, this.get());
    } catch (error) {
      // The caller gets no function that ends the subscription.
      if (this.listeners.size === 0) this.watched(false);
      throw error;
    }
    return () => {
      if (!this.listeners.delete(entry) || this.listeners.size > 0) return;
      this.readVersion = undefined;
      this.watched(false);
    };
  };

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /**
   * Tells the listeners the last value, and removes them. With `always` they are called also if the value has not changed, so that they
   * notice the end.
   */
  end(always: boolean = false): void {
    const told = new Map(this.listeners);
    this.update();
    if (always) for (const [entry, value] of told) if (this.listeners.get(entry) === value) callSafely(entry);
    if (this.listeners.size === 0) return;
    this.listeners.clear();
    this.readVersion = undefined;
    this.watched(false);
  }

  /** Reads the value again, and tells the listeners if it has changed. */
  update(): void {
    this.version += 1;
    if (this.listeners.size > 0) this.deliver();
  }

  /** Tells the listeners the value if it has changed. */
  deliver(): void {
    callSafely(() => this.tell());
  }

  private tell(): void {
    this.get();
    for (const entry of [...this.listeners.keys()]) {
      const { value } = this;
      if (!this.listeners.has(entry) || this.listeners.get(entry) === value) continue;
      this.listeners.set(entry, value as T);
      callSafely(entry);
    }
  }
}

/** Makes a source from another one. `read` is told whether the other source has another value than before. */
export function sourceOver<B, T>(
  base: Source<B>,
  read: (base: B, hasChanged: boolean, previous: T | undefined) => T,
): ValueSource<T> {
  let known: B | undefined;
  let stop: (() => void) | undefined;
  const source: ValueSource<T> = new ValueSource<T>(
    (previous: T | undefined) => {
      const now = base.get();
      const hasChanged = known !== now;
      known = now;
      return read(now, hasChanged, previous);
    },
    (isWatched) => {
      stop?.();
      stop = isWatched ? base.subscribe(() => source.update()) : undefined;
    },
  );
  return source;
}
