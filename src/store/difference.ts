import type { ListChange } from './change-feed.js';
import { type Chunks, joinChunks } from './chunks.js';
import type { ChunkSnapshot } from './snapshot.js';
import type { Touched } from './sorted-list.js';
import type { StoreChange } from './store-config.js';

/**
 * One step that changes a list: removes `remove` records at `index` and puts `records` there. Apply several splices in their order.
 */
export interface Splice<M> {
  readonly index: number;
  readonly remove: number;
  readonly records: readonly M[];
}

/** A part in which two lists differ; `index` is where it begins in the new list. */
interface Segment<M> {
  readonly index: number;
  readonly before: readonly M[];
  readonly now: readonly M[];
}

/** The steps from one list of records to another one. Each part is computed when it is first read. */
export interface ListDifference<M> {
  /** The records that only the new list has. */
  readonly added: readonly M[];
  /** The records that only the old list had. */
  readonly removed: readonly M[];
  /** The records that moved: as few as possible. */
  readonly moved: readonly M[];
  /** The steps that turn the old list into the new one: a grid applies them to its rows, in this order. */
  readonly splices: readonly Splice<M>[];
}

/**
 * The difference that a `change` event of a store, view or tree tells: which records came, went and moved, and the steps by which a grid
 * follows. Each call compares the two lists anew, and each part is computed when it is first read.
 *
 * @example
 * ```ts
 * const stop = users.on('change', (change) => {
 *   const { added, removed, splices } = differenceOf(change);
 *   show(`${added.length} came, ${removed.length} went, in ${splices.length} steps`);
 * });
 * ```
 */
export function differenceOf<M>(change: StoreChange<M>): ListDifference<M> {
  const { before, now, touched } = change as ListChange<M>;
  return new Difference(before, now, touched);
}

/** The difference between two lists of records. */
export class Difference<M> implements ListDifference<M> {
  private readonly segments: readonly Segment<M>[];
  private cache: Partial<Record<'added' | 'removed' | 'moved', readonly M[]>> = {};
  private sets: { readonly before: ReadonlySet<M>; readonly now: ReadonlySet<M> } | undefined;

  /**
   * Skips the chunks that both lists share: these have the same order in both lists. In the other chunks, `touched` tells which records
   * entered, left or moved; if it lacks some, the difference is still right, but its splices are longer.
   */
  constructor(
    before: ChunkSnapshot<M>,
    private readonly list: ChunkSnapshot<M>,
    touched: Touched<M> = new Map(),
  ) {
    this.segments = segmentsOf(before.chunks, list.chunks, touched);
  }

  get added(): readonly M[] {
    return (this.cache.added ??= [...this.inSegments.now].filter((record) => !this.inSegments.before.has(record)));
  }

  get removed(): readonly M[] {
    return (this.cache.removed ??= [...this.inSegments.before].filter((record) => !this.inSegments.now.has(record)));
  }

  /** The records that moved: as few as possible. */
  get moved(): readonly M[] {
    return (this.cache.moved ??= movedRecords(this.segments, this.list));
  }

  /** The splices that turn the old list into the new one. */
  get splices(): readonly Splice<M>[] {
    return this.segments.map(({ index, before, now }) => ({ index, remove: before.length, records: now }));
  }

  /** The records of the segments in the old and in the new list. */
  private get inSegments(): { readonly before: ReadonlySet<M>; readonly now: ReadonlySet<M> } {
    return (this.sets ??= {
      before: new Set(this.segments.flatMap(({ before }) => before)),
      now: new Set(this.segments.flatMap(({ now }) => now)),
    });
  }
}

/** Finds the parts in which two lists differ. */
function segmentsOf<M>(before: Chunks<M>, now: Chunks<M>, touched: Touched<M>): Segment<M>[] {
  const segments: Segment<M>[] = [];
  const nextShared = sharedFinder(before, now);
  let index = 0;
  let from = 0;
  let to = 0;
  while (from < before.length || to < now.length) {
    for (; from < before.length && before[from] === now[to]; from += 1, to += 1) {
      index += (now[to] as readonly M[]).length;
    }
    if (from === before.length && to === now.length) break;
    const [nextBefore, nextNow] = nextShared(from, to);
    const records = joinChunks(now.slice(to, nextNow));
    addSegments(segments, index, joinChunks(before.slice(from, nextBefore)), records, touched);
    index += records.length;
    from = nextBefore;
    to = nextNow;
  }
  return segments;
}

