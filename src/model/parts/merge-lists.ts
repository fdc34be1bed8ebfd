import { type List, merge3, mergeLines } from '../../util/merge3.js';
import type { FieldDefinition } from '../field-definition.js';
import type { InnerRecord, SentValues } from '../record.js';
import { CORE, ROW } from '../symbols.js';
import type { Embedding } from './embedded.js';
import { fieldShape, rowShape } from './field-shape.js';

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
}

/** The value to send, and its records; undefined for a line that has none. */
export interface MergedField {
  readonly value: unknown;
  /** The rows of the server to which the edits belong. */
  readonly onto: unknown;
  readonly live: unknown;
}

/** Merges a field by who changed what, without what was edited since the write, and finds the record of each line. */
export function mergeField(field: FieldDefinition, sides: FieldMerge): MergedField {
  const { base, known, mine, live, theirs, stored, sent = [] } = sides;
  if (![base, mine, theirs].every(Array.isArray))
    return { value: merge3(base, mine, theirs, { shape: fieldShape(field, true) }), onto: theirs, live: stored };
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
    ...{ shape: { item }, isRepeat: true },
    // The server may have made a line anew, with another id.
    decide: (conflict) => (conflict.path.at(-1) === idName ? conflict.theirs : conflict.mine),
  });
  return {
    value: merged.map(({ value }) => value),
    onto: merged.map((line) => (line.theirs === undefined ? {} : now[line.theirs])),
    live: Object.freeze(merged.map((line) => (line.mine === undefined ? others[line.theirs ?? -1] : lines[line.mine]))),
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
  const options = { shape: fieldShape(field, true), isRepeat: true };
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
    ...{ shape: fieldShape(field, true), isRepeat: true, isWhole: true },
    decide: ({ path, base, theirs }) => {
      if (typeof path.at(-1) === 'string' && (base === undefined || theirs === undefined)) return theirs;
      isSeen = false;
      return base;
    },
  });
  return isSeen ? is : seen;
}
