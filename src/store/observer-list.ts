import type { BaseModel } from '../model/base-model.js';
import type { StoreObserver } from './store-observer.js';

type Hook = Exclude<keyof StoreObserver, 'name'>;
/** Observers that all have the hook `K`. */
export type Observers<M extends BaseModel, K extends Hook> = readonly (StoreObserver<M> &
  Required<Pick<StoreObserver<M>, K>>)[];

/** The observers of one store, in the order in which they were attached. */
export class ObserverList<M extends BaseModel> {
  private readonly observers: Set<StoreObserver<M>> = new Set();
  /** The observers by the name of their hooks. Cached, because `recordAdded` is looked up for each of up to a million rows. */
  private readonly byHook: Map<Hook, readonly StoreObserver<M>[]> = new Map();

  get all(): readonly StoreObserver<M>[] {
    return [...this.observers];
  }

  /** Attaches an observer; returns the function that detaches it. */
  attach(observer: StoreObserver<M>): () => void {
    this.observers.add(observer);
    this.byHook.clear();
    return () => {
      this.observers.delete(observer);
      this.byHook.clear();
    };
  }

  /** The observers that have a hook. */
  having<K extends Hook>(hook: K): Observers<M, K> {
    let found = this.byHook.get(hook);
    if (!found) {
      found = this.all.filter((observer) => observer[hook] !== undefined);
      this.byHook.set(hook, found);
    }
    return found as Observers<M, K>;
  }
}
