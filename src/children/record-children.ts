import type { BaseModel } from '../model/base-model.js';
import type { CallOptions } from '../model/call.js';
import type { ChildrenSnapshot, ErasePlan, RecordChildren } from '../model/model-part.js';
import { inner, setField } from '../model/record.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { type Source, ValueSource } from '../util/value-source.js';
import type { ChildrenStore } from './children-store.js';

/** The stores of children that were made for one record. */
export class StoresOfRecord implements RecordChildren {
  readonly stores: ChildrenStore<BaseModel>[] = [];
  /** Ends the subscriptions to the stores, while this source has listeners. */
  private stops: (() => void)[] | undefined = undefined;
  private readonly source: ValueSource<ChildrenSnapshot> = new ValueSource<ChildrenSnapshot>(
    (previous) => {
      const { dirty } = this;
      return previous?.dirty === dirty ? previous : Object.freeze({ dirty });
    },
    (isWatched) => {
      for (const stop of this.stops ?? []) stop();
      this.stops = isWatched ? this.stores.map((store) => this.watch(store)) : undefined;
    },
  );
  readonly subscribe: Source<ChildrenSnapshot>['subscribe'] = this.source.subscribe;
  readonly get: Source<ChildrenSnapshot>['get'] = this.source.get;

  get dirty(): boolean {
    return this.stores.some((store) => store.getModifiedRecords().length + store.getRemovedRecords().length > 0);
  }

  add(store: ChildrenStore<BaseModel>): void {
    this.stores.push(store);
    this.stops?.push(this.watch(store));
  }

  prepareErase(): ErasePlan | undefined {
    const stores = this.stores.filter((store) => !store.disposed && store.onErase !== 'ignore');
    if (stores.length === 0) return undefined;
    // Nothing may change if one store refuses the erase.
    const refusals = stores.map((store) => (store.onErase === 'restrict' ? store.eraseRefusal() : undefined));
    const refusal = refusals.find((each) => each !== undefined);
    if (refusal) return { sources: [], children: new Set(), refusal };
    const children = new Set<unknown>();
    const sources = stores.flatMap((store): SyncSource<BaseModel>[] => {
      const known = store.known();
      for (const child of known) children.add(child);
      if (store.onErase === 'erase') store.remove(...known);
      else if (store.onErase === 'detach') for (const child of known) setField(inner(child), store.link.field, null);
      return store.onErase === 'restrict' ? [] : [store.asSource()];
    });
    return { sources, children, refusal: undefined };
  }

  writeBeforeErase(options: CallOptions = {}): Promise<unknown> | undefined {
    const plan = this.prepareErase();
    if (plan?.refusal) throw plan.refusal;
    if (!plan || plan.sources.length === 0) return undefined;
    const { headers, signal } = options;
    return syncSources(plan.sources, { headers, signal } as object).then((batch) => batch.orThrow());
  }

  private watch(store: ChildrenStore<BaseModel>): () => void {
    return store.status.subscribe(() => this.source.update());
  }
}

/** The stores of children of a record, none of which may have been made. */
export function childrenIn(core: { children?: RecordChildren }): StoresOfRecord {
  return (core.children ??= new StoresOfRecord()) as StoresOfRecord;
}
