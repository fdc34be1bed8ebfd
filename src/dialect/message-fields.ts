import type { Problem } from '../errors/problem.js';
import type { Issue } from '../errors/validation-error.js';
import { modelOf } from '../operation/operation-record.js';
import type { StepContext } from './dialect.js';

/**
 * Adds the field to issues that name it in their text only, such as `Due date must be greater than start date`. A text begins with the
 * server's name of a field without `_id`, in words; `labels` has the words of names that the server words differently.
 */
export function nameFields(
  context: StepContext,
  problem: Problem,
  labels: ReadonlyMap<string, string> = new Map(),
): Problem {
  const fields = modelOf(context.request.operation)?.fields ?? [];
  const known = fields.flatMap(({ path }) => {
    if (!path) return [];
    const name = String(path[0]).replace(/_id$/, '');
    return [{ path, label: `${labels.get(name) ?? name.replaceAll('_', ' ')} `.toLowerCase() }];
  });
  const named = (issue: Issue): Issue => {
    if (issue.path.length > 0) return issue;
    const text = issue.message.toLowerCase();
    const found = known.filter(({ label }) => text.startsWith(label));
    // `Start date` is longer than `Start`, and is meant.
    const [best] = found.sort((a, b) => b.label.length - a.label.length);
    return best ? { ...issue, path: best.path } : issue;
  };
  return { ...problem, issues: problem.issues.map(named) };
}
