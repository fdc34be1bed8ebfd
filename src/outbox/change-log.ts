import type { DataError } from '../errors/data-error.js';
import { keyOf } from '../model/parts/wire-values.js';
import type { InnerRecord } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { type IdKey, idKeyOf } from '../store/id-index.js';
import type { ChangeCodec } from './change-codec.js';
import { HeldRecord } from './held-record.js';
import { type Job, nextJob } from './next-job.js';
import { OutboxError } from './outbox-error.js';
import type {
  ItemProgress,
  LoggedItem,
  LogView,
  OutboxStorage,
  StoredItem,
  StoredOutcome,
} from './storage/outbox-storage.js';
import { isOne, type LoggedChange, type OwnChange, type Progress, type StoredChange, UNSENT } from './stored-change.js';

/** The end of changes. */
export interface OutcomeData {
  /** The outbox that has stored the outcome. */
  readonly tab: string;
  /** The id of a created record; null: it was never created; undefined: nothing was created. */
  readonly id?: unknown;
  /** The row that the server has now. */
  readonly row?: object | undefined;
  readonly notes?: object | undefined;
  /** Whether the record was erased: a tab may never have read the change that has erased it. */
  readonly erased?: true | undefined;
  /** The record on the server: a tab may show it that has never read a change of it. */
  readonly of?: { readonly model: string; readonly id: unknown } | undefined;
}

/** An outcome that another tab has stored, with its changes as they were known here. */
export interface ForeignOutcome extends OutcomeData {
  readonly type: StoredOutcome['type'];
  readonly changes: readonly LoggedChange[];
}

/** The news that a look into the storage has brought. */
export interface News {
  readonly seen: readonly Seen[];
  /** The outcomes of records of which this tab has read no change. */
  readonly others: readonly ForeignOutcome[];
}

/** A change that is to be stored. */
export interface NewChange {
  readonly held: HeldRecord;
  readonly own: OwnChange;
  /** Makes the change from what is stored of the record by then; undefined: there is nothing to store. */
  make(): StoredChange | undefined;
}

/** A change with its stored form. */
interface EncodedChange {
  readonly held: HeldRecord;
  readonly own: OwnChange;
  readonly change: StoredChange;
  readonly item: StoredItem;
}

/** The calls of `append` that one step stores together. */
interface AppendBatch {
  readonly calls: (readonly NewChange[])[];
  /** The records of their changes. A change is made from what is stored of its record, so each record is in one call only. */
  readonly records: Set<HeldRecord>;
  /** Resolves with the errors of the calls that could not be stored. */
  readonly errors: Promise<ReadonlyMap<object, unknown>>;
}

/** The calls that share a step at most: a line of a file that is damaged later takes no more with it. */
const MOST_TOGETHER = 100;

/** The news of a record that a read of the storage has brought. */
export interface Seen {
  readonly held: HeldRecord;
  readonly outcomes: readonly ForeignOutcome[];
  /** The changes that were not known before. */
  readonly added: readonly LoggedChange[];
}

/** The result of one read for a record. */
interface Found {
  readonly changes: LoggedChange[];
  /** Undefined: all can be read. */
  unreadable?: Map<number, OutboxError>;
  readonly outcomes: ForeignOutcome[];
}

/** The stored changes of one scope: what this tab has read of them, and the only place that reads and writes the storage. */
export class ChangeLog {
  /** The records with stored changes, by their names. */
  readonly records: Map<string, HeldRecord> = new Map();
  /** The same records by all names that the storage knows them by, and by their `$.key`. */
  private readonly byName: Map<string, HeldRecord> = new Map();
  /** The ids of created records by their keys; null: never created. */
  private readonly ids: Map<string, unknown> = new Map();
  /** The progress of changes as the storage has it, by the keys of their items: nobody else may have changed it. */
  private readonly stored: Map<number, string | undefined> = new Map();
  /** The keys of items that have ended here, and whose removal is still to be stored: a read must not bring them back. */
  private readonly ending: Set<number> = new Set();
  /** The outcomes of all records are known up to this place. */
  private place = 0;
  /** The outcomes of a record of which nothing is known are of no interest up to this place. */
  private latest = 0;
  /** The places of the latest outcomes that are known of records of which nothing else is. */
  private readonly otherPlaces: Map<string, number> = new Map();
  /** The names of records that the next look reads, and whether it reads all. */
  private asked: Set<string> = new Set();
  private isAllAsked = false;
  /** Whether the storage has outcomes of writes that have ended. */
  private hasOutcomes = false;
  /** Why the storage could not be opened or read. */
  private failure: DataError | undefined = undefined;
  /** Resolves when the latest step has been handed to the storage: steps are made one after the other. */
  private lastStep: Promise<unknown> = Promise.resolve();
  /** The step that stores changes and has not begun, if it is the latest one. */
  private openBatch: AppendBatch | undefined = undefined;
  /** Steps that the storage has refused, and that must not be undone: they are made again before the next one. */
  private unstored: (() => Promise<unknown>)[] = [];

