import type { StateError } from '../errors/mistakes.js';
import type { BaseModel } from '../model/base-model.js';
import type { CallOptions } from '../model/call.js';
import type { ChildrenSnapshot, ErasePlan, RecordChildren } from '../model/model-part.js';
import { inner, setField } from '../model/record.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import { type Source, ValueSource } from '../util/value-source.js';
import type { ChildrenScope } from './children-scope.js';

/** The children of one record, for each reference to it whose store was made. */
export class ChildrenOfRecord implements RecordChildren {
  readonly scopes: ChildrenScope<BaseModel>[] = [];
  /** Ends the subscriptions to the stores, while this source has listeners. */
  private stops: (() => void)[] | undefined = undefined;
  private readonly source: ValueSource<ChildrenSnapshot> = new ValueSource<ChildrenSnapshot>(
    (previous) => {
      const { dirty } = this;
      return previous?.dirty === dirty ? previous : Object.freeze({ dirty });
    },
    (isWatched) => {
      for (const stop of this.stops ?? []) stop();
      this.stops = isWatched ? this.scopes.map((scope) => this.watch(scope)) : undefined;
    },
  );
  readonly subscribe: Source<ChildrenSnapshot>['subscribe'] = this.source.subscribe;
  readonly get: Source<ChildrenSnapshot>['get'] = this.source.get;

  get dirty(): boolean {
    return this.scopes.some(({ store }) => store.getModifiedRecords().length + store.getRemovedRecords().length > 0);
  }

  add(scope: ChildrenScope<BaseModel>): void {
    const { scopes } = this;
    // A store that was disposed of is made anew when it is next asked for.
    for (let at = scopes.length - 1; at >= 0; at -= 1) if (scopes[at]?.store.disposed) scopes.splice(at, 1);
    scopes.push(scope);
    this.stops?.push(this.watch(scope));
  }

  eraseRefusal(): StateError | undefined {
    const refusals = this.heeding().map((scope) => (scope.onErase === 'restrict' ? scope.eraseRefusal() : undefined));
    return refusals.find((each) => each !== undefined);
  }

  leaveUnsaved(): void {
    for (const scope of this.heeding())
      for (const child of scope.known()) {
        if (scope.onErase === 'detach') setField(inner(child), scope.link.field, null);
        else if (child.phantom) scope.store.remove(child);
        // The server knows a saved child below another parent.
        else child.reject(scope.link.field.name as never);
      }
  }

  showCopies(): void {
    for (const scope of this.scopes) scope.showCopies();
  }

  prepareErase(): ErasePlan | undefined {
    const scopes = this.heeding();
    if (scopes.length === 0) return undefined;
    // Nothing may change if one of them refuses the erase.
    const refusal = this.eraseRefusal();
    if (refusal) return { sources: [], children: new Set(), refusal };
    const children = new Set<unknown>();
    const sources = scopes.flatMap((scope): SyncSource<BaseModel>[] => {
      const { onErase, link, store } = scope;
      const known = scope.known();
      for (const child of known) children.add(child);
      if (onErase === 'erase') store.remove(...known);
      else if (onErase === 'detach') for (const child of known) setField(inner(child), link.field, null);
      return onErase === 'restrict' ? [] : [scope.asSource()];
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

  /** The children to which it matters that the record is erased. */
  private heeding(): readonly ChildrenScope<BaseModel>[] {
    return this.scopes.filter(({ store, onErase }) => !store.disposed && onErase !== 'ignore');
  }

  private watch({ store }: ChildrenScope<BaseModel>): () => void {
    return store.status.subscribe(() => this.source.update());
  }
}

/** The children of a record, whose stores may not have been made yet. */
export function childrenIn(core: { children?: RecordChildren }): ChildrenOfRecord {
  return (core.children ??= new ChildrenOfRecord()) as ChildrenOfRecord;
}
