/** The records of a window by their place in the order of the server. Each record has one place. */
export class WindowRows<M> {
  /** Stale records: they belong to an earlier query, and stay on show until new ones replace them. */
  readonly old: Set<M> = new Set();
  private rows: Map<number, M> = new Map();
  private readonly places: Map<M, number> = new Map();
  private shared = false;

  /** `changed` is called with each range of places whose records changed. */
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

  /** All places that hold a record. */
  taken(): number[] {
    return [...this.rows.keys()];
  }

  /** The records by place as they are now; the returned map never changes. */
  freeze(): ReadonlyMap<number, M> {
    this.shared = true;
    return this.rows;
  }

  /** Puts a record at a free place; its former place becomes empty. */
  put(place: number, record: M): void {
    const before = this.places.get(record);
    if (before === place && !this.old.has(record)) return;
    if (before !== undefined) this.delete(before);
    this.own().set(place, record);
    this.places.set(record, place);
    this.changed(place, place + 1);
  }

  /** Removes the record at a place, and returns it. */
  delete(place: number): M | undefined {
    const record = this.rows.get(place);
    if (record === undefined) return undefined;
    this.own().delete(place);
    this.places.delete(record);
    this.old.delete(record);
    this.changed(place, place + 1);
    return record;
  }

  /** Closes an empty place: moves all records behind it up by one. */
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
