import type { DataError } from '../errors/data-error.js';
import { noteValues } from '../extension/row-notes.js';
import type { Write, WriteAction } from '../extension/write.js';
import { coreOf, type InnerRecord, inner, isDirty, withWritten, writeEdits } from '../model/record.js';
import { didChange } from '../model/record-owner.js';
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
import type { OutboxEntry, WireValues } from './outbox-entry.js';
import { errorData, type Item, type Queue, withState } from './queue.js';

/** Makes the entries of records, and works out what is left of an entry when its write has ended. */
export class EntryDrafts {
  constructor(
    private readonly queue: Queue,
    private readonly version: number,
    private readonly now: () => number,
  ) {}

  /** The entry of a write that is about to be sent. */
  draft(record: InnerRecord, write: Write, online: boolean): OutboxEntry {
    const { action, resend } = write;
    const known = this.queue.get(entryKeyOf(record))?.entry;
    const attempts = (known?.attempts ?? 0) + (online ? 1 : 0);
    const kept = this.keptBy(write, record);
    // The outbox sends the stored values, not the record's later edits.
    if (write.isCopy && known) {
      const [copy = record] = (write.frozen ?? []).map(inner);
      // Values saved after the first attempt are sent along, unless the create has to be repeated exactly as it was.
      const values = known.later && !resend && { cleared: undefined, ...createValues(copy), later: undefined };
      return withState({ ...known, ...values, ...kept, attempts }, 'queued', known.error);
    }
    // A save cancels the queued erase of its record, so the record is shown again; an erase that waits behind this save still follows.
    if (action !== 'destroy' && known?.action === 'destroy' && !record[CORE]?.erasing)
      didChange(record, { kind: 'restored' });
    if (resend && known?.action === 'create')
      return withState(this.withLater({ ...known, attempts }, record), 'queued');
    // A queued erase of a new record stays queued until a create of the record has succeeded.
    const destroy = action === 'create' && (known?.destroy || known?.action === 'destroy');
    return this.entry(record, action, { attempts, ...kept, ...(destroy && { destroy }) });
  }

