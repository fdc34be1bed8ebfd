import { type Data, isData, isObject } from '../util/data-path.js';
import { changeTexts, MOST_QUOTED, quote } from './quoted-text.js';
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
  return { status, issues: [] };
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

type Path = readonly PropertyKey[];

/** The names of the members of an issue, the likeliest first, separated by blanks. */
interface IssueNames {
  /** Members by which an issue names its field. */
  readonly field: string;
  /** Members that hold the text of an issue. */
  readonly text: string;
  /** Members that hold the rule that was broken. */
  readonly code: string;
}

/** The names that issues of most servers have. */
export const USUAL_NAMES: IssueNames = {
  field:
    'pointer instancePath path field property propertyPath propertyName target parameter location loc param members',
  text: 'detail message msg defaultMessage errorMessage description reason title',
  code: 'code keyword rule',
};

/** Names in a map from field to issues that do not name a field. */
const GENERAL = /^(non_field_errors|__all__|base|_?errors|fieldViolations|fieldErrors|formErrors|)$/;

/**
 * Collects issues from texts, lists of issues, and maps from field to these, nested in any way. A map that is `mixed` also holds texts
 * that are not issues. `said` is the text for fields that are named without a text.
 */
export function collectIssues(
  source: unknown,
  mixed: boolean = false,
  names: IssueNames = USUAL_NAMES,
  said: string = '',
): Issue[] {
  const issues: Issue[] = [];
  const walk = (found: unknown, path: Path, isMixed: boolean, index?: number): void => {
    if (typeof found === 'string') addText(found, path);
    else if (Array.isArray(found)) for (const [at, each] of found.entries()) walk(each, path, isMixed, at);
    else if (isData(found)) {
      const refused = index === undefined ? refusedMembers(found, said) : undefined;
      if (refused) issues.push(...refused);
      else walkObject(found, path, isMixed, index);
    }
  };
  const addText = (text: string, path: Path): void => {
    // Texts of class-validator begin with the field.
    const [, field, message = text] = (path.length === 0 && /^([\w.]{1,300}) ((?:must|should) .*)$/s.exec(text)) || [];
    if (text) issues.push({ path: field ? toPath(field) : path, message });
  };
  // An issue, or a map from field to issues. An entry with an `index` is an item of a list, and may name its field.
  const walkObject = (found: Data, path: Path, isMixed: boolean, index?: number): void => {
    const listed = index !== undefined;
    const item = listed ? { ...membersOf(found['extensions']), ...membersOf(found['source']), ...found } : found;
    const at = listed ? fieldOf(item, names) : undefined;
    const within = at ? [...path, ...at] : path;
    const code = pick(item, names.code);
    // At the top is a map, whose members may be fields of any name.
    const isIssue = listed || path.length > 0;
    const message = isIssue ? (pick(item, names.text) ?? (at && code)) : undefined;
    const more = issuesIn(item, isIssue);
    if (more) walk(more, within, isMixed);
    else if (message) issues.push({ path: within, message, ...(code && { code }) });
    else walkMap(found, listed && path.length ? [...within, index] : within, isMixed || listed);
  };
  const walkMap = (map: Data, path: Path, isMixed: boolean): void => {
    // LoopBack puts the texts in a map `messages`, beside the codes.
    for (const [name, each] of Object.entries(isData(map['messages']) ? map['messages'] : map))
      if (isObject(each) || !isMixed) walk(each, GENERAL.test(name) ? path : [...path, ...toPath(name)], isMixed);
  };
  walk(source, [], mixed);
  return issues;
}

/**
 * The issues of an object that names refused members, with the part of the request that they belong to: `{ source: 'body', key: 'name' }` of Strapi,
 * and `{ source: 'payload', keys: ['name'] }` of Joi. Those of the query or the path are no fields of the record.
 */
function refusedMembers(found: Data, said: string): Issue[] | undefined {
  const { source, key, keys, message } = found;
  const names = Array.isArray(keys) ? keys : typeof key === 'string' && [pick(found, 'path key')];
  if (typeof source !== 'string' || !names) return undefined;
  const isOfBody = source === 'body' || source === 'payload';
  return namedIssues(isOfBody && names, typeof message === 'string' ? message : said);
}

/** The list of issues in an issue, or at the top of a body. */
function issuesIn({ errors, details, detail }: Data, isIssue: boolean): readonly unknown[] | undefined {
  const held = errors ?? (isIssue ? (details ?? detail) : undefined);
  return Array.isArray(held) && held.some(isData) ? held : undefined;
}

