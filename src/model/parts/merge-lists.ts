import { type Data, type DataPath, getMember, isData, setMember } from '../../util/data-path.js';
import { isSame } from '../../util/values.js';
import type { FieldDefinition } from '../field-definition.js';
import type { ModelDefinition } from '../model-definition.js';
import { isAlikeRaw } from '../read-again.js';
import { type InnerRecord, isInner, type SentValues, withWritten } from '../record.js';
import { isSplit } from '../settle.js';
import { CORE, ROW } from '../symbols.js';
import { linesOf, matchLines } from './rebase-list.js';

/** A list of embedded records that a refused write has sent, and that another user has changed. */
export interface ListMerge {
  /** The rows that the write has sent, and the records that the list had. */
  readonly mine: readonly unknown[];
  readonly live: readonly unknown[];
  /** The rows on which the list was edited. */
  readonly base: readonly unknown[];
  /** The rows that the server has now. */
  readonly theirs: readonly unknown[];
  /** The records that the list has now, with the rows of the server and with later edits. */
  readonly present: readonly unknown[];
}

/** The rows to send, and the record of each row; undefined for a row that has none. */
export interface MergedList {
  readonly rows: readonly unknown[];
  readonly live: readonly unknown[];
}

/**
 * Merges a list by who changed what, without what was edited since the write: the members that the write has edited are written over the rows
 * of the server, its added lines are added, its removed lines go, and so do lines that the server has dropped and the write has not edited.
 */
export function mergeLists({ mine, live, base, theirs, present }: ListMerge, model: ModelDefinition): MergedList {
  const baseOfMine = matchLines(linesOf(base), mine, model);
  const baseOfTheirs = matchLines(linesOf(base), theirs, model);
  const nowOf = new Map([...baseOfTheirs].map(([row, { row: before }]) => [before, row]));
  const newTheirs = theirs.filter((row) => !baseOfTheirs.has(row as Data));
  const newMine = linesOf(mine, live).filter(({ row }) => !baseOfMine.has(row as Data));
  // An earlier attempt may have stored an added line, with other values: then its record has the row of the server by now.
  for (const [row, { row: sent }] of matchLines(newMine, newTheirs, model)) nowOf.set(sent, row);
  const recordOf = matchLines(
    present.flatMap((each) => (isInner(each) ? [{ row: each[ROW], record: each }] : [])),
    newTheirs,
    model,
  );
  const own = mine.flatMap((row, at) => {
    const before = baseOfMine.get(row as Data)?.row;
    const now = nowOf.get(before ?? row);
    if (!now) return before === undefined || !isSame(row, before) ? [{ row, record: live[at] }] : [];
    return [{ row: withEdited(now, row as Data, before, model.fields), record: live[at] }];
  });
  const stored = new Set<unknown>(newMine.map(({ row }) => nowOf.get(row)));
  const added = newTheirs.flatMap((row) =>
    stored.has(row) ? [] : [{ row, record: recordOf.get(row as Data)?.record as unknown }],
  );
  const lines = [...own, ...added];
  return { rows: lines.map(({ row }) => row), live: lines.map(({ record }) => record) };
}

/**
 * A row of the server with the members that differ between a sent row and the row before it. Embedded records, and members inside which fields
 * lie, are merged member by member, embedded lists line by line, at every depth; every other value is replaced.
 */
export function withEdited(
  now: Data,
  sent: Data,
  before: unknown,
  fields: readonly FieldDefinition[],
  path: DataPath = [],
): Data {
  const merged: Data = { ...now };
  for (const [name, mine] of Object.entries(sent)) {
    const [theirs, base] = [getMember(now, name), getMember(before, name)];
    if (isSame(mine, base)) continue;
    const inside = [...path, name];
    const { embedding } = fields.find((field) => isSame(field.path, inside)) ?? {};
    const areRows = isData(mine) && isData(base) && isData(theirs);
    const areLists = Array.isArray(mine) && Array.isArray(base) && Array.isArray(theirs);
    let value = mine;
    if (embedding && areLists) value = embedding.mergeLists({ mine, base, theirs, live: [], present: [] }).rows;
    else if (embedding && areRows) value = withEdited(theirs, mine, base, embedding.fields);
    else if (areRows && isSplit(fields, inside)) value = withEdited(theirs, mine, base, fields, inside);
    setMember(merged, name, value);
  }
  return merged;
}

/**
 * The JSON forms of one value: that which the user has seen, that which the server has now, that which would be sent, and then the values that
 * writes of this page have replaced and sent, of which no row may have told yet: first of the write in flight, or undefined twice. Undefined where a
 * side has none.
 */
export type Sides = readonly [was: unknown, is: unknown, mine: unknown, ...own: unknown[]];

