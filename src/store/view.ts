import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { RecordSet } from './record-set.js';
import { RecordView } from './record-view.js';
import type { ViewConfig } from './store-config.js';

/** The members of a store by which its views add and remove records. */
export interface ViewedStore {
  placeRecords(before: BaseModel | undefined, given: readonly object[]): BaseModel[];
  removeRecords(records: readonly BaseModel[]): BaseModel[];
}

/**
 * Another view of the records of a store, sorted, filtered and grouped independently: it also has the records that the store itself
 * filters out. Records that are added or removed here are added to, or removed from, the store. Created by `store.view()`. Call
 * `dispose()` when you no longer need it.
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
    // Not typed for `M`: otherwise a `View<User>` could not be assigned to `View<Model>`.
    private readonly store: ViewedStore,
  ) {
    super(recordSet, model, config);
    // A query that throws must not leave a view behind that follows the records.
    this.compile(this.query);
    recordSet.views.add(this.liveList);
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    return this.store.placeRecords(before, added) as M[];
  }

  protected override removeRecords(records: readonly M[]): M[] {
    return this.store.removeRecords(records) as M[];
  }

  /** Stops following the records: the view is empty from now on, and emits no event. */
  dispose(): void {
    this.stop();
  }
}
