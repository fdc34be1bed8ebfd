import type { DataError } from '../errors/data-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { Data, DataPath } from '../util/data-path.js';
import type { ModelType } from './field.js';
import type { Model } from './model.js';
import type { InnerRecord } from './record.js';
import { CORE, OWNER } from './symbols.js';

/** A change of a record, as it is reported to the owners of the record. */
export interface RecordChange {
  readonly kind:
    | 'set'
    | 'commit'
    | 'reject'
    /** A write settled. */
    | 'saved'
    /** A read has set the row. */
    | 'loaded'
    /** An erase has been requested: stores hide the record until the erase has ended. */
    | 'erasing'
    /** The erase has failed. */
    | 'restored'
    | 'erased'
    /** A write has been requested: it is in flight, or waits. No field has changed. */
    | 'saving'
    /** An outbox has begun to keep a write of the record, or has ended to do so. No field has changed. */
    | 'queued'
    /** A write has failed. */
    | 'failed'
    /** No write is in flight any more. Reported only if the change before it was reported during a write. */
    | 'ended';
  /** Fields that were set. */
  readonly fields?: readonly string[];
  /** The members inside the values of these fields that were set, if not the whole values. */
  readonly paths?: readonly DataPath[];
  /** The record's id on the server before the write or read; for a phantom, its temporary id. */
  readonly previousId?: unknown;
  /** Whether a read gave the same row as before. */
  readonly same?: boolean;
  /** The rows before and after a write of this page that has succeeded. */
  readonly written?: WrittenRows | undefined;
}

/** The row that the server had before a write, and the row that it has since; undefined: none. */
export interface WrittenRows {
  readonly before: Readonly<Data> | undefined;
  readonly after: Readonly<Data> | undefined;
}

/** An owner of records, such as a store. Changes of its records are reported to it in the same tick. */
export interface RecordOwner {
  /** Whether nobody uses the owner any more, so that records need not tell it anything. */
  readonly isGone?: boolean;
  /** The store whose records it owns; undefined: it is no store, or nobody uses the store any more. */
  readonly store?: object | undefined;
  /** Finds or loads the record that a field of a record refers to, for owners that share one object per id; undefined: the field is empty. */
  loadReference?(record: Model, target: ModelType<Model>, name: string): Promise<Model | undefined>;
  /** The issues of a record in the server's response to a write of its owner, with paths inside the record. */
  issuesOf?(record: InnerRecord): readonly Issue[];
  /**
   * Called for a write of this page that has succeeded, before any owner is told of the change, for an action that has answered with the row, and
   * for a row that the server does not have any more.
   */
  rowWritten?(record: Model, written: WrittenRows): void;
  /** Called when a load or write of a record has failed, after its owners were told of the change. A store in a session leaves it to the session. */
  requestFailed?(record: Model, error: DataError): void;
  /** Called after each change of a record. */
  recordChanged(record: Model, change: RecordChange): void;
  /** Called before values of `fields` change, or values of any field. The record still has its old values at this moment. */
  recordChanging?(record: Model, fields?: readonly string[]): void;
}

/** Tells the owners of a record that its values may change now. */
export function willChange(record: InnerRecord, fields?: readonly string[]): void {
  const owner = record[OWNER];
  if (owner === undefined) return;
  if (Array.isArray(owner)) for (const one of owner) one.recordChanging?.(record, fields);
  else owner.recordChanging?.(record, fields);
}

/**
 * Tells the owners of a record about a change, and then the listeners of its sources. If a write is in flight, they are told again when
 * the write has ended.
 */
export function didChange(record: InnerRecord, change: RecordChange): void {
  const { [OWNER]: owner, [CORE]: core } = record;
  const sources = core?.sources;
  if (owner === undefined && sources === undefined) return;
  if (core?.busy) core.onFree = core.saving ? () => notifyEnded(record) : undefined;
  if (change.written) for (const one of [owner].flat()) one?.rowWritten?.(record, change.written);
  if (Array.isArray(owner)) for (const one of [...owner]) one.recordChanged(record, change);
  else owner?.recordChanged(record, change);
  // Last, so that a listener that edits the record finds its stores up to date.
  core?.listeners?.tell('changed');
}

/** Tells the owners of a record what became of its row, or of a request for it. */
export function tellOwners(
  record: InnerRecord,
  ...[hook, news]: ['rowWritten', WrittenRows] | ['requestFailed', DataError]
): void {
  for (const one of [record[OWNER]].flat()) one?.[hook]?.(record, news as never);
}

/** Tells that a write of a record has begun or waits, unless it has settled already. */
export function didBeginSaving(record: InnerRecord): void {
  if (!record[CORE]?.saving) return;
  willChange(record, []);
  didChange(record, { kind: 'saving', fields: [] });
}

/** Tells the owners that the record's last write has ended. No field has changed. */
function notifyEnded(record: InnerRecord): void {
  willChange(record, []);
  didChange(record, { kind: 'ended', fields: [] });
}

/** Whether `owner` is one of the owners of a record. */
export function isOwner(record: InnerRecord, owner: RecordOwner): boolean {
  const now = record[OWNER];
  return now === owner || (Array.isArray(now) && now.includes(owner));
}

/** The stores that hold a record. */
export function storesOf(record: InnerRecord): readonly object[] {
  return [record[OWNER]].flat().flatMap((owner) => owner?.store ?? []);
}

/** Adds an owner, unless it owns the record already. */
export function addOwner(record: InnerRecord, owner: RecordOwner): void {
  const now = record[OWNER];
  if (now === undefined) record[OWNER] = owner;
  else if (Array.isArray(now)) {
    if (now.includes(owner)) return;
    // A record that stays on show outlives many stores.
    const present = now.some((each) => each.isGone) ? now.filter((each) => !each.isGone) : now;
    present.push(owner);
    record[OWNER] = present;
  } else if (now !== owner) record[OWNER] = [now, owner];
}

/** Removes an owner. */
export function removeOwner(record: InnerRecord, owner: RecordOwner): void {
  const now = record[OWNER];
  if (now === owner) record[OWNER] = undefined;
  else if (Array.isArray(now)) record[OWNER] = now.filter((each) => each !== owner);
}

/**
 * Makes an owner that passes the changes of its records on, and holds the real owner weakly. Records of a session are shared by its
 * stores: one that is shown anywhere would otherwise keep every store alive that ever held it.
 */
export function weakOwner(owner: RecordOwner): RecordOwner {
  const ref = new WeakRef(owner);
  return {
    get isGone() {
      return ref.deref() === undefined;
    },
    get store() {
      return ref.deref()?.store;
    },
    rowWritten: (record, written) => ref.deref()?.rowWritten?.(record, written),
    recordChanged: (record, change) => ref.deref()?.recordChanged(record, change),
    recordChanging: (record, fields) => ref.deref()?.recordChanging?.(record, fields),
  };
}
