/** The tests of the changed files, nearest first: themselves, tests of the same name, importing tests, tests of the folder. */
export function nearestTests(changed: readonly string[], tests?: readonly string[]): string[];
