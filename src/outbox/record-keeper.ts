import type { Keeper } from '../extension/keeper.js';
import type { BaseModel } from '../model/base-model.js';
import { captureChange } from '../model/change.js';
import { identityOf } from '../model/identity.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { makeDroppedRecord } from '../model/parts/dependency.js';
import { referencesOf } from '../model/parts/reference-fields.js';
import { coreOf, type InnerRecord, inner, setSlot, setValues } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { addOwner, didChange, type RecordOwner, removeOwner } from '../model/record-owner.js';
import { proxyIfAny } from '../model/record-write.js';
import { restoreWrite } from '../model/settle.js';
import { DEFINITION, OWNER } from '../model/symbols.js';
import { changeWith } from '../model/write-state.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { withStoredParameters } from './entry-parameters.js';
import { applyEdits, makeRecord, type RecordClass } from './entry-records.js';
import type { OutboxRecord } from './outbox-config.js';
import type { OutboxEntry } from './outbox-entry.js';
import { OutboxError } from './outbox-error.js';
import type { Item, Queue } from './queue.js';
import { unsentError } from './unsent-error.js';

/** A model and the proxy that sends its stored writes. */
interface RegisteredModel {
  readonly Class: RecordClass;
  proxy(): DataProxy;
}

/** Keeps the models of an outbox by name, and one record for each stored write. */
export class RecordKeeper {
  private readonly models: Map<string, RegisteredModel> = new Map();
  /** The first model of each name, to detect another model with the same name. */
  private readonly firstByName: Map<string, { readonly Class: object; proxy(): DataProxy }> = new Map();
  /** The proxies through which records were saved. */
  private readonly proxies: WeakMap<InnerRecord, DataProxy> = new WeakMap();

  constructor(
    private readonly queue: Queue,
    private readonly keeper: Keeper,
    private readonly owner: RecordOwner,
  ) {}

