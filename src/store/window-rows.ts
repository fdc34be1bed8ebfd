/** Records by the place of their row in the server's order; a record has one place only. */
export class WindowRows<M> {
  /** Records of an earlier query, on show until what takes their place comes. */
  readonly old: Set<M> = new Set();
  private rows: Map<number, M> = new Map();
  private readonly places: Map<M, number> = new Map();
  private shared = false;

  /** `changed` is told of each place at which something else is now. */
  constructor(private readonly changed: { changed(from: number, to: number): void }['changed']) {}

  get size(): number {
    return this.rows.size;
  }

  has(record: M): boolean {
    return this.places.has(record);
  }

  placeOf(record: M): number | undefined {
    return this.places.get(record);
  }

  at(place: number): M | undefined {
    return this.rows.get(place);
  }

  isLoaded(place: number): boolean {
    const record = this.rows.get(place);
    return record !== undefined && !this.old.has(record);
  }

  /** The places that hold a record. */
  taken(): number[] {
    return [...this.rows.keys()];
  }

  /** The rows as they are now, for good. */
  freeze(): ReadonlyMap<number, M> {
    this.shared = true;
    return this.rows;
  }

  /** Puts a record in a free place; where it was before, nothing is. */
  put(place: number, record: M): void {
    const before = this.places.get(record);
    if (before === place && !this.old.has(record)) return;
    if (before !== undefined) this.delete(before);
    this.own().set(place, record);
    this.places.set(record, place);
    this.changed(place, place + 1);
  }

  /** Takes out what is at a place. */
  delete(place: number): M | undefined {
    const record = this.rows.get(place);
    if (record === undefined) return undefined;
    this.own().delete(place);
    this.places.delete(record);
    this.old.delete(record);
    this.changed(place, place + 1);
    return record;
  }

  /** Moves all that is behind a place one up. */
  close(place: number): void {
    const behind = [...this.rows].filter(([each]) => each > place);
    const rows = this.own();
    for (const [each] of behind) rows.delete(each);
    for (const [each, record] of behind) {
      rows.set(each - 1, record);
      this.places.set(record, each - 1);
    }
    this.changed(place, Number.POSITIVE_INFINITY);
  }

  private own(): Map<number, M> {
    if (this.shared) this.rows = new Map(this.rows);
    this.shared = false;
    return this.rows;
  }
}
