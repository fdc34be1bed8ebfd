import type { Commit, Rows } from './audit.js';
import { type Findings, noFindings } from './findings.js';
import type { Entry, Values, Verb } from './journal.js';
import { rowName, type TableName, tables } from './tables.js';

/** Requested writes, by row. */
interface Wanted {
  created: number;
  destroyed: boolean;
  parent: string | undefined;
  /** By column and value: the number of writes, the store, and the time of the last one. */
  readonly values: Map<string, { times: number; store: string; first: number; at: number }>;
}

/** Committed writes, by row. */
interface Done {
  inserted: number;
  deleted: number;
  readonly values: Map<string, number>;
}

/** Compares the wishes and the results of clients with the database. */
export class Check {
  readonly findings: Findings = noFindings();
  private readonly wanted = new Map<string, Wanted>();
  private readonly done = new Map<string, Done>();
  /** The last edit of a store that was written, by row and column. */
  private readonly latest = new Map<string, number>();
  /** Markers of created rows, by id: a restarted client may know the id only. */
  private readonly names = new Map<string, string>();

  constructor(
    journals: readonly (readonly Entry[])[],
    commits: readonly Commit[],
    private readonly rows: Readonly<Record<TableName, Rows>>,
  ) {
    for (const { table, op, id, after } of commits) {
      if (op === 'INSERT') this.names.set(`${table}/#${id}`, rowName(table, id, after?.[tables[table].marker]));
    }
    for (const [at, entries] of journals.entries()) this.readWants(at, entries);
    for (const commit of commits) this.follow(commit);
    for (const entries of journals) this.compare(entries);
    this.countMarkers();
    for (const [at, entries] of journals.entries()) this.judgeEnd(at + 1, entries);
  }

  private readWants(client: number, entries: readonly Entry[]): void {
    for (const [at, entry] of entries.entries()) {
      if (entry.t === 'odd') this.findings.odd.push(`client ${client + 1}: ${entry.what}`);
      if (entry.t !== 'want') continue;
      const { op, store, values } = entry;
      const wanted = this.wantedOf(this.nameOf(entry.row));
      if (op === 'create') wanted.created += 1;
      wanted.parent ??= entry.parent;
      if (op === 'destroy') wanted.destroyed = true;
      for (const key of keysOf(values)) {
        const { times = 0, first = at } = wanted.values.get(key) ?? {};
        wanted.values.set(key, { times: times + 1, store: `${client + 1}.${store}`, first, at });
      }
    }
  }

  /** Checks one committed change. */
  private follow({ table, op, id, before, after }: Commit): void {
    const { edited, managed } = tables[table];
    const row = this.nameOf(`${table}/#${id}`);
    const wanted = this.wantedOf(row);
    const done = this.doneOf(row);
    if (op === 'DELETE') {
      done.deleted += 1;
      if (!wanted.destroyed) this.findings.stray.push(`${row} (id ${id}) was deleted, which nobody asked for`);
      return;
    }
    if (op === 'INSERT') {
      done.inserted += 1;
      if (wanted.created === 0) this.findings.stray.push(`${row} (id ${id}) was created, which nobody asked for`);
      else if (done.inserted > wanted.created) this.findings.doubled.push(`${row} was created again, as id ${id}`);
      const { userId = null } = after ?? {};
      const parent = userId === null ? undefined : this.nameOf(`users/#${userId}`);
      if (parent !== wanted.parent) this.findings.stray.push(`${row} refers to ${parent}, not to ${wanted.parent}`);
    }
    for (const [column, value] of Object.entries(after ?? {})) {
      if (before && JSON.stringify(before[column]) === JSON.stringify(value)) continue;
      if (edited.includes(column)) this.followEdit(row, column, value, wanted, done);
      // The server clears a reference when its row is erased.
      else if (before && !managed.includes(column) && !(column.endsWith('Id') && value === null)) {
        this.findings.unasked.push(`${row}: ${column} became ${JSON.stringify(value)}, which nobody asked for`);
      }
    }
  }

  private followEdit(row: string, column: string, value: unknown, { values }: Wanted, done: Done): void {
    const [key] = keysOf({ [column]: value }) as [string];
    const edit = values.get(key);
    const times = (done.values.get(key) ?? 0) + 1;
    done.values.set(key, times);
    if (!edit) return void this.findings.stray.push(`${row}: ${key} was written, which nobody asked for`);
    const place = `${row} ${column} ${edit.store}`;
    const latest = this.latest.get(place) ?? -1;
    if (times > edit.times) this.findings.doubled.push(`${row}: ${key} was written ${times} times`);
    else if (edit.at < latest) this.findings.lost.push(`${row}: ${key} was written over a later edit of ${edit.store}`);
    this.latest.set(place, Math.max(latest, edit.at));
  }

