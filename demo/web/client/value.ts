/** A value that changes, and tells its listeners: what `useSyncExternalStore` of React takes. */
export class Value<T> {
  private readonly listeners: Set<() => void> = new Set();

  constructor(private value: T) {}

  readonly get = (): T => this.value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }
}
