import { getMember } from './data-path.js';

/**
 * Fills the option members of `target`: from what was given, else from the dialect, else from the defaults.
 * Only names that have a default count, so a config can never replace a method; null counts as given.
 */
export function assignOptions(target: object, given: object, dialect: object, defaults: object): void {
  for (const [name, value] of Object.entries(defaults)) {
    const own = getMember(given, name);
    const spoken = own === undefined ? getMember(dialect, name) : own;
    // Defined, not assigned: after so many assignments by name engines keep an object as a table, which is slow to read.
    const attributes = { writable: true, enumerable: true, configurable: true };
    Object.defineProperty(target, name, { value: spoken === undefined ? value : spoken, ...attributes });
  }
}
