import type { BaseModel } from '../model/base-model.js';
import type { Order } from '../operation/local-query.js';
import { sealed } from '../util/values.js';
import { ExactSum } from './exact-sum.js';
import type { SummaryKind } from './groups-config.js';
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
  private present = 0;
  /** Number of values in the sum. */
  private summed = 0;
  private sum = 0;
  private bigs: bigint | undefined = undefined;
  private exact: ExactSum | undefined = undefined;
  private least: unknown = null;
  private greatest: unknown = null;

  constructor(private readonly column: TallyColumn) {}

  add(value: unknown): void {
    if (isMissing(value)) return;
    const { exact, extremes } = this.column;
    this.present += 1;
    if (extremes) this.extend(value, value);
    if (typeof value === 'number' && !exact) this.sum += value;
    else if (typeof value === 'bigint') this.bigs = (this.bigs ?? 0n) + value;
    else if (exact !== 'decimal' || !(this.exact ??= new ExactSum()).add(String(value))) return;
    this.summed += 1;
  }

  /** Adds the sum of several numbers. */
  addSum(sum: number, count: number): this {
    this.present += count;
    this.summed += count;
    this.sum += sum;
    return this;
  }

  addAll(records: readonly BaseModel[]): void {
    for (const record of records) this.add(this.column.read(record));
  }

  /** Adds the tally of a group inside. */
  merge(other: Tally): void {
    const { present, summed, sum, bigs, exact } = other;
    if (present === 0) return;
    this.present += present;
    this.summed += summed;
    this.sum += sum;
    if (bigs !== undefined) this.bigs = (this.bigs ?? 0n) + bigs;
    if (exact) (this.exact ??= new ExactSum()).merge(exact);
    if (this.column.extremes) this.extend(other.least, other.greatest);
  }

  get(kind: SummaryKind): unknown {
    switch (kind) {
      case 'count':
        return this.present;
      case 'sum':
        return this.total();
      case 'average':
        return this.summed > 0 ? Number(this.total()) / this.summed : null;
      default:
        // Users get a copy of a date, because changing the record's own date would change the record.
        return sealed(kind === 'min' ? this.least : this.greatest);
    }
  }

  private total(): unknown {
    const { bigs, exact, sum, column } = this;
    if (column.exact === 'decimal') return String(exact ?? 0);
    if (column.exact === 'bigint') return bigs ?? 0n;
    return bigs === undefined ? sum : sum + Number(bigs);
  }

  /** Updates the least and the greatest value. Of equal values, the first one stays. */
  private extend(least: unknown, greatest: unknown): void {
    const { order } = this.column;
    if (this.least === null || order(least, this.least) < 0) this.least = least;
    if (this.greatest === null || order(greatest, this.greatest) > 0) this.greatest = greatest;
  }
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value instanceof Date ? value.getTime() : value);
}
