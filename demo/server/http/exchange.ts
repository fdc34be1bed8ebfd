import type Libsql from 'libsql';
import type { Table } from '../data/table.js';
import type { WriteScope } from '../data/writes.js';
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
}

/** The scope of the writes of a request. */
export function scopeOf({ db, table, now }: Exchange): WriteScope {
  return { db, table, now };
}