/** Finds the next chunk that both lists share. It is nearly always within a few places, because few chunks change at a time. */
function sharedFinder<M>(before: Chunks<M>, now: Chunks<M>): (from: number, to: number) => [from: number, to: number] {
  let places: ReadonlyMap<readonly M[], number> | undefined;
  return (from, to) => {
    for (let sum = 1; sum <= 4; sum += 1) {
      for (let i = 0; i <= sum; i += 1) {
        const chunk = before[from + i];
        if (chunk && chunk === now[to + sum - i]) return [from + i, to + sum - i];
      }
    }
    places ??= new Map(now.map((chunk, i) => [chunk, i]));
    for (let i = from; i < before.length; i += 1) {
      const place = places.get(before[i] as readonly M[]);
      if (place !== undefined) return [i, place];
    }
    return [before.length, now.length];
  };
}

/**
 * Adds the segments of two parts of the lists; `index` is where the new part begins. Records that were not touched kept their order, so
 * at each difference either the next old record or the next new one was touched. Where that does not hold, all that is left is one
 * segment.
 */
function addSegments<M>(
  segments: Segment<M>[],
  index: number,
  before: readonly M[],
  now: readonly M[],
  touched: Touched<M>,
): void {
  let from = 0;
  let to = 0;
  while (from < before.length || to < now.length) {
    if (from < before.length && before[from] === now[to]) {
      from += 1;
      to += 1;
      continue;
    }
    const [start, place] = [from, to];
    while (from < before.length && before[from] !== now[place] && touched.has(before[from] as M)) from += 1;
    while (to < now.length && now[to] !== before[from] && touched.has(now[to] as M)) to += 1;
    if (start === from && place === to) [from, to] = cutEqualEnd(before, from, now, to);
    segments.push({ index: index + place, before: before.slice(start, from), now: now.slice(place, to) });
  }
}

/** Returns where the end begins that is the same in both lists. */
function cutEqualEnd<M>(
  before: readonly M[],
  from: number,
  now: readonly M[],
  to: number,
): [endBefore: number, endNow: number] {
  let [endBefore, endNow] = [before.length, now.length];
  while (endBefore > from && endNow > to && before[endBefore - 1] === now[endNow - 1]) {
    endBefore -= 1;
    endNow -= 1;
  }
  return [endBefore, endNow];
}

/** The records of both lists that changed their order: as few as possible. */
function movedRecords<M>(segments: readonly Segment<M>[], list: ChunkSnapshot<M>): readonly M[] {
  // The records between two segments are the same in both lists, so they count as one item with the weight of all of them. Of two
  // solutions with equal weight, the one in which more of these items stay is better: the edited records are those that moved.
  const weightOfRecord = segments.length + 1;
  const ranks = new Map<M, number>();
  const ranksBehind = segments.map(({ before }, i) => {
    for (const record of before) ranks.set(record, ranks.size + i);
    return ranks.size + i;
  });
  const items: { readonly records: () => readonly M[]; readonly rank: number; readonly weight: number }[] = [];
  for (const [i, { index, now }] of segments.entries()) {
    for (const record of now) {
      const rank = ranks.get(record);
      if (rank !== undefined) items.push({ records: () => [record], rank, weight: weightOfRecord });
    }
    const start = index + now.length;
    const end = segments[i + 1]?.index ?? start;
    const weight = (end - start) * weightOfRecord + 1;
    items.push({ records: () => list.slice(start, end), rank: ranksBehind[i] as number, weight });
  }
  const staying = heaviestAscending(items);
  return items.flatMap(({ records }, i) => (staying.has(i) ? [] : records()));
}

/**
 * The indices of the items that have ascending ranks and weigh most. Ranks are different integers from 0. Costs `n log n`, by a
 * Fenwick tree that holds, for ranges of ranks, the item with which the heaviest selection so far ends.
 */
function heaviestAscending(items: readonly { readonly rank: number; readonly weight: number }[]): Set<number> {
  let size = 0;
  for (const { rank } of items) size = Math.max(size, rank + 1);
  // Node 0 of the tree is not used.
  const ends = new Int32Array(size + 1).fill(-1);
  const previous = new Int32Array(items.length);
  const sums = new Float64Array(items.length);
  const heavier = (a: number, b: number) => (b < 0 || (a >= 0 && (sums[a] as number) >= (sums[b] as number)) ? a : b);
  let last = -1;
  for (const [i, { rank, weight }] of items.entries()) {
    let best = -1;
    for (let node = rank; node > 0; node -= node & -node) best = heavier(ends[node] as number, best);
    previous[i] = best;
    sums[i] = weight + (best < 0 ? 0 : (sums[best] as number));
    for (let node = rank + 1; node <= size; node += node & -node) ends[node] = heavier(i, ends[node] as number);
    last = heavier(i, last);
  }
  const indices = new Set<number>();
  for (; last >= 0; last = previous[last] as number) indices.add(last);
  return indices;
}
