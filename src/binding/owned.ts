import { RENDERED, type RenderedSource, renderedValue, type Source } from '../util/value-source.js';

/** A source that a screen owns. While it is held, it keeps its object also if nobody listens, as in a hidden part of a screen. */
export interface OwnedSource<T> extends RenderedSource<T> {
  /** Keeps the object; returns the function that lets go of it. The function is bound. */
  readonly hold: () => () => void;
}

/**
 * Time in milliseconds after which an object is given up that was made for a screen and that no screen has held: a framework may drop what
 * it has rendered without telling anybody.
 */
export const ABANDONED_AFTER = 60_000;

/**
 * Holds an object that is made when it is first needed, and ended when the last holder has gone. It is made again if it is needed later.
 * Without `end`, the object belongs to somebody else, and stays.
 */
export class Owned<T> {
  private made: { readonly value: T } | undefined = undefined;
  private holders = 0;
  private cancelEnd: (() => void) | undefined = undefined;
  /** Whether the last holder has gone in this tick: the object ends, although a framework may read it once more. */
  private isLetGo = false;

  constructor(
    private readonly make: () => T,
    private readonly end?: (made: T) => void,
  ) {}

  /** Returns the object, and makes it if there is none. An object that nobody holds is ended later. */
  readonly get = (): T => {
    this.made ??= { value: this.make() };
    if (this.end && this.holders === 0 && !this.cancelEnd && !this.isLetGo) this.endLater(ABANDONED_AFTER);
    return this.made.value;
  };

  /** Keeps the object, and makes it if there is none; returns the function that lets go of it. */
  readonly hold = (): (() => void) => {
    this.holders += 1;
    this.cancelEnd?.();
    this.cancelEnd = undefined;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.holders -= 1;
      this.isLetGo = true;
      // A framework that checks its screens lets go of everything and takes it again in the same tick.
      queueMicrotask(() => {
        this.isLetGo = false;
        if (this.holders === 0 && !this.cancelEnd) this.endNow();
      });
    };
  };

  /** Ends the object after some time, unless somebody holds it then. */
  endLater(milliseconds: number): void {
    this.cancelEnd?.();
    const timer = setTimeout(() => {
      this.cancelEnd = undefined;
      if (this.holders === 0) this.endNow();
    }, milliseconds);
    // In Node, where a page is rendered once, the timer must not keep the process alive.
    (timer as { unref?(): void }).unref?.();
    this.cancelEnd = () => clearTimeout(timer);
  }

  private endNow(): void {
    const { made } = this;
    if (!made || !this.end) return;
    this.made = undefined;
    this.end(made.value);
  }
}

/** The members of an owner that a source uses. */
export type Holder<T> = Pick<Owned<T>, 'get' | 'hold'>;

/** An object as a screen shows it. */
export interface Opened<S> {
  readonly source: Source<S>;
  /** Called whenever somebody begins to listen. */
  start(): void;
}

/** Makes a source over an object that a screen owns. */
export function ownedSource<T, S>(owned: Holder<T>, open: (made: T) => Opened<S>): OwnedSource<S> {
  let known: { readonly made: T; readonly opened: Opened<S> } | undefined;
  const opened = () => {
    const made = owned.get();
    if (known?.made !== made) known = { made, opened: open(made) };
    return known.opened;
  };
  return {
    hold: owned.hold,
    get: () => opened().source.get(),
    [RENDERED]: () => renderedValue(opened().source),
    subscribe: (listener) => {
      const { source, start } = opened();
      const release = owned.hold();
      const stop = source.subscribe(listener);
      start();
      return () => {
        stop();
        release();
      };
    },
  };
}

/** Makes a source from several others. Its value is made again when one of theirs is another one. */
export function joinedSource<P extends readonly unknown[], T>(
  parts: { readonly [K in keyof P]: Source<P[K]> },
  make: (...values: P) => T,
): RenderedSource<T> {
  let known: { readonly values: readonly unknown[]; readonly value: T } | undefined;
  const join = (values: readonly unknown[]) => {
    if (!known?.values.every((value, at) => value === values[at])) known = { values, value: make(...(values as P)) };
    return known.value;
  };
  return {
    get: () => join(parts.map((part) => part.get())),
    [RENDERED]: () => join(parts.map(renderedValue)),
    subscribe: (listener) => {
      const stops = parts.map((part) => part.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Makes a source whose values have some functions as well. */
export function withActions<T extends object, A extends object>(source: Source<T>, actions: A): Source<T & A> {
  return joinedSource([source], (now) => Object.freeze({ ...now, ...actions }));
}

/** Whether two lists of values hold the same ones. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => Object.is(each, b[at]));
}

/** Makes a function that gives the same result again until it is called with other values. */
export function kept<A extends readonly unknown[], T>(
  make: (...given: A) => T,
  isSame: (a: A, b: A) => boolean = isSameList,
): (...given: A) => T {
  let last: { readonly given: A; readonly made: T } | undefined;
  return (...given) => {
    if (!last || !isSame(last.given, given)) last = { given, made: make(...given) };
    return last.made;
  };
}

/** Makes a function that gives the same result again for the same name. */
export function keptByName<N extends string, T>(make: (name: N) => T): (name: N) => T {
  const all = new Map<N, T>();
  return (name) => {
    const made = all.get(name) ?? make(name);
    all.set(name, made);
    return made;
  };
}
