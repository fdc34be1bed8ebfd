import type { SourceRow } from './data.js';
import type { Digest } from './harness.js';

/** What to sort by. */
export interface SortKey {
  readonly property: 'name' | 'email' | 'age' | 'salary' | 'department';
  readonly descending?: boolean;
}

/** What a query found. */
export interface Found {
  readonly count: number;
  /** The id of the record at a place. */
  id(at: number): number;
}

/** Records that a subject holds. Methods that are missing are work that it does not do. */
export interface Table {
  readonly count: number;
  /** The name of the record with an id. */
  nameOf(id: number): string | undefined;
  /** Reads all fields of all records, the date as a date; returns what {@link add} makes of them. */
  readAll(): number;
  sort?(keys: readonly SortKey[]): Found;
  /** Back to the order in which the records came. */
  unsort?(): void;
  /** Those of a department. */
  filter?(department: string): Found;
  /** Those older than `age` that earn less than `salary`, by a function. */
  filterBy?(age: number, salary: number): Found;
  unfilter?(): void;
  /** Sums of the salaries, by the value of a field. */
  sums?(by: 'department' | 'age'): ReadonlyMap<unknown, number>;
  /** From now on active records are shown by salary, whatever is edited. */
  live?(): Live | Promise<Live>;
  close?(): void;
}

/** A sorted and filtered view under edits. */
export interface Live {
  /** How many records are shown, with all edits so far in their place. */
  readonly count: number;
  set(id: number, field: 'salary' | 'active', value: number | boolean): void | Promise<unknown>;
  /** Undoes all edits. */
  reject?(): void;
  /** What must be equal between subjects; one that keeps no view leaves out what it does not know. */
  digest(): Digest;
}

/** A library, as the workloads drive it. */
export interface Kit {
  readonly name: string;
  /** Records above which its work takes too long to wait for. @default all */
  readonly most?: number;
  /** Whether it gets the time that good medians need; the others get what shows where they are. */
  readonly patient?: boolean;
  /** Makes records of parsed rows, found by id. */
  hold(rows: SourceRow[]): Table | Promise<Table>;
  /** Makes records of JSON text. @default parse, then `hold` */
  load?(text: string): Table | Promise<Table>;
}

/** Milliseconds for a session. */
export function budgetOf(kits: readonly Kit[], quick: boolean): number {
  return quick ? 100 : kits.some(({ patient }) => patient) ? 30_000 : 8_000;
}

/** Records of JSON text. */
export function load(kit: Kit, text: string): Table | Promise<Table> {
  return kit.load ? kit.load(text) : kit.hold(JSON.parse(text));
}

/** One number of the eight values of a record. */
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
