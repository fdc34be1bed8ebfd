import type { Model } from '../model/model.js';
import type { Session } from '../sync/session.js';
import type { InnerStore } from './inner-store.js';
import type { ObservedStore } from './store-observer.js';

/** The members of a store that its session uses. */
export type SharingStore = ObservedStore<Model> &
  Pick<InnerStore<Model>, 'lastError' | 'scope' | 'syncSource' | 'remove' | 'reject' | 'dispose'>;

/** Attaches the session of a store, if it has one, so that its records are shared. */
export function attachSession(session: Session | undefined, store: SharingStore): void {
  (session as { readonly records: { attach(store: SharingStore): void } } | undefined)?.records.attach(store);
}
