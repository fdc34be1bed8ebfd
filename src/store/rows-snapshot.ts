import type { LoadState, WindowSnapshot } from './window-config.js';

/** What a snapshot is made of; nobody changes it. */
export interface RowsParts<M> {
  readonly version: number;
  readonly total: number | undefined;
  readonly count: number;
  readonly rows: ReadonlyMap<number, M>;
  readonly old: ReadonlySet<M>;
  /** Blocks that are on their way, and how many rows each has. */
  readonly asked: ReadonlySet<number>;
  readonly size: number;
  /** Places of rows that are not shown, in order. */
  readonly hidden: readonly number[];
}

/** Rows of a window at one moment. Users count the rows that are shown; the server's places count hidden ones too. */
export class RowsSnapshot<M> implements WindowSnapshot<M> {
  readonly version: number;
  readonly total: number | undefined;
  readonly count: number;

  constructor(private readonly parts: RowsParts<M>) {
    this.version = parts.version;
    this.total = parts.total;
    this.count = parts.count;
  }

  at(index: number): M | undefined {
    return this.parts.rows.get(this.placeOf(index));
  }

  stateAt(index: number): LoadState {
    const { rows, old, asked, size } = this.parts;
    const place = this.placeOf(index);
    const record = rows.get(place);
    if (record !== undefined && !old.has(record)) return 'loaded';
    return asked.has(Math.floor(place / size)) ? 'loading' : 'missing';
  }

  slice(start: number = 0, end: number = this.count): (M | undefined)[] {
    const from = Math.max(start, 0);
    return Array.from({ length: Math.max(Math.min(end, this.count) - from, 0) }, (_, i) => this.at(from + i));
  }

  /** The server's place of a row that is shown. */
  placeOf(index: number): number {
    let place = index;
    for (const hidden of this.parts.hidden) if (hidden <= place) place += 1;
    return place;
  }

  /** Where a place is shown, or would be. */
  indexOf(place: number): number {
    return place - this.parts.hidden.filter((hidden) => hidden < place).length;
  }

  /** The first place at which more or less is hidden than in another snapshot. */
  firstMoved({ parts: { hidden: before } }: RowsSnapshot<M>): number | undefined {
    const { hidden } = this.parts;
    const i = [...before, ...hidden].findIndex((_, at) => before[at] !== hidden[at]);
    return i < 0 ? undefined : Math.min(...[before[i], hidden[i]].filter((place) => place !== undefined));
  }
}
