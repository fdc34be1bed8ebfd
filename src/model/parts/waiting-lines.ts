import { MODEL } from '../../operation/operation-record.js';
import type { Data } from '../../util/data-path.js';
import { isSame } from '../../util/values.js';
import { type Change, viewOf } from '../change.js';
import type { FieldDefinition } from '../field-definition.js';
import {
  baseValue,
  cachedValue,
  coreOf,
  exactValue,
  type InnerRecord,
  isInner,
  type LiveRows,
  type SentValues,
  twinOf,
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

/** The embedded records in values as they are, at every depth. `saved`: as some of them were when their holder was saved. */
function rowsInside(values: ReadonlyEdits, saved?: LiveRows): LiveRows {
  const records = [...values].flatMap(([{ embedding }, value]) => (embedding ? [value].flat().filter(isInner) : []));
  return new Map(
    records.flatMap((each) => {
      const fields = each[MODEL].fields.filter(({ embedding }) => embedding);
      const inside = saved?.get(each)?.inside ?? new Map(fields.map((field) => [field, exactValue(each, field)]));
      return [[each, { row: each[ROW], inside }] as const, ...rowsInside(inside, saved)];
    }),
  );
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
  const rebased = rebaseWaiting(record, waiting, before, known);
  const edits = [...waiting.edits.keys()].map((field) => [field, presentValue(rebased.view, field)] as const);
  return withEdits(waiting, rebased, new Map(edits));
}

/** Puts the values of a waiting change on the row that the record has now, instead of the row `before`. */
function rebaseWaiting(record: InnerRecord, waiting: Change, before: Data, known: SentValues): RebasedChange {
  const { change: begun, unconfirmedFields } = coreOf(record);
  const { [ROW]: row } = record;
  const [edits, live]: [Edits, Edits] = [new Map(waiting.edits), new Map(waiting.live)];
  for (const field of waiting.edits.keys()) {
    if (!field.embedding) continue;
    const [theirs, stored, own] = [field.raw(row), baseValue(record, field), waiting.live.get(field)];
    // An embedded record that has replaced another one stays as it is.
    if (!Array.isArray(own) && own !== stored) continue;
    const merged = field.embedding.merge(field, {
      base: known.written.has(field) ? known.written.get(field) : field.raw(before),
      known: known.live.get(field),
      ...{ mine: waiting.written.get(field), live: own, theirs, stored },
      // A row that was read may have the lines of a write in flight, or of one without a response.
      sent: [begun, ...(unconfirmedFields?.get(field)?.sent ?? [])].flatMap((each) => each?.live.get(field) ?? []),
    });
    live.set(field, merged.live);
    // A list that the record has not held yet.
    if (Array.isArray(own)) field.embedding.adopt(record, field, merged.live);
    // The edits of the change are checked once more when it is sent.
    const copy = field.readExact(merged.onto);
    if (isSame(merged.value, theirs)) edits.delete(field);
    else edits.set(field, field.embedding.rejectTo(copy, merged.value) ? copy : field.readExact(merged.value));
  }
  return { view: viewOf(record, { ...waiting, base: row, edits }), live };
}

function presentValue(view: InnerRecord, field: FieldDefinition): unknown {
  const { edits } = coreOf(view);
  return edits?.has(field) ? edits.get(field) : baseValue(view, field);
}

/** Holds embedded records in changes, and puts those that wait on another row. */
export const waitingLines: WaitingHooks = { copyEdits, live, rowsInside, adopt, known, rebase: rebaseWaiting, onRead };
