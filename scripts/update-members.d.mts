/** The texts of docs/reference/members/*.md, by their paths in the project. */
export function memberPages(): Record<string, string>;
/** The names of the source that have a part on one of these pages. */
export function listedNames(): Set<string>;
