/**
 * Gives ascending whole numbers to items in their order, and keeps as many of the present numbers as possible. Returns the new number of
 * each item whose number changes, by its index. A missing number is given.
 */
export function changedPositions(present: readonly (number | undefined)[]): Map<number, number> {
  const kept = keptPositions(present);
  const changed = new Map<number, number>();
  let before = -1;
  for (let at = 0; at < present.length; at += 1) {
    const position = present[at] as number;
    if (kept.has(at)) before = position;
    else {
      before += 1;
      changed.set(at, before);
    }
  }
  return changed;
}

/**
 * The indices of the most items that can keep their numbers, so that the others find whole numbers from 0 on between them: a longest run of
 * indices whose numbers less their indices do not fall.
 */
function keptPositions(present: readonly (number | undefined)[]): ReadonlySet<number> {
  /** For each length, the last index of the run of that length which ends with the least number. */
  const ends: number[] = [];
  const previous: number[] = [];
  const roomOf = (at: number) => (present[at] as number) - at;
  for (let at = 0; at < present.length; at += 1) {
    previous.push(-1);
    if (!Number.isSafeInteger(present[at]) || roomOf(at) < 0) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (roomOf(ends[middle] as number) <= roomOf(at)) low = middle + 1;
      else high = middle;
    }
    previous[at] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = at;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] as number) kept.add(at);
  return kept;
}
