import { getMember, isData } from '../util/data-path.js';
import {
  collectIssues,
  commonProblem,
  createProblem,
  isListOfTexts,
  membersOf,
  namedIssues,
  type Problem,
  type ProblemReader,
  pick,
  readBy,
  toPath,
} from './problem.js';
import { problemFamily } from './problem-family.js';
import type { Issue } from './validation-error.js';

/** The longest text that is searched for the names of fields. */
const MOST_SEARCHED = 2000;

/**
 * WordPress: `{ code, message, data: { status, params: { email: '…' } } }`. `params` is a list of names if parameters are missing, and
 * `details` has the text of each rule.
 */
function wordpressProblem(body: unknown, status: number): Problem | undefined {
  const data = getMember(body, 'data');
  const params = getMember(data, 'params');
  if (!isData(body) || typeof params !== 'object' || params === null) return undefined;
  const message = pick(body, 'message');
  const issues = Array.isArray(params)
    ? namedIssues(params, message)
    : collectIssues({ ...params, ...membersOf(getMember(data, 'details')) });
  return createProblem(status, issues, body, undefined, message);
}

/** FHIR: an `OperationOutcome`, whose issues name their elements by paths that begin with the type: `Patient.name[0].family`. */
function fhirProblem(body: unknown, status: number): Problem | undefined {
  if (!isData(body) || body['resourceType'] !== 'OperationOutcome' || !Array.isArray(body['issue'])) return undefined;
  const issues = body['issue'].filter(isData).flatMap((each): Issue[] => {
    // Warnings and notes come with answers of any status, and refuse nothing.
    if (each['severity'] === 'warning' || each['severity'] === 'information') return [];
    const { expression, location } = each;
    const [at] = [expression, location].flat().filter((text): text is string => typeof text === 'string');
    const code = pick(each, 'code');
    const message = pick(membersOf(each['details']), 'text') ?? pick(each, 'diagnostics') ?? code ?? '';
    return [{ path: at === undefined ? [] : elementPath(at), message, ...(code && { code }) }];
  });
  return createProblem(status, issues, {}, undefined, pick(body, 'message') ?? issues[0]?.message);
}

/** The path of an element behind its type. A location in XPath has a prefix and counts from 1: `/f:Patient/f:name[1]`. */
function elementPath(text: string): readonly PropertyKey[] {
  const isXPath = text.startsWith('/');
  const names = toPath(text.replaceAll('f:', ''));
  const [type] = names;
  const inside = /^[A-Z]/.test(String(type)) ? names.slice(1) : names;
  return isXPath ? inside.map((name) => (/^\d+$/.test(String(name)) ? String(Number(name) - 1) : name)) : inside;
}

/** Sails 1: `{ code: 'E_UNIQUE', attrNames: ['email'], problems: [], message }`. The texts in `problems` quote the name of the field. */
function sailsProblem(body: unknown, status: number): Problem | undefined {
  if (!isData(body)) return undefined;
  const { attrNames, problems, code } = body;
  if (typeof code !== 'string' || !code.startsWith('E_') || !Array.isArray(attrNames ?? problems)) return undefined;
  const message = pick(body, 'message details');
  const texts = Array.isArray(problems) ? problems.filter((each) => typeof each === 'string') : [];
  const issues = texts.map((text): Issue => ({ path: quotedName(text), message: text, code }));
  const named = namedIssues(attrNames, message).map((issue) => ({ ...issue, code }));
  return createProblem(status, [...named, ...issues], body, undefined, message);
}

