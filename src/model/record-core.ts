import type { DataError } from '../errors/data-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { Keeper } from '../extension/keeper.js';
import type { Ending } from '../extension/write-hook.js';
import type { RecordId } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import { followSignal } from '../util/abort.js';
import type { Notifier } from '../util/notifier.js';
import { rounded } from '../util/rounded.js';
import type { Change } from './change.js';
import { goesToSamePlace } from './classify-outcome.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord, SentValues } from './record.js';
import type { RecordChildren } from './record-children.js';
import type { RecordSources } from './record-sources.js';
import type { PlannedJob } from './write-job.js';

/** Fields and their values, such as the edited fields of a record. */
export type Edits = Map<FieldDefinition, unknown>;
/** Fields and their values, to read. */
export type ReadonlyEdits = ReadonlyMap<FieldDefinition, unknown>;

/** A read of a record in flight, which further calls share. */
export interface SharedLoad {
  /** The id that the request asks for. */
  readonly id: unknown;
  /** When the read began, on the model's clock of reads and writes. */
  readonly startedAt: number;
  readonly operation: Operation;
  readonly promise: Promise<void>;
}

/** A save or an erase that was asked for and has not ended. */
export interface Entry {
  /** The values that it sends: taken from the edits at the call, and put on each row that the record has got since. */
  change: Change;
  /**
   * `waiting`: it is not sent; `open`: its request was made, it is in flight, or nobody knows whether the server has carried it out; `ended`: it is
   * in no list any more.
   */
  state: 'waiting' | 'open' | 'ended';
  /** Resolves when an outbox has stored what was saved by all of its calls, or with the error of one that was not stored. */
  stored?: Promise<DataError | undefined> | undefined;
  /** The change as it is sent again if the request fails: on the row that was read since it was made. */
  again?: Change | undefined;
  /** Its end, if further saves may join it: it then sends their values, too. */
  result?: Promise<Operation> | undefined;
  /** When the first of its calls was captured, if others have joined it, or what one before it could not send. */
  since?: number | undefined;
  /** The error with which it has ended. */
  error?: DataError;
}

/** An erase that waits in the lane, or is in flight. */
export interface PendingErase {
  readonly call: Change['call'];
  readonly result: Promise<Operation>;
  /** When it was captured. */
  readonly at: number | undefined;
}

/** A field whose value on the server is not known. */
export interface UnconfirmedField {
  /** When the last update failed that has sent the field, on the model's clock of reads and writes. */
  readonly at: number;
  /** The values that these updates have sent, the newest first: the server may have stored them. */
  readonly sent: readonly SentValues[];
}

/** The hooks of those who listen to a record: its events, and `changed` for its sources. */
export interface RecordListeners {
  readonly set?: (event: { readonly record: InnerRecord; readonly modified: object }) => void;
  readonly commit?: (event: { readonly record: InnerRecord }) => void;
  readonly erase?: (event: { readonly record: InnerRecord }) => void;
  /** Anything that a source shows may have changed. Called when the stores of the record are up to date. */
  readonly changed?: () => void;
}

/** The state of the writes of a record, which events change. */
export type WriteState = Pick<
  RecordCore,
  | 'phantom'
  | 'erased'
  | 'temporaryId'
  | 'unanswered'
  | 'error'
  | 'issues'
  | 'failure'
  | 'incomplete'
  | 'begunAt'
  | 'readAt'
  | 'settledAt'
  | 'createdAt'
>;

export const NO_ISSUES: readonly Issue[] = Object.freeze([]);

/** The state of a record that is a view of another one. */
export interface CoreOfView extends Partial<WriteState> {
  readonly edits?: Edits | undefined;
  readonly pathParams?: RecordCore['pathParams'] | undefined;
  readonly key?: string;
  readonly slots?: RecordCore['slots'];
  readonly unconfirmedFields?: RecordCore['unconfirmedFields'];
}

// The state of the writes of a record after each event: one function for each, so that an application has those that it uses.

/** The members of a state that an event changes; undefined: none. */
export type StateChange = Partial<WriteState> | undefined;

