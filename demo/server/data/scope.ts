import type Libsql from 'libsql';
import type { Row, Table } from './table.js';

/** The target and the time of a write; every function here runs inside a transaction. */
export interface WriteScope {
  readonly db: Libsql.Database;
  readonly table: Table;
  readonly now: string;
  readonly who: string;
  /** Gets an entry for each row that changes, also for rows that change with the one that is written. */
  readonly changes: RowChange[];
}

/** A change of one row. */
export interface RowChange {
  readonly table: Table;
  readonly id: number;
  /** The row before; undefined: it is new. */
  readonly before: Row | undefined;
  /** The row since then; undefined: it is deleted. */
  readonly after: Row | undefined;
}
