import type { BaseModel } from './base-model.js';
import type { InnerRecord } from './record.js';
import { CORE, OWNER } from './symbols.js';

/** What happened to a record. */
export interface RecordChange {
  readonly kind:
    | 'set'
    | 'commit'
    | 'reject'
    /** A write settled. */
    | 'saved'
    /** A read gave another row. */
    | 'loaded'
    /** An erase is under way: hidden until it is known how it ends. */
    | 'erasing'
    /** The erase failed. */
    | 'restored'
    | 'erased'
    /** A write failed. */
    | 'failed'
    /** No write is under way any more, and the owners have last heard of the record while one was. */
    | 'ended';
  /** Fields that were set. */
  readonly fields?: readonly string[];
  /** The id that the server knew it by before a write or read; of a phantom, the temporary one. */
  readonly previousId?: unknown;
  /** Whether a read gave what was known already. */
  readonly same?: boolean;
}

/** Who holds records and hears of their changes, in the same tick. */
export interface RecordOwner {
  recordChanged(record: BaseModel, change: RecordChange): void;
  /** Values are about to change: of these fields, or of any. The last moment at which the record is what it was. */
  recordChanging?(record: BaseModel, fields?: readonly string[]): void;
}

/** Tells the owners that a change may follow. */
export function willChange(record: InnerRecord, fields?: readonly string[]): void {
  const owner = record[OWNER];
  if (owner === undefined) return;
  const each = record as unknown as BaseModel;
  if (Array.isArray(owner)) for (const one of owner) one.recordChanging?.(each, fields);
  else owner.recordChanging?.(each, fields);
}

/** Tells the owners. What they hear while a write is under way is not the last: they hear when it is over, too. */
export function didChange(record: InnerRecord, change: RecordChange): void {
  const owner = record[OWNER];
  if (owner === undefined) return;
  const core = record[CORE];
  if (core?.busy) core.lane.whenFree = core.saving ? () => notifyEnded(record) : undefined;
  const each = record as unknown as BaseModel;
  if (Array.isArray(owner)) for (const one of [...owner]) one.recordChanged(each, change);
  else owner.recordChanged(each, change);
}

/** Tells the owners that no write is under way any more. No field has changed. */
function notifyEnded(record: InnerRecord): void {
  willChange(record, []);
  didChange(record, { kind: 'ended', fields: [] });
}

/** Whether somebody holds a record. */
export function isOwner(record: InnerRecord, owner: RecordOwner): boolean {
  const now = record[OWNER];
  return now === owner || (Array.isArray(now) && now.includes(owner));
}

export function addOwner(record: InnerRecord, owner: RecordOwner): void {
  const now = record[OWNER];
  if (now === undefined) record[OWNER] = owner;
  else if (Array.isArray(now)) {
    if (!now.includes(owner)) now.push(owner);
  } else if (now !== owner) record[OWNER] = [now, owner];
}

export function removeOwner(record: InnerRecord, owner: RecordOwner): void {
  const now = record[OWNER];
  if (now === owner) record[OWNER] = undefined;
  else if (Array.isArray(now)) record[OWNER] = now.filter((each) => each !== owner);
}
