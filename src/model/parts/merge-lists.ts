import { MODEL } from '../../operation/operation-record.js';
import type { Data } from '../../util/data-path.js';
import { type List, type MergeConflict, merge3, mergeLines, pairLines } from '../../util/merge3.js';
import { JsonWriter } from '../../writer/json-writer.js';
import type { FieldDefinition } from '../field-definition.js';
import type { ModelDefinition } from '../model-definition.js';
import { type InnerRecord, isInner, type SentValues } from '../record.js';
import { CORE, ROW } from '../symbols.js';
import type { Embedding } from './embedded.js';
import { fieldShape, rowShape } from './field-shape.js';

// How embedded records and their lists meet other values: of a row that was read, of a write, and of what the user has seen.

/** A list of embedded records whose holder has a new row. */
export interface ListRebase {
  /** The list as the application has it now. */
  readonly value: readonly unknown[];
  /** The list that the server had, or was sent; empty if nobody has read it. */
  readonly known: readonly unknown[];
  /** The rows of `known`, in the same order. */
  readonly knownRows: readonly unknown[];
  /** The rows of the list in the new row of the holder. */
  readonly rows: readonly unknown[];
  /** The lists that the server may have stored, because a write that sent them has no response, the newest first. */
  readonly stored: readonly SentList[];
}

/** A list that a write has sent. */
export interface SentList {
  readonly known: readonly unknown[];
  /** The rows of `known` as they were sent, in the same order. */
  readonly knownRows: readonly unknown[];
  /** Gives a record of the list its row, whose values it may have changed since. */
  settle(record: InnerRecord, row: Data, sentRow: unknown): void;
}

/**
 * Gives the records of a list their new rows, and merges what the application and the server have changed in the list. `base` is the list of the
 * server, `list` that of the application: lines that it has added, or edited while the server dropped them, stay; so do removals.
 */
export function rebaseList(
  { value, known, knownRows, rows, stored }: ListRebase,
  model: ModelDefinition,
  readOne: (row: unknown) => unknown,
  settle: SentList['settle'],
): { readonly base: readonly unknown[]; readonly list: readonly unknown[] } {
  // The record of each row that is known, by its place.
  const found = new Map<number, unknown>();
  const taken = new Set<unknown>();
  const before = [...knownRows];
  for (const sent of [{ known, knownRows, settle }, ...stored]) {
    const left = [...rows.keys()].filter((at) => !found.has(at));
    const lines = [...sent.knownRows.keys()].filter((at) => !taken.has(sent.known[at]));
    const [first, second] = [lines.map((at) => sent.knownRows[at]), left.map((at) => rows[at])];
    const shape = rowShape(model, false, [first, lines.map((at) => sent.known[at])]);
    for (const [at, line] of pairLines(first, second, shape, false)) {
      const record = sent.known[lines[line] as number];
      found.set(left[at] as number, record);
      taken.add(record);
      // A line that a write without an answer has sent was known too: without it, the application has removed it.
      if (sent.known !== known) before.push(second[at]);
      if (isInner(record)) sent.settle(record, second[at] as Data, first[line]);
    }
    for (const record of known) taken.add(record);
    taken.delete(undefined);
  }
  const serverList = rows.map((row, at) => found.get(at) ?? readOne(row));
  const base = [value, known].find((each) => isAlike(serverList, each)) ?? Object.freeze(serverList);
  const ofServer = new Set(base);
  // The application has the list as it was known, and the server has all of its lines.
  if (isAlike(value, known) && before.length === known.length && value.every((each) => ofServer.has(each)))
    return { base, list: base };
  const mine = value.map((each) => (!isInner(each) ? each : each.dirty ? rowNow(each) : each[ROW]));
  const item = rowShape(model, true, [knownRows, known], [mine, value], [rows, base]);
  const lines = mergeLines(before, mine, rows, { shape: { item } });
  const merged = lines.map((line) => (line.mine === undefined ? base[line.theirs as number] : value[line.mine]));
  // The order of a list that a write has sent is still to come: without an answer to that write, another order is not newer.
  const [left, own] = [new Set(merged), new Set(value)];
  const isInOrder = isAlike(
    value.filter((each) => left.has(each)),
    merged.filter((each) => own.has(each)),
  );
  const list =
    stored.length === 0 || isInOrder
      ? merged
      : [...value.filter((each) => left.has(each)), ...merged.filter((each) => !own.has(each))];
  return { base, list: [base, value].find((each) => isAlike(list, each)) ?? Object.freeze(list) };
}

/** Whether a row belongs to another record, because both have ids and these differ. */
export function isOther(record: InnerRecord, row: Data): boolean {
  const { [MODEL]: model } = record;
  const [ownId, id] = [model.rowId(record[ROW]), model.rowId(row)];
  return ownId !== undefined && id !== undefined && String(ownId) !== String(id);
}

/** Writes the lines of all lists: to make a writer takes longer than to write a line. */
const WRITER = /* @__PURE__ */ new JsonWriter();

/** The row of a record with its present edits in it. */
export function rowNow(record: InnerRecord): unknown {
  return WRITER.wholeRow(record);
}

function isAlike(first: readonly unknown[], second: readonly unknown[]): boolean {
  return first.length === second.length && first.every((each, at) => each === second[at]);
}

