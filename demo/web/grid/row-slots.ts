/**
 * Numbers the elements of rows, so that an element whose row was scrolled away shows another row. Moving an element and changing its texts
 * is several times faster for the browser than removing it and making a new one.
 */
export class RowSlots {
  private slots: ReadonlyMap<number, number> = new Map();
  private count = 0;

  /** The slot of each of these rows: the one that it has, or else one that became free. */
  assign(rows: readonly number[]): ReadonlyMap<number, number> {
    const taken = new Map(rows.flatMap((row) => (this.slots.has(row) ? [[row, this.slots.get(row) as number]] : [])));
    const inUse = new Set(taken.values());
    const free = Array.from({ length: this.count }, (_, slot) => slot).filter((slot) => !inUse.has(slot));
    for (const row of rows) {
      if (taken.has(row)) continue;
      taken.set(row, free.shift() ?? this.count++);
    }
    this.slots = taken;
    return taken;
  }
}
