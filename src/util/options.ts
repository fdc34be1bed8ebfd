import { defineMember, getMember } from './data-path.js';

/**
 * Sets the options of `target`: each one from `given`, else from the dialect, else from the defaults. Names without a default are
 * ignored, so that a configuration can never replace a method. null counts as a given value, undefined does not.
 */
export function assignOptions(target: object, given: object, dialect: object, defaults: object): void {
  for (const [name, value] of Object.entries(defaults)) {
    const own = [getMember(given, name), getMember(dialect, name)].find((each) => each !== undefined);
    // After many assignments by name, V8 stores an object as a hash table, which is slow to read; defining members avoids that.
    defineMember(target, name, own === undefined ? value : own);
  }
}

/** Merges options name by name: those of `over` replace those of `under`. undefined counts as not given. */
export function mergeOptions<O extends object>(under: O | undefined, over: O | undefined): O {
  const given = Object.entries(over ?? {}).filter(([, value]) => value !== undefined);
  return { ...under, ...Object.fromEntries(given) } as O;
}