/** A field with embedded records that a write has edited, and that has another value in the row of the server. */
export interface FieldMerge {
  /** The value on which the edits were made, and the records that were made of it, if they are known. */
  readonly base: unknown;
  readonly known?: unknown;
  /** The value that the write has sent, and the records that the field had. */
  readonly mine: unknown;
  readonly live: unknown;
  /** The value that the server has now, and the records that were made of it. */
  readonly theirs: unknown;
  readonly stored: unknown;
  /** The records that were known as well, so that a line of `theirs` which `mine` lacks was removed. */
  readonly sent?: List;
  /** Whether `theirs` may have what `mine` has added, because it was sent before. @default true */
  readonly isRepeat?: boolean;
}

/** The value to send, and its records; undefined for a line that has none. */
export interface MergedField {
  readonly value: unknown;
  /** The rows of the server to which the edits belong. */
  readonly onto: unknown;
  readonly live: unknown;
  /** The places that both sides have changed: the value has those of `mine`. */
  readonly conflicts: readonly MergeConflict[];
}

/** Merges a field by who changed what, without what was edited since the write, and finds the record of each line. */
export function mergeField(field: FieldDefinition, sides: FieldMerge): MergedField {
  const { base, known, mine, live, theirs, stored, sent = [], isRepeat = true } = sides;
  const conflicts: MergeConflict[] = [];
  const decide = (conflict: MergeConflict) => {
    conflicts.push(conflict);
    return conflict.mine;
  };
  if (![base, mine, theirs].every(Array.isArray)) {
    const value = merge3(base, mine, theirs, { shape: fieldShape(field, true), decide });
    return { value, onto: theirs, live: stored, conflicts };
  }
  const [lines, others, records] = [live, stored, known].map((each) =>
    Array.isArray(each) ? each : [],
  ) as List[] as Lists;
  const [rows, own, now] = [base, mine, theirs] as List[] as Lists;
  const before = [...rows, ...now.filter((_, at) => !records.includes(others[at]) && sent.includes(others[at]))];
  // An earlier attempt may have stored an added line, with other values: then its record has an id that the line lacks.
  const { model } = field.embedding as Embedding;
  const idName = model.idField.path?.at(-1);
  const item = rowShape(model, true, [rows, records], [own, lines], [now, others]);
  const merged = mergeLines(before, own, now, {
    ...{ shape: { item }, isRepeat },
    // The server may have made a line anew, with another id.
    decide: (conflict) => (conflict.path.at(-1) === idName ? conflict.theirs : decide(conflict)),
  });
  return {
    value: merged.map(({ value }) => value),
    onto: merged.map((line) => (line.theirs === undefined ? {} : now[line.theirs])),
    live: Object.freeze(merged.map((line) => (line.mine === undefined ? others[line.theirs ?? -1] : lines[line.mine]))),
    conflicts,
  };
}

type Lists = [List, List, List];

/** The JSON forms of one value: that which the user has seen, that which the server has now, and that which would be sent. */
export type Sides = readonly [was: unknown, is: unknown, mine: unknown];

/** The values of a field before and after a write of this page, of which no row may have told yet. */
type Written = readonly [from: unknown, to: unknown];

/** The part that the user has seen of an edited field whose value before was `before`; the value of the row if that is all of it. */
export function seenByUser(record: InnerRecord, field: FieldDefinition, before: unknown): unknown {
  const { [CORE]: core, [ROW]: row } = record;
  const { change, assumed, unconfirmedFields, edits } = core ?? {};
  const begun = change?.written.has(field) ? change : undefined;
  const writes: (SentValues | undefined)[] = [
    begun,
    assumed?.get(field),
    ...(unconfirmedFields?.get(field)?.sent ?? []),
  ];
  const written = writes.flatMap((each): Written[] =>
    each ? [[each.base && field.raw(each.base), each.written.get(field)]] : [],
  );
  const is = field.raw(row);
  const seen = seenValue([before, is, field.write(edits?.get(field), row)], field);
  return seen === is ? is : written.reduce((was: unknown, each) => seenOfOwn(was, is, each, field), seen);
}

/** The values that the server has now where it has what this page has written, or what it has made of that. */
function seenOfOwn(was: unknown, is: unknown, [from, to]: Written, field: FieldDefinition): unknown {
  const options = { shape: fieldShape(field, true), isRepeat: true, byPlace: false };
  const decide = ({ theirs }: { readonly theirs: unknown }) => theirs;
  const told = merge3(merge3(from, to, is, options), is, was, { ...options, decide });
  return seenValue([told, is, merge3(from, to, told, options)], field);
}

/**
 * The value that the server has now, with the value before in the members and lines that it has changed and that would be written over; the very
 * same value if there are none. A row that lacks a member says nothing about it.
 */
export function seenValue([was, is, mine]: Sides, field: FieldDefinition): unknown {
  let isSeen = true;
  const seen = merge3(was, mine, is, {
    // The lines of `mine` are on those of `is` already, which were not found by their places.
    ...{ shape: fieldShape(field, true), isRepeat: true, isWhole: true, byPlace: false },
    decide: ({ path, base, theirs }) => {
      if (typeof path.at(-1) === 'string' && (base === undefined || theirs === undefined)) return theirs;
      isSeen = false;
      return base;
    },
  });
  return isSeen ? is : seen;
}