  /**
   * Throws `OutboxError` if another class has a model of the same name and another address: stored writes are found by the name, so one
   * class would be given the writes of the other, and would send them to its own address.
   */
  checkName(Class: object, proxy: () => DataProxy): void {
    const { name, messages } = (Class as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
    const first = this.firstByName.get(name);
    if (!first) this.firstByName.set(name, { Class, proxy });
    else if (first.Class !== Class && placeOf(first.Class, first.proxy) !== placeOf(Class, proxy))
      throw new OutboxError('outbox-names', { model: name }, { messages });
  }

  /** Registers a model of the option `models`. Its stored writes are sent through this outbox even if its own proxy does not use one. */
  registerModel(Class: RecordClass): void {
    let bound: RecordClass | undefined;
    const boundModel = () => (bound ??= Class.with({ proxy: { use: [this.keeper] } }));
    this.checkName(Class, () => boundModel().proxy);
    this.models.set(Class[DEFINITION].name, {
      get Class() {
        return boundModel();
      },
      proxy: () => boundModel().proxy,
    });
  }

  /** Registers the model and the proxy of a store, unless a model of this name is registered already. */
  registerStore(Class: RecordClass, proxy: () => DataProxy): void {
    const { name } = Class[DEFINITION];
    this.checkName(Class, proxy);
    if (!this.models.has(name)) this.models.set(name, { Class, proxy });
  }

  /** Whether a store, or another owner beside this outbox, holds a record. */
  isHeldElsewhere(record: InnerRecord): boolean {
    const { [OWNER]: owner } = record;
    return (
      owner !== undefined &&
      owner !== this.owner &&
      !(Array.isArray(owner) && owner.every((each) => each === this.owner))
    );
  }

  /** Whether writes of a model can be sent, because its name is known. */
  knows(model: string): boolean {
    return this.models.has(model);
  }

  /** Whether a write can be sent: its model is registered, or its record was saved through a known proxy. */
  canSend({ entry, record }: Item): boolean {
    return this.knows(entry.model) || (record !== undefined && this.proxies.has(record));
  }

  /** The proxy through which a write is sent, with the parameters of the write. Throws `OutboxError` if its model is not registered. */
  proxyOf(item: Item): DataProxy {
    const recordProxy = item.record && this.proxies.get(item.record);
    return withStoredParameters(recordProxy ?? this.registered(item.entry).proxy(), item.entry);
  }

  /** Makes a record that is being written the record of its entry. */
  attach(item: Item, record: InnerRecord, proxy: DataProxy | undefined): void {
    if (proxy) this.proxies.set(record, proxy);
    if (item.record === record) return;
    if (item.record) removeOwner(item.record, this.owner);
    item.record = record;
    coreOf(record).keeper = this.keeper;
    addOwner(record, this.owner);
  }

  /** Stops observing the record of a write that is no longer kept. */
  release({ record }: Item): void {
    if (record) removeOwner(record, this.owner);
  }

  /**
   * The record of an entry, made from the entry if there is none yet. Throws `OutboxError` if the model is not registered or lacks a
   * field of the entry.
   */
  recordOf(item: Item, Class?: RecordClass): InnerRecord {
    if (!item.record)
      this.attach(item, this.createRecord(item.entry, Class ?? this.registered(item.entry).Class), undefined);
    return item.record as InnerRecord;
  }

  private createRecord(entry: OutboxEntry, Class: RecordClass): InnerRecord {
    const setReferences = (child: InnerRecord, names: readonly string[]) => this.setReferences(child, entry, names);
    const record = makeRecord(Class, entry, setReferences);
    const core = coreOf(record);
    core.keeper = this.keeper;
    for (const [name, state] of Object.entries(entry.slots ?? {})) setSlot(publicOf(record), { name }, state);
    if (entry.attempts > 0 && entry.state !== 'failed') {
      const { model, action, repeatable, parameters } = entry;
      // A create is repeated with the parameters of its first attempt, also by the application.
      const operation: Operation = new Operation({ action, records: [record], ...parameters });
      const id = record[MODEL].serverId(record);
      const unconfirmed = new OutboxError(
        'outbox-unconfirmed',
        { model, id, action },
        { operation, messages: record[MODEL].messages },
      );
      if (action === 'create') {
        const proxy = proxyIfAny(() => withStoredParameters(this.registered(entry).proxy(), entry));
        const change = captureChange(record, action, proxy);
        const temporaryId = entry.clientId ?? core.temporaryId;
        restoreWrite(record, { change: changeWith(change, { temporaryId }), unconfirmed, isShown: !repeatable });
      } else restoreWrite(record, { unconfirmed, isShown: false });
    }
    if (entry.action === 'destroy' && entry.state === 'queued') {
      // The erase continues as before the restart, so the record is in the same state: saves are refused until the erase has ended.
      const operation: Operation = new Operation({ action: entry.action, records: [record] });
      const failure = unsentError('outbox-interrupted', modelAndId(record), new Error('the process ended'), {
        operation,
        messages: record[MODEL].messages,
      });
      failure.queued = true;
      restoreWrite(record, { unconfirmed: core.unconfirmed, failure, isShown: false });
    }
    if (entry.action === 'create' && entry.later) {
      applyEdits(record, entry.later);
      setReferences(record, Object.keys(entry.later));
    }
    return record;
  }

  /** Sets fields to the ids of the new records that they refer to, whose temporary ids differ in each process. */
  private setReferences(record: InnerRecord, { dependsOn }: OutboxEntry, names: readonly string[]): void {
    for (const [field, target] of referencesOf(record)) {
      const key = names.includes(field.name) ? dependsOn[field.name] : undefined;
      if (key === undefined) continue;
      const item = this.queue.get(key);
      const parent = item ? this.recordOf(item) : makeDroppedRecord(target);
      setValues(record, { [field.name]: (parent as unknown as BaseModel).getId() });
    }
  }

  private registered({ model }: OutboxEntry): RegisteredModel {
    const registered = this.models.get(model);
    if (!registered) throw new OutboxError('outbox-model', { model });
    return registered;
  }
}

/** The address of a class; that of the proxy of its store or write if the class has none. */
function placeOf(Class: object, proxy: () => DataProxy): string {
  const { place } = identityOf(Class);
  return place || proxy().placeOf(new Operation({ action: 'read', id: 1 }));
}

/** Hides a record with a queued erase in all stores. */
export function hideErasing(record: InnerRecord): void {
  didChange(record, { kind: 'erasing' });
}

/** A record with its public type. */
export function publicOf(record: InnerRecord): OutboxRecord {
  return record as unknown as OutboxRecord;
}

/** A record with its internal type. */
export function innerOf(record: object): InnerRecord {
  return inner(record as BaseModel);
}
