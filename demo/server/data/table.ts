import type { Json, JsonObject } from './json.js';
import type { Kind } from './kinds.js';

/** The names of the tables. */
export type TableName =
  | 'teams'
  | 'users'
  | 'tasks'
  | 'customers'
  | 'categories'
  | 'orders'
  | 'lines'
  | 'attachments'
  | 'changes';

/** One stored row, as it is sent. */
export type Row = JsonObject & { readonly id: number };

/** A value that the server writes into a column, whatever the client sent. */
export interface Managed {
  onCreate(now: string): Json;
  onUpdate(current: Json, now: string): Json;
}

/** One column besides `id`. */
export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Whether the column may hold null; a PUT without the member then sets null. */
  readonly nullable?: boolean;
  /** The value that a create without the member stores. */
  readonly initial?: (now: string) => Json;
  /** Whether no two rows may hold the same text, ignoring case. */
  readonly unique?: boolean;
  /** The table whose ids the column holds, and what happens to this row when the referenced row is deleted. */
  readonly references?: { readonly table: TableName; readonly onDelete: 'RESTRICT' | 'SET NULL' | 'CASCADE' };
  readonly managed?: Managed;
  /** SQL that reads the value from other tables; the column is not stored, and what clients send for it is ignored. */
  readonly computed?: string;
  /** Whether lists are often sorted or filtered by the column. */
  readonly indexed?: boolean;
  /** A rule besides the kind; returns the end of the sentence "`name` ...". */
  readonly check?: (value: Json) => string | undefined;
}

/** A table. Names in statements come from tables only, never from requests. */
export interface Table {
  readonly name: TableName;
  readonly singular: string;
  readonly columns: readonly Column[];
  /** Conditions with one placeholder for a pattern of `LIKE`: a search finds the rows that meet one of them. */
  readonly search?: readonly string[];
  /** Whether the column `version` is an entity tag too, so that rows of lists can be written under a condition. */
  readonly versioned?: boolean;
  /** The tables whose rows show the `name` of a row of this table. */
  readonly shownIn?: readonly TableName[];
}

const id: Column = { name: 'id', kind: 'integer' };

/** The column of that name, `id` included. */
export function findColumn(table: Table, name: string): Column | undefined {
  return name === 'id' ? id : table.columns.find((column) => column.name === name);
}

/** SQL for the value of a column, for conditions and orders. */
export function columnSql({ name, computed }: Column): string {
  return computed ?? `"${name}"`;
}

/** The columns that the table stores, besides `id`. */
export function storedColumns(table: Table): readonly Column[] {
  return table.columns.filter(({ computed }) => computed === undefined);
}
