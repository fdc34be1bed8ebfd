/** The records of a window by their place in the order of the server. Each record has one place. */
export class WindowRecords<M> {
  /** Stale records: they belong to an earlier query, and stay on show until new ones replace them. */
  readonly stale: Set<M> = new Set();
  private records: Map<number, M> = new Map();
  private readonly places: Map<M, number> = new Map();
  private isFrozen = false;

  /** `changed` is called with each range of places whose records changed. */
  constructor(private readonly changed: { changed(from: number, to: number): void }['changed']) {}

  get size(): number {
    return this.records.size;
  }

  has(record: M): boolean {
    return this.places.has(record);
  }

  placeOf(record: M): number | undefined {
    return this.places.get(record);
  }

  /** The places of those records that have one, ascending, each of them once. */
  placesOf(records: readonly M[]): number[] {
    const places = new Set(records.map((record) => this.places.get(record)));
    return [...places].filter((place) => place !== undefined).sort((a, b) => a - b);
  }

  at(place: number): M | undefined {
    return this.records.get(place);
  }

  isLoaded(place: number): boolean {
    const record = this.records.get(place);
    return record !== undefined && !this.stale.has(record);
  }

  /** All places that hold a record. */
  occupied(): number[] {
    return [...this.records.keys()];
  }

  /** The blocks that hold records, by their first place: the farthest first. */
  farthestBlocks(
    size: number,
    distanceOf: (block: number) => number,
  ): { readonly start: number; readonly distance: number }[] {
    const blocks = [...new Set(this.occupied().map((place) => Math.floor(place / size)))];
    const far = blocks.map((block) => ({ start: block * size, distance: distanceOf(block) }));
    return far.sort((a, b) => b.distance - a.distance);
  }

  /** The records by place as they are now; the returned map never changes. */
  freeze(): ReadonlyMap<number, M> {
    this.isFrozen = true;
    return this.records;
  }

  /** Puts a record at a free place; its former place becomes empty. */
  put(place: number, record: M): void {
    const before = this.places.get(record);
    if (before === place && !this.stale.has(record)) return;
    if (before !== undefined) this.delete(before);
    this.writable().set(place, record);
    this.places.set(record, place);
    this.changed(place, place + 1);
  }

  /** Removes the record at a place, and returns it. */
  delete(place: number): M | undefined {
    const record = this.records.get(place);
    if (record === undefined) return undefined;
    this.writable().delete(place);
    this.places.delete(record);
    this.stale.delete(record);
    this.changed(place, place + 1);
    return record;
  }

  /** Closes an empty place: moves all records behind it up by one. */
  close(place: number): void {
    const moving = [...this.records].filter(([from]) => from > place);
    const records = this.writable();
    for (const [from] of moving) records.delete(from);
    for (const [from, record] of moving) {
      records.set(from - 1, record);
      this.places.set(record, from - 1);
    }
    this.changed(place, Number.POSITIVE_INFINITY);
  }

  private writable(): Map<number, M> {
    if (this.isFrozen) this.records = new Map(this.records);
    this.isFrozen = false;
    return this.records;
  }
}
