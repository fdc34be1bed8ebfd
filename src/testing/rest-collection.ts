import type { RecordId } from '../operation/actions.js';
import type { RecordModel } from '../operation/operation-record.js';
import { type Data, type DataPath, isData, parsePath, readPath, setMember, writePath } from '../util/data-path.js';
import { Refusal } from './refusal.js';
import type { RestCollectionConfig } from './rest-config.js';
import type { RowChange } from './row-changes.js';

/** A row with its version. */
export interface Place {
  readonly id: string;
  readonly row: Readonly<Data>;
  /** Unique among all versions of all rows of a server. */
  readonly version: number;
}

/** State that the collections of a server share. */
export interface Shared {
  nextVersion(): number;
  random(): number;
  /** A row was added, replaced or removed. */
  changed(change: RowChange): void;
}

/** The rows of a collection by id (as text), in the order in which they were added. */
export class RestCollection {
  /** The segments of the collection's path; `{name}` matches any segment. */
  readonly pattern: readonly string[];
  /** Names of the members whose values come from the path. */
  readonly params: readonly string[];
  private readonly idPath: DataPath;
  private places: Map<string, Place> = new Map();
  private lastId = 0;

  constructor(
    readonly path: string,
    readonly config: RestCollectionConfig,
    readonly model: RecordModel | undefined,
    private readonly shared: Shared,
  ) {
    this.pattern = path.split('/').filter(Boolean);
    this.params = this.pattern.flatMap((each) => paramOf(each) ?? []);
    const { idProperty } = config;
    this.idPath = idProperty === undefined ? (model?.idField.path ?? ['id']) : parsePath(idProperty);
  }

  get all(): readonly Place[] {
    return [...this.places.values()];
  }

  get(id: unknown): Place | undefined {
    return this.places.get(String(id));
  }

  /** The id of a row; undefined if it has none. */
  idOf(row: unknown): RecordId | undefined {
    const id = readPath(row, this.idPath);
    return (typeof id === 'string' && id !== '') || typeof id === 'number' ? id : undefined;
  }

  /** The path of the member for a `{name}` in the collection's path. */
  pathOf(param: string): DataPath {
    return this.model?.field(param)?.path ?? [param];
  }

  /** Adds a row. A row without an id gets a new one. */
  insert(given: Readonly<Data>): Place {
    const place = this.keepNew(given);
    this.tell(undefined, place);
    return place;
  }

  private keepNew(given: Readonly<Data>): Place {
    const row = copyRow(given);
    if (this.idOf(row) === undefined) writePath(row, this.idPath, this.nextId());
    const id = String(this.idOf(row));
    if (this.places.has(id)) throw new Refusal(409, `${this.path} has a row ${id} already`);
    return this.keep(id, row);
  }

  /** Replaces a row. The new row may have another id if that id is free. */
  replace(place: Place, given: Readonly<Data>): Place {
    const row = copyRow(given);
    // An unchanged id keeps its type (number or text).
    if (String(this.idOf(row) ?? place.id) === place.id) writePath(row, this.idPath, this.idOf(place.row));
    const id = String(this.idOf(row));
    if (id === place.id) {
      const kept = this.keep(id, row);
      this.tell(place, kept);
      return kept;
    }
    if (this.places.has(id)) throw new Refusal(409, `${this.path} has a row ${id} already`);
    // The map is rebuilt so that the row keeps its position.
    this.places = new Map(this.all.map((each) => (each.id === place.id ? [id, each] : [each.id, each])));
    const kept = this.keep(id, row);
    this.tell(place, undefined);
    this.tell(undefined, kept);
    return kept;
  }

  remove(place: Place): void {
    if (this.places.delete(place.id)) this.tell(place, undefined);
  }

  /** Replaces all rows. Unchanged rows keep their version. */
  replaceAll(rows: readonly object[]): void {
    const before = this.places;
    this.places = new Map();
    for (const given of rows) {
      const { id, row } = this.keepNew(given as Data);
      const known = before.get(id);
      if (known && JSON.stringify(known.row) === JSON.stringify(row)) this.places.set(id, known);
    }
    for (const [id, place] of before) if (!this.places.has(id)) this.tell(place, undefined);
    for (const [id, place] of this.places) if (before.get(id) !== place) this.tell(before.get(id), place);
  }

  private tell(before: Place | undefined, after: Place | undefined): void {
    const { row } = (after ?? before) as Place;
    const id = this.idOf(row) as RecordId;
    this.shared.changed({ path: this.path, id, before: before?.row, after: after?.row });
  }

  private keep(id: string, row: Data): Place {
    const place: Place = { id, row, version: this.shared.nextVersion() };
    this.places.set(id, place);
    if (Number.isSafeInteger(Number(id))) this.lastId = Math.max(this.lastId, Number(id));
    return place;
  }

  private nextId(): RecordId {
    const { ids } = this.config;
    if (typeof ids === 'function') return ids();
    const [first] = this.places.values();
    const known = first && this.idOf(first.row);
    const asText = typeof known === 'string';
    if (ids === 'uuid' || (ids === undefined && this.hasTextIds(known))) return uuid(() => this.shared.random());
    this.lastId += 1;
    return asText ? String(this.lastId) : this.lastId;
  }

  private hasTextIds(known: RecordId | undefined): boolean {
    if (known !== undefined) return Number.isNaN(Number(known));
    const { type = 'auto' } = this.model?.idField ?? {};
    return type === 'string' || type === 'schema';
  }
}

/** The name in a segment `{name}`; undefined for other segments. */
export function paramOf(segment: string): string | undefined {
  return /^\{(.+)\}$/.exec(segment)?.[1];
}

/** Copies a row through JSON, so that no caller shares objects with the server. */
export function copyRow(row: object): Data {
  return JSON.parse(JSON.stringify(row)) as Data;
}

/** Merges changes into a copy of a row: objects are merged at any depth, other values are replaced. */
export function mergeRow(row: Readonly<Data>, changes: Readonly<Data>, nullRemoves: boolean): Data {
  const merged: Data = { ...row };
  for (const [name, change] of Object.entries(changes)) {
    const old = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (change === null && nullRemoves) delete merged[name];
    else setMember(merged, name, isData(change) && isData(old) ? mergeRow(old, change, nullRemoves) : change);
  }
  return merged;
}

/** A uuid (RFC 9562, version 4) from repeatable random numbers. */
function uuid(random: () => number): string {
  const digit = (from: number, count: number) => (from + Math.floor(random() * count)).toString(16);
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (each) => (each === 'y' ? digit(8, 4) : digit(0, 16)));
}
