import { MODEL } from '../../operation/operation-record.js';
import { canonicalText } from '../../util/canonical-text.js';
import { type Data, isData } from '../../util/data-path.js';
import { isSame } from '../../util/values.js';
import { JsonWriter } from '../../writer/json-writer.js';
import type { ModelDefinition } from '../model-definition.js';
import { type InnerRecord, isInner } from '../record.js';
import { CORE, ROW } from '../symbols.js';

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

/** A row that the server had, or was sent, and the record that was made of it, if there is one. */
export interface KnownLine {
  readonly row: unknown;
  readonly record: InnerRecord | undefined;
}

/**
 * Gives the records of a list their new rows, and merges what the application and the server have changed in the list. A row belongs to
 * the record with its id, else to a record with the content of the row; position decides only among equal rows. `base` is the list of the
 * server, `list` that of the application: lines that it has added, or edited while the server dropped them, stay; so do removals.
 */
export function rebaseList(
  { value, known, knownRows, rows, stored }: ListRebase,
  model: ModelDefinition,
  readOne: (row: unknown) => unknown,
  settle: (record: InnerRecord, row: Data, knownRow: unknown) => void,
): { readonly base: readonly unknown[]; readonly list: readonly unknown[] } {
  const lines = linesOf(knownRows, known);
  const lineOf = matchLines(lines, rows, model);
  const knownRecords = new Map(lines.flatMap(({ record, row }) => (record ? [[record, row] as const] : [])));
  const matched = new Set<unknown>([...lineOf.values()].map(({ record }) => record));
  for (const [row, { record, row: knownRow }] of lineOf) if (record) settle(record, row, knownRow);
  for (const sent of stored) {
    const unknown = linesOf(sent.knownRows, sent.known).filter(
      ({ record }) => !record || (!knownRecords.has(record) && !matched.has(record)),
    );
    const left = rows.filter((row) => !lineOf.has(row as Data));
    for (const [row, line] of matchLines(unknown, left, model)) {
      lineOf.set(row, line);
      if (!line.record) continue;
      matched.add(line.record);
      sent.settle(line.record, row, line.row);
    }
  }
  const serverList = rows.map((row) => lineOf.get(row as Data)?.record ?? readOne(row));
  const base = [value, known].find((each) => isAlike(serverList, each)) ?? Object.freeze(serverList);
  const isDropped = (each: unknown) => isInner(each) && knownRecords.has(each) && !matched.has(each);
  const isKept = (each: unknown) =>
    !isDropped(each) || !isSame(rowNow(each as InnerRecord), knownRecords.get(each as InnerRecord));
  const values = new Set(value);
  // A line of the server that the application does not have, but that was known or sent, is one that it has removed.
  const ofServer = base.filter((each, at) => values.has(each) || !lineOf.has(rows[at] as Data));
  // Until the application changes the list, it has the order of the server.
  const list = isAlike(value, known)
    ? [...ofServer, ...value.filter((each) => isInner(each) && !matched.has(each) && isKept(each))]
    : [...value.filter(isKept), ...ofServer.filter((each) => !values.has(each))];
  return { base, list: [base, value].find((each) => isAlike(list, each)) ?? Object.freeze(list) };
}

/** The lines of a list by its rows, each with its record if there is one. */
export function linesOf(knownRows: readonly unknown[], known: readonly unknown[] = []): KnownLine[] {
  return knownRows.map((row, at) => ({ row, record: isInner(known[at]) ? known[at] : undefined }));
}

/**
 * Finds the known line of each row: by id, then by content. With `isWanted`, a row that is not wanted is compared with the whole content of lines
 * only.
 */
export function matchLines(
  lines: readonly KnownLine[],
  rows: readonly unknown[],
  model: ModelDefinition,
  isWanted: (row: Data) => boolean = () => true,
): Map<Data, KnownLine> {
  const matches = new Map<Data, KnownLine>();
  const free = new Set(rows.filter(isData));
  const open = new Set(lines);
  const take = (line: KnownLine, row: Data) => {
    matches.set(row, line);
    free.delete(row);
    open.delete(line);
  };
  const rowById = new Map([...free].map((row) => [textOf(model.rowId(row)), row]));
  for (const line of lines) {
    const id = idOf(line, model);
    const row = id === undefined ? undefined : rowById.get(id);
    if (row && free.has(row)) take(line, row);
  }
  // Equal rows first, by a text of each: comparing each line with each row takes quadratic time.
  const equal = new Map<string, Data[]>();
  for (const row of free) {
    const content = canonicalText(row, String);
    if (!equal.get(content)?.push(row)) equal.set(content, [row]);
  }
  for (const line of open) {
    const row = equal.get(canonicalText(line.row, String))?.shift();
    if (row) take(line, row);
  }
  const wanted = [...free].filter(isWanted);
  const unnamed = wanted.filter((row) => model.rowId(row) === undefined);
  for (const line of open)
    for (const row of model.rowId(line.row) === undefined ? wanted : unnamed) {
      if (!isData(line.row) || !free.has(row) || !holdsContent(model, line.row, row)) continue;
      take(line, row);
      break;
    }
  return matches;
}

/** The id of a line as text: that of its record or row, or the temporary id with which a new record was sent. */
function idOf({ record, row }: KnownLine, model: ModelDefinition): string | undefined {
  return textOf(record ? (model.rowId(record[ROW]) ?? record[CORE]?.temporaryId) : model.rowId(row));
}

function textOf(id: unknown): string | undefined {
  return id === undefined || id === null ? undefined : String(id);
}

/** Whether a row has the content of a known row, as far as both have fields. The server may have added or left out others. */
function holdsContent(model: ModelDefinition, knownRow: Data, row: Data): boolean {
  return model.fields.every((field) => {
    const value = field.raw(knownRow);
    const received = field.raw(row);
    if (field === model.idField || value === undefined || received === undefined) return true;
    return isSame(value, received) || (!field.embedding && isSame(field.read(value), field.read(received)));
  });
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
