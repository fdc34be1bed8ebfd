import type { LoadState, WindowSnapshot } from './window-config.js';

/** The data of a snapshot; never changed after the snapshot is made. */
export interface WindowParts<M> {
  readonly version: number;
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
  readonly version: number;
  readonly total: number | undefined;
  readonly count: number;

  constructor(private readonly parts: WindowParts<M>) {
    this.version = parts.version;
    this.total = parts.total;
    this.count = parts.count;
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
