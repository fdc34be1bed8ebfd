import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { Given, ValuesOf } from '../model/infer.js';
import type { RecordSet } from './record-set.js';
import { RecordView } from './record-view.js';
import type { ViewConfig } from './store-config.js';

/** The part of a store that adds and removes records on behalf of its views. */
export interface ViewedStore {
  placeRecords(before: BaseModel | undefined, given: readonly object[]): BaseModel[];
  removeRecords(records: readonly BaseModel[]): BaseModel[];
}

/**
 * Another view of a store's records, sorted, filtered and grouped in a way of its own; what the store itself filters out is here
 * too. Records that are added or removed here are added to or removed from the store. Made by `store.view()`, and to be disposed of.
 *
 * @example
 * ```ts
 * const named = users.view({ filters: [{ property: 'name', operator: 'ne', value: '' }], sorters: ['name'] });
 * named.on('change', ({ splices }) => show(splices));
 * named.dispose();
 * ```
 */
export class View<M extends BaseModel, O = unknown> extends RecordView<M, O> {
  constructor(
    recordSet: RecordSet<M>,
    model: ModelType<M>,
    config: ViewConfig<M, O>,
    // Not of `M`: a `View<User>` would be no `View<Model>`.
    private readonly store: ViewedStore,
  ) {
    super(recordSet, model, config);
    // What is refused shall not follow the records.
    this.compile(this.query);
    recordSet.views.add(this.liveList);
  }

  protected override placeRecords(before: M | undefined, given: readonly (M | Given<ValuesOf<M>>)[]): M[] {
    return this.store.placeRecords(before, given) as M[];
  }

  protected override removeRecords(records: readonly M[]): M[] {
    return this.store.removeRecords(records) as M[];
  }

  /** Stops following the records: nothing is shown any more, and no event comes. */
  dispose(): void {
    this.end();
  }
}