const NO_ERRORS: readonly DataError[] = Object.freeze([]);
/** The members of a state after its write has ended, and nothing is unconfirmed. */
const ENDED = Object.freeze({ unanswered: NO_ERRORS, error: undefined, issues: NO_ISSUES, failure: undefined });

/** The record was made as a new one, here or from a stored write. */
export function whenMade(temporaryId: RecordId | undefined): StateChange {
  return { phantom: true, temporaryId };
}

/** An embedded record is part of a row of its holder; it keeps its temporary id. */
export function whenTaken({ phantom }: WriteState): StateChange {
  return phantom ? { phantom: false } : undefined;
}

/**
 * A field was set, or the edits were committed or rejected: the error of the last write no longer applies. `issues`: what it says of fields that
 * were not edited.
 */
export function whenEdited(state: WriteState, issues: readonly Issue[] = NO_ISSUES): StateChange {
  return state.error || state.issues.length > 0 ? { error: undefined, issues } : undefined;
}

/** A part of the row was read, or the whole row. `at`: when the read began. */
export function whenRead({ readAt, incomplete: wasIncomplete }: WriteState, incomplete: boolean, at = 0): StateChange {
  if (at > readAt) return { incomplete, readAt: at };
  return wasIncomplete === incomplete ? undefined : { incomplete };
}

/** The write of a change begins. */
export function whenBegun(at: number): StateChange {
  return { begunAt: at, readAt: 0 };
}

/** A write succeeded. */
export function whenSaved({ phantom }: WriteState, at: number, incomplete: boolean): StateChange {
  return {
    ...ENDED,
    ...(phantom && { createdAt: at, phantom: false }),
    temporaryId: undefined,
    settledAt: at,
    incomplete,
  };
}

/** How a write has failed. */
export interface FailedWrite {
  readonly error: DataError;
  readonly ending: Ending;
  /** Whether the server may have carried this attempt out. */
  readonly isUnanswered: boolean;
  readonly isErase: boolean;
}

/** A write failed. */
export function whenFailed({ phantom, unanswered }: WriteState, failed: FailedWrite): StateChange {
  const { error, ending, isUnanswered, isErase } = failed;
  // A refusal says that an earlier write of the same kind is not done either; about one of the other kind it says nothing.
  const earlier = unanswered.find(({ operation }) => isErase === (operation?.action === 'destroy'));
  const isAnswered = ending === 'refused' && goesToSamePlace(earlier?.operation, error.operation);
  // A create stays unconfirmed because of its first unanswered attempt; for an update, the latest unanswered attempt counts.
  const isNewest = ending === 'unconfirmed' && (unanswered.length === 0 || (isUnanswered && !phantom));
  const others = isAnswered || isNewest ? unanswered.filter((each) => each !== earlier) : unanswered;
  return { ...shown(error), failure: error, unanswered: isNewest ? [...others, error] : others };
}

/** Nothing of the write was sent. */
export function whenNotSent(): StateChange {
  return { unanswered: NO_ERRORS };
}

/** The application decided that an unconfirmed create has made nothing. */
export function whenNotCreated(): StateChange {
  return ENDED;
}

export function whenErased(at: number): StateChange {
  return { ...ENDED, erased: true, settledAt: at };
}

/** The write could not start. */
export function whenRefused(error: DataError): StateChange {
  return shown(error);
}

/** The record has a conflict that it was told of, or has none any more. */
export function whenInConflict(error: DataError | undefined): StateChange {
  return { ...shown(error), failure: error };
}

/** An outbox has restored a write that an earlier process may have sent. `failure`: the error for the writes that wait behind it. */
export function whenRestored(
  unconfirmed: DataError | undefined,
  isShown: boolean,
  failure: DataError | undefined = isShown ? unconfirmed : undefined,
): StateChange {
  return { unanswered: unconfirmed ? [unconfirmed] : NO_ERRORS, failure, ...(isShown && shown(unconfirmed)) };
}

/** A write was undone. `made`: the record that it has created is new again; `unconfirmed`: the undoing got no response. */
export function whenUndone(at: number, made: StateChange, unconfirmed: DataError | undefined): StateChange {
  const created = made && { ...made, createdAt: 0 };
  return { ...created, ...(unconfirmed && whenRestored(unconfirmed, true)), settledAt: at };
}