  /** Checks that every acknowledged write was committed. */
  private compare(entries: readonly Entry[]): void {
    const dropped = new Set<string>();
    for (const entry of entries.toReversed()) {
      // A stored write that the application dropped is no longer expected.
      const row = 'row' in entry ? this.nameOf(entry.row) : '';
      // Earlier stored values of the same columns are no longer expected either.
      if (entry.t === 'dropped') for (const column of Object.keys(entry.values)) dropped.add(`${row} ${column}`);
      if (entry.t === 'dropped' && entry.create) dropped.add(row);
      if (entry.t === 'acked') this.expect(entry.op, row, entry.values);
      if (entry.t === 'stored') this.expectStored(entry.op, row, entry.values, dropped);
    }
  }

  private expect(op: Verb, row: string, values: Values): void {
    const done = this.doneOf(row);
    const { lost } = this.findings;
    if (op === 'create' && done.inserted === 0) lost.push(`${row}: its create was acknowledged`);
    // A created row may have been erased before its create was sent.
    const there = row.includes('#') ? done.deleted === 0 : done.inserted > done.deleted;
    if (op === 'destroy' && there) lost.push(`${row}: its erase was acknowledged`);
    for (const key of keysOf(values)) {
      if (!done.values.has(key)) lost.push(`${row}: ${key} was acknowledged`);
    }
  }

  /** The stored value, or a newer one, was written, unless the row was to be erased. */
  private expectStored(op: Verb, row: string, values: Values, dropped: ReadonlySet<string>): void {
    const wanted = this.wantedOf(row);
    const done = this.doneOf(row);
    if (op === 'destroy') return this.expect(op, row, {});
    if (wanted.destroyed || dropped.has(row)) return;
    if (op === 'create' && done.inserted === 0) this.findings.lost.push(`${row}: its create was stored`);
    for (const [column, value] of Object.entries(values)) {
      const [key] = keysOf({ [column]: value }) as [string];
      const { store, first } = wanted.values.get(key) as { store: string; first: number };
      const written = (this.latest.get(`${row} ${column} ${store}`) ?? -1) >= first;
      if (!written && !dropped.has(`${row} ${column}`)) this.findings.lost.push(`${row}: ${key} was stored`);
    }
  }

  /** Checks the tables: each marker is in one row only. */
  private countMarkers(): void {
    for (const table of Object.keys(tables) as TableName[]) {
      const seen = new Map<unknown, number>();
      for (const [id, row] of this.rows[table]) {
        const name = rowName(table, id, row[tables[table].marker]);
        const other = seen.get(name);
        if (other !== undefined) this.findings.doubled.push(`${name} is there as ${other} and ${id}`);
        seen.set(name, id);
        const { inserted, deleted } = this.doneOf(name);
        if (inserted > 0 && inserted === deleted) this.findings.odd.push(`${name} is there, but was deleted`);
      }
    }
  }

  private judgeEnd(client: number, entries: readonly Entry[]): void {
    const end = entries.findLast((entry) => entry.t === 'end');
    const { unsettled } = this.findings;
    if (!end || end !== entries.at(-1)) return void unsettled.push(`client ${client} did not end by itself`);
    if (end.made !== end.settled) unsettled.push(`client ${client}: ${end.made - end.settled} promises did not settle`);
    if (end.resources.length) unsettled.push(`client ${client} was kept alive by ${end.resources.join(', ')}`);
  }

  private nameOf(row: string): string {
    return this.names.get(row) ?? row;
  }

  private wantedOf(row: string): Wanted {
    const found = this.wanted.get(row) ?? { created: 0, destroyed: false, parent: undefined, values: new Map() };
    this.wanted.set(row, found);
    return found;
  }

  private doneOf(row: string): Done {
    const found = this.done.get(row) ?? { inserted: 0, deleted: 0, values: new Map() };
    this.done.set(row, found);
    return found;
  }
}

/** A text for each column and its value. */
function keysOf(values: Values): string[] {
  return Object.entries(values).map(([column, value]) => `${column} = ${JSON.stringify(value)}`);
}