  constructor(
    readonly scope: string,
    readonly storage: OutboxStorage,
    /** The name of this outbox among those that share the storage. */
    readonly tab: string,
    private readonly codec: ChangeCodec,
    /** Called after each change. `held` is the record that has changed; without it, screens are told by whoever has asked for the read. */
    private readonly onChange: (held?: HeldRecord, isSaved?: boolean) => void,
  ) {}

  /** The id of a created record, by its key; null: it was never created; undefined: that is not known. */
  idOf: (key: string) => unknown = (key) => this.ids.get(key);

  /** Opens the storage, and reads everything that is stored. If that fails, every later step fails with the same error. */
  begin(opening: () => Promise<void>): Promise<readonly Seen[]> {
    return this.step(async () => {
      try {
        await opening();
        return (await this.readAll()).seen;
      } catch (error) {
        this.failure = error as DataError;
        throw error;
      }
    });
  }

  /**
   * Reads what is stored of the records with these names in the storage, by default of all. Returns what is new. Calls of the same moment share
   * one read.
   */
  look(records: readonly string[] = []): Promise<News> {
    if (records.length === 0) this.isAllAsked = true;
    for (const record of records) this.asked.add(record);
    return this.step(async () => {
      const { isAllAsked, asked } = this;
      this.isAllAsked = false;
      this.asked = new Set();
      if (isAllAsked) return this.readAll();
      return asked.size > 0 ? this.readSome(asked) : { seen: [], others: [] };
    });
  }

  private async readAll(): Promise<News> {
    const view = await this.storage.read({ scope: this.scope, after: this.place });
    this.place = view.place;
    this.latest = view.place;
    this.hasOutcomes ||= view.outcomes.length > 0;
    const news = { seen: await this.take(view, this.records.values()), others: await this.takeOthers(view) };
    this.otherPlaces.clear();
    return news;
  }

  /** Reads records by the names that the storage has for them. */
  private async readSome(asked: ReadonlySet<string>): Promise<News> {
    const known = [...asked].flatMap((name) => this.byName.get(name) ?? []);
    const names = new Set([...asked, ...known.flatMap((held) => [...held.names])]);
    const view = await this.storage.read({ scope: this.scope, records: [...names], after: this.place });
    // An item may belong to a record that is stored under another name, too.
    const isPart = (held: HeldRecord) => [...held.names].every((name) => names.has(name));
    const found = await Promise.all(view.items.map((item) => this.heldIfKnown(item)));
    if (![...known, ...found].every((held) => !held || isPart(held))) return this.readAll();
    this.latest = Math.max(this.latest, view.place);
    this.hasOutcomes ||= view.outcomes.length > 0;
    return { seen: await this.take(view, known), others: await this.takeOthers(view) };
  }

  /** The latest outcomes of records of which this tab knows no change, although it may show them. */
  private async takeOthers({ outcomes }: LogView): Promise<readonly ForeignOutcome[]> {
    const latest = new Map<string, ForeignOutcome>();
    for (const { record, type, data, place } of outcomes) {
      if (place <= (this.otherPlaces.get(record) ?? 0)) continue;
      this.otherPlaces.set(record, place);
      const outcome = await this.codec.read<OutcomeData>(data);
      const name = outcome.of && nameOfId(outcome.of.model, outcome.of.id);
      if (type !== 'sent' || name === undefined) continue;
      // This tab shows already what it has sent itself, and records whose changes it has read.
      if (outcome.tab === this.tab || this.byName.has(record)) latest.delete(name);
      else latest.set(name, { ...outcome, type, changes: [] });
    }
    return [...latest.values()];
  }

