/** The total that an answer tells; undefined where it is below the rows that the server has sent up to there. */
export function plausibleTotal(total: number | undefined, start: number, count: number): number | undefined {
  return total !== undefined && count > 0 && total < start + count ? undefined : total;
}

/** How many rows the server has, as far as its answers tell. */
export class RowCount {
  private least = 0;
  private most = Number.POSITIVE_INFINITY;
  private stale = false;

  get known(): number | undefined {
    return this.least === this.most ? this.least : undefined;
  }

  /** No row is to be expected here or behind. */
  get end(): number {
    return this.stale ? Number.POSITIVE_INFINITY : this.most;
  }

  /** What is known is kept, but only until the next answer. */
  forget(): void {
    this.stale = true;
  }

  /** Learns from an answer: so many rows, whether they are the last, and the total where the server gave one. */
  learn(start: number, count: number, ends: boolean, told: number | undefined): void {
    const total = plausibleTotal(told, start, count);
    if (this.stale) {
      this.least = 0;
      this.most = Number.POSITIVE_INFINITY;
    }
    this.stale = false;
    const end = start + count;
    if (count > 0) this.least = Math.max(this.least, end);
    if (end > this.most) this.most = Number.POSITIVE_INFINITY;
    if (total !== undefined) this.least = this.most = total;
    else if (ends) {
      // Where nothing came, the end may also be before.
      this.most = end;
      this.least = Math.min(this.least, end);
    }
  }

  /** A row is gone. */
  remove(): void {
    this.least = Math.max(this.least - 1, 0);
    this.most -= 1;
  }

  /** For the scroll bar: grows by a page at a time while the end is unknown. */
  estimate(limit: number, { start, end }: { readonly start: number; readonly end: number }): number {
    return this.known ?? Math.min(this.most, Math.max(this.least, start < this.most ? end : 0) + limit);
  }
}
