import type { Json } from '../data/json.js';
import { type FieldErrors, Problem } from '../problem.js';

function prefixed(index: number, problem: Problem): [string, readonly string[]][] {
  const errors: FieldErrors = problem.members.errors ?? { '': [problem.message] };
  return Object.entries(errors).map(([name, messages]) => [name === '' ? `${index}` : `${index}.${name}`, messages]);
}

/**
 * Runs one write per entry. Throws one problem with the errors of all refused entries.
 * Inside a transaction this undoes the other writes, so that all entries are written or none.
 */
export function forEachEntry<T>(entries: readonly Json[], run: (entry: Json) => T): T[] {
  const results: T[] = [];
  const refused: Problem[] = [];
  const errors: [string, readonly string[]][] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      results.push(run(entry));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refused.push(error);
      errors.push(...prefixed(index, error));
    }
  }
  const first = refused[0];
  if (!first) return results;
  const status = refused.some((problem) => problem.status === 422) ? 422 : first.status;
  throw new Problem(status, `Nothing was written: ${refused.length} of ${entries.length} entries were refused`, {
    errors: Object.fromEntries(errors),
  });
}