  /** The members of an entry that a repeat needs: what the extensions keep of the record, and whether its create may be repeated. */
  private keptBy(
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

  /** The entry of a write that waits to be sent. */
  queuedEntry(record: InnerRecord, action: WriteAction): OutboxEntry {
    const known = this.queue.get(entryKeyOf(record));
    if (action === 'destroy' && record[CORE]?.phantom) {
      // The record has no id by which it could be erased, so the erase is noted in the entry of its create.
      const create = known?.entry.action === 'create' ? known.entry : this.entry(record, 'create', {});
      return withState({ ...create, destroy: true }, create.state);
    }
    if (known?.entry.action === 'create' && (known.flights > 0 || known.entry.attempts > 0))
      return action === 'destroy'
        ? withState({ ...known.entry, destroy: true }, known.entry.state)
        : this.withLater(known.entry, record);
    const { attempts = 0, repeatable, slots } = known?.entry ?? {};
    return this.entry(record, record[CORE]?.phantom && action !== 'destroy' ? 'create' : action, {
      attempts,
      repeatable,
      slots,
    });
  }

  /** The entry of an unconfirmed create. It counts one attempt, so that it is unconfirmed after a restart too. */
  inDoubt(record: InnerRecord, error: DataError): OutboxEntry {
    const entry = this.entry(record, 'create', { attempts: 1 });
    // The server may hold the values that were sent, so later edits are kept apart and follow as an update.
    const sent = { cleared: undefined, ...createValues(record, coreOf(record).sent) };
    return withState(this.withLater({ ...entry, ...sent }, record), 'unconfirmed', errorData(error));
  }

  /** The entry of a record with its present values. */
  entry(record: InnerRecord, action: WriteAction, more: Partial<OutboxEntry>): OutboxEntry {
    const { queue, version } = this;
    const key = entryKeyOf(record);
    const known = queue.get(key)?.entry;
    const model = record[MODEL];
    const id = model.serverId(record) as OutboxEntry['id'];
    const said: EntryValues =
      action === 'create'
        ? createValues(record)
        : action === 'update'
          ? editedValues(record, known?.action === 'update' ? known.base : {})
          : { id, values: {}, base: {}, dependsOn: {} };
    const notes = noteValues(record[ROW]);
    return Object.freeze({
      ...{ version, scope: queue.scope, model: model.name, key, action },
      ...said,
      ...(notes && { notes }),
      seq: known?.seq ?? queue.nextSeq(),
      attempts: 0,
      createdAt: known?.createdAt ?? this.now(),
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
    const now = withWritten(record, writeEdits(record));
    const later = Object.fromEntries(
      Object.entries(values)
        .filter(([name, value]) => !isSame(value, entry.values[name]))
        // A later value is sent by an update, which needs the members that a field with a function as mapping writes.
        .map(([name, value]) => {
          const field = model.field(name);
          return [name, !field || field.path ? value : membersOf(field, now)];
        }),
    );
    const on = Object.fromEntries(Object.entries(dependsOn).filter(([name]) => name in later));
    return Object.freeze({
      ...{ ...entry, dependsOn: { ...entry.dependsOn, ...on } },
      later: Object.keys(later).length > 0 ? later : undefined,
    });
  }

  /** The entry that is left when a write has ended; undefined: nothing is left to send. */
  next(
    { entry: now, record: kept }: Item,
    sent: OutboxEntry,
    record: InnerRecord,
    outcome: EntryOutcome,
    error: DataError | undefined,
  ): OutboxEntry | undefined {
    const isNewer = now !== sent;
    if (outcome === 'done') {
      const left = this.rest(now, sent, record);
      // Edits that were saved behind this write and then rejected while it was in flight must not be sent.
      return left?.action === 'update' && record === kept && !isDirty(record) ? undefined : left;
    }
    if (outcome === 'never-connected') return Object.freeze({ ...now, attempts: Math.max(now.attempts - 1, 0) });
    // The server has clearly not created the record, so after a restart the create counts as never sent and is repeated safely.
    if (outcome === 'queued' && now.action === 'create' && now.attempts > 0 && !coreOf(record).unconfirmed)
      return Object.freeze({ ...now, attempts: 0 });
    if (outcome === 'queued' || (isNewer && outcome === 'failed')) return now;
    const failed = withState(now, outcome, error && errorData(error));
    // The server has refused this create, so the next attempt is a new create, with a new key.
    if (outcome === 'failed' && now.action === 'create')
      return Object.freeze({ ...failed, attempts: 0, repeatable: undefined, slots: undefined });
    return failed;
  }

  /** The entry of the values that are still unsent after a successful write; undefined: there are none. */
  rest(now: OutboxEntry, sent: OutboxEntry, record: InnerRecord): OutboxEntry | undefined {
    const id = record[MODEL].serverId(record) as OutboxEntry['id'];
    const fresh = {
      id,
      clientId: undefined,
      attempts: 0,
      repeatable: undefined,
      slots: undefined,
      later: undefined,
      destroy: undefined,
      notes: undefined,
      // The state and error of the write that ended do not apply to the write that follows it.
      state: 'queued' as const,
      error: undefined,
    };
    if (sent.action === 'destroy') return undefined;
    if (now.destroy || now.action === 'destroy')
      return Object.freeze({ ...now, ...fresh, action: 'destroy', values: {}, base: {}, dependsOn: {} });
    const created = sent.action === 'create';
    const values = (created ? now.later : differing(now.values, sent.values)) ?? {};
    const cleared = created ? [] : (now.cleared ?? []).filter((name) => !sent.cleared?.includes(name));
    const names = [...Object.keys(values), ...cleared];
    if (names.length === 0) return undefined;
    const base = { ...(!created && now.base), ...sent.base, ...sent.values };
    return Object.freeze({
      ...{ ...now, ...fresh, action: 'update' as const, values, cleared: cleared.length > 0 ? cleared : undefined },
      base: Object.fromEntries(names.map((name) => [name, base[name]])),
    });
  }

  /** The entries that refer to a record that was just created, with its new id. */
  referring(key: string, record: InnerRecord): OutboxEntry[] {
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

function differing(now: WireValues, sent: WireValues): WireValues {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !isSame(value, sent[name])));
}
