import { DefinitionError, StateError } from '../errors/mistakes.js';
import type { ModelType } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { RecordInput, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { referencedModel, referenceId } from '../model/parts/reference-fields.js';
import { currentValue, inner } from '../model/record.js';
import { DEFINITION, ROW } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import { targetOf } from '../operation/reference-target.js';
import { ResultSet } from '../operation/result-set.js';
import { idKeyOf, serverId } from '../store/id-index.js';
import { type InnerStore, innerStore } from '../store/inner-store.js';
import type { Page } from '../store/page-reader.js';
import type { RecordSet } from '../store/record-set.js';
import { scopedStore } from '../store/scoped-store.js';
import type { Store } from '../store/store.js';
import type { GivenRows, StoreScope } from '../store/store-scope.js';
import { ReferenceReader } from '../sync/reference-reader.js';
import type { SharedRecords } from '../sync/shared-records.js';
import type { ChildrenScope } from './children-scope.js';

/**
 * The records that joining records lead to: the tags of a post, by its taggings. The joining records, in the store of the children of the
 * post, decide which of them the store shows, and in which order; adding and removing changes them, never the tags.
 */
export class ThroughScope<M extends Model> implements StoreScope<M> {
  readonly store: Store<M>;
  private readonly recordSet: RecordSet<M>;
  private readonly definition: ModelDefinition;
  /** The records that joining records lead to, as long as they refer to it: a removed one may come back. */
  private readonly targets: WeakMap<Model, M> = new WeakMap();
  private isPlacing = false;

  constructor(
    private readonly model: ModelType<M>,
    private readonly joins: ChildrenScope<Model>,
    private readonly to: FieldDefinition,
    private readonly shared: SharedRecords | undefined,
  ) {
    const local = { model, pageSize: 0, remoteSort: false, remoteFilter: false };
    this.definition = innerModel(model)[DEFINITION];
    this.store = scopedStore<M>(shared ? { ...local, session: shared.session } : local, this);
    this.recordSet = innerStore(this.store).recordSet;
    this.recordSet.observers.attach({ storeDisposed: joins.whenChanged(() => this.arrange()) });
    this.arrange();
  }

  /** The joining records are written too, after new records that they lead to. */
  get companion(): InnerStore<Model> {
    return innerStore(this.joins.store);
  }

  given(rows: readonly object[], by: 'setRecords' | 'receive'): GivenRows {
    if (by === 'receive') return { rows };
    const { name: model, messages } = this.definition;
    const params = { model, joins: innerModel(this.joins.model)[DEFINITION].name };
    throw new StateError('unresolvable', 'through-set', params, { messages });
  }

  /** Reads the joining records, and then what they lead to and is not known yet. */
  async read(_send: () => Promise<Page>, operation: Operation, startedAt: number): Promise<Page> {
    const { joins, shared } = this;
    const { signal, headers } = operation;
    await joins.store.load({ ...(signal && { signal }), ...(headers && { headers }) });
    const records = joins.present();
    const reader = shared?.references ?? new ReferenceReader(undefined);
    const found = await Promise.all(
      records.map(async (join) => {
        const known = this.targetOf(join);
        const id = known ? undefined : referenceId(join, this.to.name);
        return known ?? (id === undefined ? undefined : ((await reader.read(this.targetModel, id)) as M | undefined));
      }),
    );
    const saved = new Set(found.filter((target) => target && !target.phantom));
    const rows = [...saved].map((target) => inner(target as M)[ROW]);
    return { result: new ResultSet({ rows }), startedAt, incomplete: this.store.proxy.reader.rows === 'incomplete' };
  }

  place(
    place: (added: readonly (M | RecordInput<ValuesOf<M>>)[]) => M[],
    before: M | undefined,
    added: readonly (M | RecordInput<ValuesOf<M>>)[],
  ): M[] {
    this.isPlacing = true;
    const { joins } = this;
    const made: Model[] = [];
    try {
      const records = [...new Set(place(added))];
      const next = joins.present().find((join) => before !== undefined && this.targetOf(join) === before);
      for (const record of records) {
        const linked = this.joinsOf(record);
        // A joining record that was removed comes back, unless it is being erased, and one that is there moves.
        const [known] = linked.length > 0 ? linked : joins.restorable().filter((join) => this.leadsTo(join, record));
        if (known && linked.length > 0 && !before) continue;
        const given = (known ?? { [this.to.name]: record.getId() }) as Model;
        const at = next ? joins.present().indexOf(next) : joins.present().length;
        const [join] = joins.store.insert(at, given) as Model[];
        this.targets.set(join as Model, record);
        if (!known) made.push(join as Model);
      }
      return records;
    } catch (error) {
      joins.store.remove(...made);
      throw error;
    } finally {
      this.isPlacing = false;
      this.arrange();
    }
  }

  remove(records: readonly M[]): M[] {
    const removed = records.filter((record) => this.joinsOf(record).length > 0);
    this.joins.store.remove(...removed.flatMap((record) => this.joinsOf(record)));
    return removed;
  }

  private get targetModel(): ModelType<Model> {
    return referencedModel(this.joins.model as typeof Model, this.to.name);
  }

  private joinsOf(record: M): Model[] {
    return this.joins.present().filter((join) => this.leadsTo(join, record));
  }

  /** Whether a joining record refers to a record, also by the temporary id that this one had before it was saved. */
  private leadsTo(join: Model, record: M): boolean {
    const id = currentValue(inner(join), this.to);
    return idKeyOf(id) === idKeyOf(serverId(record)) || this.definition.phantoms?.get(id) === inner(record);
  }

  /** The record that a joining record leads to; undefined: it is not known here. */
  private targetOf(join: Model): M | undefined {
    const kept = this.targets.get(join);
    const id = currentValue(inner(join), this.to);
    const shown = this.recordSet.index.getSaved(id) ?? (kept && this.leadsTo(join, kept) ? kept : undefined);
    const known = shown ?? this.shared?.ofModel(this.model).find(id);
    return known && !known.erased ? (known as M) : undefined;
  }

  /** Shows what the joining records lead to, each once. */
  arrange(): void {
    const { recordSet, joins } = this;
    if (this.store.disposed || this.isPlacing) return;
    const targets = joins.present().flatMap((join) => {
      const target = this.targetOf(join);
      if (target) this.targets.set(join, target);
      return target ?? [];
    });
    const linked = [...new Set(targets)];
    const before = recordSet.inPlace();
    if (linked.length === before.length && linked.every((record, at) => record === before[at])) return;
    recordSet.replace(linked);
    for (const record of recordSet.offPage) recordSet.drop(record);
  }
}

/**
 * The reference by which joining records lead to the records of a model, beside the one to the record on the other side. Throws
 * `DefinitionError` if there is none, or several and `to` names none of them.
 */
export function joiningField(
  Joining: typeof Model,
  Target: typeof Model,
  from: FieldDefinition,
  to: string | undefined,
): FieldDefinition {
  const model = innerModel(Joining as ModelType<Model>)[DEFINITION];
  const references = Joining.references();
  const leads = (name: string) => name !== from.name && (targetOf(references[name]) as unknown) === Target;
  const fields = to === undefined ? Object.keys(references).filter(leads) : [to].filter(leads);
  const [name] = fields;
  const field = name === undefined ? undefined : model.field(name);
  const params = { model: model.name, target: Target.name };
  if (!field) throw new DefinitionError('through-none', params, { messages: model.messages });
  if (fields.length > 1)
    throw new DefinitionError(
      'through-several',
      { ...params, fields: fields.join(', ') },
      { messages: model.messages },
    );
  return field;
}
