import type { DataError } from '../errors/data-error.js';
import { asDataError } from '../errors/error-context.js';
import type { Extension } from '../extension/extension.js';
import type { Keeper, QueuedWrite, RememberedWrite } from '../extension/keeper.js';
import { LAYERS } from '../extension/layers.js';
import type { SettledOutcome, Write, WriteAction } from '../extension/write-hook.js';
import { confirm } from '../extensions/confirm.js';
import {
  type Change,
  captureChange,
  changeToSend,
  changeWith,
  folded,
  haveSameParameters,
  rowAfter,
  viewOf,
} from '../model/change.js';
import { keyOf, writtenIn } from '../model/parts/wire-values.js';
import { coreOf, type InnerRecord, isDirty } from '../model/record.js';
import { covers, entryAt } from '../model/record-core.js';
import type { RecordChange, RecordOwner } from '../model/record-owner.js';
import { acceptNewer, settleErased } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { RecordWrite } from '../model/write.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isSame } from '../util/values.js';
import type { ChangeLog, NewChange } from './change-log.js';
import { fieldOf, isEmpty, shownValues, valuesToStore, versionOf } from './change-values.js';
import type { Decisions } from './decisions.js';
import { parametersOf } from './entry-parameters.js';
import type { HeldRecord } from './held-record.js';
import { type Earlier, fieldsOfChange, NOTHING_EARLIER } from './known-changes.js';
import { OutboxError } from './outbox-error.js';
import { refuseSavesBeforeErase } from './refuse-saves-before-erase.js';
import { innerOf, type Screen } from './screen.js';
import type { Sender, StoredPlace } from './sender.js';
import type { StoreLink } from './store-link.js';
import { type EntryParameters, isUnanswered, type LoggedChange, valuesIn } from './stored-change.js';
import { errorData } from './stored-error.js';

/** The parts and settings of an outbox that its hooks use. */
export interface HookContext {
  readonly log: ChangeLog;
  readonly screen: Screen;
  readonly sender: Sender;
  readonly decisions: Decisions;
  readonly stores: StoreLink;
  readonly version: number;
  now(): number;
  isClosed(): boolean;
  /** Sends what may be sent now. */
  pump(): void;
  reportProblem(error: unknown): void;
}

/** A save or erase that is to be stored. */
interface Added {
  readonly record: InnerRecord;
  readonly action: WriteAction;
  readonly change?: Change;
  /** Whether `reject()` may still take the change back. @default false */
  readonly isWaiting?: boolean;
  /** When it was captured. @default nobody waits for it */
  readonly at?: number | undefined;
}

/** Stores writes before they are sent: the side of an outbox that proxies, records and stores use. */
export class WriteHooks implements Keeper {
  readonly extensions: readonly Extension[];
  readonly owner: RecordOwner = {
    recordChanged: (record, change) => this.recordChanged(innerOf(record), change),
  };

  constructor(private readonly context: () => HookContext) {
    const storing: Extension = {
      name: 'outbox',
      layer: LAYERS.outbox,
      keeper: this,
      write: async (write, next) => {
        if (!write.durable) return next(write);
        const { sender } = this.context();
        const held = await this.placesOf(write as RecordWrite);
        return sender.send(write, held, next);
      },
      settled: async (write) => {
        if (!write.durable) return;
        const { sender } = this.context();
        if (sender.hasBegun(write)) await sender.settle(write);
        else await this.endUnstored(write as RecordWrite);
      },
    };
    const willErase = (record: InnerRecord) => {
      const held = this.heldOf(record);
      return held !== undefined && (held.hasErase || held.addingErases > 0);
    };
    this.extensions = Object.freeze([refuseSavesBeforeErase(willErase), Object.freeze(storing), confirm()]);
  }

