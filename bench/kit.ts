import type { SourceRow } from './data.js';
import type { Digest } from './harness.js';

/** A key to sort by. */
export interface SortKey {
  readonly property: 'name' | 'email' | 'age' | 'salary' | 'department';
  readonly descending?: boolean;
}

/** The result of a query. */
export interface Found {
  readonly count: number;
  /** The id of the record at a place. */
  id(at: number): number;
}

/** Records that a subject holds. A missing method stands for work that the subject cannot do. */
export interface Table {
  readonly count: number;
  /** The name of the record with an id. */
  nameOf(id: number): string | undefined;
  /** Reads all fields of all records, the date as a date; returns their sum by {@link add}. */
  readAll(): number;
  sort?(keys: readonly SortKey[]): Found;
  /** Restores the order in which the records came. */
  unsort?(): void;
  /** The records of a department. */
  filter?(department: string): Found;
  /** The records with a higher age and a lower salary than the given ones, found by a function. */
  filterBy?(age: number, salary: number): Found;
  unfilter?(): void;
  /** Sums of the salaries, by the value of a field. */
  sums?(by: 'department' | 'age'): ReadonlyMap<unknown, number>;
  /** Opens a view of the active records by salary, which follows all edits. */
  live?(): Live | Promise<Live>;
  close?(): void;
}

/** The edits of a tick, as a listener gets them: the steps that bring a copy of the view up to date, and the edited records. */
export interface Change {
  readonly splices: readonly {
    readonly index: number;
    readonly remove: number;
    readonly records: ArrayLike<unknown>;
  }[];
  readonly updated: Iterable<unknown>;
}

/** A sorted and filtered view under edits. */
export interface Live {
  /** How many records are shown, after all edits so far. */
  readonly count: number;
  set(id: number, field: 'salary' | 'active', value: number | boolean): void | Promise<unknown>;
  /** Calls a function once for the edits of a tick. */
  listen?(listener: (change: Change) => void): void;
  /** Undoes all edits. */
  reject?(): void;
  /** Facts that must be equal for all subjects; a subject without a view leaves out those that it does not know. */
  digest(): Digest;
}

/** A library, as the workloads call it. */
export interface Kit {
  readonly name: string;
  /** Most records with which the work ends in acceptable time. @default all */
  readonly most?: number;
  /** Whether the library gets the time for exact medians; other libraries get less. */
  readonly patient?: boolean;
  /** Makes records of parsed rows, found by id. */
  hold(rows: SourceRow[]): Table | Promise<Table>;
  /** Makes records of JSON text. @default parse, then `hold` */
  load?(text: string): Table | Promise<Table>;
}

/** Milliseconds that a session may take. */
export function budgetOf(kits: readonly Kit[], quick: boolean): number {
  return quick ? 100 : kits.some(({ patient }) => patient) ? 30_000 : 8_000;
}

/** Records of JSON text. */
export function load(kit: Kit, text: string): Table | Promise<Table> {
  return kit.load ? kit.load(text) : kit.hold(JSON.parse(text));
}

/** The eight values of a record, added up to one number. */
export function add(
  id: number,
  name: string,
  email: string,
  age: number,
  salary: number,
  active: boolean,
  joined: Date,
  department: string,
): number {
  return (
    id + name.length + email.length + age + salary + (active ? 1 : 0) + (joined.getTime() % 9973) + department.length
  );
}