  /** Reads what is stored of a record. */
  refresh(held: HeldRecord): Promise<Seen> {
    const records = [...held.names];
    return this.step(async () => {
      const view = await this.storage.read({ scope: this.scope, records, after: held.place });
      const [seen] = await this.take(view, [held], held);
      return seen ?? { held, outcomes: [], added: [] };
    });
  }

  /** The stored changes of a record; undefined: there are none. */
  get(record: InnerRecord): HeldRecord | undefined {
    const key = record[CORE]?.key;
    const found = key === undefined ? undefined : this.byName.get(key);
    return found ?? (record[CORE]?.phantom ? undefined : this.byId(record[MODEL].name, record[MODEL].serverId(record)));
  }

  /** The stored changes of the record with an id on the server. */
  byId(model: string, id: unknown): HeldRecord | undefined {
    const name = nameOfId(model, id);
    return name === undefined ? undefined : this.byName.get(name);
  }

  /** The record with this key or name. */
  byKey(key: string): HeldRecord | undefined {
    return this.byName.get(key);
  }

  /** The record of which a change has this key: another tab may have a key of its own for the record. */
  find(key: string): HeldRecord | undefined {
    const known = this.byKey(key);
    if (known && !known.isEmpty) return known;
    return [...this.records.values()].find(({ changes }) => changes.some(({ change }) => change.key === key));
  }

  /** The place of a record's changes, which is made now if there are none yet. */
  hold(record: InnerRecord): HeldRecord {
    const known = this.get(record);
    if (known) return known;
    const { name: model } = record[MODEL];
    const key = keyOf(record);
    const id = record[CORE]?.phantom ? undefined : nameOfId(model, record[MODEL].serverId(record));
    return this.open(id ?? key, model, key);
  }

  /** Works out the next step for a record. `upTo` is the key of the last change that counts. */
  jobOf(held: HeldRecord, upTo: number = Number.POSITIVE_INFINITY): Job | undefined {
    if (held.unreadable.size > 0) return undefined;
    // All that was sent together without a response is repeated together, whoever has saved it.
    const counts = ({ key, change, progress }: LoggedChange) =>
      key <= upTo || progress.state === 'attempted' || change.action === 'create';
    return nextJob(held.changes.filter(counts), this.idOf);
  }

  /**
   * Stores changes of records, in the order of the calls. Each is made when the changes of its record before it are stored. Resolves when the
   * storage has them all. Calls between which the storage is asked for nothing else share one step, because a step may take milliseconds.
   */
  async append(added: readonly NewChange[]): Promise<void> {
    for (const { held } of added) held.changing += 1;
    try {
      const errors = await this.addToBatch(added).errors;
      if (errors.has(added)) throw errors.get(added);
    } finally {
      for (const { held } of added) {
        held.changing -= 1;
        this.letGo(held);
      }
    }
    for (const { held } of added) this.onChange(held, true);
  }

  /** Adds the changes of a call to the step that waits to be made, or to a new one. */
  private addToBatch(added: readonly NewChange[]): AppendBatch {
    const { openBatch } = this;
    const canShare =
      openBatch && openBatch.calls.length < MOST_TOGETHER && !added.some(({ held }) => openBatch.records.has(held));
    const batch = canShare ? openBatch : this.startBatch();
    batch.calls.push(added);
    for (const { held } of added) batch.records.add(held);
    return batch;
  }

  private startBatch(): AppendBatch {
    const calls: (readonly NewChange[])[] = [];
    const close = () => {
      if (this.openBatch?.calls === calls) this.openBatch = undefined;
    };
    const errors = this.step(() => {
      close();
      return this.storeCalls(calls);
    });
    // A step that fails before it begins takes no more calls either.
    errors.catch(close);
    this.openBatch = { calls, records: new Set<HeldRecord>(), errors };
    return this.openBatch;
  }

  /** Stores the changes of calls. Resolves with the errors of the calls that could not be stored. */
  private async storeCalls(calls: readonly (readonly NewChange[])[]): Promise<ReadonlyMap<object, unknown>> {
    const errors = new Map<object, unknown>();
    const note = (call: object) => (error: unknown) => void errors.set(call, error);
    const encoded = await Promise.all(
      calls.map(async (call) => ({ call, changes: (await this.encode(call).catch(note(call))) ?? [] })),
    );
    const added = encoded.filter(({ changes }) => changes.length > 0);
    try {
      await this.storeAdded(added.flatMap(({ changes }) => changes));
    } catch (error) {
      const [only] = added;
      if (only && added.length === 1) note(only.call)(error);
      // One of the calls may be why the step was refused, for example by its size, and must not take the others with it.
      else for (const { call, changes } of added) await this.storeAdded(changes).catch(note(call));
    }
    return errors;
  }

