import { type Data, isData } from '../util/data-path.js';
import { MOST_QUOTED, quote } from './quoted-text.js';
import type { Issue } from './validation-error.js';

/** The contents of a server's error body, in one shape for all families of servers (names of RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly title?: string;
  readonly detail?: string;
  /** A URI that names the kind of problem. */
  readonly type?: string;
  /** The server's own code. */
  readonly code?: string;
  /** Problems with single fields, under the server's names. An error keeps 100 of them. */
  readonly issues: readonly Issue[];
  /** How many more issues the response holds than the error keeps. @default 0 */
  readonly omitted?: number;
  /** Whether the values were refused, although the status is not 400, 409 or 422. @default false */
  readonly invalid?: boolean;
  /** A name that the server may write before the names of fields, such as that of the resource: it is dropped if it is no field. @default none */
  readonly wrapper?: string;
}

/**
 * Turns the body of a response that is not a success into a {@link Problem}. Undefined leaves a body of another form to the next reader.
 */
export type ProblemReader = (body: unknown, status: number) => Problem | undefined;

/** The most issues that an error keeps. */
const MOST_ISSUES = 100;
/** The most names in the path of an issue. */
const MOST_NAMES = 32;

/** Reads the body of an error: the first reader that knows its form does. */
export function readBy(readers: readonly ProblemReader[], body: unknown, status: number): Problem {
  for (const read of readers) {
    const problem = read(body, status);
    if (problem) return problem;
  }
  return readProblem(body, status);
}

/** Reads problem+json and the members that most families share with it: `message` or `error`, and `errors` as a list or as a map by field. */
export function readProblem(body: unknown, status: number): Problem {
  const own: Data = isData(body) ? body : {};
  const issues: Issue[] = [];
  const add = (found: unknown, path: readonly PropertyKey[]): void => {
    if (typeof found === 'string') issues.push({ path, message: found });
    else
      for (const [name, each] of Object.entries(found ?? {})) {
        const at = isData(each)
          ? pick(each, 'pointer path field')
              ?.split(/[#./]+/)
              .filter(Boolean)
          : undefined;
        add(isData(each) ? pick(each, 'detail message code') : each, at ?? (Array.isArray(found) ? path : [name]));
      }
  };
  add(own['errors'], []);
  return createProblem(status, issues, own, pick(own, 'title'), pick(own, 'detail message error'));
}

/** Creates a problem; members without a value are left out. */
export function createProblem(
  status: number,
  issues: readonly Issue[],
  own: Data,
  title: string | undefined,
  detail: string | undefined,
): Problem {
  const said = Object.entries({ title, detail, type: pick(own, 'type'), code: pick(own, 'code') });
  return { status, ...Object.fromEntries(said.filter(([, text]) => text)), issues };
}

/** A problem as an error keeps it, whatever the server has sent: as many issues, and as much of each text, as logs and screens can hold. */
export function boundedProblem(problem: Problem): Problem {
  const { issues, omitted = 0 } = problem;
  const left = Math.max(issues.length - MOST_ISSUES, 0) + omitted;
  const texts = Object.entries(problem).map(([name, each]) => [name, typeof each === 'string' ? quote(each) : each]);
  return {
    ...(Object.fromEntries(texts) as unknown as Problem),
    issues: issues.slice(0, MOST_ISSUES).map(boundedIssue),
    ...(left > 0 && { omitted: left }),
  };
}

function boundedIssue(issue: Issue): Issue {
  const { path, message, code } = issue;
  const isName =
    path.length <= MOST_NAMES && path.reduce<number>((sum, each) => sum + String(each).length, 0) <= MOST_QUOTED;
  return {
    ...issue,
    // A longer path names no field.
    path: isName ? path : [],
    message: quote(message),
    ...(code !== undefined && { code: quote(code) }),
  };
}

/** The text of the first of some members that holds one. */
export function pick(source: Data, names: string): string | undefined {
  for (const name of names.split(' ')) {
    const value = source[name];
    if ((value && typeof value === 'string') || typeof value === 'number') return String(value);
  }
  return undefined;
}
