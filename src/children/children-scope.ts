import { describe } from '../errors/message-format.js';
import { StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { unsavedError } from '../model/parts/dependency.js';
import { currentValue, inner, setField } from '../model/record.js';
import type { ChildRecords } from '../model/record-children.js';
import { modelAndId } from '../model/record-error.js';
import { addOwner, type RecordChange, storesOf } from '../model/record-owner.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { readUrl } from '../proxy/address.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { idKeyOf, serverId } from '../store/id-index.js';
import { innerStore } from '../store/inner-store.js';
import { derived, type Query } from '../store/query.js';
import { removeReceived } from '../store/receive-rows.js';
import type { RecordSet } from '../store/record-set.js';
import { scopedStore } from '../store/scoped-store.js';
import type { Store } from '../store/store.js';
import type { StoreScope } from '../store/store-scope.js';
import type { SyncSource } from '../store/sync-job.js';
import type { SharedRecords } from '../sync/shared-records.js';
import { type Data, isData, parsePath, readPath, writePath } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { ParentLink } from './parent-link.js';
import { childScopes, siblingsFor } from './siblings.js';

/** The children of a record: the loads of their store ask for these only, and its new records refer to the parent. */
export class ChildrenScope<M extends Model> implements StoreScope<M>, ChildRecords {
  readonly store: Store<M>;
  private readonly recordSet: RecordSet<M>;
  private readonly definition: ModelDefinition;
  /** The rows of children that the row of the parent held last. */
  private nestedRows: unknown = undefined;
  /** When children were erased, by id: an older row of the parent may still hold them. */
  private readonly erasedAt: Map<unknown, number> = new Map();
  /** The lists that the records of this store lead to, by the field that leads there. */
  readonly throughs: Map<FieldDefinition, Store<Model>> = new Map();
  /** Records that refer to another parent now, and stay here until they are saved, because no store of that one has taken them. */
  private readonly movedAway: WeakSet<M> = new WeakSet();

  constructor(
    readonly model: ModelType<M>,
    readonly link: ParentLink,
    private readonly shared: SharedRecords | undefined,
  ) {
    const { session } = shared ?? {};
    this.definition = innerModel(model)[DEFINITION];
    this.store = scopedStore(session ? { model, pageSize: 0, session } : { model, pageSize: 0 }, this);
    const { recordSet } = innerStore(this.store);
    this.recordSet = recordSet;
    recordSet.observers.attach({
      rowsComing: (rows) => {
        for (const row of rows) this.fillReference(row);
      },
      recordChanged: (record) => this.placeByParent(record),
      recordsReplaced: () => this.moveStrangersAway(recordSet.inPlace()),
      recordsShown: (records) => this.moveStrangersAway(records),
    });
    recordSet.observers.attach({ recordDropped: (record) => this.noteErased(record) });
    const isComplete = this.takeCopies();
    if (link.parent[CORE]?.phantom && !isComplete) this.store.setRecords([]);
    this.nestedRows = this.readNestedRows();
    if (!link.parent[CORE]?.phantom && !isComplete) this.takeNestedRows();
    // The parent holds its stores, so they may be owners of it.
    const { store } = this;
    addOwner(link.parent, {
      // The parent may outlive many stores of its children.
      get isGone() {
        return store.disposed;
      },
      recordChanged: (_, { kind }) => this.parentChanged(kind),
    });
    this.takeUnplaced();
  }

  /** The children of a new parent are all known. */
  isComplete(): boolean {
    return this.link.parent[CORE]?.phantom === true;
  }

  get disposed(): boolean {
    return this.store.disposed;
  }

  get dirty(): boolean {
    const { created, edited, removed } = this.store.pending;
    return created.length + edited.length + removed.length > 0;
  }

  watch(changed: () => void): () => void {
    return this.store.status.subscribe(changed);
  }

  /** Says what an erase of the parent does to the known children. */
  get onErase(): string {
    return this.link.options.onErase ?? 'ignore';
  }

  /** The records of the store that refer to the parent and are not removed. */
  known(): M[] {
    const { recordSet } = this;
    return this.everything().filter((record) => !recordSet.hidden(record) && this.owns(record));
  }

  /** The records in their places, without removed ones. */
  present(): M[] {
    const { recordSet } = this;
    return recordSet.inPlace().filter((record) => !recordSet.hidden(record));
  }

  /** Removed records whose erase has not begun. */
  restorable(): M[] {
    return this.store.pending.removed.filter((record) => !this.recordSet.isErasing(record));
  }

  /** Calls a function whenever records of the store have changed. Returns a function that ends this. */
  whenChanged(changed: () => void): () => void {
    return this.recordSet.observers.attach({
      ...{ recordAdded: changed, recordChanged: changed, recordDropped: changed },
      ...{ recordsReplaced: changed, recordsShown: changed },
    });
  }

  /** The error of an erase of the parent; undefined: no record is known that refers to it. */
  eraseRefusal(): StateError | undefined {
    const { length: count } = this.known();
    if (count === 0) return undefined;
    const { name: model, messages } = this.definition;
    const { model: parent, id: parentId } = modelAndId(this.link.parent);
    return new StateError('restricted', 'children-restrict', { model, parent, parentId, count }, { messages });
  }

  /** All records of the store, also removed ones and those that have moved away. */
  everything(): M[] {
    const { recordSet } = this;
    return [...recordSet.inPlace(), ...recordSet.offPage];
  }

  asSource(): SyncSource<Model> {
    return innerStore(this.store).syncSource() as SyncSource<Model>;
  }

  /** Whether a record refers to the parent, also by the temporary id that the parent had before it was saved. */
  owns(record: Model): boolean {
    const { parent, field, target } = this.link;
    const value = currentValue(inner(record), field);
    if (idKeyOf(value) === idKeyOf(this.parentId)) return true;
    const known = target[DEFINITION].phantoms?.get(value);
    // The temporary id of a copy is that of its original.
    return known !== undefined && (known === parent || known === this.shared?.copies?.pairOf(parent)?.original);
  }

  /** Takes a record that has come to refer to the parent. */
  takeChild(record: M): void {
    const { recordSet } = this;
    if (recordSet.holds(record) || this.store.disposed) return;
    const other = recordSet.index.getSaved(record.getId());
    // A row that was read meanwhile has made a record of its own.
    if (!other) recordSet.insert(undefined, [record]);
    // The store of its former parent has kept it, hidden, while no other store had it.
    for (const holder of recordSet.holds(record) ? storesOf(inner(record)) : []) {
      const { scope } = innerStore(holder as Store<M>);
      if (scope instanceof ChildrenScope && scope.movedAway.delete(record)) scope.recordSet.drop(record);
    }
  }

  sent(sent: Query<M>, proxy: DataProxy): Query<M> {
    const { parent, field } = this.link;
    if (parent[CORE]?.phantom) throw unsavedError(field.name);
    const names = templateNames(proxy);
    if (!names.includes(field.name)) {
      const filter = { property: field.name, operator: 'eq', value: this.parentId };
      return derived(sent, { filters: [...sent.filters, filter] });
    }
    const values = names.map((name) => [name, this.templateValue(name)]).filter(([, value]) => value !== undefined);
    return derived(sent, { pathParams: { ...Object.fromEntries(values), ...sent.pathParams } });
  }

  place(
    place: (added: readonly (M | RecordInput<ValuesOf<M>>)[]) => M[],
    _before: M | undefined,
    added: readonly (M | RecordInput<ValuesOf<M>>)[],
  ): M[] {
    const { parent, field } = this.link;
    if (parent[CORE]?.erased) return this.throwErased();
    const isRecord = (each: unknown): each is M => innerStore(this.store).isRecord(each);
    const id = parent.getId();
    const values = added.map((each) =>
      isData(each) && !isRecord(each) ? ({ ...each, [field.name]: id } as RecordInput<ValuesOf<M>>) : each,
    );
    const records = values.filter((each): each is M => isRecord(each) && !this.owns(each));
    const befores = records.map((each) => currentValue(inner(each), field));
    try {
      for (const each of records) setField(inner(each), field, id);
      return place(values);
    } catch (error) {
      for (const [at, each] of records.entries()) if (!each.erased) setField(inner(each), field, befores[at]);
      throw error;
    }
  }

  private throwErased(): never {
    const { name: model, messages } = this.definition;
    throw new StateError('erased', 'children-erased', { model, parent: this.link.parent[MODEL].name }, { messages });
  }

  private get parentId(): unknown {
    const { parent } = this.link;
    return parent[MODEL].serverId(parent);
  }

  /** The value of a name in the address: the id of the parent, or what the parent has for its own address. */
  private templateValue(name: string): string | number | undefined {
    const { parent, field } = this.link;
    const value = name === field.name ? this.parentId : parent[MODEL].templateValue(parent, name, true);
    return (value ?? undefined) as string | number | undefined;
  }

  /** Rows below the address of their parent often lack its id, which the addresses of their own writes need. */
  private fillReference(row: Data): void {
    const { field } = this.link;
    if (field.path && field.raw(row) === undefined) writePath(row, field.path, this.parentId);
  }

  /** In a fork, shows copies of what the store of the original parent has got since. */
  showCopies(): void {
    const { recordSet } = this;
    const missing = this.copied()?.records.filter((each) => !recordSet.holds(each) && this.owns(each)) ?? [];
    if (!this.store.disposed && missing.length > 0) recordSet.insert(undefined, missing);
  }

  /** In a fork, takes copies of what the store of the original parent has. Returns whether that is all that there is to take. */
  private takeCopies(): boolean {
    const copied = this.copied();
    if (!copied) return false;
    if (copied.isLoaded) this.store.setRecords(copied.records);
    else this.recordSet.insert(undefined, copied.records);
    return true;
  }

  /** In a fork, the copies of what the store of the original parent has; undefined: there is no such store. */
  private copied(): { readonly records: readonly M[]; readonly isLoaded: boolean } | undefined {
    const { parent, field } = this.link;
    const { copies } = this.shared ?? {};
    const original = copies?.pairOf(parent)?.original;
    const others = childScopes(original).filter((each) => (each.model as unknown) === this.model);
    const other = others.find((each) => each.link.field === field);
    if (!copies || !other) return undefined;
    const known = other.known().filter((each) => copies.canCopy(inner(each)));
    return {
      records: known.map((each) => copies.copyOf(inner(each)) as M),
      isLoaded: innerStore(other.store).hasLoaded,
    };
  }

  /** Takes new and edited records that came to refer to the parent before this store was made. */
  private takeUnplaced(): void {
    const { shared } = this;
    for (const record of shared?.unplaced ?? [])
      if ((record.constructor as unknown) === this.model && !shared?.isHidden(record) && this.owns(record)) {
        shared?.unplaced.delete(record);
        this.takeChild(record as M);
      }
  }

  /** The rows of children that the row of the parent holds. */
  private readNestedRows(): unknown {
    const { parent, options } = this.link;
    return options.nested === undefined ? undefined : readPath(parent[ROW], parsePath(options.nested));
  }

  /** Takes the rows that a read or save of the parent has brought. Rows that are the same as before are those of an older response. */
  private parentChanged(kind: RecordChange['kind']): void {
    const { nestedRows } = this;
    if (kind === 'erased' && this.onErase === 'server') return this.letGo();
    if (this.store.disposed || (kind !== 'loaded' && kind !== 'saved')) return;
    const rows = this.readNestedRows();
    this.nestedRows = rows;
    if (!Array.isArray(rows) || isSame(rows, nestedRows)) return;
    const { readAt = 0, begunAt = 0 } = this.link.parent[CORE] ?? {};
    const startedAt = kind === 'loaded' ? readAt : begunAt;
    const items = rows.flatMap((row: unknown): object[] => {
      const id = this.definition.rowId(row);
      const known = this.recordSet.index.getSaved(id);
      if ((this.erasedAt.get(idKeyOf(id)) ?? 0) > startedAt) return [];
      // A child that was written after the read of its parent began is newer than the row.
      return [known && (inner(known)[CORE]?.settledAt ?? 0) > startedAt ? known : (row as object)];
    });
    this.store.setRecords(items);
  }

  /** The server has erased the children with their parent: they leave all lists. Those with changes stay. */
  private letGo(): void {
    const { link, shared, recordSet } = this;
    const key = idKeyOf(this.parentId);
    for (const record of new Set<Model>([...this.everything(), ...(shared?.ofModel(this.model).all() ?? [])])) {
      const { [CORE]: core, [ROW]: row } = inner(record);
      // A child that was moved here by an edit is still below another parent on the server.
      if (!core?.phantom) {
        if (idKeyOf(link.field.raw(row)) === key) removeReceived(record);
      } else if (this.owns(record) && !core.sent) {
        if (shared) shared.leave(record);
        else recordSet.drop(record as M);
      }
    }
  }

  private noteErased(record: Model): void {
    if (record.erased) this.erasedAt.set(idKeyOf(serverId(record)), inner(record)[CORE]?.settledAt ?? 0);
  }

  /** Takes the rows that the row of the parent holds. */
  private takeNestedRows(): void {
    const { nested: path = '' } = this.link.options;
    const rows = this.nestedRows;
    if (rows === undefined || rows === null) return;
    const { name: model, messages } = this.definition;
    if (!Array.isArray(rows)) {
      const params = { model, path, value: describe(rows) };
      throw new StateError('foreign', 'children-nested', params, { messages });
    }
    this.store.setRecords(rows);
  }

  /** Shows a record while it refers to the parent, and gives it away when it does not. */
  private placeByParent(changed: Model): void {
    const record = changed as M;
    const { recordSet, movedAway } = this;
    if (record.erased || !recordSet.holds(record) || recordSet.hidden(record)) return;
    if (this.owns(record)) {
      if (movedAway.delete(record)) recordSet.place(undefined, [record]);
      return;
    }
    const taker = siblingsFor(this, record);
    taker?.takeChild(record);
    if (taker?.recordSet.holds(record)) return recordSet.drop(record);
    movedAway.add(record);
    recordSet.displace(record);
  }

  /** A load may bring the row of a record that refers to another parent by an edit, or rows of all parents. */
  private moveStrangersAway(records: readonly Model[]): void {
    for (const record of records) this.placeByParent(record);
  }
}

/** The names in braces in the address of the collection. */
function templateNames(proxy: DataProxy): readonly string[] {
  const { api, url, baseUrl } = proxy as Partial<Pick<AjaxProxy, 'api' | 'url' | 'baseUrl'>>;
  const address = `${baseUrl ?? ''}${readUrl(api?.list) || readUrl(api?.read) || url}`;
  return [...address.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
}