  async store(given: Write): Promise<DataError | undefined> {
    const write = given as RecordWrite;
    const [record] = write.inner as readonly [InnerRecord];
    const { phantom, unconfirmed, saving, erased } = coreOf(record);
    const { sender, isClosed } = this.context();
    // An erase behind an unconfirmed create is stored only if the outbox repeats that create by itself.
    const isUnclear = phantom && unconfirmed && !saving && !unconfirmed.queued;
    if (!write.durable || isClosed() || erased || isUnclear) return undefined;
    try {
      const [place] = (await this.placesOf(write)) as readonly [StoredPlace];
      const [entry] = write.entries;
      // It was rejected while it was stored.
      if (write.action !== 'destroy' && entry?.state === 'ended' && !entry.error)
        this.giveUp(
          place.held,
          place.held.changes.filter(({ key }) => key === place.upTo),
        );
      // If the read fails, the write fails with it.
      if (write.isReading) sender.watch(write, place, record);
    } catch (error) {
      return asDataError(error);
    }
    return undefined;
  }

  held(model: object, id: unknown): object | undefined {
    return this.context().stores.recordById(model, id);
  }

  opened(store: object): void {
    this.context().stores.attach(store);
    this.context().pump();
  }

  queuedWrite(object: object): QueuedWrite | undefined {
    return this.context().screen.queuedWrite(innerOf(object));
  }

  overwrites(object: object): boolean {
    const record = innerOf(object);
    const held = this.heldOf(record);
    const saves = held?.changes.filter(({ change }) => change.action === 'update') ?? [];
    if (!held || saves.length === 0) return false;
    held.isDecided = true;
    for (const { change } of saves) {
      const fields = fieldsOfChange(change).map((name) => fieldOf(record[MODEL], name));
      acceptNewer(record, fields);
    }
    return true;
  }

  async decide(object: object): Promise<void> {
    const record = innerOf(object);
    const held = this.heldOf(record);
    if (!held) return;
    const { changes } = held;
    await this.context().decisions.renew(held, true);
    // If the row of the server has all values already, nothing is left to send.
    if (held.isEmpty && changes.some(({ key }) => held.known.isDropped(record, key)))
      throw new OutboxError('outbox-state');
    held.startAfresh();
  }

  showSaved(object: object, fields: readonly string[] | undefined): void {
    const record = innerOf(object);
    const held = this.heldOf(record);
    if (!held) return;
    const kept = held.changes.filter((each) => !this.isTakenBack(held, record, each));
    this.context().screen.showSaved(held, record, kept, fields);
  }

  /** Whether the outbox is going to give a field another value than the record's row has. */
  queuesChange(object: object, name: string, isAnswered: boolean): boolean {
    const record = innerOf(object);
    // Reading `$.key` would create a key, and a record without stored changes needs none.
    const held = this.heldOf(record);
    if (!held || held.changes.some(({ change }) => change.action === 'destroy')) return false;
    // When the record has been created, or was found on the server, its row holds what the create wrote.
    const isCreated = !record[CORE]?.phantom && held.first?.action === 'create';
    const isWritten = (each: LoggedChange) =>
      isCreated ? each.change.action === 'create' || isUnanswered(each) : isAnswered && held.running.includes(each);
    const left = held.changes.filter((each) => !isWritten(each));
    const present = writtenIn(fieldOf(record[MODEL], name), record[ROW]);
    const differs = (changes: readonly LoggedChange[]) => {
      const values = valuesIn(changes);
      return values.has(name) && !isSame(values.get(name), present);
    };
    // The calls of this page may send the older changes by themselves; those of an earlier process are sent together.
    return differs(left) || left.some((each) => each.own?.change && differs([each]));
  }

