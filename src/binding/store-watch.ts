import { wrongValue } from '../errors/option-rules.js';
import type { Source } from '../util/value-source.js';

/** How many stores in a row a hook takes for one that changes, before it refuses them as made at each render. */
const MOST_STORES = 4;

/** Time in milliseconds for which stores of a class are refused after one was made at each render. */
const REFUSED_FOR = 500;

const EXPECTED = 'the same one at each render: make it outside of the component, or by `useStore(() => new Store(…))`';

/**
 * Notices a store that is made while a component renders: what it tells renders the component, which makes another one, and so on without end. A
 * store that changes for other reasons is seen again when it tells something.
 */
export class StoreWatch {
  private source: unknown = undefined;
  private hasTold = false;
  private times = 0;

  /** Call it at each render, with the source of the store. Throws `DefinitionError` for a store that is made at each render. */
  see(source: unknown, store: unknown): void {
    if (source === this.source) this.times = 0;
    else if (this.hasTold) this.times += 1;
    this.source = source;
    this.hasTold = false;
    if (this.times > MOST_STORES) throw wrongValue('The store of a hook', EXPECTED, store);
  }

  /** Call it when the store has told something. */
  readonly told = (): void => {
    this.hasTold = true;
  };
}

/** A store that may suspend a component. */
interface Suspending {
  readonly status: Source<{ readonly loaded: boolean }>;
  readonly model?: object;
}

/** The stores of a class for which components wait: a component that suspends keeps nothing itself. */
interface Waits {
  stores: readonly WeakRef<Suspending>[];
  /** How many of them in a row have loaded without being seen again. */
  abandoned: number;
  /** Until when the next store is refused as well: a framework renders once more what has failed. */
  refusedUntil: number;
}

/** The waits of a class. They are a member of it, so that no module keeps a state. */
const WAITS: unique symbol = Symbol('repose.waits');

/**
 * Notices a store that is made while a component renders that suspends: when it has loaded, the component suspends for another one. Call it at
 * each render. Throws `DefinitionError` for such a store.
 */
export function watchSuspending(store: Suspending): void {
  const { model } = store;
  if (!model) return;
  if (!Object.hasOwn(model, WAITS))
    Object.defineProperty(model, WAITS, { value: { stores: [], abandoned: 0, refusedUntil: 0 } });
  const waits = (model as { readonly [WAITS]: Waits })[WAITS];
  if (store.status.get().loaded) {
    Object.assign(waits, { stores: [], abandoned: 0 });
    return;
  }
  const others = waits.stores.filter((each) => each.deref() !== store);
  const waiting = others.filter((each) => each.deref()?.status.get().loaded === false);
  waits.abandoned += others.length - waiting.length;
  waits.stores = [...waiting, new WeakRef(store)];
  if (waits.abandoned > MOST_STORES)
    Object.assign(waits, { stores: [], abandoned: 0, refusedUntil: Date.now() + REFUSED_FOR });
  if (Date.now() >= waits.refusedUntil) return;
  throw wrongValue('The store of a hook', EXPECTED, store);
}
