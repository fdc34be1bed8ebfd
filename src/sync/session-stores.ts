import type { SharingStore } from '../store/sharing.js';

/**
 * The stores of a session. A store with listeners or pending changes is held; any other exists as long as the application holds it, so
 * that a page that makes a store each time it is opened does not fill the memory.
 */
export class SessionStores {
  private readonly refs: Set<WeakRef<SharingStore>> = new Set();
  /** Those of them that are not the list of one parent. A session may have thousands of these, which take their records by themselves. */
  private readonly listRefs: Set<WeakRef<SharingStore>> = new Set();
  /** The functions that detach the session. Each leads to its store, so they are kept beside it. */
  private readonly detachers: WeakMap<SharingStore, () => void> = new WeakMap();
  /** The stores in use, with the reasons: their pending records, and the session itself for their listeners. */
  private readonly reasons: Map<SharingStore, Set<object>> = new Map();

  /** The stores that still exist, in the order in which they were made. */
  get all(): readonly SharingStore[] {
    return existing(this.refs);
  }

  /** The stores that still exist, without the lists of one parent. */
  get lists(): readonly SharingStore[] {
    return existing(this.listRefs);
  }

  has(store: object): store is SharingStore {
    return this.detachers.has(store as SharingStore);
  }

  add(store: SharingStore, detach: () => void): void {
    const ref = new WeakRef(store);
    this.refs.add(ref);
    if (!store.scope.sent) this.listRefs.add(ref);
    this.detachers.set(store, detach);
  }

  /** Sets whether there is a reason to hold a store. */
  hold(store: SharingStore, reason: object, isReason: boolean): void {
    const { reasons } = this;
    const ofStore = reasons.get(store);
    if (isReason && ofStore) ofStore.add(reason);
    else if (isReason && this.detachers.has(store)) reasons.set(store, new Set([reason]));
    else if (ofStore?.delete(reason) && ofStore.size === 0) reasons.delete(store);
  }

  /** Detaches the session from a store. */
  delete(store: SharingStore): void {
    this.detachers.get(store)?.();
    this.detachers.delete(store);
    this.reasons.delete(store);
    for (const refs of [this.refs, this.listRefs]) for (const ref of refs) if (ref.deref() === store) refs.delete(ref);
  }
}

/** The stores that still exist; the references to the others are deleted. */
function existing(refs: Set<WeakRef<SharingStore>>): readonly SharingStore[] {
  const stores: SharingStore[] = [];
  for (const ref of refs) {
    const store = ref.deref();
    if (store) stores.push(store);
    else refs.delete(ref);
  }
  return stores;
}