  /**
   * Gives up what is stored of a record that no longer exists. If another tab has sent its create meanwhile, the server may have the
   * record, so its erase is stored. Never rejects.
   */
  async forget(object: object): Promise<void> {
    const record = innerOf(object);
    const held = this.heldOf(record);
    if (!held) return;
    const { log, decisions, screen, pump, reportProblem } = this.context();
    const wasNew = held.first?.action === 'create';
    const mayExist = () => wasNew && (held.hasSentCreate || (log.idOf(held.key) ?? undefined) !== undefined);
    try {
      await decisions.giveUp(held, 'dropped', true, () => !mayExist());
      if (!mayExist()) return;
      const proxy = screen.proxyOf(held, held.changes);
      if (!held.hasErase) await this.append([{ record, action: 'destroy' }], parametersOf(proxy, {}), held.proxy);
      // This record has ended: another one sends what is stored.
      screen.release(held);
      pump();
    } catch (error) {
      reportProblem(error);
    }
  }

  async withdrawErase(object: object): Promise<void> {
    const record = innerOf(object);
    const held = this.heldOf(record);
    if (!held) return;
    const { decisions, screen, pump } = this.context();
    const isErase = ({ change }: LoggedChange) => change.action === 'destroy';
    const dropped = await decisions.giveUp(held, 'dropped', false, isErase);
    const core = coreOf(record);
    if (dropped.length > 0 && !core.erased) {
      // An erase that is called from now on is another one, also while the write of this one is in the lane.
      core.erasing = undefined;
      screen.takeBack(record, dropped);
    }
    // The server may have carried out an attempt that got no response.
    if (dropped.some(({ progress }) => progress.attempts > 0)) void screen.readAfterDrop(held, record, dropped);
    pump();
  }

  remember(object: object): RememberedWrite {
    const record = innerOf(object);
    const { log, decisions, reportProblem } = this.context();
    const storedNow = () => log.get(record)?.changes ?? [];
    const isStored = ({ key }: LoggedChange) => storedNow().some((each) => each.key === key);
    let before = storedNow();
    const calledAt = record[MODEL].clock.now;
    return {
      begun: () => {
        before = before.filter(isStored);
      },
      restoreFailed: async () => {
        const held = log.get(record);
        if (held) await decisions.restore(held, record, before, calledAt).catch(reportProblem);
      },
      restoreUndone: async () => {
        const again = before.filter((each) => !isStored(each));
        if ((again.length === 0 && storedNow().length === 0) || this.context().isClosed()) return;
        const held = log.hold(record);
        this.context().screen.attach(held, record, undefined);
        await decisions.restoreUndone(held, record, again).catch(reportProblem);
      },
    };
  }

  async keepUnconfirmed(object: object, proxy: object, error: DataError): Promise<void> {
    const record = innerOf(object);
    const { log, sender, reportProblem, isClosed } = this.context();
    if (isClosed()) return;
    try {
      const { change } = coreOf(record);
      const action = 'create';
      const captured = change ?? captureChange(record, action, proxy as DataProxy);
      // Edits that the application has made since are not part of it.
      const edits = new Map(
        [...captured.written.keys()].map((field) => [field, field.readExact(field.raw(rowAfter(captured)), record)]),
      );
      const held = log.hold(record);
      await this.append(
        [{ record, action, change: changeWith(captured, { edits }), at: captured.at }],
        parametersOf(proxy as DataProxy, error.operation ?? {}),
        proxy as DataProxy,
      );
      const progress = { state: 'unconfirmed', attempts: 1, error: errorData(error) } as const;
      await log.update(
        held,
        held.changes.filter((each) => each.change.action === 'create').map((each) => [each, progress] as const),
      );
      sender.tellUnconfirmed(held, record, error);
    } catch (cause) {
      reportProblem(cause);
    }
  }

  private heldOf(record: InnerRecord): HeldRecord | undefined {
    return this.context().log.get(record);
  }

