import { type Data, isData, isObject } from '../util/data-path.js';
import {
  collectIssues,
  createProblem,
  type IssueNames,
  isListOfTexts,
  membersOf,
  namedIssues,
  type Problem,
  pick,
  USUAL_NAMES,
} from './problem.js';
import type { Issue } from './validation-error.js';

/** Members that hold issues; the first that holds any wins, since servers repeat themselves (`errors` and `message`). */
const HOLDERS = [
  'invalid-params',
  ...['errors', 'details', 'detail', 'validation', 'validationErrors', 'violations', 'issues', 'fields', 'fieldErrors'],
  ...['ModelState', 'message', 'data'],
];
/** Problem details before RFC 9457: `{ "invalid-params": [{ "name": "age", "reason": "must be positive" }] }`. */
const PARAM_NAMES: IssueNames = { ...USUAL_NAMES, field: 'name', text: 'reason' };
/** Members at the top of a body that are no map from field to issues, but about the request or the server, or the row as it is. */
const NO_ISSUES = /^(meta|links|jsonapi|stack|traces?|current)$/;
/** Members that hold the text of the whole response. `error` comes last, because it is often a short name beside a text. */
const DETAIL = 'detail message Message errorMessage error_description reason error';

/** Reads the form that most families share: the problems with single fields are in a list or map under one of a few names, or at the top. */
export function commonProblem(body: unknown, status: number): Problem {
  const { error, ...rest } = topOf(body);
  const own: Data = { ...rest, ...(isData(error) ? error : { error }) };
  // The member `error` may hold something else under the name of the text at the top.
  const detail = pick(own, DETAIL) ?? pick(rest, DETAIL);
  const issues = issuesOf(own, detail);
  const { errors } = own;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const other: Data = isData(first) ? first : { message: first };
  const name = pick(own, 'error');
  const title = pick(own, 'title name') ?? pick(other, 'title') ?? (name === detail ? undefined : name);
  return createProblem(
    status,
    issues,
    own,
    title,
    detail ?? pick(other, 'detail message reason') ?? pick(own, 'msg description'),
  );
}

/** The problems with single fields. `said` is the text for fields that the response names without a text. */
function issuesOf(own: Data, said: string = ''): readonly Issue[] {
  const inputs = refusedInputs(own);
  if (inputs.length) return inputs.flatMap((each) => inputIssues(each, said));
  const { fields: names, target } = own;
  if (isListOfTexts(names)) return namedIssues(names, said);
  for (const name of said || !isFieldMap(own) ? HOLDERS : []) {
    const issues = heldIssues(name, own);
    if (issues.length > 0) return issues;
  }
  // Django and Rails have a map from field to texts at the top.
  const holds = (each: unknown) => Array.isArray(each) || (isData(each) && Object.values(each).some(isObject));
  const fields = Object.entries(own).filter(([name, each]) => holds(each) && !NO_ISSUES.test(name));
  const issues = collectIssues(Object.fromEntries(fields), true);
  return issues.length > 0 || typeof target !== 'string' ? issues : namedIssues([target], said);
}

/** Whether a body is a map from field to texts, one of which may have the name of a holder: `{ email: ['…'], details: [{}, { … }] }`. */
function isFieldMap(own: Data): boolean {
  return Object.entries(own).some(([name, each]) => isListOfTexts(each) && !HOLDERS.includes(name));
}

/** The issues in the member `name`. */
function heldIssues(name: string, own: Data): Issue[] {
  const { [name]: held, formErrors, status } = own;
  if (!isObject(held)) return [];
  // zod tells the problems of the whole apart.
  const source = name === 'fieldErrors' ? { formErrors, fieldErrors: held } : held;
  // PocketBase and Feathers have issues in `data`, among other things. The data of a JSend answer with the status `fail` are issues.
  const issues = collectIssues(
    source,
    name === 'data' && status !== 'fail',
    name === 'invalid-params' ? PARAM_NAMES : undefined,
  );
  if (name !== 'ModelState') return issues;
  // The paths of ASP.NET begin with the name of the action's parameter: `user.Name`.
  return issues.map((issue) => ({ ...issue, path: issue.path.slice(issue.path.length > 1 ? 1 : 0) }));
}

/**
 * Objects that name a part of the request and its refused members: `{ source: 'body', key: 'name' }` of Strapi, and
 * `{ source: 'payload', keys: ['name'] }` of Joi in hapi. Joi in celebrate has one such object for each part.
 */
function refusedInputs({ details, validation }: Data): Data[] {
  return [details, validation]
    .flatMap((held) => [held, ...Object.values(membersOf(held))])
    .filter(isData)
    .filter(({ source, key, keys }) => typeof source === 'string' && (typeof key === 'string' || Array.isArray(keys)));
}

/** The issues of refused members. Members of the query or the path are no fields of the record. */
function inputIssues({ source, path, key, keys, message }: Data, said: string): Issue[] {
  const names = Array.isArray(keys) ? keys : [typeof path === 'string' && path ? path : key];
  if (source !== 'body' && source !== 'payload') return [];
  return namedIssues(names, typeof message === 'string' ? message : said);
}

/** The members of a body. A page of HTML has a title, and other text is one. */
function topOf(body: unknown): Data {
  if (typeof body !== 'string') return isData(body) ? body : { details: body };
  const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
  return { title: title.slice(0, 1000).trim().slice(0, 200) };
}