/** The name in the first quotes of a text: `` `email` `` or `"email"`. */
function quotedName(text: string): readonly PropertyKey[] {
  const [, name] = /["`]([\w.]{1,300})["`]/.exec(text.slice(0, MOST_SEARCHED)) ?? [];
  return name === undefined ? [] : toPath(name);
}

/**
 * Payload: `{ errors: [{ name, message, data: { collection, errors: [{ path, message }] } }] }`; older versions have the list in `data`
 * itself, with `field` instead of `path`.
 */
function payloadProblem(body: unknown, status: number): Problem | undefined {
  const errors = getMember(body, 'errors');
  if (!Array.isArray(errors)) return undefined;
  const lists = errors.map((each) => {
    const data = getMember(each, 'data');
    return [data, getMember(data, 'errors')].find(
      (held) => Array.isArray(held) && held.length > 0 && held.every(isData),
    );
  });
  if (!lists.some(Boolean)) return undefined;
  // An error without a list says something about the whole.
  const issues = errors.flatMap((each, at) => collectIssues(lists[at] ?? [{ message: getMember(each, 'message') }]));
  const [own, first] = [membersOf(body), membersOf(errors[0])];
  return createProblem(status, issues, own, pick(first, 'name'), pick(own, 'message') ?? pick(first, 'message'));
}

/**
 * GraphQL: `{ errors: [{ message, path: ['createUser'], locations, extensions }] }`. The path is that of the response; the field is named in
 * `extensions`, by one name or by a map from field to texts whose names begin with that of the argument: `input.email`.
 */
function graphqlProblem(body: unknown, status: number): Problem | undefined {
  const errors = getMember(body, 'errors');
  if (!Array.isArray(errors) || !errors.some((each) => Array.isArray(getMember(each, 'locations')))) return undefined;
  const issues = errors.filter(isData).flatMap((each): Issue[] => {
    const extensions = membersOf(each['extensions']);
    const inside = membersOf(extensions['exception'] ?? extensions['originalError']);
    const map = ['validation', 'validationErrors', 'fieldErrors', 'invalidArgs', 'errors'].map(
      (name) => extensions[name] ?? inside[name],
    );
    const found = collectIssues(map.find((held) => typeof held === 'object' && held !== null));
    if (found.length > 0) return found;
    const code = pick(extensions, 'code');
    const name = pick(extensions, 'field property argumentName');
    const path = Array.isArray(each['path']) ? each['path'].filter((part) => /^[sn]/.test(typeof part)).slice(1) : [];
    return [
      { path: name === undefined ? path : toPath(name), message: pick(each, 'message') ?? '', ...(code && { code }) },
    ];
  });
  const first = membersOf(errors.find(isData));
  const said = pick(membersOf(body), 'message') ?? pick(first, 'message');
  return {
    ...createProblem(status, issues, membersOf(first['extensions']), undefined, said),
    wrapper: 'input',
  };
}

/** Tastypie: `{ users: { email: ['…'] } }`, under the name of the resource. */
function tastypieProblem(body: unknown, status: number): Problem | undefined {
  const entries = isData(body) ? Object.entries(body) : [];
  const [[resource, fields] = [''] as const] = entries;
  const isMap = isData(fields) && Object.values(fields).every(isListOfTexts) && Object.keys(fields).length > 0;
  if (entries.length !== 1 || !isMap || GENERAL_HOLDERS.test(resource)) return undefined;
  const issues = collectIssues({ [resource]: fields });
  return { ...createProblem(status, issues, {}, undefined, undefined), wrapper: resource };
}

/** Names of members that hold issues in other families. */
const GENERAL_HOLDERS =
  /^(errors?|details?|validation\w*|violations|issues|messages?|data|fields|modelState|fieldErrors|invalid\w*)$/i;

/** Texts of SQLite that name columns: `UNIQUE constraint failed: users.email, users.name`. */
const SQLITE =
  /\b(?:(?:UNIQUE|NOT NULL|CHECK) constraint failed: |table \w{1,300} has no column named )([\w., ]{1,600})/;

/** SQLite over REST: `{ message: 'UNIQUE constraint failed: users.email', error: { code: 'SQLITE_CONSTRAINT_UNIQUE' } }`. */
export function sqliteProblem(body: unknown, status: number): Problem | undefined {
  if (!isData(body)) return undefined;
  const inside = membersOf(body['error']);
  const message = pick(body, 'message error') ?? pick(inside, 'message');
  const [, columns] = SQLITE.exec((message ?? '').slice(0, MOST_SEARCHED)) ?? [];
  if (message === undefined || columns === undefined) return undefined;
  const code = pick(inside, 'code') ?? pick(body, 'code');
  const names = columns.split(', ').map((column) => column.trim().split('.').at(-1) as string);
  // The text of a check may be an expression, such as `age > 0`.
  const issues = names
    .filter((name) => /^\w+$/.test(name))
    .map((name): Issue => ({ path: [name], message, ...(code && { code }) }));
  return createProblem(status, issues, { ...body, code }, pick(body, 'name'), message);
}

/** A text of Mailman, which names the parameter: `Invalid Parameter "email": is taken.`, `Missing Parameter: email`. */
const PARAMETER = /\b(?:Invalid|Missing) Parameter:? "?([\w.]{1,300})"?(?:: ([^;]+))?/g;

/** Mailman: `{ title: '400 Bad Request', description: 'Invalid Parameter "email": is taken.' }`. */
function mailmanProblem(body: unknown, status: number): Problem | undefined {
  const description = getMember(body, 'description');
  if (!isData(body) || typeof description !== 'string') return undefined;
  const found = [...description.slice(0, MOST_SEARCHED).matchAll(PARAMETER)];
  if (found.length === 0) return undefined;
  const issues = found.map(([all, name, text = all]): Issue => ({ path: [name as string], message: text.trim() }));
  return createProblem(status, issues, body, pick(body, 'title'), pick(body, 'message') ?? description);
}

/** The families whose bodies have a form of their own. The first that knows a body reads it; the common form comes last. */
const FAMILIES: Readonly<Record<string, ProblemReader>> = {
  FHIR: fhirProblem,
  WordPress: wordpressProblem,
  'Sails 1': sailsProblem,
  'Sails 0': /* @__PURE__ */ problemFamily({ issues: 'invalidAttributes', message: 'summary' }),
  Payload: payloadProblem,
  GraphQL: graphqlProblem,
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
  return readBy(Object.values(FAMILIES), body, status);
}
