import type { ConflictError } from '../errors/conflict-error.js';
import { isGone } from '../errors/data-error.js';
import type { Keeper, QueuedWrite } from '../extension/keeper.js';
import { setNotes } from '../extension/row-notes.js';
import { type ComparingExtension, RESOLVES, unsentConflict } from '../extensions/unknown-tag.js';
import { type Change, changeWith, rowAfter } from '../model/change.js';
import { configuredProxy, identityOf } from '../model/identity.js';
import type { Model } from '../model/model.js';
import type { InnerModel, ModelDefinition } from '../model/model-definition.js';
import { makeDroppedRecord } from '../model/parts/dependency.js';
import { referencesOf, setReferenceId, unsentValue } from '../model/parts/reference-fields.js';
import { readAgain } from '../model/read-again.js';
import {
  coreOf,
  type InnerRecord,
  inner,
  isDirty,
  setSlot,
  setValues,
  withWritten,
  writeEdits,
} from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { addOwner, didChange, type RecordOwner, removeOwner } from '../model/record-owner.js';
import {
  addOpen,
  dropEdits,
  leaveOut,
  nextTime,
  noteNewer,
  restoreWrite,
  settleErased,
  settleNotSent,
  settleRead,
  settleSaved,
  showConflict,
} from '../model/settle.js';
import { CORE, DEFINITION, OWNER, ROW } from '../model/symbols.js';
import { Operation } from '../operation/operation.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import type { ChangeLog, ForeignOutcome } from './change-log.js';
import { changeOf, fieldOf, localRow, makeRecord, showChange, shownValues, valuesBefore } from './change-values.js';
import { withStoredParameters } from './entry-parameters.js';
import type { HeldRecord } from './held-record.js';
import { fieldsOfChange, partOf } from './known-changes.js';
import { dependenciesOf } from './next-job.js';
import type { FailedWrite } from './outbox-config.js';
import { OutboxError } from './outbox-error.js';
import { isInConflict, isUnanswered, type LoggedChange, type StoredChange } from './stored-change.js';
import type { ModelWords } from './stored-error.js';
import { unsentError } from './unsent-error.js';

/** A model and the proxy that sends its stored changes. */
interface RegisteredModel {
  readonly Class: InnerModel;
  proxy(): DataProxy;
}

/** How the row of a record is read. */
interface RowSource {
  readonly held: HeldRecord;
  readonly proxy: DataProxy;
}

/** The prospect of the changes of a record: whether they are sent, and what they wait for. */
export interface Prospect {
  /** The decision without which they are not sent; undefined: they are sent by themselves, or there are none. */
  readonly waitsFor: FailedWrite['state'] | undefined;
  /** Whether nothing but their backoff keeps them from being sent. */
  readonly isReady?: boolean;
  /** The field that refers to another record, which they wait for. */
  readonly field?: string;
  /** Whether that record was never created. */
  readonly isGone?: boolean;
}

const READY: Prospect = Object.freeze({ waitsFor: undefined, isReady: true });

/** The records that show stored changes, and are told what becomes of them; and the models of an outbox by name. */
export class Screen {
  private readonly models: Map<string, RegisteredModel> = new Map();
  /** The first model of each name, to detect another model with the same name. */
  private readonly firstByName: Map<string, { readonly Class: object; proxy(): DataProxy }> = new Map();

