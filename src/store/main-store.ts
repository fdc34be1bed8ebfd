import { checkOptions } from '../dev/checks.js';
import type { BaseModel } from '../model/base-model.js';
import type { Fields } from '../model/field.js';
import type { CheckedFields, FreeNames } from '../model/infer.js';
import {
  type CheckedRows,
  type FieldListOptions,
  type ListRecord,
  type ListValues,
  listConfig,
  type RowListOptions,
  type RowValues,
  type TupleListOptions,
  type TupleValues,
} from './list-of.js';
import { bulkForm } from './parts/bulk-form.js';
import { rollback } from './parts/rollback.js';
import { streamIntake } from './parts/stream-intake.js';
import { RecordWindow, type WindowedStore } from './record-window.js';
import { Store as CoreStore } from './store.js';
import type { StoreObserver } from './store-observer.js';
import { WINDOW_RULES } from './store-options.js';
import type { WindowConfig } from './window-config.js';

/**
 * Holds records of one model: loads pages of them, shows them sorted and filtered, and keeps pending changes until `sync()` writes
 * them.
 *
 * @example
 * ```ts
 * const users = new Store({ model: User, pageSize: 25, sorters: ['name'] });
 * await users.load();
 * users.add({ name: 'Grace' });
 * const batch = await users.sync();
 * ```
 */
export class Store<M extends BaseModel, O = unknown> extends CoreStore<M, O> {
  static override readonly parts: readonly StoreObserver[] = [bulkForm, rollback, streamIntake];

  /**
   * Makes a list without a model, typed from its rows: the entries of a select box, the result of a calculation. It is an ordinary store
   * without a proxy, so nothing is loaded or sent. The rows are copied, and count as saved; a row without an id gets one. Values are not
   * checked beyond the type that all values of a member have. Throws `DefinitionError` for rows or names of another kind, and for a member
   * with a reserved name.
   *
   * @example
   * ```ts
   * const sizes = Store.of([
   *   { id: 'm', label: 'Medium', weight: 2 },
   *   { id: 'l', label: 'Large', weight: 3 },
   * ]);
   * sizes.getById('l')?.weight; // 3
   * ```
   */
  static of<R extends object, const P extends string = 'id', const O = unknown>(
    rows: readonly R[] & CheckedRows<R>,
    options?: RowListOptions<ListRecord<RowValues<R, P>>, P, O>,
  ): Store<ListRecord<RowValues<R, P>>, O>;
  /**
   * The same for rows that are lists of values.
   *
   * @example
   * ```ts
   * const countries = Store.of([['ch', 'Switzerland'], ['it', 'Italy']], { names: ['id', 'name'] });
   * countries.getById('it')?.name; // 'Italy'
   * ```
   */
  static of<
    T extends readonly unknown[] | [],
    const N extends readonly string[],
    const P extends string = 'id',
    const O = unknown,
  >(
    rows: readonly T[],
    options: TupleListOptions<ListRecord<TupleValues<T, N, P>>, N, P, O>,
  ): Store<ListRecord<TupleValues<T, N, P>>, O>;
  /**
   * The same for declared fields, with or without first records.
   *
   * @example
   * ```ts
   * const lines = Store.of({ fields: { sku: 'string', price: 'decimal' }, sorters: ['sku'] });
   * lines.add({ sku: 'A-1', price: '9.90' });
   * ```
   */
  static of<const F extends Fields & FreeNames<F> & CheckedFields<F>, const P extends string = 'id', const O = unknown>(
    options: FieldListOptions<F, ListRecord<ListValues<F, P>>, P, O>,
  ): Store<ListRecord<ListValues<F, P>>, O>;
  static of(rowsOrFields: unknown, options?: object): Store<BaseModel> {
    return new Store(listConfig(rowsOrFields, options));
  }

  /**
   * Creates a window on the whole collection, as the server sorts and filters it: records by index, loaded while a user scrolls.
   * Throws `UnsupportedQueryError` if the store sorts or filters locally, and for a query of another model.
   *
   * @example
   * ```ts
   * const rows = users.window({ start: 0, end: 50 });
   * await rows.show({ start: 1000, end: 1050 });
   * ```
   */
  window(config: WindowConfig<M> = {}): RecordWindow<M> {
    this.checkOpen();
    return this.inWords(() => {
      checkOptions('window', config, WINDOW_RULES);
      return new RecordWindow<M>(this as unknown as WindowedStore<M>, config);
    });
  }
}
