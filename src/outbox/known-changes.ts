import { coreOf, type InnerRecord } from '../model/record.js';
import { entryAt } from '../model/record-core.js';
import { endEntry, nextTime } from '../model/settle.js';
import { takenBack } from '../model/write.js';
import { MODEL } from '../operation/operation-record.js';
import type { LoggedChange, StoredChange } from './stored-change.js';

/** The stored changes that a record knew when a save was captured. */
export interface Earlier {
  /** The changes whose values the record had as edits then, in the order in which it got them. */
  readonly changes: readonly Pick<LoggedChange, 'change'>[];
  /** The fields of the saves that the record has stored already although they were captured later: their values are newer. */
  readonly newer: ReadonlySet<string>;
  /** Whether the create of the record is stored, or was sent, by this tab or another one. */
  readonly hasCreate: boolean;
}

export const NOTHING_EARLIER: Earlier = Object.freeze({ changes: [], newer: new Set<string>(), hasCreate: false });

/** A stored change that a record has saved or shown. The times are those of the model's clock of reads and writes. */
interface KnownChange {
  readonly record: InnerRecord;
  readonly key: number;
  readonly change: StoredChange;
  /** When the record got its values. */
  readonly from: number;
  /** Whether the record has saved it, and `from` is when that was captured. */
  readonly isCaptured: boolean;
  /** When the change had its outcome. */
  until: number;
  /** Whether it was dropped: its values are stored nowhere. */
  isDropped: boolean;
}

/**
 * The stored changes that each record has saved and shown. A change that another tab stores is not shown at once: a save must not store again
 * what the record had before that, or it would take back values that its user has not seen.
 */
export class KnownChanges {
  private readonly all: KnownChange[] = [];

  /** Notes that a record has the values of a change: since it was captured, or from now on. */
  add(record: InnerRecord, key: number, change: StoredChange, capturedAt?: number): void {
    if (this.all.some((each) => each.record === record && each.key === key)) return;
    const from = capturedAt ?? nextTime(record[MODEL]);
    const isCaptured = capturedAt !== undefined;
    this.all.push({ record, key, change, from, isCaptured, until: Number.POSITIVE_INFINITY, isDropped: false });
    this.all.sort((a, b) => a.from - b.from);
  }

  /** Notes that only these changes are stored still. */
  keepOnly(changes: readonly LoggedChange[]): void {
    const keys = new Set(changes.map(({ key }) => key));
    for (const each of this.all)
      if (each.until === Number.POSITIVE_INFINITY && !keys.has(each.key)) each.until = nextTime(each.record[MODEL]);
  }

  /** Notes that changes were dropped: later saves store their values again, and the calls that have saved them send nothing. */
  drop(keys: readonly number[]): void {
    for (const each of this.all.filter(({ key }) => keys.includes(key))) {
      each.isDropped = true;
      const core = coreOf(each.record);
      // A later erase does not share the end of this one, which may have begun.
      if (core.erasing?.at === each.from) core.erasing = undefined;
      const entry = each.isCaptured ? entryAt(core, each.from) : undefined;
      if (!entry) continue;
      entry.error = takenBack(each.record, true);
      endEntry(each.record, entry);
    }
  }

  /** Whether a change that a record has saved was dropped. */
  isDropped(record: InnerRecord, key: number): boolean {
    return this.all.some((each) => each.record === record && each.key === key && each.isDropped);
  }

  /** The key under which what a record has captured at a time is stored, or was; undefined: it never was. */
  keyOf(record: InnerRecord, at: number | undefined): number | undefined {
    return at === undefined ? undefined : this.all.find((each) => each.record === record && each.from === at)?.key;
  }

  /** When a record has saved the last of these changes; 0: it has saved none of them. */
  savedAt(record: InnerRecord, changes: readonly Pick<LoggedChange, 'key'>[]): number {
    const isSaved = ({ record: own, key, isCaptured }: KnownChange) =>
      own === record && isCaptured && changes.some((each) => each.key === key);
    return this.all.findLast(isSaved)?.from ?? 0;
  }

  /** The create of a record that this page has stored last; undefined: it has stored none. */
  createOf(record: InnerRecord): StoredChange | undefined {
    return this.all.findLast((each) => each.record === record && each.change.action === 'create')?.change;
  }

  /** The changes that a record knew at a time, by default now. */
  before(record: InnerRecord, at: number = Number.POSITIVE_INFINITY): Earlier {
    const own = this.all.filter((each) => each.record === record && !each.isDropped);
    return {
      changes: own.filter(({ from, until }) => from < at && until >= at),
      newer: new Set(
        own.filter(({ from, isCaptured }) => isCaptured && from > at).flatMap(({ change }) => fieldsOfChange(change)),
      ),
      hasCreate: own.some(({ change }) => change.action === 'create'),
    };
  }
}

/** The names of the fields that a change sets or empties. */
export function fieldsOfChange({ values, cleared = [] }: StoredChange): readonly string[] {
  return [...Object.keys(values), ...cleared];
}

/** A change with a part of its fields. */
export function partOf(change: StoredChange, has: (name: string) => boolean): StoredChange {
  const part = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => has(name)));
  const { values, dependsOn, cleared } = change;
  return Object.freeze({ ...change, values: part(values), dependsOn: part(dependsOn), cleared: cleared?.filter(has) });
}