/** The members for an error that is shown, with the issues in the response that it reports. */
function shown(error: DataError | undefined): Pick<WriteState, 'error' | 'issues'> {
  const { issues, problem } = Object(error) as { issues?: Issue[]; problem?: { issues: Issue[] } };
  return { error, issues: issues ?? problem?.issues ?? NO_ISSUES };
}

const NO_ENTRIES: readonly Entry[] = Object.freeze([]);
/** Nothing is added to it: a record gets a map of its own with its first edit. */
const NO_EDITS: Edits = new Map();

/** How many values without a response are remembered for each field: an older one that the server has is told as a conflict. */
const MOST_SENT = 100;

/** Marks the fields of an update whose outcome is unconfirmed. `change`: what the update has sent, if that is known. */
export function markUnconfirmed(
  core: RecordCore,
  fields: Iterable<FieldDefinition>,
  at: number,
  change?: SentValues,
): void {
  const written = core;
  for (const field of fields) {
    if (!field.persist) continue;
    const before = written.unconfirmedFields?.get(field)?.sent ?? [];
    const sent = change ? [change, ...before].slice(0, MOST_SENT) : before;
    (written.unconfirmedFields ??= new Map()).set(field, { at, sent });
  }
}

/**
 * Forgets the embedded records that updates without a response have sent, in all fields or in some: the application has taken their values
 * back, so it has changed none of them since.
 */
export function forgetSent(core: RecordCore, only?: ReadonlySet<FieldDefinition>): void {
  const { unconfirmedFields } = core;
  for (const [field, { at }] of unconfirmedFields ?? [])
    if (field.embedding && (only?.has(field) ?? true)) unconfirmedFields?.set(field, { at, sent: [] });
}

/**
 * Removes the mark from fields whose values a response shows. The response to a request that started before the update failed does not count,
 * because the server may have written the update later.
 */
export function confirmFields(
  core: RecordCore,
  isShown: (field: FieldDefinition) => boolean,
  startedAt: number = Number.POSITIVE_INFINITY,
): void {
  const { unconfirmedFields } = core;
  for (const [field, { at }] of unconfirmedFields ?? [])
    if (at <= startedAt && isShown(field)) unconfirmedFields?.delete(field);
}

/**
 * The queue of one record's writes. One write is in flight at a time; the others wait, in the order in which they were requested.
 * A write that finds the lane free starts in the same tick.
 */
export class Lane {
  private tail: Promise<unknown> | undefined = undefined;
  /** How many writes are in flight or wait. */
  protected unfinished = 0;
  /** Whether the write in flight has settled: it may still have work to do, but it counts as ended. */
  hasSettled = false;
  /** Called once, as soon as the lane is free. */
  onFree: (() => void) | undefined = undefined;

  /** Whether a write is in flight or waits. */
  get busy(): boolean {
    return this.unfinished > 0;
  }

  /** Resolves when all writes that are in flight or wait now have ended, successfully or not, or when `signal` aborts. */
  whenEnded(signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve) => {
      const unfollow = followSignal({ abort: resolve }, signal);
      void Promise.resolve(this.tail).then(unfollow, unfollow).then(resolve);
    });
  }

  /**
   * Runs a write when all earlier writes have ended, successfully or not. `onEnd` is called before any handler of the returned
   * promise.
   */
  run<T>(task: () => Promise<T>, onEnd?: () => void): Promise<T> {
    if (this.unfinished === 0) this.hasSettled = false;
    this.unfinished += 1;
    let result: Promise<T>;
    try {
      result = this.tail ? this.tail.then(task, task) : task();
    } catch (error) {
      result = Promise.reject(error);
    }
    this.tail = result;
    const end = () => {
      this.unfinished -= 1;
      this.hasSettled = false;
      onEnd?.();
      if (this.unfinished > 0) return;
      this.tail = undefined;
      const { onFree } = this;
      this.onFree = undefined;
      onFree?.();
    };
    result.then(end, end);
    return result;
  }
}