  /** Stores what a write sends, unless it is stored already. Returns the places of its records. Rejects if it cannot be stored. */
  private async placesOf(write: RecordWrite): Promise<readonly StoredPlace[]> {
    const { log, sender, screen, isClosed } = this.context();
    if (isClosed()) throw await this.closedError(write);
    const { proxy, operation, inner: records } = write;
    if (write.options.stored || sender.hasBegun(write))
      return records.map((record) => ({ held: log.hold(record), upTo: Number.POSITIVE_INFINITY }));
    const parameters = parametersOf(proxy, operation);
    for (const record of records) screen.checkClass(record.constructor, () => proxy);
    const added = records.map((record, at) => this.added(write, record, at));
    const all = records.map((record) => log.hold(record));
    // Kept even if the last change is dropped meanwhile: its call must learn of that.
    for (const held of all) held.changing += 1;
    await this.append(
      added.flatMap((each) => each ?? []),
      parameters,
      proxy,
    ).finally(() => {
      for (const held of all) held.changing -= 1;
    });
    return records.map((record, at) => {
      const held = all[at] as HeldRecord;
      const erase = held.changes.findLast(({ change }) => change.action === 'destroy');
      const own = held.known.keyOf(record, added[at]?.at) ?? (write.action === 'destroy' ? erase?.key : undefined);
      return { held, upTo: own ?? Number.POSITIVE_INFINITY };
    });
  }

  /** The error of a write whose turn has come after the outbox was closed: it may have been stored while it waited. */
  private async closedError(write: RecordWrite): Promise<OutboxError> {
    const { log } = this.context();
    const error = new OutboxError('outbox-closed');
    await log.handedOver().catch(() => undefined);
    const isStored = (record: InnerRecord, at: number) => {
      const held = log.get(record);
      if (!held || write.action === 'destroy') return held?.hasErase ?? false;
      const { change } = this.added(write, record, at) ?? {};
      if (!change || held.isEmpty) return false;
      // Values that a later save has stored already count as well.
      const earlier = held.known.before(record, change.at);
      const left = () => valuesToStore(record, viewOf(record, change), write.action, earlier);
      return held.known.keyOf(record, change.at) !== undefined || isEmpty(left());
    };
    if (write.inner.every(isStored)) error.queued = true;
    return error;
  }

  /** The part of a write that is added to the stored changes of a record; undefined: nothing. */
  private added(write: RecordWrite, record: InnerRecord, at: number): Added | undefined {
    const { action, resend } = write;
    const waiting = changeToSend(record, write.entries[at]);
    const change = resend ? waiting : (write.innerChanges[at] ?? waiting);
    if (action === 'destroy') return { record, action, at: write.entries[at]?.change.at };
    return change && { record, action, change, isWaiting: change === waiting, at: change.at };
  }

  /** Stores changes of records. What a record's stored changes have already is left out. */
  private async append(
    all: readonly Added[],
    parameters: EntryParameters,
    proxy: DataProxy | undefined,
  ): Promise<void> {
    const { log, screen, version, now, decisions } = this.context();
    const added = all.map((each): NewChange => {
      const { record, action, change, at, isWaiting } = each;
      const captured = change ? viewOf(record, change) : record;
      const held = log.hold(record);
      screen.attach(held, record, proxy);
      const make = () => {
        const [unreadable] = held.unreadable.values();
        // Stored changes that cannot be read here, but perhaps by another tab, come first.
        if (unreadable) throw unreadable;
        if (isWaiting && !entryAt(coreOf(record), change?.at)) return undefined;
        if (
          held.known.keyOf(record, at) !== undefined ||
          (action === 'destroy' && (held.erases || this.isUnknown(held, record)))
        )
          return undefined;
        const earlier = held.known.before(record, change?.at);
        const view = viewToStore(each, earlier, captured);
        const values = valuesToStore(record, view, action, earlier);
        if (isEmpty(values)) return undefined;
        const { name: model } = record[MODEL];
        const common = { version, scope: log.scope, model, key: keyOf(record), tab: log.tab, createdAt: now() };
        const given = Object.keys(parameters).length > 0 && { parameters };
        const rowVersion = action === 'update' && proxy ? versionOf(view[ROW], proxy) : undefined;
        const { url, headers = {} } = change?.call ?? {};
        const own = (url !== undefined || Object.keys(headers).length > 0) && { hasOwnRequest: true };
        return Object.freeze({ ...common, ...values, ...given, ...own, ...(rowVersion && { rowVersion }) });
      };
      return { held, own: { record, change, at }, make };
    });
    const erased = added.flatMap(({ held }, at) => (all[at]?.action === 'destroy' ? held : []));
    // A write that was stored when it had to wait decides nothing that has failed since.
    const newer = added.filter(({ held, own }) => own.change && held.known.keyOf(own.record, own.at) === undefined);
    for (const held of erased) held.addingErases += 1;
    await log.append(added).finally(() => {
      for (const held of erased) held.addingErases -= 1;
    });
    // The caller of a save that was called before a conflict did not know of it.
    for (const { held, own } of newer) await decisions.renew(held, (own.at as number) > held.endedAt);
  }

