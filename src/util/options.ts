/**
 * Fills the option members of `target`: from what was given, else from the dialect, else from the defaults.
 * Only names that have a default count, so a config can never replace a method; null counts as given.
 */
export function assignOptions(target: object, given: object, dialect: object, defaults: object): void {
  for (const [name, value] of Object.entries(defaults)) {
    const own = member(given, name);
    const spoken = own === undefined ? member(dialect, name) : own;
    (target as Record<string, unknown>)[name] = spoken === undefined ? value : spoken;
  }
}

function member(source: object, name: string): unknown {
  return Object.hasOwn(source, name) ? (source as Record<string, unknown>)[name] : undefined;
}
