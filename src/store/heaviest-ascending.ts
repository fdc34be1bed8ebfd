/**
 * The indices of the items that have ascending ranks and weigh most. Ranks are different integers from 0. Costs `n log n`, by a
 * Fenwick tree that holds, for ranges of ranks, the item with which the heaviest selection so far ends.
 */
export function heaviestAscending(items: readonly { readonly rank: number; readonly weight: number }[]): Set<number> {
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
