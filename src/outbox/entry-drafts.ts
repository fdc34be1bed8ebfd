import type { DataError } from '../errors/data-error.js';
import { noteValues } from '../extension/row-notes.js';
import type { Write, WriteAction } from '../extension/write.js';
import { coreOf, type InnerRecord, inner, isDirty, withWritten, writeEdits } from '../model/record.js';
import { didChange } from '../model/record-owner.js';
import type { RecordWrite } from '../model/record-write.js';
import { CORE, ROW } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { isSame } from '../util/values.js';
import type { EntryOutcome } from './classify-entry.js';
import {
  changesField,
  createValues,
  type EntryValues,
  editedValues,
  entryKeyOf,
  membersOf,
  wireId,
} from './entry-records.js';
import type { EntryParameters, OutboxEntry, WireValues } from './outbox-entry.js';
import { errorData, type Item, type Queue, withState } from './queue.js';

/** Makes the entries of records, and works out what is left of an entry when its write has ended. */
export class EntryDrafts {
  constructor(
    private readonly queue: Queue,
    private readonly version: number,
    private readonly now: () => number,
  ) {}

  /** The entry of a write that is about to be sent. `sent`: the record with the values that are sent. */
  entryToSend(
    record: InnerRecord,
    sent: InnerRecord,
    write: Write,
    parameters: EntryParameters,
    online: boolean,
  ): OutboxEntry {
    const { action, resend } = write;
    const stored = this.queue.get(entryKeyOf(record))?.entry;
    const attempts = (stored?.attempts ?? 0) + (online ? 1 : 0);
    const repeatState = this.repeatState(write, record);
    // The outbox sends the stored values, not the record's later edits.
    if ((write as RecordWrite).given && stored) {
      const [copy = record] = (write.frozen ?? []).map(inner);
      // Values saved after the first attempt are sent along, unless the create has to be repeated exactly as it was.
      const values = stored.later && !resend && { cleared: undefined, ...createValues(copy), later: undefined };
      return withState({ ...stored, ...values, ...repeatState, attempts }, 'queued', stored.error);
    }
    // A save cancels the queued erase of its record, so the record is shown again; an erase that waits behind this save still follows.
    if (action !== 'destroy' && stored?.action === 'destroy' && !record[CORE]?.erasing)
      didChange(record, { kind: 'restored' });
    if (resend && stored?.action === 'create')
      return withState(this.withLater({ ...stored, attempts }, record), 'queued');
    // A queued erase of a new record stays queued until a create of the record has succeeded.
    const destroy = action === 'create' && (stored?.destroy || stored?.action === 'destroy');
    return this.makeEntry(sent, action, { attempts, ...repeatState, ...(destroy && { destroy }) }, parameters);
  }

  /** The members of an entry that a repeat needs: what the extensions keep of the record, and whether its create may be repeated. */
  private repeatState(
    { action, records, repeatable }: Write,
    record: InnerRecord,
  ): Pick<OutboxEntry, 'repeatable' | 'slots'> {
    const slots = record[CORE]?.slots;
    return {
      // A create that shared its request, and so its key, with other records cannot be repeated alone.
      repeatable: (action === 'create' && records.length === 1 && repeatable) || undefined,
      slots: slots && slots.size > 0 ? Object.fromEntries(slots) : undefined,
    };
  }

  /** The entry of a write that waits to be sent. Without `parameters`, the record's entry keeps its own. */
  entryToQueue(record: InnerRecord, action: WriteAction, parameters?: EntryParameters): OutboxEntry {
    const item = this.queue.get(entryKeyOf(record));
    if (action === 'destroy' && record[CORE]?.phantom) {
      // The record has no id by which it could be erased, so the erase is noted in the entry of its create.
      const create = item?.entry.action === 'create' ? item.entry : this.makeEntry(record, 'create', {}, parameters);
      return withState({ ...create, ...followedWith(create, parameters), destroy: true }, create.state);
    }
    if (item?.entry.action === 'create' && (item.activeWrites > 0 || item.entry.attempts > 0))
      return action === 'destroy'
        ? withState({ ...item.entry, ...followedWith(item.entry, parameters), destroy: true }, item.entry.state)
        : this.withLater({ ...item.entry, ...followedWith(item.entry, parameters) }, record);
    const { attempts = 0, repeatable, slots } = item?.entry ?? {};
    const entryAction = record[CORE]?.phantom && action !== 'destroy' ? 'create' : action;
    return this.makeEntry(record, entryAction, { attempts, repeatable, slots }, parameters);
  }