/** The sides of an edited field whose value before was `was`. */
export function sidesOf({ [CORE]: core, [ROW]: row }: InnerRecord, field: FieldDefinition, was: unknown): Sides {
  const { change, assumed, unconfirmedFields, edits } = core ?? {};
  const writes: (SentValues | undefined)[] = [
    change?.written.has(field) ? change : undefined,
    assumed?.get(field),
    ...(unconfirmedFields?.get(field)?.sent ?? []),
  ];
  const own = writes.flatMap((write) => [write?.base && field.raw(write.base), write?.written.get(field)]);
  return [was, field.raw(row), field.write(edits?.get(field), row), ...own];
}

/**
 * The value that the server has now, with the value before in the members and lines that it has changed and that would be written over; the very
 * same value if there are none. A row that lacks a member says nothing about it.
 */
export function seenValue(sides: Sides, model: ModelDefinition): unknown {
  const [was, is, mine] = sides;
  if (isSame(was, is) || isSame(mine, is)) return is;
  const compared = [was, is, mine];
  if (compared.every(isData)) return seenRow(sides, model);
  if (compared.every(Array.isArray)) return seenLines(sides, model);
  return seenMember(sides, (first, second) => isAlikeRow(first, second, model));
}

/** Whether two values of a field with embedded records say the same: a row that lacks a member says nothing about it. */
function isAlikeRow(first: unknown, second: unknown, model: ModelDefinition): boolean {
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((row, at) => isAlikeRow(row, second[at], model));
  if (!isData(first) || !isData(second)) return isSame(first, second);
  return model.fields.every((field) => {
    const [one, other] = [field.raw(first), field.raw(second)];
    if (!field.persist || one === undefined || other === undefined) return true;
    return field.embedding ? isAlikeRow(one, other, field.embedding.model) : isAlikeRaw(field, one, other);
  });
}

/** The same for a value that is replaced as a whole: it was seen if nobody has changed it, or if this page may have written what it is now. */
function seenMember(
  [was, is, mine, begunOn, begun, ...own]: Sides,
  isAlike: (first: unknown, second: unknown) => boolean,
): unknown {
  const isOwn = (sent: unknown, at: number) =>
    at % 2 === 1 && !isAlike(own[at - 1], sent) && (isAlike(sent, was) || isAlike(sent, is));
  const isSeen = isAlike(was, is) || isAlike(mine, is) || !isAlike(begunOn, begun) || own.some(isOwn);
  return isSeen ? is : was;
}

/** The same for a row, member by member. */
function seenRow(sides: Sides, { fields }: ModelDefinition): unknown {
  let [, seen] = sides;
  for (const field of fields) {
    const inside = sides.map((row) => (isData(row) ? field.raw(row) : undefined)) as readonly unknown[] as Sides;
    const [was, is] = inside;
    if (!field.persist || was === undefined || is === undefined) continue;
    const isAlike = (first: unknown, second: unknown) => isAlikeRaw(field, first, second);
    const value = field.embedding ? field.embedding.seen(inside) : seenMember(inside, isAlike);
    if (value !== is) seen = withWritten(seen as Data, new Map([[field, value]]));
  }
  return seen;
}

/** The same for a list, line by line. Lines of which the row says what it said before need no comparison with what would be sent. */
function seenLines([was, is, ...others]: Sides, model: ModelDefinition): unknown {
  const [before, now] = [was, is] as readonly unknown[] as readonly (readonly unknown[])[];
  const linesIn = (list: unknown, rows: readonly unknown[] = [], isWanted?: (row: Data) => boolean) =>
    matchLines(linesOf(Array.isArray(list) ? list : []), rows, model, isWanted);
  const known = linesIn(before, now);
  const isChanged = (row: Data) => !isAlikeRow(known.get(row)?.row, row, model);
  const stays = new Set([...known.values()].map(({ row }) => row));
  const gone = (before ?? []).filter((row) => !stays.has(row));
  const [inNow, inGone] = [
    others.map((list) => linesIn(list, now, isChanged)),
    others.map((list) => linesIn(list, gone)),
  ];
  const seenIn = (lists: typeof inNow, row: unknown, ...own: readonly unknown[]) =>
    seenValue([...own, ...lists.map((lines) => lines.get(row as Data)?.row)] as readonly unknown[] as Sides, model);
  const seen = [
    ...(now ?? []).map((row) => (isChanged(row as Data) ? seenIn(inNow, row, known.get(row as Data)?.row, row) : row)),
    ...gone.map((row) => seenIn(inGone, row, row, undefined)),
  ];
  const left = seen.filter((line) => line !== undefined);
  return left.length === now?.length && left.every((line, at) => line === now[at]) ? is : left;
}
