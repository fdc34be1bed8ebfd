import { type Data, isData } from '../util/data-path.js';
import type { Issue } from './issue.js';
import { createProblem, type Problem, pick } from './problem.js';

type Path = readonly PropertyKey[];

/** Members that hold issues; the first that holds any wins, since servers repeat themselves (`errors` and `message`). */
const HOLDERS = 'errors details detail validation validationErrors violations message data';
/** Names in a map from field to issues that do not name a field. */
const GENERAL = /^(non_field_errors|__all__|base|_?errors|fieldViolations|)$/;
/** Members by which an issue names its field. */
const FIELD = 'pointer instancePath path field property propertyPath target parameter location loc param members';
/** Members that hold the text of an issue. */
const TEXT = 'detail message msg defaultMessage description title';

/**
 * Reads the error body of any of the usual families: problem+json, Rails, Django, Laravel, JSON:API, OData, Strapi, LoopBack,
 * NestJS, Spring, Google, Ext JS and more; text and HTML only give a title.
 */
export function readAnyProblem(body: unknown, status: number): Problem {
  const issues: Issue[] = [];
  const { error, ...rest } = membersOf(body);
  const own: Data = { ...rest, ...(isData(error) ? error : { error }) };
  for (const name of HOLDERS.split(' ')) {
    // PocketBase and Feathers have issues in `data`, among other things.
    if (!issues.length && isObject(own[name])) walk(own[name], [], issues, name === 'data');
  }
  if (!issues.length) {
    // Django and Rails have a map from field to texts at the top.
    const holds = (each: unknown) => Array.isArray(each) || (isData(each) && Object.values(each).some(isObject));
    const fields = Object.entries(own).filter(([, each]) => holds(each));
    walkMap(Object.fromEntries(fields), [], issues, true);
  }
  const { errors, target } = own;
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const other: Data = isData(first) ? first : { message: first };
  const detail = pick(own, 'detail message error_description reason error');
  if (typeof target === 'string' && !issues.length) issues.push({ path: toPath(target), message: detail ?? '' });
  const title = pick(own, 'title name') ?? pick(other, 'title');
  return createProblem(
    status,
    issues,
    own,
    title,
    detail ?? pick(other, 'detail message') ?? pick(own, 'msg description'),
  );
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
