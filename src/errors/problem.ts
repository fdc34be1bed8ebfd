import { type Data, isData } from '../util/data-path.js';
import type { Issue } from './issue.js';

/** What a server's error body says, in one shape for all families (RFC 9457 names). */
export interface Problem {
  readonly status: number;
  readonly title?: string;
  readonly detail?: string;
  /** A URI that names the kind of problem. */
  readonly type?: string;
  /** The server's own code. */
  readonly code?: string;
  /** What is wrong with single fields, under the server's names. */
  readonly issues: readonly Issue[];
}

/** What turns the body of an answer that is no success into a {@link Problem}. */
export type ProblemReader = (body: unknown, status: number) => Problem;

/** Reads problem+json, and what most families share with it: `message` or `error`, and `errors`: a list, or a map by field. */
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

/** A problem without the members that say nothing. */
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

/** The first of some members that holds a text. */
export function pick(source: Data, names: string): string | undefined {
  for (const name of names.split(' ')) {
    const value = source[name];
    if ((value && typeof value === 'string') || typeof value === 'number') return String(value);
  }
  return undefined;
}
