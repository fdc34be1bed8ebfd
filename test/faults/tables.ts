/** A table of the demo server, as the campaign writes to it. */
export interface TableUse {
  /** Column that identifies the create of the row; written once. */
  readonly marker: string;
  /** Columns that are edited. Each value is written by one edit only. */
  readonly edited: readonly string[];
  /** Columns that the server writes itself. */
  readonly managed: readonly string[];
}

/** Names of the tables. */
export type TableName = 'teams' | 'users' | 'tasks';

export const tables: Readonly<Record<TableName, TableUse>> = {
  teams: { marker: 'city', edited: ['name'], managed: [] },
  users: { marker: 'badge', edited: ['name', 'salary', 'settings'], managed: [] },
  tasks: { marker: 'origin', edited: ['title', 'estimate'], managed: ['createdAt', 'updatedAt', 'version'] },
};

/** Values that no other edit writes. */
export function uniqueValue(table: TableName, column: string, client: number, step: number, at: number): unknown {
  const name = `${client}.${step}.${at}`;
  if (column === 'estimate') return ((step * 4 + at) * 8 + client) / 1000;
  if (column === 'salary') return `${step * 10 + client}.${10 + at}`;
  if (column === 'settings') return { theme: name, tags: [`${table}`] };
  return `${column} ${name}`;
}

/** The name of a row in journals. */
export function rowName(table: TableName, id: unknown, marker: unknown): string {
  return `${table}/${isMarker(marker) ? marker : `#${id}`}`;
}

export function isMarker(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('@');
}
