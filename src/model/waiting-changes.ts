import { MODEL } from '../operation/operation-record.js';
import type { Data } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type Change, changeWith, viewOf } from './change.js';
import { coreOf, type InnerRecord, isBase, type LiveRows, type SentValues, writeEdits } from './record.js';
import type { ReadonlyEdits } from './record-core.js';
import { ROW } from './symbols.js';

// The changes that wait behind a write, after that write has succeeded, or after a row was read.

/** The values of a write that has succeeded, and when they were captured. */
export type SettledValues = SentValues & Pick<Change, 'at'>;

/** A waiting change on the row that its record has now. */
export interface RebasedChange {
  /** A record with the values of the change. */
  readonly view: InnerRecord;
  readonly live: ReadonlyEdits;
}

/** How a change holds the values of fields with embedded records, and how these are put on another row while it waits. */
export interface WaitingHooks {
  /** A copy of edits, which later edits of their embedded records do not change. */
  copyEdits(edits: ReadonlyEdits | undefined): ReadonlyEdits;
  /** The values of edits as the record holds them, with its own embedded records. */
  live(edits: ReadonlyEdits, present: ReadonlyEdits): ReadonlyEdits;
  /** The embedded records in values as they are, at every depth. `saved`: as some of them were when their holder was saved. */
  rowsInside(values: ReadonlyEdits, saved?: LiveRows): LiveRows;
  /** Makes the embedded records in a change tell their record about their edits, if it has not held their lists yet, for itself or in `before`. */
  adopt(record: InnerRecord, change: Change, before?: Change): void;
  /** The values that a write has sent, and the embedded records that it has left as they were. */
  known(record: InnerRecord, settled: SettledValues): SettledValues;
  /** Puts the values of a waiting change on the row that the record has now, instead of the row `before`. */
  rebase(record: InnerRecord, waiting: Change, before: Data, known: SentValues): RebasedChange;
  /** A waiting change after a row was read: its embedded records have what the application has not changed. */
  onRead(record: InnerRecord, waiting: Change, before: Data, known: SentValues): Change;
}

/** The values that a write has sent, as the changes that wait behind it are compared with them. */
export function knownValues(record: InnerRecord, settled: SettledValues): SettledValues {
  return record[MODEL].embeds?.known(record, settled) ?? settled;
}

/**
 * The rest of a waiting change after another write of the record has succeeded, whose row the record has now. Values that the other write has
 * sent, or that the row has, are left out, unless an earlier change that waits has the field too. `before`: the row with the sent values in it.
 */
export function waitingAfter(
  record: InnerRecord,
  waiting: Change,
  settled: Pick<Change, 'written'>,
  before: Data,
  known: SentValues,
): Change {
  const rebased: RebasedChange = record[MODEL].embeds?.rebase(record, waiting, before, known) ?? {
    view: viewOf(record, { ...waiting, base: record[ROW] }),
    live: waiting.live,
  };
  const { view } = rebased;
  const { waiting: all } = coreOf(record);
  const earlier = all.slice(0, all.indexOf(waiting));
  const left = new Map(
    [...coreOf(view).edits].filter(([field, value]) => {
      // The row gets the value of the earlier one first.
      if (earlier.some(({ edits }) => edits.has(field))) return true;
      const { written } = settled;
      const isSent = written.has(field) && isSame(written.get(field), waiting.written.get(field));
      return !isSent && !isBase(view, field, value);
    }),
  );
  return withEdits(waiting, rebased, left);
}

/** A waiting change with other edits, on the row of its view. */
export function withEdits(waiting: Change, { view, live: present }: RebasedChange, edits: ReadonlyEdits): Change {
  const written = writeEdits(view, edits);
  const live = new Map([...present].filter(([field]) => edits.has(field)));
  const liveRows = view[MODEL].embeds?.rowsInside(live, waiting.liveRows);
  return changeWith(waiting, { edits, base: view[ROW], written, live, liveRows });
}
