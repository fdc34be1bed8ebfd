import { isSame } from '../util/values.js';
import type { LoadState, WindowSnapshot } from './window-config.js';

/** The data of a snapshot; never changed after the snapshot is made. */
export interface WindowParts<M> {
  readonly total: number | undefined;
  readonly count: number;
  readonly records: ReadonlyMap<number, M>;
  readonly stale: ReadonlySet<M>;
  /** Numbers of the blocks that are being loaded; `size` is the number of rows in a block. */
  readonly requested: ReadonlySet<number>;
  readonly blockSize: number;
  /** Places of hidden records, ascending. */
  readonly hidden: readonly number[];
}

/**
 * The records of a window at one moment. An index counts the records that are shown; a place, as the server counts, includes hidden
 * ones.
 */
export class PlacedSnapshot<M> implements WindowSnapshot<M> {
  readonly total: number | undefined;
  readonly count: number;

  constructor(private readonly parts: WindowParts<M>) {
    this.total = parts.total;
    this.count = parts.count;
    Object.freeze(this);
  }

  at(index: number): M | undefined {
    return this.parts.records.get(this.placeOf(index));
  }

  stateAt(index: number): LoadState {
    const { records, stale, requested, blockSize } = this.parts;
    const place = this.placeOf(index);
    const record = records.get(place);
    if (record !== undefined && !stale.has(record)) return 'loaded';
    return requested.has(Math.floor(place / blockSize)) ? 'loading' : 'missing';
  }

  slice(start: number = 0, end: number = this.count): (M | undefined)[] {
    const from = Math.max(start, 0);
    return Array.from({ length: Math.max(Math.min(end, this.count) - from, 0) }, (_, i) => this.at(from + i));
  }

  /** Whether a snapshot of these data would show the same. */
  hasParts(parts: WindowParts<M>): boolean {
    const { total, count, records, stale, requested, hidden } = this.parts;
    return (
      total === parts.total &&
      count === parts.count &&
      records === parts.records &&
      isSame(hidden, parts.hidden) &&
      hasSameItems(stale, parts.stale) &&
      hasSameItems(requested, parts.requested)
    );
  }

  /** The place on the server of the record that is shown at an index. */
  placeOf(index: number): number {
    let place = index;
    for (const hidden of this.parts.hidden) if (hidden <= place) place += 1;
    return place;
  }

  /** The index at which the record of a place is shown, or would be. */
  indexOf(place: number): number {
    return place - this.parts.hidden.filter((hidden) => hidden < place).length;
  }

  /** The first place that is hidden in only one of this and an earlier snapshot; undefined if both hide the same places. */
  firstMoved({ parts: { hidden: before } }: PlacedSnapshot<M>): number | undefined {
    const { hidden } = this.parts;
    const i = [...before, ...hidden].findIndex((_, at) => before[at] !== hidden[at]);
    return i < 0 ? undefined : Math.min(...[before[i], hidden[i]].filter((place) => place !== undefined));
  }
}

function hasSameItems(a: ReadonlySet<unknown>, b: ReadonlySet<unknown>): boolean {
  return a === b || (a.size === b.size && [...a].every((item) => b.has(item)));
}