  /** Makes changes, and their stored form. */
  private async encode(added: readonly NewChange[]): Promise<readonly EncodedChange[]> {
    const made = added.flatMap(({ held, own, make }) => {
      const change = make();
      return change ? [{ held, own, change }] : [];
    });
    return await Promise.all(
      made.map(async (each) => {
        const data = await this.codec.writeChange(each.change);
        return { ...each, item: { scope: this.scope, record: each.held.name, data } };
      }),
    );
  }

  private async storeAdded(added: readonly EncodedChange[]): Promise<void> {
    if (added.length === 0) return;
    const keys = await this.storage.append(added.map(({ item }) => item));
    for (const [at, { held, change, own }] of added.entries()) {
      const key = keys[at] as number;
      held.known.add(own.record, key, change, own.at);
      this.stored.set(key, undefined);
      held.changes = createFirst([...held.changes, { key, part: 0, change, progress: UNSENT, own }]);
      this.keep(held);
    }
  }

  /** Sets the progress of changes. Rejects with `OutboxError` if another tab has changed it meanwhile. */
  async update(held: HeldRecord, progress: readonly (readonly [LoggedChange, Progress])[]): Promise<void> {
    await this.step(async () => {
      await this.storeProgress(progress);
      this.setProgress(held, progress);
    });
  }

  /** The same for progress that is true whatever the storage says: if it fails, it is stored before the next step. */
  async updateSurely(held: HeldRecord, progress: readonly (readonly [LoggedChange, Progress])[]): Promise<void> {
    // Without a network, nothing of thousands of saves has changed, and each step of a file waits for the disk.
    if (progress.length === 0) return;
    this.setProgress(held, progress);
    await this.surely(async () => {
      await this.storeProgress(progress);
      this.setProgress(held, progress);
    });
  }

  /**
   * Removes changes of a record with their outcome, in one step with the id of the record. In this tab they are gone at once. If the storage
   * fails, `surely` makes the same step again before the next one; otherwise everything stays.
   */
  async remove(
    held: HeldRecord,
    group: readonly LoggedChange[],
    type: StoredOutcome['type'],
    { id, row, notes }: Omit<OutcomeData, 'tab' | 'erased' | 'of'>,
    surely: boolean,
    rest: readonly (readonly [LoggedChange, Progress])[] = [],
    isStill: () => boolean = () => true,
  ): Promise<void> {
    const key = group.find(({ change }) => change.action === 'create')?.change.key;
    const remains = (each: LoggedChange) =>
      held.changes.find((other) => other.key === each.key && !group.some((one) => isOne(one, other)));
    const partly = group.filter((each, at) => remains(each) && group[at + 1]?.key !== each.key);
    const keys = [...new Set(group.filter((each) => !remains(each)).map((each) => each.key))];
    const apply = () => {
      held.changes = held.changes.filter((each) => !group.some((one) => isOne(one, each)));
      if (type === 'dropped') held.known.drop(keys);
      held.known.keepOnly(held.changes);
      held.keepUnreadable((one) => !keys.includes(one));
      for (const one of keys) this.codec.forget(one);
      if (key !== undefined && id !== undefined) this.learn(key, held.model, id);
      this.setProgress(held, rest);
      this.letGo(held);
      this.onChange(held);
    };
    const step = async () => {
      if (!isStill()) throw new OutboxError('outbox-taken-over');
      const { scope } = this;
      const hasErased = type === 'sent' && group.some(({ change }) => change.action === 'destroy');
      const erased = hasErased || undefined;
      const of = { model: held.model, id: id ?? group[0]?.change.id ?? this.ids.get(held.key) };
      const data = await this.codec.write({ tab: this.tab, id, row, notes, erased, of } satisfies OutcomeData);
      const identity =
        key === undefined || id === undefined
          ? undefined
          : { scope, record: key, data: await this.codec.write({ id }) };
      const progress = await Promise.all([
        ...partly.map(async (each): Promise<ItemProgress> => {
          return { key: each.key, progress: await this.codec.write({ ...UNSENT, answered: each.part + 1 }) };
        }),
        ...rest.map((each) => this.itemProgress(...each)),
      ]);
      const unchanged = this.unchanged([...keys, ...progress.map((each) => each.key)]);
      await this.storage.remove({ scope, record: held.name, keys, type, data }, { identity, progress, unchanged });
      for (const one of keys) this.stored.delete(one);
      for (const each of progress) this.stored.set(each.key, each.progress);
      // Again, because a read that was under way may have brought back the answered part of an item.
      apply();
    };
    if (!surely) return this.step(step);
    apply();
    for (const one of keys) this.ending.add(one);
    return this.surely(() =>
      step().finally(() => {
        for (const one of keys) this.ending.delete(one);
      }),
    );
  }

