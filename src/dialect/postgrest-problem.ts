import type { Issue } from '../errors/issue.js';
import { createProblem, type Problem, pick } from '../errors/problem.js';
import { type Data, isData } from '../util/data-path.js';

/** Texts of PostgreSQL and PostgREST that name a column. */
const COLUMNS = [
  // 23502
  /column "([^"]+)"/,
  // 42703
  /column (?:\w+\.)?(\w+) does not exist/,
  // 23514: without a name of its own, a constraint is called by its table and column
  /relation "(\w+)" violates check constraint "\1_(\w+)_check"/,
  // PGRST204
  /the '([^']+)' column/,
];

/**
 * Reads `{ code, message, details, hint }`, with the columns that the texts name. The answer `[]` to an update or destroy says that no row
 * matched: 404.
 */
export function postgrestProblem(body: unknown, status: number): Problem {
  if (Array.isArray(body)) {
    const detail = 'no row matched: it does not exist, or a policy of the database hides it';
    return { status: 404, detail, issues: [] };
  }
  const own: Data = isData(body) ? body : { message: body };
  const message = pick(own, 'message');
  const details = pick(own, 'details') ?? '';
  const hint = pick(own, 'hint');
  // 23503 and 23505
  const [, keys] = /^Key \((.+?)\)=\(/.exec(details) ?? [];
  const column = COLUMNS.map((pattern) => pattern.exec(message ?? '')?.at(-1)).find(Boolean);
  const code = pick(own, 'code');
  const names = keys?.split(', ').map((name) => name.replace(/^"(.*)"$/, '$1')) ?? (column ? [column] : []);
  const issues = names.map((name): Issue => {
    const text = keys === undefined ? (message as string) : details;
    return { path: [name], message: text, ...(code && { code }) };
  });
  return createProblem(status, issues, own, undefined, message && hint ? `${message} (${hint})` : message);
}