  /** The entry of an unconfirmed create. It counts one attempt, so that it is unconfirmed after a restart too. */
  unconfirmedCreate(record: InnerRecord, error: DataError, parameters: EntryParameters): OutboxEntry {
    const entry = this.makeEntry(record, 'create', { attempts: 1 }, parameters);
    // The server may hold the values that were sent, so later edits are kept apart and follow as an update.
    const sent = { cleared: undefined, ...createValues(record, coreOf(record).sent) };
    return withState(this.withLater({ ...entry, ...sent }, record), 'unconfirmed', errorData(error));
  }

  /** The entry of a write that was queued before a `sync()`, which has sent it and then undone it. A create needs a new key. */
  undone(entry: OutboxEntry, record: InnerRecord): OutboxEntry {
    const sentAgain = { attempts: 0, repeatable: undefined, slots: undefined, notes: noteValues(record[ROW]) };
    return withState({ ...entry, ...sentAgain }, 'queued');
  }

  /** The entry of a record with its present values. */
  private makeEntry(
    record: InnerRecord,
    action: WriteAction,
    more: Partial<OutboxEntry>,
    parameters: EntryParameters | undefined = this.queue.get(entryKeyOf(record))?.entry.parameters,
  ): OutboxEntry {
    const { queue, version } = this;
    const key = entryKeyOf(record);
    const stored = queue.get(key)?.entry;
    const model = record[MODEL];
    const id = model.serverId(record) as OutboxEntry['id'];
    const values: EntryValues =
      action === 'create'
        ? createValues(record)
        : action === 'update'
          ? editedValues(record, stored?.action === 'update' ? stored.base : {})
          : { id, values: {}, base: {}, dependsOn: {} };
    const notes = noteValues(record[ROW]);
    return Object.freeze({
      ...{ version, scope: queue.scope, model: model.name, key, action },
      ...values,
      ...(notes && { notes }),
      ...(Object.keys(parameters ?? {}).length > 0 && { parameters }),
      seq: stored?.seq ?? queue.nextSeq(),
      attempts: 0,
      createdAt: stored?.createdAt ?? this.now(),
      state: 'queued',
      ...more,
    });
  }

  /** Whether the entry of a record gives a field another value than the record's row has. */
  queuesChange(record: InnerRecord, name: string): boolean {
    // Reading `$.key` would create a key, and a record without a key was never queued.
    const item = this.queue.get(record[CORE]?.key ?? '');
    return item !== undefined && changesField(record, item.entry, name);
  }

  /** The entry of a create that was already sent, with the values saved since then as `later`. */
  withLater(entry: OutboxEntry, record: InnerRecord): OutboxEntry {
    const { values, dependsOn } = createValues(record);
    const { [MODEL]: model } = record;
    const row = withWritten(record[ROW], writeEdits(record));
    const later = Object.fromEntries(
      Object.entries(values)
        .filter(([name, value]) => !isSame(value, entry.values[name]))
        // A later value is sent by an update, which needs the members that a field with a function as mapping writes.
        .map(([name, value]) => {
          const field = model.field(name);
          return [name, !field || field.path ? value : membersOf(field, row)];
        }),
    );
    const laterDependsOn = Object.fromEntries(Object.entries(dependsOn).filter(([name]) => name in later));
    return Object.freeze({
      ...{ ...entry, dependsOn: { ...entry.dependsOn, ...laterDependsOn } },
      later: Object.keys(later).length > 0 ? later : undefined,
    });
  }