/** The state of a record apart from its row: edits, errors, listeners. Most records never need a core. */
export class RecordCore extends Lane {
  readonly phantom: boolean = false;
  readonly erased: boolean = false;
  /** The id of a phantom until the server gives one. */
  readonly temporaryId: RecordId | undefined = undefined;
  /** The errors of the save and of the erase that the server may have carried out, the newest last. */
  readonly unanswered: readonly DataError[] = NO_ERRORS;
  readonly error: DataError | undefined = undefined;
  /** The issues in the server's response to the last write, without those of fields that were edited since. */
  readonly issues: readonly Issue[] = NO_ISSUES;
  /** The error of the last write in the lane, for the writes that wait behind it. */
  readonly failure: DataError | undefined = undefined;
  /** Whether the row lacks members that the server has. */
  readonly incomplete: boolean = false;
  /** When the change in flight has begun, and when the last read began that was answered since; on the model's clock. */
  readonly begunAt: number = 0;
  readonly readAt: number = 0;
  readonly settledAt: number = 0;
  readonly createdAt: number = 0;
  /** The values that were edited and not saved, over those of the entries. */
  typed: Edits = NO_EDITS;
  /** When each field was last edited, by field name, on the model's clock of reads and writes. */
  readonly editedAt: Record<string, number> = {};
  /** The saves and erases that have not ended, in the order in which they were captured. */
  entries: readonly Entry[] = NO_ENTRIES;
  /** The values of the entries with the edits over them, until one of them changes. */
  private shown: ReadonlyEdits | undefined = undefined;
  /** The read in flight, which further calls share. */
  loading: SharedLoad | undefined = undefined;
  /** How many calls of `load()` have not ended. */
  readsInFlight: number = 0;
  /** The new records to which this record refers: this reference keeps them in memory. */
  parents: readonly InnerRecord[] | undefined = undefined;
  /** The records that referred to this one when it was new, which does not keep them in memory. */
  declare referring?: Set<WeakRef<InnerRecord>>;
  /** The last job of running `sync()` calls that saves the record: a later call that may be undone waits for it, and for those before it. */
  declare job?: PlannedJob | undefined;
  /** The new record for whose create this record waits. */
  waitsFor: InnerRecord | undefined = undefined;
  /** The erase that waits or is in flight. */
  erasing: PendingErase | undefined = undefined;
  /** The value of `$.key`; made on first use. */
  key: string | undefined = undefined;
  /** Throws the error of a write of the record: it is a copy, whose original is written. */
  declare refuseWrite?: () => never;
  /** The outbox that stores the record's writes until they are answered. */
  keeper: Keeper | undefined = undefined;
  /** Whether extensions have `settled` hooks to run at the end of the write in flight. */
  awaitsSettledHooks: boolean = false;
  /** Whoever listens to the record itself: to its events, and to its sources. */
  listeners: Notifier<RecordListeners> | undefined = undefined;
  /** The object of `record.$`; made on first use. */
  state: unknown = undefined;
  /** The controllers of the record's requests in flight, which `$.abort()` aborts. */
  controllers: Set<AbortController> | undefined = undefined;
  /** The sources of the record, if somebody has asked for one. */
  declare sources?: RecordSources;
  /** The stores of the records that refer to this record, if somebody has asked for one. */
  declare children?: RecordChildren;
  /** The stores of embedded lists, by field, if somebody has asked for one. */
  declare listStores?: Map<FieldDefinition, object>;
  /** The slots of extensions, by the names of the extensions. */
  declare slots?: Map<string, object> | undefined;
  /** Values for the templates of the record's address, if the record has no id because its proxy is a `singleton`. */
  declare pathParams?: Readonly<Record<string, unknown>>;
  /**
   * Edited fields for which a row that came since has another value, each with the value in JSON form on which it was edited. Those whose edits
   * have ended do not count.
   */
  declare newer?: Edits | undefined;
  /**
   * Fields whose values in the row this page has sent, and no row of the server has shown since, with the write that has sent them: the server may
   * have stored them in another form.
   */
  declare assumed?: Map<FieldDefinition, SentValues> | undefined;
  /**
   * Fields whose value on the server is not known, because an update that sent them got no clear response. Setting such a field is an
   * edit, even to its base value.
   */
  declare unconfirmedFields?: Map<FieldDefinition, UnconfirmedField> | undefined;
  /**
   * Copies with rounded numbers, by the edited values from which they are made: getters return the same object until the next
   * edit.
   */
  private roundedEdits: WeakMap<object, unknown> | undefined = undefined;

