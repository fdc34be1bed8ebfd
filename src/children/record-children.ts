import type { StateError } from '../errors/mistakes.js';
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
    // One that was disposed of is made anew when it is next asked for.
    for (let at = this.stores.length - 1; at >= 0; at -= 1) if (this.stores[at]?.disposed) this.stores.splice(at, 1);
    this.stores.push(store);
    this.stops?.push(this.watch(store));
  }

  eraseRefusal(): StateError | undefined {
    const refusals = this.heeding().map((store) => (store.onErase === 'restrict' ? store.eraseRefusal() : undefined));
    return refusals.find((each) => each !== undefined);
  }

  leaveUnsaved(): void {
    for (const store of this.heeding())
      for (const child of store.known()) {
        if (store.onErase === 'detach') setField(inner(child), store.link.field, null);
        else if (child.phantom) store.remove(child);
        // The server knows a saved child below another parent.
        else child.reject(store.link.field.name as never);
      }
  }

  showCopies(): void {
    for (const store of this.stores) store.showCopies();
  }

  prepareErase(): ErasePlan | undefined {
    const stores = this.heeding();
    if (stores.length === 0) return undefined;
    // Nothing may change if one store refuses the erase.
    const refusal = this.eraseRefusal();
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

  /** The stores to whose children it matters that the record is erased. */
  private heeding(): readonly ChildrenStore<BaseModel>[] {
    return this.stores.filter((store) => !store.disposed && store.onErase !== 'ignore');
  }

  private watch(store: ChildrenStore<BaseModel>): () => void {
    return store.status.subscribe(() => this.source.update());
  }
}

/** The stores of children of a record, none of which may have been made. */
export function childrenIn(core: { children?: RecordChildren }): StoresOfRecord {
  return (core.children ??= new StoresOfRecord()) as StoresOfRecord;
}
