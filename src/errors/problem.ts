import { type Data, isData } from '../util/data-path.js';
import type { Issue } from './issue.js';

/** The contents of a server's error body, in one shape for all families of servers (names of RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly title?: string;
  readonly detail?: string;
  /** A URI that names the kind of problem. */
  readonly type?: string;
  /** The server's own code. */
  readonly code?: string;
  /** Problems with single fields, under the server's names. */
  readonly issues: readonly Issue[];
  /** Whether the values were refused, although the status is not 400 or 422. @default false */
  readonly invalid?: boolean;
}

/** Turns the body of an answer that is not a success into a {@link Problem}. */
export type ProblemReader = (body: unknown, status: number) => Problem;

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

/** The text of the first of some members that holds one. */
export function pick(source: Data, names: string): string | undefined {
  for (const name of names.split(' ')) {
    const value = source[name];
    if ((value && typeof value === 'string') || typeof value === 'number') return String(value);
  }
  return undefined;
}
