import type { BaseModel } from '../model/base-model.js';
import type { Order } from '../operation/local-query.js';
import { sealed } from '../util/values.js';
import { ExactSum } from './exact-sum.js';
import type { SummaryKind } from './groups-config.js';
import type { Property } from './property.js';

/** A property that is summed up. */
export interface TallyColumn extends Property {
  /** The type of fields whose sums lose no digit. */
  readonly exact: 'decimal' | 'bigint' | undefined;
  readonly order: Order;
  /** Whether the least and the greatest value are asked for. */
  readonly extremes: boolean;
}

/** What the values of a property in one group come to. Depends on their order in the last digits of sums of fractions. */
export class Tally {
  private present = 0;
  /** How many of them are in the sum. */
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

  /** Takes in numbers that were added up. */
  addSum(sum: number, count: number): this {
    this.present += count;
    this.summed += count;
    this.sum += sum;
    return this;
  }

  addAll(records: readonly BaseModel[]): void {
    for (const record of records) this.add(this.column.read(record));
  }

  /** Takes in what a group inside comes to. */
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
        // A date is handed out as a copy: the record keeps its own.
        return sealed(kind === 'min' ? this.least : this.greatest);
    }
  }

  private total(): unknown {
    const { bigs, exact, sum, column } = this;
    if (column.exact === 'decimal') return String(exact ?? 0);
    if (column.exact === 'bigint') return bigs ?? 0n;
    return bigs === undefined ? sum : sum + Number(bigs);
  }

  /** Of values that are equal the first one stays. */
  private extend(least: unknown, greatest: unknown): void {
    const { order } = this.column;
    if (this.least === null || order(least, this.least) < 0) this.least = least;
    if (this.greatest === null || order(greatest, this.greatest) > 0) this.greatest = greatest;
  }
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value instanceof Date ? value.getTime() : value);
}
