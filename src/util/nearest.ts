/** The known name that a misspelt one most likely means; undefined where none is near enough. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  // A third of the letters may be wrong: beyond that, a guess misleads.
  let least = Math.floor(given.length / 3) + 1;
  for (const name of known) {
    const distance = editDistance(lower, name.toLowerCase());
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

/** How many letters have to be put in, taken out or replaced to make one text of another (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
