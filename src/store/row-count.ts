/** The total that a response gave; undefined if the response ends behind that total, so that the total must be wrong. */
export function plausibleTotal(total: number | undefined, start: number, count: number): number | undefined {
  return total !== undefined && count > 0 && total < start + count ? undefined : total;
}

/** The number of rows on the server, as far as its responses show. */
export class RowCount {
  private least = 0;
  private most = Number.POSITIVE_INFINITY;
  private stale = false;

  get total(): number | undefined {
    return this.least === this.most ? this.least : undefined;
  }

  /** The index from which on there is no row; infinite while unknown. */
  get end(): number {
    return this.stale ? Number.POSITIVE_INFINITY : this.most;
  }

  /** Marks the count as stale: the estimate stays until the next response, which then counts alone. */
  markStale(): void {
    this.stale = true;
  }

  /**
   * Updates the count from a response: `count` rows from `start` on, whether they are the last ones, and the total if the server
   * gave one.
   */
  update(start: number, count: number, ends: boolean, givenTotal: number | undefined): void {
    const plausible = plausibleTotal(givenTotal, start, count);
    if (this.stale) {
      this.least = 0;
      this.most = Number.POSITIVE_INFINITY;
    }
    this.stale = false;
    const end = start + count;
    if (count > 0) this.least = Math.max(this.least, end);
    if (end > this.most) this.most = Number.POSITIVE_INFINITY;
    if (plausible !== undefined) this.least = this.most = plausible;
    else if (ends) {
      // An empty response shows only that the collection ends at `start` or before.
      this.most = end;
      this.least = Math.min(this.least, end);
    }
  }

  /** Counts a row less, because it was erased. */
  remove(): void {
    this.least = Math.max(this.least - 1, 0);
    this.most -= 1;
  }

  /**
   * The number of rows for a scroll bar. While the total is unknown: up to a page more than the rows that were read or are on show.
   */
  estimate(limit: number, { start, end }: { readonly start: number; readonly end: number }): number {
    return this.total ?? Math.min(this.most, Math.max(this.least, start < this.most ? end : 0) + limit);
  }
}
