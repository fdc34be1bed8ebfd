import type { StateError } from '../errors/mistakes.js';
import type { Model } from '../model/model.js';
import { inner, setField } from '../model/record.js';
import type { ChildrenCall, ChildrenWrites, ErasePlan, RecordChildren } from '../model/record-children.js';
import type { SyncSource } from '../store/sync-job.js';
import { syncSources } from '../store/syncer.js';
import type { ChildrenScope } from './children-scope.js';
import { saveGraph } from './save-graph.js';
import { scopesIn } from './siblings.js';

interface SourcePlan extends ErasePlan {
  readonly sources: readonly SyncSource<Model>[];
}

/** The children of one record, when that is written. */
export class ChildrenOfParent implements ChildrenWrites {
  constructor(
    private readonly parent: Model,
    private readonly children: RecordChildren,
  ) {}

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
    for (const scope of scopesIn(this.children)) scope.showCopies();
  }

  prepareErase(): SourcePlan | undefined {
    const scopes = this.heeding().filter(({ onErase }) => onErase !== 'server');
    if (scopes.length === 0) return undefined;
    // Nothing may change if one of them refuses the erase.
    const refusal = this.eraseRefusal();
    if (refusal) return { sources: [], children: new Set(), refusal };
    const children = new Set<unknown>();
    const sources = scopes.flatMap((scope): SyncSource<Model>[] => {
      const { onErase, link, store } = scope;
      const known = scope.known();
      for (const child of known) children.add(child);
      if (onErase === 'erase') store.remove(...known);
      else if (onErase === 'detach') for (const child of known) setField(inner(child), link.field, null);
      return onErase === 'restrict' ? [] : [scope.asSource()];
    });
    return { sources, children, refusal: undefined };
  }

  writeBeforeErase(options: ChildrenCall = {}): Promise<unknown> | undefined {
    const plan = this.prepareErase();
    if (plan?.refusal) throw plan.refusal;
    if (!plan || plan.sources.length === 0) return undefined;
    const { headers, signal } = options;
    return syncSources(plan.sources, { headers, signal } as object).then((batch) => batch.orThrow());
  }

  async save(options: ChildrenCall): Promise<unknown> {
    return (await saveGraph(this.parent, options as object)).orThrow();
  }

  /** The children to which it matters that the record is erased. */
  private heeding(): readonly ChildrenScope<Model>[] {
    return scopesIn(this.children).filter(({ store, onErase }) => !store.disposed && onErase !== 'ignore');
  }
}
