import type { RecordId } from '../operation/actions.js';

/** No id beyond this number moves a counter, so that a counter never reaches numbers that JavaScript cannot tell apart. */
const LARGEST = 2 ** 52;

/** Numbers that were given one after the other: from `first` up to, but not including, `end`. */
interface Run {
  readonly first: number;
  end: number;
}

/** Counts ids that begin with the same text, or negative numbers. */
export class IdCounter {
  private nextNumber = 1;
  private readonly runs: Run[] = [];
  /** Whether the text of a number can begin with the prefix. */
  private readonly canBeNumber: boolean;

  constructor(readonly prefix: string | undefined) {
    this.canBeNumber = /^-?\d*$/.test(prefix ?? '-');
  }

  /** Makes the next id, with a number from `seed` on. */
  next(seed: number): RecordId {
    const number = Math.max(this.nextNumber, seed);
    this.nextNumber = number + 1;
    const last = this.runs.at(-1);
    if (last?.end === number) last.end += 1;
    else this.runs.push({ first: number, end: number + 1 });
    return this.idOf(number);
  }

  /** Continues after an id that a record has. */
  skip(id: unknown): void {
    const number = this.numberOf(id);
    if (number >= this.nextNumber && number <= LARGEST) this.nextNumber = Math.floor(number) + 1;
  }

  /** Whether this counter has given an id. */
  isIssued(id: unknown): boolean {
    const number = this.numberOf(id);
    return this.idOf(number) === id && this.runs.some(({ first, end }) => number >= first && number < end);
  }

  private idOf(number: number): RecordId {
    return this.prefix === undefined ? -number : `${this.prefix}${number}`;
  }

  /** The number in an id; 0 for other ids. The ids `-7` and `'-7'` are the same. */
  private numberOf(id: unknown): number {
    const { prefix } = this;
    // Called for each row of a load, so numbers are not turned into texts without need.
    if (typeof id === 'number') {
      if (prefix === undefined) return id < 0 ? -id : 0;
      if (!this.canBeNumber) return 0;
    }
    const text = String(id);
    const start = prefix ?? '-';
    if (!text.startsWith(start)) return 0;
    const digits = text.slice(start.length);
    return /^[1-9]\d*$/.test(digits) ? Number(digits) : 0;
  }
}
