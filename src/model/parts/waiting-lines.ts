import { MODEL } from '../../operation/operation-record.js';
import type { Data } from '../../util/data-path.js';
import { isSame } from '../../util/values.js';
import { type Change, copyFieldValue, viewOf } from '../change.js';
import type { FieldDefinition } from '../field-definition.js';
import {
  baseValue,
  cachedValue,
  coreOf,
  exactValue,
  type InnerRecord,
  isInner,
  rebase,
  type SentValues,
  twinOf,
  withWritten,
} from '../record.js';
import type { Edits, ReadonlyEdits } from '../record-core.js';
import { CORE, ROW } from '../symbols.js';
import { type RebasedChange, type SettledValues, type WaitingHooks, withEdits } from '../waiting-changes.js';

// Embedded records in changes, and in changes that wait behind a write.

/** Copies edits, so that later edits of embedded records do not change them. */
function copyEdits(edits: ReadonlyEdits | undefined): Edits {
  const copies: Edits = new Map(edits);
  for (const [field, value] of copies)
    if (field.embedding)
      copies.set(field, Array.isArray(value) ? Object.freeze(value.map(copyInside)) : copyInside(value));
  return copies;
}

/** Copies an embedded record with its edits, which are what a check of new values checks. */
function copyInside(value: unknown): unknown {
  if (!isInner(value)) return value;
  const { [ROW]: row, [CORE]: core } = value;
  if (!core) return twinOf(value, row);
  const { phantom, temporaryId, pathParams, edits } = core;
  return twinOf(value, row, { phantom, temporaryId, pathParams, edits: copyEdits(edits) });
}

/** The values of edits as the record holds them, with its own embedded records. */
function live(edits: ReadonlyEdits, present: ReadonlyEdits): ReadonlyEdits {
  const held = [...edits].filter(([field]) => !field.embedding || present.has(field));
  return new Map(held.map(([field, value]) => [field, field.embedding ? present.get(field) : value]));
}

/** The rows of the embedded records in values, at every depth. */
function rowsInside(values: ReadonlyEdits, rows: Map<InnerRecord, Data> = new Map()): Map<InnerRecord, Data> {
  for (const [field, value] of values) {
    if (!field.embedding) continue;
    for (const each of [value].flat()) {
      if (!isInner(each)) continue;
      rows.set(each, each[ROW]);
      const inside = each[MODEL].fields.filter(({ embedding }) => embedding);
      if (inside.length > 0) rowsInside(new Map(inside.map((one) => [one, exactValue(each, one)])), rows);
    }
  }
  return rows;
}

/** Makes the embedded records in a change tell their record about their edits, if it has not held their lists yet. */
function adopt(record: InnerRecord, { live }: Change, before?: Change): void {
  for (const [field, value] of live) {
    const held = [before?.live.get(field), coreOf(record).edits.get(field), cachedValue(record, field)];
    if (!held.includes(value)) field.embedding?.adopt(record, field, value);
  }
}

/**
 * The values that a write has sent, and the embedded records that it has left as they were: a create sends those with which the record was made
 * without an edit of them, and it is by the answer to it that they get their ids. Called while the row of the record has the sent values.
 */
function known(record: InnerRecord, { at, written, live, liveRows }: SettledValues): SettledValues {
  const { [MODEL]: model, [ROW]: row } = record;
  const others = model.fields.filter((field) => field.embedding && field.raw(row) !== undefined && !written.has(field));
  return {
    ...{ at, liveRows },
    written: new Map([...written, ...others.map((field) => [field, field.raw(row)] as const)]),
    live: new Map([...live, ...others.map((field) => [field, cachedValue(record, field)] as const)]),
  };
}

/**
 * A waiting change after a row was read, which the record has now: its embedded records have the members and lines of that row that the
 * application has not changed. All of its fields are still sent, because a write in flight may give them other values than the read has shown.
 */
function onRead(record: InnerRecord, waiting: Change, before: Data, known: SentValues): Change {
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
    if (!field.embedding || !Array.isArray(value) || !copies.has(field)) return [field, value] as const;
    const lines = liveLines(record, view, field, value, copies.get(field));
    // A list that the record has not held yet.
    field.embedding.adopt(record, field, lines);
    return [field, lines] as const;
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
    const [row, sentRow] = [waiting.liveRows?.get(record), sentRows?.get(record)];
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

/** The part of a settled value that a waiting change also has: of a list, the copies of the shared records, in the order of the settled list. */
function sharedValue(waiting: unknown, copy: unknown, settled: unknown): unknown {
  if (waiting === settled) return copy;
  if (!Array.isArray(waiting) || !Array.isArray(copy) || !Array.isArray(settled)) return undefined;
  const copyOf = new Map(waiting.map((each, at) => [each as unknown, copy[at] as unknown]));
  return settled.map((each) => copyOf.get(each));
}

/** Holds embedded records in changes, and puts those that wait on another row. */
export const waitingLines: WaitingHooks = { copyEdits, live, rowsInside, adopt, known, rebase: rebaseWaiting, onRead };
