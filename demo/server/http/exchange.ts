import type Libsql from 'libsql';
import type { RowChange, WriteScope } from '../data/scope.js';
import type { Table } from '../data/table.js';
import type { Address } from './address.js';

/** One request to the API: its address, and the state that handlers need to answer it. */
export interface Exchange {
  readonly db: Libsql.Database;
  readonly table: Table;
  readonly address: Address;
  readonly request: Request;
  readonly url: URL;
  /** The time of the request, as it is stored. */
  readonly now: string;
  /** The name of the user, for the history of orders. */
  readonly who: string;
  /** Collects the changes of rows that the request makes. */
  readonly changes: RowChange[];
}

/** The scope of the writes of a request. */
export function scopeOf({ db, table, now, who, changes }: Exchange): WriteScope {
  return { db, table, now, who, changes };
}
