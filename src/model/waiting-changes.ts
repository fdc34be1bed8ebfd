import { MODEL } from '../operation/operation-record.js';
import { type Data, isData } from '../util/data-path.js';
import { isSame } from '../util/values.js';
import { type Change, copyFieldValue, rowsInside, viewOf } from './change.js';
import type { FieldDefinition } from './field-definition.js';
import {
  baseValue,
  cachedValue,
  coreOf,
  exactValue,
  type InnerRecord,
  isBase,
  isInner,
  rebase,
  type SentValues,
  withWritten,
  writeEdits,
} from './record.js';
import type { ReadonlyEdits } from './record-core.js';
import { ROW } from './symbols.js';
import { changeWith } from './write-state.js';

// The changes that wait behind a write, after that write has succeeded, or after a row was read.

/** The values of a write that has succeeded, and when they were captured. */
export type SettledValues = SentValues & Pick<Change, 'at'>;

/**
 * The values that a write has sent, and the embedded records that it has left as they were: a create sends those with which the record was made
 * without an edit of them, and it is by the answer to it that they get their ids. Called while the row of the record has the sent values.
 */
export function knownValues(record: InnerRecord, { at, written, live, liveRows }: SettledValues): SettledValues {
  const { [MODEL]: model, [ROW]: row } = record;
  const others = model.fields.filter((field) => field.embedding && field.raw(row) !== undefined && !written.has(field));
  return {
    ...{ at, liveRows },
    written: new Map([...written, ...others.map((field) => [field, field.raw(row)] as const)]),
    live: new Map([...live, ...others.map((field) => [field, cachedValue(record, field)] as const)]),
  };
}

/**
 * The rest of a waiting change after another write of the record has succeeded, whose row the record has now. Values that the other write has
 * sent are left out; so are older values of fields for which it has sent newer ones. `before`: the row with the sent values in it.
 */
export function waitingAfter(
  record: InnerRecord,
  waiting: Change,
  settled: Pick<Change, 'at' | 'written'>,
  before: Data,
  known: SentValues,
): Change {
  const rebased = rebaseWaiting(record, waiting, before, known);
  const { view } = rebased;
  const left = new Map(
    [...(coreOf(view).edits ?? [])].filter(([field, value]) => {
      const { written } = settled;
      const isSent =
        written.has(field) && (settled.at > waiting.at || isSame(written.get(field), waiting.written.get(field)));
      return !isSent && !isBase(view, field, value);
    }),
  );
  return withEdits(waiting, rebased, left);
}

/**
 * A waiting change after a row was read, which the record has now: its embedded records have the members and lines of that row that the
 * application has not changed. All of its fields are still sent, because a write in flight may give them other values than the read has shown.
 */
export function waitingOnRead(record: InnerRecord, change: Change, before: Data, known: SentValues): Change {
  const waiting = writesOverUnseen(record, change, before) ? changeWith(change, { seen: before }) : change;
  if (![...waiting.edits.keys()].some(({ embedding }) => embedding)) return waiting;
  const { change: begun, unconfirmedFields } = coreOf(record);
  // The row that was read may have the values of a write in flight, or of one without a response.
  const unanswered = new Map([...(unconfirmedFields ?? [])].map(([field, { sent }]) => [field, sent]));
  for (const field of begun?.written.keys() ?? [])
    unanswered.set(field, [begun as Change, ...(unanswered.get(field) ?? [])]);
  const rebased = rebaseWaiting(record, waiting, before, known, unanswered);
  const edits = [...waiting.edits.keys()].map((field) => [field, presentValue(rebased.view, field)] as const);
  return withEdits(waiting, rebased, new Map(edits));
}

/**
 * Whether a change would write over something that the application has not seen: a row that was read, and that the record has now, has another
 * value than the row `before` in a field that the change writes. An erase writes over every field.
 */
function writesOverUnseen(record: InnerRecord, { action, edits, written, seen }: Change, before: Data): boolean {
  if (seen || action === 'create') return false;
  const { [ROW]: row, [MODEL]: model } = record;
  const { change, edits: now } = coreOf(record);
  // The row may show what the record itself has written before: in flight, or without a response.
  const isOwn = (field: FieldDefinition) =>
    (change?.written.has(field) && isSame(change.written.get(field), field.raw(row))) ||
    (now?.has(field) && isBase(record, field, now.get(field)));
  const fields = action === 'destroy' ? model.fields : [...edits.keys()];
  return fields.some(
    (field) => field.path && !isOwn(field) && differs(field.raw(before), field.raw(row), written.get(field)),
  );
}

/** Whether a value was changed, and not to `mine`. Lines of lists are matched one by one when the change is put on the row that was read. */
function differs(before: unknown, now: unknown, mine: unknown): boolean {
  if (isSame(before, now) || isSame(now, mine) || isSame(before, mine)) return false;
  if (Array.isArray(mine) && Array.isArray(now)) return false;
  if (!isData(before) || !isData(now) || !isData(mine)) return true;
  return Object.keys(mine).some((name) => differs(before[name], now[name], mine[name]));
}

