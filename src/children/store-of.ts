import { DefinitionError, StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import { type FieldDefinition, typeOf } from '../model/field-definition.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel } from '../model/model-definition.js';
import { rejectUnsaved } from '../model/queued-write.js';
import { coreOf, currentValue, fieldOf, type InnerRecord, inner, setField } from '../model/record.js';
import { CORE, DEFINITION } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { Store } from '../store/store.js';
import type { StoreScope } from '../store/store-scope.js';
import type { SyncSource } from '../store/sync-job.js';
import { isPlainObject } from '../util/values.js';

/** The names of the fields of a record that are lists of embedded records. */
export type ListName<M> = {
  [K in keyof ValuesOf<M> & string]: NonNullable<ValuesOf<M>[K]> extends readonly Model[] ? K : never;
}[keyof ValuesOf<M> & string];
/** The embedded records of a list. */
export type RowOf<L> = NonNullable<L> extends readonly (infer R extends Model)[] ? R : never;

/**
 * The store of a field that is a list of embedded records, `details: embed([Detail])`: what is added, removed, moved and edited there is an edit of
 * the record that embeds them, and is saved in its body. It is made once for each record and field, and follows the record. It has no
 * requests of its own: `load()` and `sync()` reject with `StateError`. Throws `DefinitionError` for any other field.
 *
 * @example
 * ```ts
 * class Detail extends Model.define({ fields: { sku: 'string', qty: 'int' } }) {}
 * class Invoice extends Model.define({ fields: { id: 'int', details: embed([Detail]) } }) {}
 *
 * const details = storeOf(new Invoice({ details: [] }), 'details');
 * details.add({ sku: 'A-1', qty: 2 });
 * ```
 */
export function storeOf<M extends Model, K extends ListName<M>>(record: M, name: K): Store<RowOf<ValuesOf<M>[K]>> {
  const holder = inner(record);
  const field = fieldOf(holder, name);
  const stores = (coreOf(holder).listStores ??= new Map());
  const made = stores.get(field) as ListStore<RowOf<ValuesOf<M>[K]>> | undefined;
  const store =
    made && !made.disposed ? made : new ListStore(rowModel<RowOf<ValuesOf<M>[K]>>(holder, field), holder, field);
  stores.set(field, store);
  return store;
}

function rowModel<M extends Model>(holder: InnerRecord, field: FieldDefinition): ModelType<M> {
  const type = typeOf(field.config);
  const [model] = (Array.isArray(type) ? type : []) as readonly ModelType<M>[];
  if (typeof model === 'function' && DEFINITION in model) return model;
  const { name, messages } = holder[MODEL];
  throw new DefinitionError('list-field', { field: field.name, model: name }, { messages });
}

/** The store of an embedded list. The list itself is the value of the field; the store shows it. */
class ListStore<M extends Model> extends Store<M> {
  protected override readonly scope: StoreScope<M> = {
    given: () => {
      throw this.carried('receive()');
    },
  };

  constructor(
    model: ModelType<M>,
    private readonly holder: InnerRecord,
    private readonly field: FieldDefinition,
  ) {
    super({ model, pageSize: 0 });
    this.showList();
    this.holder.$.state.subscribe(() => this.showList());
  }

  override load(): Promise<never> {
    return Promise.reject(this.carried('load()'));
  }

  override sync(): Promise<never> {
    return Promise.reject(this.carried('sync()'));
  }

  override setRecords(items: readonly (M | object)[]): readonly M[] {
    this.setList(items);
    return this.rows();
  }

  override commit(): never {
    throw this.carried('commit()');
  }

  override reject(): void {
    rejectUnsaved(this.holder, [this.field.name]);
  }

  override removeAll(silent: boolean = false): M[] {
    const removeThem = () => this.removeRecords(this.rows());
    return silent ? this.silently(removeThem) : removeThem();
  }

  protected override syncSource(): SyncSource<M> {
    throw this.carried('sync()');
  }

  protected override placeRecords(before: M | undefined, added: readonly (M | RecordInput<ValuesOf<M>>)[]): M[] {
    this.checkOpen();
    return this.inWords(() => {
      const given = added.map((each) => (isPlainObject(each) ? each : this.toRecord(each)));
      const moved = new Set<unknown>(given);
      // Also values of the row that are no records: they are the server's, and stay in their places.
      const all = this.holderRows();
      const next = before && all.slice(all.indexOf(before)).find((each) => !moved.has(each));
      const rest = all.filter((each) => !moved.has(each));
      const at = next ? rest.indexOf(next) : rest.length;
      this.setList([...rest.slice(0, at), ...new Set(given), ...rest.slice(at)]);
      return this.holderRows().slice(at, at + moved.size) as M[];
    });
  }

  protected override removeRecords(records: readonly M[]): M[] {
    const removed = super.removeRecords(records);
    const gone = new Set(removed);
    for (const each of removed) this.recordSet.drop(each);
    this.setList(this.holderRows().filter((each) => !gone.has(each as M)));
    return removed;
  }

  private rows(): M[] {
    return this.holderRows().filter((each): each is M => each instanceof innerModel(this.model));
  }

  private holderRows(): readonly unknown[] {
    const value = currentValue(this.holder, this.field);
    return Array.isArray(value) ? value : [];
  }

  private setList(list: readonly unknown[]): void {
    setField(this.holder, this.field, list);
    this.showList();
  }

  /** Shows the list of the holder. Its rows are told as well, because the response to a save of the holder may be about them. */
  private showList(): void {
    const { recordSet } = this;
    if (this.disposed) return;
    const rows = [...new Set(this.rows())];
    const before = recordSet.inPlace();
    if (rows.length !== before.length || rows.some((row, at) => row !== before[at])) {
      recordSet.replace(rows);
      for (const record of recordSet.offPage) recordSet.drop(record);
    }
    for (const row of rows) inner(row)[CORE]?.listeners?.tell('changed');
  }

  private carried(call: string): StateError {
    const { name: model, messages } = this.holder[MODEL];
    return new StateError('unresolvable', 'list-carried', { model, field: this.field.name, call }, { messages });
  }
}
