import type { Json, JsonObject } from './json.js';
import type { Kind } from './kinds.js';

/** The tables there are. */
export type TableName = 'teams' | 'users' | 'tasks';

/** One stored row, as it travels. */
export type Row = JsonObject & { readonly id: number };

/** What the server itself writes into a column, whatever the client sent. */
export interface Managed {
  onCreate(now: string): Json;
  onUpdate(current: Json, now: string): Json;
}

/** One column besides `id`. */
export interface Column {
  readonly name: string;
  readonly kind: Kind;
  /** Whether it may hold null; a PUT without the member then sets null. */
  readonly nullable?: boolean;
  /** What a create without the member stores. */
  readonly initial?: (now: string) => Json;
  /** Whether no two rows may hold the same text, whatever its case. */
  readonly unique?: boolean;
  /** The table whose id it holds, and what becomes of this row when that one goes. */
  readonly references?: { readonly table: TableName; readonly onDelete: 'RESTRICT' | 'SET NULL' };
  readonly managed?: Managed;
  /** A rule beyond the kind; answers with the end of the sentence "`name` ...". */
  readonly check?: (value: Json) => string | undefined;
}

/** A table: the only source of names that reach a statement. */
export interface Table {
  readonly name: TableName;
  readonly singular: string;
  readonly columns: readonly Column[];
}

const id: Column = { name: 'id', kind: 'integer' };

/** The column of that name, `id` included. */
export function findColumn(table: Table, name: string): Column | undefined {
  return name === 'id' ? id : table.columns.find((column) => column.name === name);
}