  /** Whether nothing is stored of a new record, so that its erase has nothing to erase. */
  private isUnknown({ changes }: HeldRecord, record: InnerRecord): boolean {
    const isCreate = changes.some(({ change }) => change.action === 'create');
    return coreOf(record).phantom && !isCreate && this.context().log.idOf(keyOf(record)) === undefined;
  }

  /** Updates the stored changes after a write that has not begun: it was refused before, or the application has decided about it. */
  private async endUnstored(write: RecordWrite): Promise<void> {
    if (this.context().isClosed()) return;
    for (const [at, record] of write.inner.entries()) {
      const outcome = write.outcomes[at] as SettledOutcome;
      if (write.action === 'destroy') await this.endErase(write, record, outcome);
      else await this.endSave(write, record, at, outcome);
      // A new record was dropped.
      if (coreOf(record).erased) await this.forget(record);
    }
  }

  /** Updates the stored changes after an erase that has not begun. */
  private async endErase(
    { proxy, operation }: RecordWrite,
    record: InnerRecord,
    { ending }: SettledOutcome,
  ): Promise<void> {
    const { log, screen, decisions, reportProblem } = this.context();
    const core = coreOf(record);
    const held = log.get(record);
    if (!held || core.erased) return;
    // The application gave the erase up.
    if (!core.failure || (ending === 'refused' && !core.busy))
      await decisions.giveUp(held, 'dropped', true, ({ change }) => change.action === 'destroy').catch(reportProblem);
    // The create behind which the erase has waited got no response.
    if (core.phantom && core.unconfirmed?.queued && !held.hasErase) {
      const added: Added = { record, action: 'destroy' };
      await this.append([added], parametersOf(proxy, operation), proxy).catch(reportProblem);
    }
    // The erase is sent when the create is confirmed; until then the record stays hidden.
    if (held.erases && held.changes[0]?.progress.state !== 'unconfirmed') screen.hide(record);
  }

  /** Updates the stored changes after a save that has not begun. */
  private async endSave(
    write: RecordWrite,
    record: InnerRecord,
    at: number,
    { error, ending }: SettledOutcome,
  ): Promise<void> {
    const { log, decisions, reportProblem } = this.context();
    const { action, proxy, operation } = write;
    const held = log.get(record);
    // The application says that the create was not done.
    if (held && action === 'create' && ending === 'refused' && !operation.request) {
      const decided = decisions.notCreated(held).catch(reportProblem);
      if (held.erases) settleErased(record);
      await decided;
    }
    const change = write.innerChanges[at] ?? changeToSend(record, write.entries[at]);
    if (!error || !change || !/^parent-(failed|new)$/.test(error.reason)) return;
    // The change is stored, and sent when the record that it refers to has been created. A record that was never saved may never be.
    const view = viewOf(record, change);
    const isKept = (key: string) => log.idOf(key) !== undefined || (log.byKey(key)?.changes.length ?? 0) > 0;
    if (!Object.values(valuesToStore(record, view, action, NOTHING_EARLIER).dependsOn).every(isKept)) return;
    await this.append([{ record, action, change, at: change.at }], parametersOf(proxy, operation), proxy).then(() => {
      error.queued = true;
    }, reportProblem);
  }