/** A waiting change on the row that its record has now. */
interface RebasedChange {
  /** A record with the values of the change. */
  readonly view: InnerRecord;
  readonly live: ReadonlyEdits;
}

/**
 * Puts the values of a waiting change on the row that the record has now, instead of the row `before`. `unanswered`: what the server may have
 * stored of each field, the newest first.
 */
function rebaseWaiting(
  record: InnerRecord,
  waiting: Change,
  before: Data,
  known: SentValues,
  unanswered: ReadonlyMap<FieldDefinition, readonly SentValues[]> = new Map(),
): RebasedChange {
  // The change in flight may share the embedded records with this one, and keeps them as they were sent.
  const copies = new Map([...waiting.edits].map(([field, value]) => [field, copyFieldValue(field, value)] as const));
  const unconfirmed = [...unanswered].map(
    ([field, sent]) => [field, { at: waiting.at, sent: sent.map((each) => ofCopies(waiting, copies, each)) }] as const,
  );
  const view = viewOf(record, { ...waiting, base: before, edits: copies, unconfirmedFields: new Map(unconfirmed) });
  rebase(view, record[ROW], ofCopies(waiting, copies, known));
  const live = [...waiting.live].map(([field, value]) => {
    const isList = field.embedding && Array.isArray(value) && copies.has(field);
    return [field, isList ? liveLines(record, view, field, value, copies.get(field)) : value] as const;
  });
  return { view, live: new Map(live) };
}

/** The values that a write has sent, with the copies of the embedded records of a waiting change: both changes may share these records. */
function ofCopies(waiting: Change, copies: ReadonlyEdits, { written, live, liveRows }: SentValues): SentValues {
  const shared = [...copies].map(
    ([field, copy]) => [field, sharedValue(waiting.live.get(field), copy, live.get(field))] as const,
  );
  const rows = [...copies].flatMap(([field, copy]) => copyRows(waiting, liveRows, waiting.live.get(field), copy));
  return { written, live: new Map(shared), liveRows: new Map(rows) };
}

/**
 * Finds the rows that copies of embedded records had when a write was sent: they differ from the present ones in what was read since. What the
 * copies have by an edit is in their rows too.
 */
function copyRows(
  waiting: Change,
  sentRows: SentValues['liveRows'],
  value: unknown,
  copy: unknown,
): readonly (readonly [copy: InnerRecord, row: Data])[] {
  const copies = [copy].flat();
  return [value].flat().flatMap((record, at) => {
    const twin = copies[at];
    if (!isInner(record) || !isInner(twin)) return [];
    const { fields } = record[MODEL];
    const [row, sentRow] = [waiting.liveRows.get(record), sentRows?.get(record)];
    const isRead = (field: FieldDefinition) =>
      row !== undefined &&
      isSame(field.raw(twin[ROW]), field.raw(row)) &&
      !isSame(field.raw(row), field.raw(sentRow as Data));
    const read = sentRow ? fields.filter((field) => !field.embedding && isRead(field)) : [];
    const before = new Map(read.map((field) => [field, field.raw(sentRow as Data)] as const));
    const inside = fields.filter(({ embedding }) => embedding);
    return [
      [twin, withWritten(twin[ROW], before)] as const,
      ...inside.flatMap((field) => copyRows(waiting, sentRows, exactValue(record, field), exactValue(twin, field))),
    ];
  });
}

/** The lines of the record that belong to the lines of a rebased list, in the order of that list. `copy` are the copies of the lines in `live`. */
function liveLines(
  record: InnerRecord,
  view: InnerRecord,
  field: FieldDefinition,
  live: readonly unknown[],
  copy: unknown,
): unknown {
  const [list, serverCopies, serverLines] = [
    presentValue(view, field),
    baseValue(view, field),
    baseValue(record, field),
  ];
  if (!Array.isArray(list)) return list;
  const lineOf = new Map<unknown, unknown>();
  for (const [lines, copies] of [[serverLines, serverCopies] as const, [live, copy] as const])
    if (Array.isArray(lines) && Array.isArray(copies))
      for (const [at, line] of lines.entries()) lineOf.set(copies[at], line);
  return Object.freeze(list.map((each) => lineOf.get(each)));
}

function presentValue(view: InnerRecord, field: FieldDefinition): unknown {
  const { edits } = coreOf(view);
  return edits?.has(field) ? edits.get(field) : baseValue(view, field);
}

function withEdits(waiting: Change, { view, live }: RebasedChange, edits: ReadonlyEdits): Change {
  const written = writeEdits(view, edits);
  return changeWith(waiting, { edits, base: view[ROW], written, live, liveRows: rowsInside(live) });
}

/** The part of a settled value that a waiting change also has: of a list, the copies of the shared records, in the order of the settled list. */
function sharedValue(waiting: unknown, copy: unknown, settled: unknown): unknown {
  if (waiting === settled) return copy;
  if (!Array.isArray(waiting) || !Array.isArray(copy) || !Array.isArray(settled)) return undefined;
  const copyOf = new Map(waiting.map((each, at) => [each as unknown, copy[at] as unknown]));
  return settled.map((each) => copyOf.get(each));
}