  /** Drops changes if the storage still has them as they are here, and the test passes. Rejects with `OutboxError` otherwise. */
  withdraw(held: HeldRecord, group: readonly LoggedChange[], isStill: () => boolean): Promise<void> {
    return this.remove(held, group, 'dropped', {}, false, [], isStill);
  }

  /** Reads what is stored of a scope, as it is. */
  readScope(scope: string): Promise<LogView> {
    return this.step(() => this.storage.read({ scope }));
  }

  /** Reads the changes of items, also of another scope, by the names of their records. What cannot be read is left out. */
  async changesOf(items: readonly LoggedItem[]): Promise<Map<string, LoggedChange[]>> {
    const changes = new Map<string, LoggedChange[]>();
    for (const item of items) {
      const known = changes.get(item.record) ?? [];
      changes.set(item.record, known);
      known.push(...(await this.codec.readItem(item).catch(() => [])));
    }
    return changes;
  }

  /** Removes what is stored of a scope by keys, also what cannot be read. */
  async removeItems(scope: string, items: readonly LoggedItem[]): Promise<void> {
    const records = new Set(items.map(({ record }) => record));
    const data = await this.codec.write({ tab: this.tab } satisfies OutcomeData);
    for (const record of records) {
      const keys = items.filter((item) => item.record === record).map(({ key }) => key);
      await this.step(() => this.storage.remove({ scope, record, keys, type: 'dropped', data }));
    }
  }

  /** Resolves when all steps so far have been handed to the storage. */
  async handedOver(): Promise<void> {
    await this.lastStep;
  }

  /** Forgets outcomes and ids that no stored change needs. For an outbox that is opened when no other tab has the storage open. */
  async prune(): Promise<void> {
    const needed = new Set(
      [...this.records.values()].flatMap(({ changes }) =>
        changes.flatMap(({ change }) => [change.key, ...Object.values(change.dependsOn)]),
      ),
    );
    // Items that cannot be read here may need any id.
    const isUnclear = [...this.records.values()].some(({ unreadable }) => unreadable.size > 0);
    const records = isUnclear ? [] : [...this.ids.keys()].filter((key) => !needed.has(key));
    if (records.length === 0 && !this.hasOutcomes) return;
    await this.step(() => this.storage.prune({ scope: this.scope, before: this.place + 1, records }));
    for (const key of records) this.ids.delete(key);
  }

  /** Makes a step after the steps before it, and first those that the storage has refused. */
  private step<T>(make: () => Promise<T>): Promise<T> {
    // Changes that are stored from now on come after this step.
    this.openBatch = undefined;
    const made = this.lastStep.then(async () => {
      if (this.failure) throw this.failure;
      for (let [unstored] = this.unstored; unstored; [unstored] = this.unstored) {
        await unstored().catch((error: DataError) => {
          // Another tab has gone on with the record: what it has stored counts.
          if (error.code !== 'outbox-taken-over') throw error;
        });
        this.unstored.shift();
      }
      return make();
    });
    this.lastStep = made.catch(() => undefined);
    return made;
  }

  private surely(make: () => Promise<unknown>): Promise<void> {
    return this.step(make).then(
      () => undefined,
      (error: DataError) => {
        // Another tab has gone on with the record.
        if (error.code !== 'outbox-taken-over') this.unstored.push(make);
        throw error;
      },
    );
  }

  private async storeProgress(progress: readonly (readonly [LoggedChange, Progress])[]): Promise<void> {
    const items = await Promise.all(progress.map((each) => this.itemProgress(...each)));
    await this.storage.update(items, this.unchanged(items.map(({ key }) => key)));
    for (const item of items) this.stored.set(item.key, item.progress);
  }

