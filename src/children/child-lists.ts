import type { Model } from '../model/model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { ChildrenScope } from './children-scope.js';

/** The lists of children of one model whose parents are in no session. They are held weakly, since each one lives as long as its parent. */
export class ChildLists {
  private readonly refs: Set<WeakRef<ChildrenScope<Model>>> = new Set();
  private sweepAt = 64;

  add(list: ChildrenScope<Model>): void {
    if (this.refs.size >= this.sweepAt) this.sweepAt = Math.max(64, 2 * this.all().length);
    this.refs.add(new WeakRef(list));
  }

  /** The lists that still exist; the references to the others are deleted. */
  all(): readonly ChildrenScope<Model>[] {
    const lists: ChildrenScope<Model>[] = [];
    for (const ref of this.refs) {
      const list = ref.deref();
      if (list && !list.disposed) lists.push(list);
      else this.refs.delete(ref);
    }
    return lists;
  }
}

/** The lists of children of a model outside of sessions. */
export function childListsOf(definition: ModelDefinition): ChildLists {
  return (definition.childLists ??= new ChildLists()) as ChildLists;
}
