/** Index of the first item of each chunk. */
export function startsOf(chunks: readonly (readonly unknown[])[]): number[] {
  let start = 0;
  return chunks.map((chunk) => {
    const at = start;
    start += chunk.length;
    return at;
  });
}

/** How many items of a list come first: those of which something holds, which stand before all others. */
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

/** The chunk that holds an index. */
export function chunkOf(starts: readonly number[], index: number): number {
  return countWhile(starts.length, (chunk) => (starts[chunk] as number) <= index) - 1;
}

/** The item at an index; undefined where there is none. */
export function itemAt<T>(chunks: readonly (readonly T[])[], starts: readonly number[], index: number): T | undefined {
  const chunk = chunkOf(starts, index);
  return chunks[chunk]?.[index - (starts[chunk] as number)];
}

/** Items of a chunk when a list is built; it splits at twice as many. */
export const SIZE = 128;

/** Items in chunks. */
export function cutChunks<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += SIZE) chunks.push(items.slice(i, i + SIZE));
  return chunks;
}

/** The items of all chunks. The platform's own `flat` is many times slower. */
export function joinChunks<T>(chunks: readonly (readonly T[])[]): T[] {
  return ([] as T[]).concat(...chunks);
}

/** Number of items. */
export function countOf(chunks: readonly (readonly unknown[])[]): number {
  let count = 0;
  for (const chunk of chunks) count += chunk.length;
  return count;
}

/** The items that a function accepts, in chunks. */
export function filterChunks<T>(
  chunks: readonly (readonly T[])[],
  keep: { keep(item: T): boolean }['keep'],
): (readonly T[])[] {
  const found: T[] = [];
  for (const chunk of chunks) for (const item of chunk) if (keep(item)) found.push(item);
  return cutChunks(found);
}

/** The items at some indices, which ascend, in chunks. */
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

/** The items at some indices, in the order of these. */
export function itemsAt<T>(items: readonly T[], indices: Uint32Array): T[] {
  // A loop: the platform's own functions go item by item through an iterator.
  const found: T[] = new Array(indices.length);
  for (let at = 0; at < indices.length; at += 1) found[at] = items[indices[at] as number] as T;
  return found;
}

/** All indices of a list. */
export function indicesOf({ length }: readonly unknown[]): Uint32Array {
  const indices = new Uint32Array(length);
  for (let i = 0; i < length; i += 1) indices[i] = i;
  return indices;
}