  /** The progress that the storage must still have for a step: a tab that has lost its lock without noticing changes nothing. */
  private unchanged(keys: readonly number[]): ItemProgress[] {
    return keys.map((key) => ({ key, progress: this.stored.get(key) }));
  }

  private setProgress(held: HeldRecord, changed: readonly (readonly [LoggedChange, Progress])[]): void {
    const progressOf = (each: LoggedChange) => changed.find(([change]) => isOne(change, each))?.[1];
    held.changes = held.changes.map((each) => {
      const progress = progressOf(each);
      return progress ? { ...each, progress } : each;
    });
    this.onChange(held);
  }

  private async itemProgress({ key, part }: LoggedChange, progress: Progress): Promise<ItemProgress> {
    return { key, progress: await this.codec.write(part > 0 ? { ...progress, answered: part } : progress) };
  }

  /**
   * Takes over what was read. `among` are the known records of which everything was read; `only` is the record to which all of it belongs.
   * Returns what is new.
   */
  private async take(view: LogView, among: Iterable<HeldRecord>, only?: HeldRecord): Promise<readonly Seen[]> {
    for (const { record, data } of view.identities)
      if (!this.ids.has(record)) this.learn(record, undefined, (await this.codec.read<{ id: unknown }>(data)).id);
    const found = new Map<HeldRecord, Found>();
    const place = (held: HeldRecord): Found => {
      const known: Found = found.get(held) ?? { changes: [], outcomes: [] };
      found.set(held, known);
      return known;
    };
    for (const held of among) place(held);
    for (const item of view.items) await this.takeItem(item, only, place);
    for (const { record, keys, type, data, place: at } of view.outcomes) {
      const held = only ?? this.byName.get(record);
      if (!held || at <= held.place) continue;
      const outcome = await this.codec.read<OutcomeData>(data);
      if (outcome.tab === this.tab) continue;
      place(held).outcomes.push({ ...outcome, type, changes: held.changes.filter(({ key }) => keys.includes(key)) });
    }
    const seen = [...found].map(([held, each]) => this.replace(held, each, view.place));
    for (const { held } of seen) {
      if (!held.isEmpty) this.keep(held);
      else if (held !== only) this.letGo(held);
    }
    this.onChange();
    return seen;
  }

  /** Takes an item over. One that cannot be read is kept apart, and holds back the later changes of its record. */
  private async takeItem(
    item: LoggedItem,
    only: HeldRecord | undefined,
    place: (held: HeldRecord) => Found,
  ): Promise<void> {
    try {
      const changes = await this.codec.readItem(item);
      const [{ change }] = changes as readonly [LoggedChange];
      const held = only ?? this.heldBy(item, change);
      held.names.add(item.record);
      // Changes in flight here must not be taken over from another tab that has taken the lock away.
      if (!held.running.some(({ key }) => key === item.key)) this.stored.set(item.key, item.progress);
      place(held).changes.push(...changes);
    } catch (error) {
      const held = only ?? this.byName.get(item.record) ?? this.open(item.record, '', item.record);
      const found = place(held);
      found.unreadable ??= new Map();
      found.unreadable.set(item.key, error as OutboxError);
      this.stored.set(item.key, item.progress);
    }
  }

  /** Replaces what is known of a record by what was read. */
  private replace(held: HeldRecord, { changes: found, unreadable, outcomes }: Found, place: number): Seen {
    const changes = createFirst(found.filter(({ key }) => !this.ending.has(key)));
    held.place = place;
    if (held.isEmpty) {
      held.changes = changes;
      // A save that was called before this page knew of a refused one does not decide it.
      if (changes.some(({ progress }) => progress.state === 'refused'))
        held.endedAt = held.record?.[MODEL].clock.now ?? held.endedAt;
      if (unreadable) held.unreadable = unreadable;
      return { held, outcomes, added: changes };
    }
    const before = new Map(held.changes.map((each) => [`${each.key} ${each.part}`, each] as const));
    const known = new Set(held.changes.map(({ key }) => key));
    held.changes = changes.map((each) => {
      const other = before.get(`${each.key} ${each.part}`);
      if (other && isUnchanged(other, each)) return other;
      // Another tab has gone on: the error of the last attempt here says nothing of it, and a save of before does not decide it.
      if (other) held.error = undefined;
      if (each.progress.state === 'refused') held.endedAt = held.record?.[MODEL].clock.now ?? held.endedAt;
      return other ? { ...each, own: other.own } : each;
    });
    const keys = new Set(changes.map(({ key }) => key));
    held.keepUnreadable((key) => keys.has(key));
    if (unreadable) held.unreadable = unreadable;
    return { held, outcomes, added: changes.filter(({ key }) => !known.has(key)) };
  }

