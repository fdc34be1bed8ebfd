import { type Source, ValueSource } from '../util/value-source.js';

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
