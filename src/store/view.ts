import { checkOptions } from '../dev/checks.js';
import { AbortError } from '../errors/request-errors.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import type { CompiledQuery } from './compile-query.js';
import { type InnerStore, innerStore } from './inner-store.js';
import { RecordView } from './record-view.js';
import type { Store } from './store.js';
import type { ViewConfig } from './store-config.js';
import { VIEW_RULES } from './store-options.js';

/**
 * Another list of the records of a store, with its own sorters, filters and groups. Without sorters, it keeps the order of the store. It
 * ignores the filters of the store, so it can show records that the store hides. `add` and `remove` of a view change the store. Created by
 * `viewOf()`. Call `dispose()` when you no longer need the view.
 *
 * A new record is put at the end of the store, or before the record that the view shows at the given place. A `filterFn`, a `sorterFn` or
 * a getter that throws makes reading the view fail, not editing or saving.
 *
 * @example
 * ```ts
 * const named = viewOf(users, { filters: [{ property: 'name', operator: 'ne', value: '' }], sorters: ['name'] });
 * named.on('change', (change) => show(differenceOf(change).splices));
 * named.dispose();
 * ```
 */
export class View<M extends Model, O = unknown> extends RecordView<M, O> {
  private isDisposed = false;
  private readonly detach: () => void;

  constructor(
    // Not typed for `M`: otherwise a `View<User>` could not be assigned to `View<Model>`.
    private readonly store: Pick<
      InnerStore<Model>,
      'placeRecords' | 'removeRecords' | 'compiledQuery' | 'model' | 'recordSet'
    >,
    config: ViewConfig<M, O>,
  ) {
    super(store.recordSet as never, store.model as never, config);
    // Compiled before the view is attached: if the query is invalid, this throws, and no useless view stays attached to the store.
    this.inWords(() => this.rules.compile(this.query));
    this.follow();
    this.detach = this.recordSet.observers.attach({
      storeDisposed: () => this.dispose(),
      orderChanged: () => {
        if (this.query.sorters.length === 0) this.orderChanged();
      },
    });
  }

  /** The query of the view. Without sorters, its records are in the order of the store. */
  protected override compile(): CompiledQuery<M> {
    const compiled = super.compile();
    return this.query.sorters.length > 0
      ? compiled
      : inOrderOf(this.store.compiledQuery() as CompiledQuery<M>, compiled);
  }

  protected override isSorted(): boolean {
    return super.isSorted() || this.store.compiledQuery().order !== undefined;
  }

  /** Whether `dispose()` was called, for the view or its store. */
  get disposed(): boolean {
    return this.isDisposed;
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    this.checkOpen();
    return this.store.placeRecords(before, added as readonly Model[]) as M[];
  }

  protected override removeRecords(records: readonly M[]): M[] {
    this.checkOpen();
    return this.store.removeRecords(records) as M[];
  }

  /**
   * Stops following the records: the view is empty from now on, and emits no event. Calls that add or remove records throw `AbortError`
   * from then on.
   *
   * @example
   * ```ts
   * const adults = viewOf(users, { filters: [where(User).age.ge(18)] });
   * adults.dispose(); // when its list leaves the screen; the store stays
   * ```
   */
  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.detach();
    this.stop();
  }

  /** Throws `AbortError` after the view was disposed of. */
  private checkOpen(): void {
    const { messages } = this.definition;
    if (this.isDisposed) throw new AbortError('disposed', { owner: 'view' }, { messages });
  }
}

/**
 * Creates a view of the records of a store, which is sorted, filtered and grouped locally and independently of the store. It follows all
 * changes until you call its `dispose()`. Throws `UnsupportedQueryError` for a query that cannot be answered locally.
 *
 * @example
 * ```ts
 * const adults = viewOf(users, { filters: [where(User).age.ge(18)] });
 * ```
 */
export function viewOf<M extends Model, const V>(store: Store<M>, config: ViewConfig<NoInfer<M>, V> = {}): View<M, V> {
  const inside = innerStore<Model>(store);
  inside.checkOpen();
  inside.inWords(() => {
    checkOptions('view', config, VIEW_RULES, 'store');
  });
  return new View<M, V>(inside, config);
}

/** A query whose records are in the order of another one, where its own order does not decide. */
function inOrderOf<M>({ order, keys, fields, steady }: CompiledQuery<M>, own: CompiledQuery<M>): CompiledQuery<M> {
  const first = own.order;
  if (!order) return own;
  return {
    ...own,
    order: first ? (a, b) => first(a, b) || order(a, b) : order,
    keys: own.keys && keys && [...own.keys, ...keys],
    fields: own.fields && fields && new Set([...own.fields, ...fields]),
    steady: own.steady && steady,
  };
}