  /** Whether a stored change is that of a save which has waited behind a write in flight, until the edits of the record were rejected. */
  private isTakenBack(held: HeldRecord, record: InnerRecord, each: LoggedChange): boolean {
    const core = coreOf(record);
    const at = each.own?.change?.at;
    if (!core.busy || at === undefined || each.change.action !== 'update' || held.running.includes(each)) return false;
    // The save behind a refused one sends it again, and may have begun.
    return each.key > held.keptUpTo && !core.entries.some((entry) => covers(entry, at));
  }

  /**
   * The edits of a record were rejected while a write is in flight: the saves that wait behind it are not sent. A save that was rejected,
   * and has told that it is kept, is sent.
   */
  private takenBack(held: HeldRecord, record: InnerRecord): void {
    const taken = held.changes.filter((each) => this.isTakenBack(held, record, each));
    if (taken.length > 0) this.giveUp(held, taken);
  }

  /** Gives changes up that were rejected. What is saved behind that is relative to what was stored before them. */
  private giveUp(held: HeldRecord, changes: readonly LoggedChange[]): void {
    const { decisions, reportProblem } = this.context();
    void decisions.withdraw(held, changes).catch(reportProblem);
  }

  /** Updates the stored changes after a record has changed outside its writes: rejected or loaded, erased here, found on the server. */
  private recordChanged(record: InnerRecord, { kind }: RecordChange): void {
    const { decisions, reportProblem, screen } = this.context();
    const held = this.heldOf(record);
    if (kind === 'reject' && held && record[CORE]?.busy) this.takenBack(held, record);
    if (!held || held.record !== record || held.activeWrites > 0 || record[CORE]?.busy || held.changes.length === 0)
      return;
    const { changes } = held;
    const keys = changes.map(({ key }) => key);
    const updates = changes.filter(({ change }) => change.action === 'update');
    const isUpdate = updates.length === changes.length;
    const isCreate = changes[0]?.change.action === 'create';
    if (kind === 'erased') void this.forget(record);
    // The application has looked the record up and settled its create.
    else if (kind === 'saved' && isCreate) void decisions.confirmed(held, record).catch(reportProblem);
    // The edits were rejected or committed: nothing is left to send. A refused erase still waits for the application.
    else if (
      (isUpdate || (held.hasRefusedErase && !isCreate)) &&
      !isDirty(record) &&
      (kind === 'reject' || kind === 'commit')
    )
      this.giveUp(held, updates);
    // The server's row holds the values already.
    else if (isUpdate && !isDirty(record) && kind === 'loaded' && holdsAll(record, changes))
      void decisions.giveUp(held, 'sent', true, ({ key }) => keys.includes(key)).catch(reportProblem);
    else if (
      kind === 'reject' &&
      isCreate &&
      changes.length > 1 &&
      changes[0]?.progress.state !== 'queued' &&
      !this.queuedWrite(record)
    )
      this.giveUp(held, updates);
    else if (kind === 'restored' && held.erases && changes[0]?.progress.state !== 'unconfirmed') screen.hide(record);
  }
}

/**
 * The record with the values that are stored: `captured`, or for the create that is stored first all that the record shows, also what was saved before
 * and could not be stored.
 */
function viewToStore({ record, action, change }: Added, { hasCreate }: Earlier, captured: InnerRecord): InnerRecord {
  if (!change || action !== 'create' || hasCreate) return captured;
  const saves = coreOf(record)
    .entries.map((each) => each.change)
    .filter((each) => each.at <= change.at && each.action === action && haveSameParameters(each, change));
  return saves.length > 0
    ? viewOf(
        record,
        saves.reduce((first, second) => folded(first, second)),
      )
    : captured;
}

/** Whether the record's row already holds all values of changes. */
function holdsAll(record: InnerRecord, changes: readonly LoggedChange[]): boolean {
  return [...shownValues(record, changes)].every(([name, value]) =>
    isSame(writtenIn(fieldOf(record[MODEL], name), record[ROW]), value),
  );
}
