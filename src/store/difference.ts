import { countWhile, joinChunks } from './chunks.js';

/** The difference between two lists of records. */
export interface Difference<M> {
  readonly added: readonly M[];
  readonly removed: readonly M[];
  /** The records that moved: as few as possible. */
  readonly moved: readonly M[];
}

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

export type Chunks<M> = readonly (readonly M[])[];

/**
 * Finds the parts in which two lists differ. Chunks that both lists share are skipped: shared chunks have the same order in both
 * lists.
 */
export function segmentsOf<M>(before: Chunks<M>, now: Chunks<M>): Segment<M>[] {
  const segments: Segment<M>[] = [];
  let index = 0;
  for (let [from, to] = [0, 0]; from < before.length || to < now.length; from += 1, to += 1) {
    const chunk = now[to];
    if (before[from] !== chunk) {
      const [nextBefore, nextNow] = nextShared(before, from, now, to);
      const segment = trim(index, joinChunks(before.slice(from, nextBefore)), joinChunks(now.slice(to, nextNow)));
      if (segment.before.length + segment.now.length > 0) segments.push(segment);
      for (; to < nextNow; to += 1) index += (now[to] as readonly M[]).length;
      from = nextBefore;
    }
    index += now[to]?.length ?? 0;
  }
  return segments;
}

/** Whether two lists hold the same records in the same order. */
export function hasSameRecords<M>(before: Chunks<M>, now: Chunks<M>): boolean {
  const isShared = before.length === now.length && before.every((chunk, i) => chunk === now[i]);
  return isShared || segmentsOf(before, now).length === 0;
}

/** Finds the next chunk that both lists share. It is nearly always within a few places, because few chunks change at a time. */
function nextShared<M>(before: Chunks<M>, from: number, now: Chunks<M>, to: number): [from: number, to: number] {
  for (let sum = 1; sum <= 4; sum += 1) {
    for (let i = 0; i <= sum; i += 1) {
      const chunk = before[from + i];
      if (chunk && chunk === now[to + sum - i]) return [from + i, to + sum - i];
    }
  }
  const places = new Map(now.map((chunk, i) => [chunk, i]));
  for (let i = from; i < before.length; i += 1) {
    const place = places.get(before[i] as readonly M[]);
    if (place !== undefined) return [i, place];
  }
  return [before.length, now.length];
}

/** The splices that turn the old list into the new one. */
export function splicesOf<M>(segments: readonly Segment<M>[]): Splice<M>[] {
  return segments.map(({ index, before, now }) => ({ index, remove: before.length, records: now }));
}

export function differenceOf<M>(segments: readonly Segment<M>[]): Difference<M> {
  const allBefore = new Set(segments.flatMap(({ before }) => before));
  const allNow = new Set(segments.flatMap(({ now }) => now));
  return {
    added: [...allNow].filter((record) => !allBefore.has(record)),
    removed: [...allBefore].filter((record) => !allNow.has(record)),
    moved: segments.flatMap(({ before, now }) => {
      const indexBefore = new Map(before.map((record, i) => [record, i]));
      const staying = longestIncreasingSubsequence(now.map((record) => indexBefore.get(record)));
      return now.filter((record, i) => allBefore.has(record) && !staying.has(i));
    }),
  };
}

/** Cuts off the records that are the same at the start and at the end of both lists. */
function trim<M>(index: number, before: readonly M[], now: readonly M[]): Segment<M> {
  const most = Math.min(before.length, now.length);
  let start = 0;
  while (start < most && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return {
    index: index + start,
    before: before.slice(start, before.length - end),
    now: now.slice(start, now.length - end),
  };
}

/** The indices of a longest increasing subsequence of numbers; undefined entries are skipped. */
function longestIncreasingSubsequence(numbers: readonly (number | undefined)[]): Set<number> {
  const lasts: number[] = [];
  const previous: number[] = [];
  for (const [i, number] of numbers.entries()) {
    if (number === undefined) continue;
    const at = countWhile(lasts.length, (length) => (numbers[lasts[length] as number] as number) < number);
    previous[i] = at > 0 ? (lasts[at - 1] as number) : -1;
    lasts[at] = i;
  }
  const indices = new Set<number>();
  for (let at = lasts.at(-1) ?? -1; at >= 0; at = previous[at] as number) indices.add(at);
  return indices;
}
