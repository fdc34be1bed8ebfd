import { MODEL } from '../../operation/operation-record.js';
import type { Data } from '../../util/data-path.js';
import { mergeLines, pairLines } from '../../util/merge3.js';
import { JsonWriter } from '../../writer/json-writer.js';
import type { ModelDefinition } from '../model-definition.js';
import { type InnerRecord, isInner } from '../record.js';
import { ROW } from '../symbols.js';
import { rowShape } from './field-shape.js';

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
  const mine = value.map((each) => (!isInner(each) ? each : each.dirty ? rowNow(each) : each[ROW]));
  const item = rowShape(model, true, [knownRows, known], [mine, value], [rows, base]);
  const lines = mergeLines(before, mine, rows, { shape: { item } });
  const list = lines.map((line) => (line.mine === undefined ? base[line.theirs as number] : value[line.mine]));
  return { base, list: [base, value].find((each) => isAlike(list, each)) ?? Object.freeze(list) };
}

/** Whether a row belongs to another record, because both have ids and these differ. */
export function isOther(record: InnerRecord, row: Data): boolean {
  const { [MODEL]: model } = record;
  const [ownId, id] = [model.rowId(record[ROW]), model.rowId(row)];
  return ownId !== undefined && id !== undefined && String(ownId) !== String(id);
}

/** The row of a record with its present edits in it. */
export function rowNow(record: InnerRecord): unknown {
  return new JsonWriter().wholeRow(record);
}

function isAlike(first: readonly unknown[], second: readonly unknown[]): boolean {
  return first.length === second.length && first.every((each, at) => each === second[at]);
}