  /** The record of an item, if it is known. */
  private async heldIfKnown(item: LoggedItem): Promise<HeldRecord | undefined> {
    const [first] = await this.codec.readItem(item).catch(() => []);
    const byName = this.byName.get(item.record) ?? (first && this.byName.get(this.nameOf(first.change) ?? ''));
    // Another tab may have created the record, and this one knows only the changes from before that.
    return byName ?? (first && this.byName.get(first.change.key));
  }

  /** The record of an item, by its id if it has one on the server. */
  private heldBy(item: LoggedItem, change: StoredChange): HeldRecord {
    const name = this.nameOf(change);
    const known = this.byName.get(item.record) ?? (name === undefined ? undefined : this.byName.get(name));
    if (known && known.model !== '') return known;
    return this.open(name ?? item.record, change.model, change.key);
  }

  /** The name of a changed record by its id; undefined: it has none yet. */
  private nameOf({ action, id, key, model }: StoredChange): string | undefined {
    return action === 'create' ? undefined : nameOfId(model, id ?? this.ids.get(key) ?? undefined);
  }

  private open(name: string, model: string, key: string): HeldRecord {
    const held = new HeldRecord(name, model, key);
    held.place = Math.max(this.latest, this.otherPlaces.get(name) ?? 0);
    this.keep(held);
    return held;
  }

  private keep(held: HeldRecord): void {
    if (!held.isEmpty) this.records.set(held.name, held);
    for (const name of [held.key, ...held.names]) this.label(held, name);
    const {
      changes: [first],
      model,
    } = held;
    const id =
      first && (first.change.action === 'create' ? undefined : (first.change.id ?? this.ids.get(first.change.key)));
    const name = nameOfId(model, id);
    if (name !== undefined) this.label(held, name);
  }

  /** Lets a record be found by a name, unless another one has that name. */
  private label(held: HeldRecord, name: string): void {
    if (this.byName.has(name)) return;
    this.byName.set(name, held);
    held.labels.add(name);
  }

  /** Forgets a record of which nothing is stored any more and that nobody is writing. */
  letGo(held: HeldRecord): void {
    if (!held.isEmpty) return;
    this.records.delete(held.name);
    if (held.activeWrites + held.changing > 0) return;
    for (const name of held.labels) this.byName.delete(name);
    held.labels.clear();
    // The outcomes of a record are not read once more with its next change.
    for (const name of held.names) this.otherPlaces.set(name, held.place);
  }

  /** Remembers the id of a created record. Its changes are found under the id from now on. */
  private learn(key: string, model: string | undefined, id: unknown): void {
    this.ids.set(key, id);
    const held = this.byName.get(key);
    const name = id === null ? undefined : nameOfId(held?.model ?? model ?? '', id);
    if (!held || name === undefined) return;
    held.names.add(name);
    this.label(held, name);
  }
}

/** The name of a record that the server knows, which is the same in all tabs. */
export function nameOfId(model: string, id: unknown): string | undefined {
  const key: IdKey | undefined = idKeyOf(id);
  return key === undefined ? undefined : `${model}/${typeof key}/${String(key)}`;
}

/**
 * Changes of a record in the order in which they are sent. A create that was undone without a response is stored again behind what was saved
 * meanwhile, and nothing can be sent before it.
 */
function createFirst(changes: readonly LoggedChange[]): readonly LoggedChange[] {
  const isCreate = ({ change }: LoggedChange) => change.action === 'create';
  if (changes.findIndex(isCreate) <= 0) return changes;
  return [...changes.filter(isCreate), ...changes.filter((each) => !isCreate(each))];
}

function isUnchanged(a: LoggedChange, b: LoggedChange): boolean {
  return isOne(a, b) && a.change === b.change && JSON.stringify(a.progress) === JSON.stringify(b.progress);
}
