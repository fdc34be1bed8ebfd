import type { Messages } from '../errors/message-format.js';
import type { CompositeId } from '../util/composite-id.js';
import { type Data, type DataPath, writePath } from '../util/data-path.js';
import type { RecordId } from './actions.js';

/** The member in which a record gives its model to proxies, readers and writers. No field can have this name. */
export const MODEL: unique symbol = Symbol('model');

/** A record as proxies, readers and writers see it. */
export interface OperationRecord {
  readonly phantom: boolean;
  readonly [MODEL]: RecordModel;
}

/** A declared field as proxies, readers and writers see it. */
export interface WireField {
  readonly name: string;
  /** The name for people, if the application has given one. */
  readonly label?: string | undefined;
  readonly mapping: string;
  /** The path of the member in the row; undefined if `mapping` is a function. */
  readonly path: DataPath | undefined;
  /** The name of the field's type. */
  readonly type: string;
  /** The embedded model; undefined if the field has plain values. */
  readonly embedding: { readonly fields: readonly WireField[] } | undefined;
  /** The fields from which the value is made; undefined: it is the member of the row alone. */
  readonly depends?: readonly string[] | undefined;
  /** Whether writers send the field. */
  readonly persist: boolean;
  /** Whether the application may set the field. */
  readonly writable: boolean;
  /** The value of the field in a new record that is created without one. */
  defaultValue?(): unknown;
  /** Reads the raw value of the field from a row. */
  raw(row: Readonly<Record<string, unknown>>): unknown;
  /** Converts a raw value to the field's value. A value that is made from other fields needs the record. */
  read(raw: unknown, record?: object): unknown;
  /** Whether the type of the field takes a raw value, by its own conversion. Undefined: it takes every text and number. */
  readonly takes?: ((raw: unknown) => boolean) | undefined;
  /** Converts a value of a filter to the form in which the field travels. Undefined: values travel as they are. */
  readonly queryValue?: ((value: unknown) => unknown) | undefined;
  /** Compares two values; undefined if `<` gives their order. */
  readonly compare: ((a: never, b: never) => number) | undefined;
  /** Converts a value to its form in JSON; `row` is the row that is being written. */
  write(value: unknown, row: Readonly<Record<string, unknown>>): unknown;
}

/** A model as proxies, readers and writers see it. */
export interface RecordModel {
  readonly name: string;
  readonly fields: readonly WireField[];
  readonly idField: WireField;
  /** The fields of which the id is made; undefined if one field holds it. */
  readonly idParts?: readonly WireField[] | undefined;
  /**
   * Whether ids have a meaning (an e-mail address, a code): the application gives them, and creates send them. @default
   * false
   */
  readonly naturalId?: boolean;
  /** Texts that replace the built-in ones in errors. */
  readonly messages?: Messages | undefined;
  field(name: string): WireField | undefined;
  /** Whether a member of a row belongs to no field, neither by its name nor by a mapping, and new records keep it. */
  keepsMember?(name: string): boolean;
  /** The raw id as the server gave it; for a phantom, the id that the client made. */
  serverId(record: OperationRecord): unknown;
  /** The id in a raw row; undefined if the row has no valid id. */
  rowId(row: unknown): RecordId | undefined;
  /** Converts the text of an id to a raw id: to a number if the id field has numbers. */
  idFromText(text: string): RecordId;
  /** The `pathParams` with which a record without an id was loaded or created, because its proxy is a `singleton`. */
  pathParams?(record: OperationRecord): Readonly<Record<string, unknown>> | undefined;
  /**
   * The raw value of a field for a URL template: as the server last sent it if `committed`, else with the edit. Throws
   * `AddressError` for the temporary id of a phantom.
   */
  templateValue(record: OperationRecord, name: string, committed: boolean): unknown;
  /** The row as the server last sent it; for a phantom, the values that it was created with. */
  row(record: OperationRecord): Readonly<Record<string, unknown>>;
  /** The edited fields and their new values. */
  edits(record: OperationRecord): ReadonlyMap<WireField, unknown>;
}

/**
 * The row of a record as the server last sent it; for a phantom, the values that it was created with.
 *
 * @example
 * ```ts
 * user.name = 'Grace';
 * rowOf(user); // { id: 7, name: 'Ada' }: without the edit
 * ```
 */
export function rowOf(record: OperationRecord): Readonly<Record<string, unknown>> {
  return record[MODEL].row(record);
}

/** The model of an operation: its own, else that of its first record. */
export function modelOf({
  model,
  records,
}: {
  readonly model?: RecordModel | undefined;
  readonly records: readonly unknown[];
}): RecordModel | undefined {
  const [record] = records as readonly (OperationRecord | undefined)[];
  return model ?? record?.[MODEL];
}

/** The fields that hold the id of a model: one, or the parts of an id of several fields. */
export function idFieldsOf({ idField, idParts }: Pick<RecordModel, 'idField' | 'idParts'>): readonly WireField[] {
  return idParts ?? [idField];
}

/** Writes an id into a row. */
export function writeId(row: Data, { idField, idParts }: RecordModel, id: unknown): void {
  if (!idParts) {
    if (idField.path) writePath(row, idField.path, id);
    return;
  }
  for (const [at, { path }] of idParts.entries()) if (path) writePath(row, path, (id as CompositeId)[at]);
}
