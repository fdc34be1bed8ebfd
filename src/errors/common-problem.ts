import { type Data, getMember, isData, isObject } from '../util/data-path.js';
import { collectIssues, toPath, USUAL_NAMES } from './issue-walker.js';
import { isListOfTexts, namedIssues } from './particular-families.js';
import { createProblem, type Problem, pick } from './problem.js';
import type { Issue } from './validation-error.js';

/** Members that hold issues; the first that holds any wins, since servers repeat themselves (`errors` and `message`). */
const HOLDERS = [
  ...['errors', 'details', 'detail', 'validation', 'validationErrors', 'violations', 'issues', 'fields', 'fieldErrors'],
  ...['ModelState', 'message', 'data'],
];
/** Members at the top of a body that are no map from field to issues, but about the request or the server, or the row as it is. */
const NO_ISSUES = /^(meta|links|jsonapi|stack|traces?|current)$/;
/** Members that hold the text of the whole response. `error` comes last, because it is often a short name beside a text. */
const DETAIL = 'detail message Message errorMessage error_description reason error';

/** Problem details before RFC 9457 had `errors`: `{ "invalid-params": [{ "name": "age", "reason": "must be positive" }] }`. */
export function invalidParamsProblem(body: unknown, status: number): Problem | undefined {
  const held = getMember(body, 'invalid-params');
  if (!isObject(held)) return undefined;
  const issues = collectIssues(held, [], false, { ...USUAL_NAMES, field: 'name', text: 'reason' });
  return createProblem(
    status,
    issues,
    body as Data,
    pick(body as Data, 'title'),
    pick(body as Data, 'detail message description'),
  );
}

/** Reads the forms of error bodies that most servers have, for models whose servers are not known. */
export function readUsualProblem(body: unknown, status: number): Problem {
  return invalidParamsProblem(body, status) ?? commonProblem(body, status);
}

/** Reads the form that most families share: the problems with single fields are in a list or map under one of a few names, or at the top. */
export function commonProblem(body: unknown, status: number): Problem {
  const { error, ...rest } = membersOf(body);
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

/** The problems with single fields. `detail` is the text for fields that the response names without a text. */
function issuesOf(own: Data, detail: string = ''): readonly Issue[] {
  const inputs = refusedInputs(own);
  if (inputs.length) return inputs.flatMap((each) => inputIssues(each, detail));
  const { fields: names, target } = own;
  if (isListOfTexts(names)) return namedIssues(names, detail);
  for (const name of detail || !isFieldMap(own) ? HOLDERS : []) {
    const issues = heldIssues(name, own);
    if (issues.length > 0) return issues;
  }
  // Django and Rails have a map from field to texts at the top.
  const holds = (each: unknown) => Array.isArray(each) || (isData(each) && Object.values(each).some(isObject));
  const fields = Object.entries(own).filter(([name, each]) => holds(each) && !NO_ISSUES.test(name));
  const issues = collectIssues(Object.fromEntries(fields), [], true);
  if (issues.length > 0 || typeof target !== 'string') return issues;
  return [{ path: toPath(target), message: detail }];
}

/** Whether a body is a map from field to texts, one of which may have the name of a holder: `{ email: ['…'], details: [{}, { … }] }`. */
function isFieldMap(own: Data): boolean {
  return Object.entries(own).some(([name, each]) => isListOfTexts(each) && !HOLDERS.includes(name));
}

function heldIssues(name: string, own: Data): Issue[] {
  const { [name]: held, formErrors } = own;
  if (name === 'ModelState' && isData(held)) return modelStateIssues(held);
  // zod tells the problems of the whole apart.
  if (name === 'fieldErrors' && isObject(held)) return collectIssues({ formErrors, fieldErrors: held }, [], false);
  // PocketBase and Feathers have issues in `data`, among other things. The data of a JSend answer with the status `fail` are issues.
  return isObject(held) ? collectIssues(held, [], name === 'data' && own['status'] !== 'fail') : [];
}

/**
 * Objects that name a part of the request and its refused members: `{ source: 'body', key: 'name' }` of Strapi, and
 * `{ source: 'payload', keys: ['name'] }` of Joi in hapi. Joi in celebrate has one such object for each part.
 */
function refusedInputs({ details, validation }: Data): Data[] {
  return [details, validation]
    .filter(isData)
    .flatMap((held) => [held, ...Object.values(held)])
    .filter(isData)
    .filter(({ source, key, keys }) => typeof source === 'string' && (typeof key === 'string' || Array.isArray(keys)));
}

/** The issues of refused members. Members of the query or the path are no fields of the record. */
function inputIssues(input: Data, detail: string): Issue[] {
  const { source, path, key, keys } = input;
  const names = Array.isArray(keys) ? keys : [typeof path === 'string' && path ? path : key];
  if (source !== 'body' && source !== 'payload') return [];
  return namedIssues(names, pick(input, 'message') ?? detail);
}

/** The issues of the `ModelState` of ASP.NET, whose paths begin with the name of the action's parameter: `user.Name`. */
function modelStateIssues(state: Data): Issue[] {
  return Object.entries(state).flatMap(([name, texts]) => {
    const path = toPath(name);
    return collectIssues(texts, path.length > 1 ? path.slice(1) : path, false);
  });
}

function membersOf(body: unknown): Data {
  if (typeof body !== 'string') return isData(body) ? body : { details: body };
  const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
  return { title: title.slice(0, 1000).trim().slice(0, 200) };
}
