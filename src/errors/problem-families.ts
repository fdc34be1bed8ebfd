import { commonProblem, invalidParamsProblem } from './common-problem.js';
import {
  fhirProblem,
  graphqlProblem,
  mailmanProblem,
  payloadProblem,
  sailsProblem,
  sqliteProblem,
  tastypieProblem,
  wordpressProblem,
} from './particular-families.js';
import type { Problem, ProblemReader } from './problem.js';
import { problemFamily } from './problem-family.js';

/** The families whose bodies have a form of their own. The first that knows a body reads it; the common form comes last. */
const FAMILIES: Readonly<Record<string, ProblemReader>> = {
  FHIR: fhirProblem,
  WordPress: wordpressProblem,
  'Sails 1': sailsProblem,
  'Sails 0': /* @__PURE__ */ problemFamily({ issues: 'invalidAttributes', message: 'summary' }),
  Payload: payloadProblem,
  GraphQL: graphqlProblem,
  'RFC 7807': invalidParamsProblem,
  SQLite: sqliteProblem,
  Mailman: mailmanProblem,
  Tastypie: tastypieProblem,
  common: commonProblem,
};

/**
 * Reads the error body of any of the usual families: problem+json, Rails, Django, Laravel, JSON:API, OData, Strapi, LoopBack,
 * NestJS, Spring, Google, ASP.NET, WordPress, Payload, FHIR, Sails, Tastypie, GraphQL, SQLite, Mailman, Joi, zod, JSend, Ext JS and more;
 * text and HTML only give a title.
 *
 * @example
 * ```ts
 * const { detail, issues } = readAnyProblem({ detail: 'Not valid', errors: { name: ['is taken'] } }, 422);
 * show(detail, issues); // 'Not valid' [{ path: ['name'], message: 'is taken' }]
 * ```
 */
export function readAnyProblem(body: unknown, status: number): Problem {
  for (const read of Object.values(FAMILIES)) {
    const problem = read(body, status);
    if (problem) return problem;
  }
  return { status, issues: [] };
}