/** The field that an issue names: as a member, a path, a JSON pointer or a location. */
function fieldOf(issue: Data, { field }: IssueNames): Path | undefined {
  // Ext JS names the field `id`; elsewhere, `id` is the id of the issue.
  const names = `${field}${'msg' in issue ? ' id' : ''}`.split(' ');
  const place = names
    .map((name) => issue[name])
    .find((each) => Array.isArray(each) || (each && typeof each === 'string'));
  const at = Array.isArray(place)
    ? place.filter((each) => each !== 'body' && /^[sn]/.test(typeof each))
    : typeof place === 'string'
      ? toPath(place)
      : undefined;
  // Validators of JSON Schema name the object that lacks a required member in the path, and the member apart from it.
  const missing = pick({ ...membersOf(issue['params']), ...membersOf(issue['info']) }, 'missingProperty');
  return missing === undefined || at?.at(-1) === missing ? at : [...(at ?? []), missing];
}

/** Splits a server's path: `a.b[0].c`, an index between two pairs of underscores, `$.a`, `a/b/0`, a JSON pointer, or a pointer of JSON:API. */
export function toPath(text: string): Path {
  // A longer text is no name of a field.
  if (text.length > MOST_QUOTED) return [];
  return text
    .replace(/^(?:\$\.|#?\/(?:data\/)?(?:attributes\/|relationships\/)?)/, '')
    .replace(/__(\d+)__/g, '.$1.')
    .split(/[./[\]]+/)
    .filter(Boolean);
}

/** One issue for each name of a list. `message` is the text of the whole response, as there is none for each field. */
export function namedIssues(names: unknown, message: string = ''): Issue[] {
  return (Array.isArray(names) ? names : [])
    .filter((each): each is string => typeof each === 'string')
    .map((name) => ({ path: toPath(name), message }));
}

/** Whether a value is a list of texts, and not empty. */
export function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

/** The object, or an empty one: a long text would be spread into its characters. */
export function membersOf(value: unknown): Data {
  return isData(value) ? value : {};
}

/** A problem as an error keeps it, whatever the server has sent: as many issues, and as much of each text, as logs and screens can hold. */
export function boundedProblem(problem: Problem): Problem {
  const { issues, omitted = 0 } = problem;
  const left = Math.max(issues.length - MOST_ISSUES, 0) + omitted;
  return {
    ...changeTexts(problem, quote),
    issues: issues.slice(0, MOST_ISSUES).map(boundedIssue),
    ...(left > 0 && { omitted: left }),
  };
}

function boundedIssue(issue: Issue): Issue {
  const { path } = issue;
  // A longer path names no field.
  const isName = path.length <= MOST_NAMES && path.map(String).join('').length <= MOST_QUOTED;
  return { ...changeTexts(issue, quote), path: isName ? path : [] };
}

/** The text of the first of some members that holds one. */
export function pick(source: Data, names: string): string | undefined {
  for (const name of names.split(' ')) {
    const value = source[name];
    if ((value && typeof value === 'string') || typeof value === 'number') return String(value);
  }
  return undefined;
}

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
  const { fields: names, target } = own;
  if (isListOfTexts(names)) return namedIssues(names, said);
  for (const name of said || !isFieldMap(own) ? HOLDERS : []) {
    const issues = heldIssues(name, own, said);
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
function heldIssues(name: string, own: Data, said: string): Issue[] {
  const { [name]: held, formErrors, status } = own;
  if (!isObject(held)) return [];
  // zod tells the problems of the whole apart.
  const source = name === 'fieldErrors' ? { formErrors, fieldErrors: held } : held;
  // PocketBase and Feathers have issues in `data`, among other things. The data of a JSend answer with the status `fail` are issues.
  const issues = collectIssues(
    source,
    name === 'data' && status !== 'fail',
    name === 'invalid-params' ? PARAM_NAMES : undefined,
    said,
  );
  if (name !== 'ModelState') return issues;
  // The paths of ASP.NET begin with the name of the action's parameter: `user.Name`.
  return issues.map((issue) => ({ ...issue, path: issue.path.slice(issue.path.length > 1 ? 1 : 0) }));
}

/** The members of a body. A page of HTML has a title, and other text is one. */
function topOf(body: unknown): Data {
  if (typeof body !== 'string') return isData(body) ? body : { details: body };
  const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
  return { title: title.slice(0, 1000).trim().slice(0, 200) };
}