  constructor(given?: CoreOfView) {
    super();
    if (given) Object.assign(this, given);
  }

  /** The values that differ from the row, as far as this page knows: those that were edited, and those that were saved and are not answered. */
  get edits(): ReadonlyEdits {
    const { entries, typed } = this;
    if (entries.length === 0) return typed;
    if (this.shown) return this.shown;
    const shown: Edits = new Map();
    for (const { change } of entries) for (const [field, value] of change.live) shown.set(field, value);
    for (const [field, value] of typed) shown.set(field, value);
    this.shown = shown;
    return shown;
  }
  /** Replaces what was edited. */
  set edits(edits: Edits | undefined) {
    this.typed = edits ?? NO_EDITS;
    this.shown = undefined;
  }

  /** Changes what was edited: to a value, or with undefined to what is below the edit. */
  edit(field: FieldDefinition, edit: { readonly value: unknown } | undefined): void {
    // An edit that begins now was made on the row that is shown; what is being sent was not.
    if (this.newer && !this.edits.has(field) && !this.sent?.has(field)) this.newer.delete(field);
    if (edit) {
      if (this.typed === NO_EDITS) this.typed = new Map();
      this.typed.set(field, edit.value);
    } else if (this.typed.delete(field) && this.typed.size === 0) this.typed = NO_EDITS;
    this.shown = undefined;
  }

  /** Changes the list of what was saved. */
  list(entries: readonly Entry[]): void {
    for (const each of this.entries) if (!entries.includes(each)) each.state = 'ended';
    this.entries = entries;
    this.shown = undefined;
  }

  /** The error that leaves the outcome of the last write unconfirmed; undefined if the outcome is known. */
  get unconfirmed(): DataError | undefined {
    return this.unanswered.at(-1);
  }

  /** The changes whose requests were made, the newest last. */
  get open(): readonly Entry[] {
    return this.entries.filter(({ state }) => state === 'open');
  }

  /** The change that the write in flight, or an unconfirmed create, has sent. */
  get change(): Change | undefined {
    return this.open.at(-1)?.change;
  }

  /** The written values of the change in flight. */
  get sent(): ReadonlyEdits | undefined {
    return this.change?.written;
  }

  /** The last change that has a value for a field. */
  below(field: FieldDefinition): Change | undefined {
    return this.entries.findLast(({ change }) => change.live.has(field))?.change;
  }

  /** The changes that have not begun, in the order in which it was captured. */
  get waiting(): readonly Change[] {
    return this.entries.filter(({ state }) => state !== 'open').map(({ change }) => change);
  }

  /** An edited value in the form that getters return. */
  withRoundedNumbers(field: FieldDefinition, edited: unknown): unknown {
    if (typeof edited !== 'object' || edited === null || field.embedding) return edited;
    if (this.roundedEdits?.has(edited)) return this.roundedEdits.get(edited);
    this.roundedEdits ??= new WeakMap();
    const value = rounded(edited);
    this.roundedEdits.set(edited, value);
    return value;
  }

  /**
   * Whether a write waits, or is in flight and has not settled. Always false for an erased record: writes that still wait are
   * not sent.
   */
  get saving(): boolean {
    return !this.erased && this.unfinished > (this.hasSettled ? 1 : 0);
  }
}

/** The entry that has what was captured at a time; undefined if it has begun or ended, or was taken back. */
export function entryAt({ entries }: Pick<RecordCore, 'entries'>, at: number | undefined): Entry | undefined {
  if (at === undefined) return undefined;
  return entries.find((each) => covers(each, at) && each.state === 'waiting');
}

/** Whether an entry has what was captured at a time. */
export function covers({ change, since = change.at }: Pick<Entry, 'change' | 'since'>, at: number): boolean {
  return since <= at && at <= change.at;
}