  /** The records whose rows are to be read, because changes of them were dropped that the server may have carried out. */
  private readonly unread: Map<InnerRecord, RowSource> = new Map();
  /** Resolves when the latest reads after drops have ended. */
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: ChangeLog,
    private readonly keeper: Keeper,
    private readonly owner: RecordOwner,
  ) {}

  /**
   * Throws `OutboxError` if the proxy has another scope than the outbox, and if another class has a model of the same name, and another
   * address, other parameters or other headers: stored writes are found by the name, so one class would be given the writes of the other,
   * and would send them to its own address as its own user.
   */
  checkClass(Class: object, proxy: () => DataProxy): void {
    const { name: model, messages } = (Class as { readonly [DEFINITION]: ModelDefinition })[DEFINITION];
    const { scope = this.log.scope } = configuredProxy(Class) ?? proxy();
    if (scope !== this.log.scope)
      throw new OutboxError('outbox-other-scope', { model, scope, own: this.log.scope }, { messages });
    const first = this.firstByName.get(model);
    if (!first) this.firstByName.set(model, { Class, proxy });
    else if (first.Class !== Class && !isSame(sentBy(first.Class, first.proxy), sentBy(Class, proxy)))
      throw new OutboxError('outbox-names', { model }, { messages });
  }

  /** Registers a model of the option `models`. Its stored writes are sent through this outbox even if its own proxy does not use one. */
  registerModel(Class: InnerModel): void {
    let bound: InnerModel | undefined;
    const boundModel = () => (bound ??= Class.with({ proxy: { use: [this.keeper] } }));
    this.checkClass(Class, () => boundModel().proxy);
    this.models.set(Class[DEFINITION].name, {
      get Class() {
        return boundModel();
      },
      proxy: () => boundModel().proxy,
    });
  }

  /** Registers the model and the proxy of a store, unless a model of this name is registered already. */
  registerStore(Class: InnerModel, proxy: () => DataProxy): void {
    const { name } = Class[DEFINITION];
    this.checkClass(Class, proxy);
    if (!this.models.has(name)) this.models.set(name, { Class, proxy });
  }

  /** The proxies that send changes of the registered models. */
  get proxies(): readonly DataProxy[] {
    return [...this.models.values()].map((model) => model.proxy());
  }

  /** Whether a store, or another owner beside this outbox, holds a record. */
  isHeldElsewhere(record: InnerRecord): boolean {
    const { [OWNER]: owner } = record;
    if (owner === undefined || owner === this.owner) return false;
    return !(Array.isArray(owner) && owner.every((each) => each === this.owner));
  }

  /** Whether changes can be sent: their model is registered, or their record was saved through a known proxy. */
  canSend({ model, proxy }: HeldRecord): boolean {
    return this.models.has(model) || proxy !== undefined;
  }

  /** Tells what becomes of the changes of a record. */
  prospectOf(held: HeldRecord): Prospect {
    const { log } = this;
    const { changes, unreadable } = held;
    const states = changes.map(({ progress }) => progress.state);
    if (unreadable.size > 0) return { waitsFor: 'unreadable' };
    if (states.includes('unconfirmed')) return { waitsFor: 'unconfirmed' };
    if (!this.canSend(held)) return { waitsFor: 'unreadable' };
    const job = log.jobOf(held);
    if (!job) return { waitsFor: states.includes('refused') ? 'failed' : undefined };
    if (job.does !== 'wait' && job.does !== 'refuse') return READY;
    const [field, key] = job.parent as readonly [string, string];
    const parent = log.byKey(key);
    if (job.does === 'refuse' || !parent || parent.isEmpty) return { waitsFor: 'held', field, isGone: true };
    return { waitsFor: parent === held || this.prospectOf(parent).waitsFor ? 'held' : undefined, field };
  }

  /** The saves and the erase of a record that the outbox keeps and sends by itself; undefined: none. */
  queuedWrite(record: InnerRecord): QueuedWrite | undefined {
    const held = this.log.get(record);
    if (!held || this.lookOf(held) !== 'queued') return undefined;
    const { changes, erases } = held;
    let values: Map<string, unknown> | undefined;
    const saved = () => (values ??= shownValues(record, changes));
    return {
      erases,
      holds: (name) => erases || (saved().has(name) && isWritten(record, name, saved().get(name))),
      writes: (name) => saved().has(name),
    };
  }

  /** Tells the records that show changes, and those that wait for them, if they look different now. `isSaved`: a change was added. */
  tell(held: HeldRecord, isSaved: boolean = false): void {
    const before = held.told;
    const look = this.lookOf(held);
    const records = recordsOf(held);
    held.told = { look, records: look === 'nothing' ? [] : records };
    const isOther = before.look !== look;
    const gone = before.records.filter((record) => !records.includes(record));
    for (const record of [...gone, ...records])
      if (isOther || isSaved || (look === 'queued' && !before.records.includes(record)))
        didChange(record, { kind: 'queued', fields: [] });
    // Records that refer to it wait for the same decision.
    const isDecided = isOther && (before.look === 'stuck' || look === 'stuck' || this.log.idOf(held.key) === null);
    for (const each of isDecided ? this.log.records.values() : [])
      if (each.changes.some(({ change }) => Object.values(change.dependsOn).includes(held.key))) this.tell(each);
  }

  private lookOf(held: HeldRecord): HeldRecord['told']['look'] {
    if (held.isEmpty) return 'nothing';
    return this.prospectOf(held).waitsFor ? 'stuck' : 'queued';
  }

  /** The proxy that sends changes, with their parameters. Throws `OutboxError` if their model is not registered. */
  proxyOf(held: HeldRecord, group: readonly LoggedChange[], given?: DataProxy): DataProxy {
    const proxy = held.proxy ?? (this.models.has(held.model) ? this.registered(held).proxy() : given);
    return withStoredParameters(proxy ?? this.registered(held).proxy(), group.at(-1)?.change.parameters);
  }

  /** The words of the model and the proxy of stored changes; undefined if neither is known in this page. */
  wordsOf(held: HeldRecord): ModelWords | undefined {
    const registered = this.models.get(held.model);
    const model = held.record?.[MODEL] ?? registered?.Class[DEFINITION];
    const proxy = held.proxy ?? registered?.proxy();
    return model && { fields: model.fields, messages: { ...model.messages, ...proxy?.messages } };
  }

  /** Makes a record the one that shows stored changes. */
  attach(held: HeldRecord, record: InnerRecord, proxy: DataProxy | undefined): void {
    if (proxy) held.proxy = proxy;
    if (held.record === record) return;
    if (held.record) removeOwner(held.record, this.owner);
    held.record = record;
    coreOf(record).keeper = this.keeper;
    addOwner(record, this.owner);
    this.tell(held);
  }

  /** Stops observing the record of which nothing is stored any more. */
  release(held: HeldRecord): void {
    if (held.record) removeOwner(held.record, this.owner);
    held.record = undefined;
  }

  /**
   * The record that shows stored changes, made from them if there is none yet. Throws `OutboxError` if the model is not registered or
   * lacks a field of them.
   */
  recordOf(held: HeldRecord, Class?: InnerModel): InnerRecord {
    if (!held.record) {
      const { name } = held;
      const id = this.log.idOf(held.first?.key ?? name);
      const own = Class ?? this.registered(held).Class;
      const record = makeRecord(own, held.changes, id, (each, dependsOn) => this.setReferences(each, dependsOn));
      this.attach(held, record, undefined);
      for (const { key, change } of held.changes) held.known.add(record, key, change);
      this.restoreState(held, record);
      this.showConflict(held, record);
    }
    return held.record as InnerRecord;
  }

  /** The same; undefined: it cannot be made, and sending the changes will fail with the reason. */
  recordIfAny(held: HeldRecord, Class?: InnerModel): InnerRecord | undefined {
    try {
      return held.changes.length > 0 || held.record ? this.recordOf(held, Class) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Gives a record the state of its writes as the storage has it, also if another tab or process has made the attempt. */
  restoreState(held: HeldRecord, record: InnerRecord, sent?: Change): void {
    const core = coreOf(record);
    const { messages } = record[MODEL];
    const open = held.changes.filter(isUnanswered);
    const [first] = open;
    if (first) {
      const { slots, state, repeatable } = first.progress;
      const { action, model, parameters } = first.change;
      restoreSlots(record, slots);
      // A create is repeated with the parameters of its first attempt, also by the application.
      const operation: Operation = new Operation({ action, records: [record], ...parameters });
      const id = record[MODEL].serverId(record);
      const unconfirmed =
        core.unconfirmed ?? new OutboxError('outbox-unconfirmed', { model, id, action }, { operation, messages });
      const isShown = action === 'create' && (state === 'unconfirmed' || !repeatable);
      const change = action === 'create' ? (sent ?? core.change ?? this.changeOf(held, record, open)) : undefined;
      restoreWrite(record, { change, unconfirmed, isShown });
    } else if (core.unconfirmed) {
      restoreSlots(record, {});
      settleNotSent(record);
    }
    if (!held.erases || held.changes.some(({ progress }) => progress.state === 'unconfirmed') || core.phantom) return;
    // The erase continues as before, so the record is in the same state: saves are refused until the erase has ended.
    const operation: Operation = new Operation({ action: 'destroy', records: [record] });
    const cause = new Error('the process ended');
    const failure = unsentError('outbox-interrupted', modelAndId(record), cause, { operation, messages });
    failure.queued = true;
    restoreWrite(record, { unconfirmed: core.unconfirmed, failure, isShown: false });
  }

  /** Takes over what other tabs have done with the changes of a record. `inWrite` is a record that is being written here. */
  show(
    held: HeldRecord,
    outcomes: readonly ForeignOutcome[],
    added: readonly LoggedChange[],
    inWrite?: InnerRecord,
  ): void {
    this.showNews(held, outcomes, added, inWrite);
    const { record } = held;
    if (record && !coreOf(record).busy && !coreOf(record).erased) this.showConflict(held, record);
    this.tell(held);
  }

  /** Shows a conflict that another page or process was told, until it is decided. */
  private showConflict(held: HeldRecord, record: InnerRecord): void {
    const { conflict: before, error } = held;
    const { failure } = coreOf(record);
    const conflict = error ? undefined : this.conflictOf(held, record);
    // It is shown once: while it is being decided here, it is still stored.
    const isNew = conflict !== before && (failure === before || failure?.code !== 'conflict');
    if (conflict ? isNew : before && before === failure) showConflict(record, conflict);
  }

  /** The error of a conflict that waits for a decision, with the calls that decide it here; undefined: there is none. */
  conflictOf(held: HeldRecord, record: InnerRecord): ConflictError | undefined {
    const stuck = held.changes.filter(isInConflict);
    // An erase stands last: it was refused after the saves before it.
    const last = stuck.at(-1);
    if (!last || !this.canSend(held)) {
      held.conflict = undefined;
      return undefined;
    }
    const { action, parameters } = last.change;
    if (held.conflict?.operation?.action === action) return held.conflict;
    const { [MODEL]: model, [ROW]: row } = record;
    const group = held.changes.filter(({ change }) => change.action === action);
    const seen = withWritten(row, valuesBefore(model, group));
    const change = action === 'update' ? changeWith(this.changeOf(held, record, group), { base: seen }) : undefined;
    const mine = change ? rowAfter(change) : {};
    const error = unsentConflict(record, { base: seen, mine });
    const proxyOf = () => this.proxyOf(held, group);
    const proxy = proxyOf();
    error.inContext(new Operation({ action, records: [record], ...parameters }), {
      ...model.messages,
      ...proxy.messages,
    });
    const { extensions = [] } = proxy as { readonly extensions?: readonly Partial<ComparingExtension>[] };
    for (const each of extensions) each[RESOLVES]?.(record, error, change, proxyOf);
    held.conflict = error;
    return error;
  }

  private showNews(
    held: HeldRecord,
    outcomes: readonly ForeignOutcome[],
    added: readonly LoggedChange[],
    inWrite: InnerRecord | undefined,
  ): void {
    const record = inWrite ?? held.record;
    const ended = record ? shownValues(record, held.known.before(record).changes) : new Map<string, unknown>();
    for (const outcome of record ? outcomes : [])
      if (record && !record[CORE]?.erased) this.showOutcome(held, outcome, record);
    for (const { type, changes } of outcomes) if (type === 'dropped') held.known.drop(changes.map(({ key }) => key));
    held.known.keepOnly(held.changes);
    const foreign = added.filter(({ own }) => !own);
    if (!record || foreign.length === 0 || record[CORE]?.erased) return;
    for (const each of foreign) held.known.add(record, each.key, this.showForeign(held, record, each, ended));
    if (held.erases) this.hide(record);
  }

  /** Shows a change of another page, and returns what the record knows of it. `ended`: what it has shown of the changes that have ended now. */
  private showForeign(
    held: HeldRecord,
    record: InnerRecord,
    { key, change: added }: LoggedChange,
    ended: ReadonlyMap<string, unknown>,
  ): StoredChange {
    const { [MODEL]: model, [CORE]: core } = record;
    if (core?.phantom && added.action === 'create') return added;
    // The record shows what was saved later. The lines of lists are merged instead.
    const later = new Set(held.changes.filter((one) => one.key > key).flatMap((one) => fieldsOfChange(one.change)));
    const isLast = (name: string) => !later.has(name) || model.field(name)?.embedding !== undefined;
    const change = added.action === 'update' ? partOf(added, isLast) : added;
    const before = shownValues(record, held.known.before(record).changes);
    const written = new Map([...writeEdits(record)].map(([field, value]) => [field.name, value] as const));
    // The values that the user is typing here stay; not those of a change that has just ended, which may still be shown as edits.
    const isTyped = (name: string) =>
      written.has(name) && ![before, ended].some((all) => all.has(name) && isSame(all.get(name), written.get(name)));
    const fields = fieldsOfChange(change).map((name) => fieldOf(model, name));
    // Saves of this page have these fields as other tabs have saved them before.
    leaveOut(
      record,
      fields.filter(({ name, embedding }) => !embedding && !isTyped(name)),
    );
    showChange(record, change, (one, names) => this.setReferences(one, names), isTyped);
    return change;
  }

  /** Gives fields of a record the values again that were saved last by some of its changes; those in flight are shown already. */
  showSaved(
    { running }: HeldRecord,
    record: InnerRecord,
    changes: readonly LoggedChange[],
    names: readonly string[] | undefined,
  ): void {
    const last = new Map<string, StoredChange>();
    for (const { change } of changes)
      for (const name of fieldsOfChange(change)) if (names?.includes(name) ?? true) last.set(name, change);
    const isShown = (name: string) => last.has(name) && !running.some(({ change }) => change === last.get(name));
    const values = Object.fromEntries(shownValues(record, changes));
    const dependsOn = Object.fromEntries(dependenciesOf(changes));
    const [first] = changes;
    if (!first) return;
    const saved: StoredChange = { ...first.change, action: 'update', values, cleared: [], dependsOn, base: {} };
    showChange(record, partOf(saved, isShown), (each, keys) => this.setReferences(each, keys));
  }

  /** Hides a record with a queued erase in all stores. */
  hide(record: InnerRecord): void {
    didChange(record, { kind: 'erasing' });
  }

  /** Takes dropped changes back; of a record that is being written, when its write has ended. What is edited meanwhile stays. */
  takeBackWhenFree(
    record: InnerRecord,
    changes: readonly LoggedChange[],
    droppedAt: number = nextTime(record[MODEL]),
  ): void {
    const core = coreOf(record);
    if (core.busy) void core.whenEnded(undefined).then(() => this.takeBackWhenFree(record, changes, droppedAt));
    else if (!core.erased) this.takeBack(record, changes, droppedAt);
  }

  /** Takes the values of changes that were given up back from a record. */
  takeBack(record: InnerRecord, changes: readonly LoggedChange[], droppedAt: number = Number.POSITIVE_INFINITY): void {
    const has = (action: string) => changes.some(({ change }) => change.action === action);
    if (has('create')) {
      // A save that was called since has created the record, or is going to.
      const isMade = !coreOf(record).phantom || this.log.get(record)?.first?.action === 'create';
      return isMade ? undefined : settleErased(record);
    }
    const { [MODEL]: model } = record;
    const { editedAt } = coreOf(record);
    const writtenEdits = writeEdits(record);
    const updates = changes.filter(({ change }) => change.action === 'update');
    const dropped = [...shownValues(record, updates)];
    const fields = dropped
      .map(([name, value]) => [fieldOf(model, name), value] as const)
      .filter(([field, value]) => writtenEdits.has(field) && isSame(writtenEdits.get(field), value))
      .filter(([{ name }]) => (editedAt[name] ?? 0) < droppedAt)
      .map(([field]) => field);
    dropEdits(record, fields);
    if (has('destroy')) didChange(record, { kind: 'restored' });
  }

  /**
   * Reads the row of a record, and shows it, after changes were dropped that were sent: the server may have carried out an attempt that got
   * no response, or may not have the record any more. If the read fails, `readUnread` reads the row later.
   */
  async readAfterDrop(held: HeldRecord, record: InnerRecord, dropped: readonly LoggedChange[]): Promise<void> {
    if (coreOf(record).phantom || !this.canSend(held)) return;
    this.unread.set(record, { held, proxy: this.proxyOf(held, dropped) });
    await this.readUnread();
  }

  /** Reads the rows that are still to be read after a drop, also those whose read has failed. Never rejects. */
  readUnread(): Promise<void> {
    // A read that is under way may fail, and is then made again.
    this.reading = this.reading.then(async () => {
      const all = [...this.unread];
      this.unread.clear();
      await Promise.all(all.map(([record, source]) => this.readRow(record, source)));
    });
    return this.reading;
  }

  private async readRow(record: InnerRecord, source: RowSource): Promise<void> {
    const core = coreOf(record);
    if (core.erased) return;
    const startedAt = nextTime(record[MODEL]);
    try {
      const operation: Operation = new Operation({ action: 'update', records: [record] });
      settleRead(record, await readAgain(record, source.proxy, operation), startedAt);
    } catch (error) {
      const isFree = source.held.isEmpty && !core.busy && !core.erased && !isDirty(record);
      if (!isGone(error)) this.unread.set(record, source);
      else if (isFree) settleErased(record);
    }
  }

  private showOutcome(held: HeldRecord, outcome: ForeignOutcome, record: InnerRecord): void {
    const { type, changes, row, notes, id, erased } = outcome;
    if (type === 'dropped') {
      this.takeBack(record, changes);
      // An earlier save of a field is stored still.
      const names = changes.flatMap(({ change }) => fieldsOfChange(change));
      const left = names.filter((name) => !coreOf(record).edits.has(fieldOf(record[MODEL], name)));
      if (!coreOf(record).erased && left.length > 0) this.showSaved(held, record, held.changes, left);
      // Another tab may have sent them, of which this one has not read.
      return void this.readAfterDrop(held, record, changes);
    }
    if (type === 'refused') return didChange(record, { kind: 'restored' });
    if (erased || (changes.length === 0 && !record[CORE]?.phantom)) return this.showSettled(record, outcome);
    if (!row) return;
    const answered = withNotes(row, notes);
    this.resolve(record, changes);
    const at = held.known.savedAt(record, changes);
    const change = changeWith(this.changeOf(held, record, changes, []), { at });
    const before = record[ROW];
    addOpen(record, change);
    settleSaved(record, change, {}, answered, id);
    noteNewer(record, before, change.written);
  }

  /** Shows the row that a record has after a write of another tab, of which this tab has read nothing. */
  showSettled(record: InnerRecord, { row, notes, erased }: Pick<ForeignOutcome, 'row' | 'notes' | 'erased'>): void {
    if (erased) settleErased(record);
    else if (row) settleRead(record, withNotes(row, notes), nextTime(record[MODEL]));
  }

  /** Gives the fields of a record that refer to created records their ids. */
  resolve(record: InnerRecord, changes: readonly LoggedChange[]): void {
    const parents = dependenciesOf(changes);
    for (const [field, target] of parents.size > 0 ? referencesOf(record) : []) {
      const key = parents.get(field.name);
      const id = key === undefined ? undefined : this.log.idOf(key);
      const value = unsentValue(record, field);
      const parent = target[DEFINITION].phantoms?.get(value);
      if (id !== undefined && id !== null && parent?.[CORE]?.key === key) setReferenceId(record, field, value, id);
    }
  }

  /** Makes the change that stored changes have sent, to settle their record with it. */
  changeOf(
    held: HeldRecord,
    record: InnerRecord,
    changes: readonly LoggedChange[],
    live: readonly Change[] = changes.flatMap(({ own }) => own?.change ?? []),
  ): Change {
    const action = changes.some(({ change }) => change.action === 'create') ? 'create' : 'update';
    const base = action === 'create' ? localRow(record[MODEL], live[0]?.base) : record[ROW];
    const proxy = this.models.has(held.model) || held.proxy ? this.proxyOf(held, changes) : undefined;
    return changeOf(
      record,
      { does: 'send', action, group: changes, isRepeat: true },
      base,
      this.log.idOf,
      live,
      proxy as DataProxy,
    );
  }

  /** Sets fields to the ids of the new records that they refer to, whose temporary ids differ in each process. */
  private setReferences(record: InnerRecord, dependsOn: Readonly<Record<string, string>>): void {
    for (const [field, target] of referencesOf(record)) {
      const key = Object.hasOwn(dependsOn, field.name) ? dependsOn[field.name] : undefined;
      if (key === undefined) continue;
      const id = this.log.idOf(key);
      const parent = this.log.byKey(key);
      const shown = parent && this.recordIfAny(parent);
      const value = id ?? (shown ?? makeDroppedRecord(target)).getId();
      setValues(record, { [field.name]: value });
    }
  }

  private registered({ model }: HeldRecord): RegisteredModel {
    const registered = this.models.get(model);
    if (!registered) throw new OutboxError('outbox-model', { model });
    return registered;
  }
}

/** The things that say whose rows a class writes; those of the proxy of its store or write if the class has none. */
function sentBy(Class: object, proxyOf: () => DataProxy): object {
  const proxy = configuredProxy(Class) ?? proxyOf();
  const { classKey: _, ...identity } = identityOf({ model: Class, proxy });
  return { ...identity, headers: (proxy as { headers?: unknown }).headers };
}

/** The records of this page that show changes or have saved some of them. */
function recordsOf({ record, changes }: HeldRecord): readonly InnerRecord[] {
  const records = record ? [record] : [];
  for (const { own } of changes) if (own && !records.includes(own.record)) records.push(own.record);
  return records;
}

/** Whether the edit of a field has a value, in the form in which changes are stored. */
function isWritten(record: InnerRecord, name: string, value: unknown): boolean {
  const field = record[MODEL].field(name);
  const edits = record[CORE]?.edits;
  if (!field || !edits?.has(field)) return false;
  const written = writeEdits(record, new Map([[field, edits.get(field)]]), record[ROW], true);
  return written.has(field) && isSame(written.get(field), value);
}

/** The row of an outcome, with the notes of extensions. */
function withNotes(row: object, notes: object | undefined): Data {
  const answered = { ...(row as Data) };
  setNotes(answered, notes && { values: notes as Readonly<Record<string, unknown>>, changed: false });
  return answered;
}

/** Gives a record exactly these slots of extensions. */
function restoreSlots(record: InnerRecord, slots: Readonly<Record<string, object>> = {}): void {
  for (const name of record[CORE]?.slots?.keys() ?? [])
    if (!Object.hasOwn(slots, name)) setSlot(record, { name }, undefined);
  for (const [name, state] of Object.entries(slots)) setSlot(record, { name }, state);
}

/** A record with its internal type. */
export function innerOf(record: object): InnerRecord {
  return inner(record as Model);
}
