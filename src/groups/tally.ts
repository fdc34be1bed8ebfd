import type { Model } from '../model/model.js';
import type { Order } from '../operation/local-query.js';
import type { SummaryKind } from '../store/groups-config.js';
import { sealed } from '../util/values.js';
import { ExactSum } from './exact-sum.js';
import type { Property } from './property.js';

/** A property with summaries. */
export interface TallyColumn extends Property {
  /** The type of a field whose sums are exact; undefined for other types. */
  readonly exact: 'decimal' | 'bigint' | undefined;
  readonly order: Order;
  /** Whether the least and the greatest value are needed. */
  readonly extremes: boolean;
}

/**
 * Counts, sums and extremes of the values of a property in one group. The last digits of a sum of fractions depend on the order of
 * the values.
 */
export class Tally {
  private count = 0;
  /** Number of values in the sum. */
  private summedCount = 0;
  private sum = 0;
  private bigintSum: bigint | undefined = undefined;
  private decimalSum: ExactSum | undefined = undefined;
  private least: unknown = null;
  private greatest: unknown = null;

  constructor(private readonly column: TallyColumn) {}

  add(value: unknown): void {
    if (isMissing(value)) return;
    const { exact, extremes } = this.column;
    this.count += 1;
    if (extremes) this.updateExtremes(value, value);
    if (typeof value === 'number' && !exact) this.sum += value;
    else if (typeof value === 'bigint') this.bigintSum = (this.bigintSum ?? 0n) + value;
    else if (exact !== 'decimal' || !(this.decimalSum ??= new ExactSum()).add(String(value))) return;
    this.summedCount += 1;
  }

  /** Adds the sum of several numbers. */
  addSum(sum: number, count: number): this {
    this.count += count;
    this.summedCount += count;
    this.sum += sum;
    return this;
  }

  addAll(records: readonly Model[]): void {
    for (const record of records) this.add(this.column.read(record));
  }

  /** Adds the tally of a group inside. */
  merge(other: Tally): void {
    const { count, summedCount, sum, bigintSum, decimalSum } = other;
    if (count === 0) return;
    this.count += count;
    this.summedCount += summedCount;
    this.sum += sum;
    if (bigintSum !== undefined) this.bigintSum = (this.bigintSum ?? 0n) + bigintSum;
    if (decimalSum) (this.decimalSum ??= new ExactSum()).merge(decimalSum);
    if (this.column.extremes) this.updateExtremes(other.least, other.greatest);
  }

  get(kind: SummaryKind): unknown {
    switch (kind) {
      case 'count':
        return this.count;
      case 'sum':
        return this.total();
      case 'average':
        return this.summedCount > 0 ? Number(this.total()) / this.summedCount : null;
      default:
        // Users get a copy of a date, because changing the record's own date would change the record.
        return sealed(kind === 'min' ? this.least : this.greatest);
    }
  }

  private total(): unknown {
    const { bigintSum, decimalSum, sum, column } = this;
    if (column.exact === 'decimal') return String(decimalSum ?? 0);
    if (column.exact === 'bigint') return bigintSum ?? 0n;
    return bigintSum === undefined ? sum : sum + Number(bigintSum);
  }

  /** Updates the least and the greatest value. Of equal values, the first one stays. */
  private updateExtremes(least: unknown, greatest: unknown): void {
    const { order } = this.column;
    if (this.least === null || order(least, this.least) < 0) this.least = least;
    if (this.greatest === null || order(greatest, this.greatest) > 0) this.greatest = greatest;
  }
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value instanceof Date ? value.getTime() : value);
}
