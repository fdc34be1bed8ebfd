/** The items of a list, in arrays that follow each other. */
export type Chunks<T> = readonly (readonly T[])[];

/** Index of the first item of each chunk. */
export function startsOf(chunks: readonly (readonly unknown[])[]): number[] {
  let start = 0;
  return chunks.map((chunk) => {
    const at = start;
    start += chunk.length;
    return at;
  });
}

/** Length of the leading part of a list for which `holds` is true, found by binary search. */
export function countWhile(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Number of the chunk that holds the item at an index. */
export function chunkOf(starts: readonly number[], index: number): number {
  return countWhile(starts.length, (chunk) => (starts[chunk] as number) <= index) - 1;
}

/** The item at an index; undefined if the index is out of range. */
export function itemAt<T>(chunks: readonly (readonly T[])[], starts: readonly number[], index: number): T | undefined {
  const chunk = chunkOf(starts, index);
  return chunks[chunk]?.[index - (starts[chunk] as number)];
}

/** Number of items in a new chunk. A chunk of a sorted list is split when it holds more than twice as many. */
export const CHUNK_SIZE = 128;

/** Cuts a list into chunks. */
export function cutChunks<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += CHUNK_SIZE) chunks.push(items.slice(i, i + CHUNK_SIZE));
  return chunks;
}

/** Joins chunks into one array. `Array.prototype.flat` is many times slower. */
export function joinChunks<T>(chunks: readonly (readonly T[])[]): T[] {
  return ([] as T[]).concat(...chunks);
}

/** Number of items in all chunks. */
export function countOf(chunks: readonly (readonly unknown[])[]): number {
  let count = 0;
  for (const chunk of chunks) count += chunk.length;
  return count;
}

/** The items at some ascending indices, in new chunks. */
export function pickItems<T>(chunks: readonly (readonly T[])[], indices: Uint32Array): (readonly T[])[] {
  const found: T[] = [];
  const starts = startsOf(chunks);
  let chunk = 0;
  for (let at = 0; at < indices.length; at += 1) {
    const index = indices[at] as number;
    while ((starts[chunk + 1] as number) <= index) chunk += 1;
    found.push((chunks[chunk] as readonly T[])[index - (starts[chunk] as number)] as T);
  }
  return cutChunks(found);
}

/** The items at some indices, in the order of the indices. */
export function itemsAt<T>(items: readonly T[], indices: Uint32Array): T[] {
  // A loop, because `Array.from` calls an iterator for each item, which is slower.
  const found: T[] = new Array(indices.length);
  for (let at = 0; at < indices.length; at += 1) found[at] = items[indices[at] as number] as T;
  return found;
}

/** All indices of a list, ascending. */
export function indicesOf({ length }: readonly unknown[]): Uint32Array {
  const indices = new Uint32Array(length);
  for (let i = 0; i < length; i += 1) indices[i] = i;
  return indices;
}

/** Whether two lists hold the same records in the same order. */
export function hasSameRecords<M>(before: Chunks<M>, now: Chunks<M>): boolean {
  let from = 0;
  // A short loop over the chunks at the start, because these are nearly all chunks.
  while (from < before.length && before[from] === now[from]) from += 1;
  let [to, at, place] = [from, 0, 0];
  while (from < before.length && to < now.length) {
    const [chunk, other] = [before[from] as readonly M[], now[to] as readonly M[]];
    if (chunk === other && at === place) at = place = chunk.length;
    for (; at < chunk.length && place < other.length; at += 1, place += 1) {
      if (chunk[at] !== other[place]) return false;
    }
    if (at === chunk.length) [from, at] = [from + 1, 0];
    if (place === other.length) [to, place] = [to + 1, 0];
  }
  return from === before.length && to === now.length;
}
