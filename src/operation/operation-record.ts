import type { Messages } from '../errors/messages.js';
import type { ProblemReader } from '../errors/problem.js';
import type { DataPath } from '../util/data-path.js';
import type { RecordId } from './actions.js';

/** Leads from a record to what the lower layers may ask of its model; no field can have this name. */
export const MODEL: unique symbol = Symbol('model');

/** A record as proxies, readers and writers see it. */
export interface OperationRecord {
  readonly phantom: boolean;
  readonly [MODEL]: RecordModel;
}

/** A declared field as proxies, readers and writers see it. */
export interface WireField {
  readonly name: string;
  readonly mapping: string;
  /** The member that carries it; undefined for a function mapping. */
  readonly path: DataPath | undefined;
  /** The name of its type. */
  readonly type: string;
  /** The models inside, where it holds some. */
  readonly embedding: { readonly fields: readonly WireField[] } | undefined;
  /** Whether writers send it. */
  readonly persist: boolean;
  /** Whether users may set it. */
  readonly writable: boolean;
  /** What a row holds for it. */
  raw(row: Readonly<Record<string, unknown>>): unknown;
  /** What was received, as the field's value. */
  read(raw: unknown): unknown;
  /** The order of two values, where `<` would not do. */
  readonly compare: ((a: never, b: never) => number) | undefined;
  /** A value as JSON carries it; `row` is the one that is being written. */
  write(value: unknown, row: Readonly<Record<string, unknown>>): unknown;
}

/** What a model tells the lower layers about itself and its records. */
export interface RecordModel {
  readonly name: string;
  readonly fields: readonly WireField[];
  readonly idField: WireField;
  /** Whether ids mean something: the application gives them, and creates send them (H14). @default false */
  readonly naturalId?: boolean;
  /** Texts that replace the built-in ones in errors. */
  readonly messages?: Messages | undefined;
  /** Reads the body of an answer that is no success, where the proxy has no `readProblem` of its own. */
  readonly readProblem?: ProblemReader | undefined;
  field(name: string): WireField | undefined;
  /** The id as the server gave it, raw; of a phantom, the client's (H6). */
  serverId(record: OperationRecord): unknown;
  /** The id in a raw row. */
  rowId(row: unknown): RecordId | undefined;
  /** A raw id from a text: a number where the field holds numbers. */
  idFromText(text: string): RecordId;
  /** Values for templates that a record without an id was loaded or created with, where its proxy is a `singleton` (H5). */
  pathParams?(record: OperationRecord): Readonly<Record<string, unknown>> | undefined;
  /** A field for a template: as the server last gave it, or as it stands (H10). Throws for the id of a phantom. */
  templateValue(record: OperationRecord, name: string, committed: boolean): unknown;
  /** The row as the server last gave it; of a phantom, the values that it was made with. */
  row(record: OperationRecord): Readonly<Record<string, unknown>>;
  /** Edited fields and their values. */
  edits(record: OperationRecord): ReadonlyMap<WireField, unknown>;
}

/** The row of a record as the server last gave it; of a new record, the values that it was made with. */
export function rowOf(record: OperationRecord): Readonly<Record<string, unknown>> {
  return record[MODEL].row(record);
}

/** The model that an operation is about, where there is one. */
export function modelOf(operation: {
  readonly records: readonly OperationRecord[];
  readonly model?: RecordModel | undefined;
}): RecordModel | undefined {
  return operation.model ?? operation.records[0]?.[MODEL];
}
