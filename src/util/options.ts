import { defineMember, getMember } from './data-path.js';

/**
 * Fills the option members of `target`: from what was given, else from the dialect, else from the defaults.
 * Only names that have a default count, so a config can never replace a method; null counts as given.
 */
export function assignOptions(target: object, given: object, dialect: object, defaults: object): void {
  for (const [name, value] of Object.entries(defaults)) {
    const own = [getMember(given, name), getMember(dialect, name)].find((each) => each !== undefined);
    // Defined, not assigned: after so many assignments by name engines keep an object as a table, which is slow to read.
    defineMember(target, name, own === undefined ? value : own);
  }
}

/** Options over other options, name by name; undefined counts as not given. */
export function mergeOptions<O extends object>(under: O | undefined, over: O | undefined): O {
  const given = Object.entries(over ?? {}).filter(([, value]) => value !== undefined);
  return { ...under, ...Object.fromEntries(given) } as O;
}