  /** The entry that is left when a write has ended; undefined: nothing is left to send. */
  remainingAfter(
    { entry: current, record: ownRecord }: Item,
    sent: OutboxEntry,
    record: InnerRecord,
    outcome: EntryOutcome,
    error: DataError | undefined,
  ): OutboxEntry | undefined {
    const isNewer = current !== sent;
    if (outcome === 'done') {
      const remaining = this.remainingAfterSuccess(current, sent, record);
      // Edits that were saved behind this write and then rejected while it was in flight must not be sent.
      return remaining?.action === 'update' && record === ownRecord && !isDirty(record) ? undefined : remaining;
    }
    if (outcome === 'never-connected')
      return Object.freeze({ ...current, attempts: Math.max(current.attempts - 1, 0) });
    // The server has clearly not created the record, so after a restart the create counts as never sent and is repeated safely.
    if (outcome === 'queued' && current.action === 'create' && current.attempts > 0 && !coreOf(record).unconfirmed)
      return Object.freeze({ ...current, attempts: 0 });
    if (outcome === 'queued' || (isNewer && outcome === 'failed')) return current;
    const failed = withState(current, outcome, error && errorData(error));
    // The server has refused this create, so the next attempt is a new create, with a new key.
    if (outcome === 'failed' && current.action === 'create')
      return Object.freeze({ ...failed, attempts: 0, repeatable: undefined, slots: undefined });
    return failed;
  }

  /** The entry of the values that are still unsent after a successful write; undefined: there are none. */
  remainingAfterSuccess(current: OutboxEntry, sent: OutboxEntry, record: InnerRecord): OutboxEntry | undefined {
    const id = record[MODEL].serverId(record) as OutboxEntry['id'];
    const unsentState = {
      id,
      clientId: undefined,
      attempts: 0,
      repeatable: undefined,
      slots: undefined,
      later: undefined,
      parameters: current.laterParameters ?? current.parameters,
      laterParameters: undefined,
      destroy: undefined,
      notes: undefined,
      // The state and error of the write that ended do not apply to the write that follows it.
      state: 'queued' as const,
      error: undefined,
    };
    if (sent.action === 'destroy') return undefined;
    if (current.destroy || current.action === 'destroy')
      return Object.freeze({ ...current, ...unsentState, action: 'destroy', values: {}, base: {}, dependsOn: {} });
    const wasCreate = sent.action === 'create';
    const values = (wasCreate ? current.later : changedSince(current.values, sent.values)) ?? {};
    const cleared = wasCreate ? [] : (current.cleared ?? []).filter((name) => !sent.cleared?.includes(name));
    const names = [...Object.keys(values), ...cleared];
    if (names.length === 0) return undefined;
    const base = { ...(!wasCreate && current.base), ...sent.base, ...sent.values };
    return Object.freeze({
      ...{
        ...current,
        ...unsentState,
        action: 'update' as const,
        values,
        cleared: cleared.length > 0 ? cleared : undefined,
      },
      base: Object.fromEntries(names.map((name) => [name, base[name]])),
    });
  }

  /** The entries that refer to a record that was just created, with its new id. */
  withParentId(key: string, record: InnerRecord): OutboxEntry[] {
    const id = record[MODEL].serverId(record);
    return this.queue.referring(key).map((item) => {
      const { entry } = item;
      const names = Object.keys(entry.dependsOn).filter((name) => entry.dependsOn[name] === key);
      const { [MODEL]: model } = item.record ?? {};
      const idsIn = (values: WireValues) =>
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const field = names.includes(name) ? model?.field(name) : undefined;
            return [name, names.includes(name) ? (field ? wireId(field, id) : id) : value];
          }),
        );
      const dependsOn = Object.fromEntries(Object.entries(entry.dependsOn).filter(([name]) => !names.includes(name)));
      const later = entry.later && idsIn(entry.later);
      return Object.freeze({ ...entry, values: idsIn(entry.values), ...(later && { later }), dependsOn });
    });
  }
}

/** The parameters of the writes that follow a create, as members of its entry. Without `parameters`, the entry keeps them. */
function followedWith(
  create: OutboxEntry,
  parameters: EntryParameters | undefined,
): Pick<OutboxEntry, 'laterParameters'> | undefined {
  return parameters && { laterParameters: isSame(parameters, create.parameters ?? {}) ? undefined : parameters };
}

function changedSince(now: WireValues, sent: WireValues): WireValues {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !isSame(value, sent[name])));
}
