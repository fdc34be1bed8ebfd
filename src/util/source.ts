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
