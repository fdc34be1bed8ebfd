import { type Data, isData } from '../util/data-path.js';
import type { Issue } from './issue.js';
import { createProblem, type Problem, pick } from './problem.js';

type Path = readonly PropertyKey[];

/** Members that hold issues; the first that holds any wins, since servers repeat themselves (`errors` and `message`). */
const HOLDERS = 'errors details detail validation validationErrors violations issues ModelState message data';
/** Names in a map from field to issues that do not name a field. */
const GENERAL = /^(non_field_errors|__all__|base|_?errors|fieldViolations|fieldErrors|formErrors|)$/;
/** Members by which an issue names its field. */
const FIELD =
  'pointer instancePath path field property propertyPath propertyName target parameter location loc param members';
/** Members that hold the text of an issue. */
const TEXT = 'detail message msg defaultMessage errorMessage description reason title';
/** Members that hold the text of the whole answer. `error` comes last, because it is often a short name beside a text. */
const DETAIL = 'detail message Message errorMessage error_description reason error';

/**
 * Reads the error body of any of the usual families: problem+json, Rails, Django, Laravel, JSON:API, OData, Strapi, LoopBack,
 * NestJS, Spring, Google, ASP.NET, Joi, JSend, Ext JS and more; text and HTML only give a title.
 */
export function readAnyProblem(body: unknown, status: number): Problem {
  const { error, ...rest } = membersOf(body);
  const own: Data = { ...rest, ...(isData(error) ? error : { error }) };
  const detail = pick(own, DETAIL);
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

/** The problems with single fields. `detail` is the text for fields that the answer names without a text. */
function issuesOf(own: Data, detail: string = ''): readonly Issue[] {
  const inputs = refusedInputs(own);
  if (inputs.length) return inputs.flatMap((each) => inputIssues(each, detail));
  const issues: Issue[] = [];
  for (const name of HOLDERS.split(' ')) {
    const held = own[name];
    if (name === 'ModelState' && isData(held)) walkModelState(held, issues);
    // PocketBase and Feathers have issues in `data`, among other things. The data of a JSend answer with the status `fail` are issues.
    else if (isObject(held)) walk(held, [], issues, name === 'data' && own['status'] !== 'fail');
    if (issues.length) return issues;
  }
  // Django and Rails have a map from field to texts at the top.
  const holds = (each: unknown) => Array.isArray(each) || (isData(each) && Object.values(each).some(isObject));
  const fields = Object.entries(own).filter(([, each]) => holds(each));
  walkMap(Object.fromEntries(fields), [], issues, true);
  const { target } = own;
  if (typeof target === 'string' && !issues.length) issues.push({ path: toPath(target), message: detail });
  return issues;
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
  return names.map((name) => ({ path: toPath(String(name)), message: pick(input, 'message') ?? detail }));
}

/** Walks the `ModelState` of ASP.NET, whose paths begin with the name of the action's parameter: `user.Name`. */
function walkModelState(state: Data, issues: Issue[]): void {
  for (const [name, texts] of Object.entries(state)) {
    const path = toPath(name);
    walk(texts, path.length > 1 ? path.slice(1) : path, issues, false);
  }
}

function membersOf(body: unknown): Data {
  if (typeof body !== 'string') return isData(body) ? body : { details: body };
  const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
  return { title: title.trim().slice(0, 200) };
}

/** Walks texts, lists of issues, and maps from field to these. A map that is `mixed` also holds texts that are not issues. */
function walk(source: unknown, path: Path, issues: Issue[], mixed: boolean): void {
  if (typeof source === 'string') {
    // Texts of class-validator begin with the field.
    const [, field, message = source] = (!path.length && /^([\w.]+) ((?:must|should) .*)$/s.exec(source)) || [];
    if (source) issues.push({ path: field ? toPath(field) : path, message });
  } else if (Array.isArray(source)) {
    for (const [i, each] of source.entries()) {
      if (isData(each)) walkObject(each, path, issues, mixed, i);
      else walk(each, path, issues, mixed);
    }
  } else if (isData(source)) walkObject(source, path, issues, mixed);
}

/** Reads an issue, or a map from field to issues. An entry with an `index` is an item of a list, and may name its field. */
function walkObject(source: Data, path: Path, issues: Issue[], mixed: boolean, index?: number): void {
  const listed = index !== undefined;
  const item: Data = listed ? { ...Object(source['extensions']), ...Object(source['source']), ...source } : source;
  const at = listed && fieldOf(item);
  const within = at ? [...path, ...at] : path;
  const code = pick(item, 'code keyword rule');
  const message = (listed || path.length) && (pick(item, TEXT) ?? (at && code));
  const more = item['errors'] ?? item['details'] ?? item['detail'];
  if (Array.isArray(more) && more.some(isData)) walk(more, within, issues, mixed);
  else if (message) issues.push({ path: within, message, ...(code && { code }) });
  else walkMap(source, listed && path.length ? [...within, index] : within, issues, mixed || listed);
}

function walkMap(source: Data, path: Path, issues: Issue[], mixed: boolean): void {
  // LoopBack puts the texts in `messages`, beside the codes.
  for (const [name, each] of Object.entries(source['messages'] ?? source))
    if (isObject(each) || !mixed) walk(each, GENERAL.test(name) ? path : [...path, ...toPath(name)], issues, mixed);
}

/** The field that an issue names: as a member, a path, a JSON pointer or a location. */
function fieldOf(issue: Data): Path | undefined {
  const at = placeOf(issue);
  // Validators of JSON Schema name the object that lacks a required member in the path, and the member apart from it.
  const missing = pick({ ...Object(issue['params']), ...Object(issue['info']) }, 'missingProperty');
  return missing === undefined || at?.at(-1) === missing ? at : [...(at ?? []), missing];
}

function placeOf(issue: Data): Path | undefined {
  // Ext JS names the field `id`; elsewhere, `id` is the id of the issue.
  for (const name of (FIELD + ('msg' in issue ? ' id' : '')).split(' ')) {
    const at = issue[name];
    if (Array.isArray(at)) return at.filter((each) => each !== 'body' && /^[sn]/.test(typeof each));
    if (at && typeof at === 'string') return toPath(at);
  }
  return undefined;
}

function toPath(text: string): Path {
  return text
    .replace(/^#?\/(data\/)?(attributes\/|relationships\/)?/, '')
    .split(/[./[\]]+/)
    .filter(Boolean);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object';
}
