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

type Path = readonly PropertyKey[];

/** Members that hold issues; the first that holds any wins, since servers repeat themselves (`errors` and `message`). */
const HOLDERS = ['errors', 'details', 'detail', 'validation', 'validationErrors', 'violations', 'message'];
/** Members of a map from field to issues that are no field. */
const GENERAL = /^(non_field_errors|__all__|base|_?errors|fieldViolations|)$/;
/** Members by which an issue names its field. */
const FIELD = 'pointer instancePath path field property propertyPath target parameter location loc param members'.split(
  ' ',
);

/**
 * Reads the error body of any of the usual families: problem+json, Rails, Django, Laravel, JSON:API, OData, Strapi, LoopBack,
 * NestJS, Spring, Google, Ext JS and more; text and HTML give no more than a title.
 */
export function readProblem(body: unknown, status: number): Problem {
  if (typeof body === 'string') {
    const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
    return { status, ...text('title', title.trim().slice(0, 200)), issues: [] };
  }
  const issues: Issue[] = [];
  if (Array.isArray(body)) walk(body, [], issues);
  if (!isData(body)) return { status, issues };
  const inner = isData(body['error']) ? body['error'] : body;
  const own = (name: string) => inner[name] ?? body[name];
  for (const name of HOLDERS) if (issues.length === 0 && typeof own(name) === 'object') walk(own(name), [], issues);
  // PocketBase and Feathers have issues in `data`, among other things; Django and Rails have a map from field to texts at the top.
  const data = own('data');
  const isObject = (each: unknown) => typeof each === 'object';
  if (issues.length === 0) walkMap(Array.isArray(data) ? { errors: data.filter(isData) } : data, [], issues, isObject);
  if (issues.length === 0)
    walkMap(
      inner,
      [],
      issues,
      (each) => (isObject(each) && Object.values(each ?? []).some(isObject)) || Array.isArray(each),
    );
  const target = own('target');
  const detail = firstText(own('detail'), own('message'), own('error_description'), own('reason'), body['error']);
  if (typeof target === 'string' && issues.length === 0) issues.push({ path: toPath(target), message: detail ?? '' });
  const [first] = Array.isArray(own('errors')) ? (own('errors') as unknown[]) : [];
  const of = (name: string) => (isData(first) ? first[name] : undefined);
  return {
    status,
    ...text('title', firstText(own('title'), own('name'), of('title'))),
    ...text('detail', detail ?? firstText(of('detail'), of('message'), first, own('msg'), own('description'))),
    ...text('type', firstText(own('type'))),
    ...text('code', firstText(own('code'))),
    issues,
  };
}

/** Walks texts, lists of issues, and maps from field to any of them. */
function walk(source: unknown, path: Path, issues: Issue[]): void {
  if (typeof source === 'string') addText(source, path, issues);
  else if (Array.isArray(source)) {
    for (const [i, each] of source.entries()) {
      if (isData(each)) walkItem(each, path, issues, i);
      else walk(each, path, issues);
    }
  } else if (isData(source)) {
    const message = path.length ? textOf(source) : undefined;
    if (message !== undefined) issues.push({ path, message, ...codeOf(source) });
    // LoopBack has the texts beside the codes.
    else walkMap(source['messages'] ?? source, path, issues, () => true);
  }
}

function walkMap(source: unknown, path: Path, issues: Issue[], takes: (value: unknown) => boolean): void {
  if (!isData(source)) return;
  for (const [name, each] of Object.entries(source))
    if (takes(each)) walk(each, GENERAL.test(name) ? path : [...path, ...toPath(name)], issues);
}

/** An object in a list: an issue; or, for a list of records, a map of its own. */
function walkItem(item: Data, path: Path, issues: Issue[], index: number): void {
  const at = fieldOf(item);
  const within = at ? [...path, ...at] : path;
  const message = textOf(item) ?? (at && firstText(item['code']));
  const more = ['detail', 'details', 'errors']
    .map((name) => item[name])
    .find((each) => Array.isArray(each) && each.some(isData));
  if (more) walk(more, within, issues);
  else if (message !== undefined) issues.push({ path: within, message, ...codeOf(item) });
  else walkMap(item, path.length ? [...path, index] : path, issues, (each) => typeof each === 'object');
}

/** A text; those of class-validator begin with the field. */
function addText(source: string, path: Path, issues: Issue[]): void {
  const [, field, message = source] = (path.length ? null : /^([\w.]+) ((?:must|should) .*)$/s.exec(source)) ?? [];
  if (source) issues.push({ path: field ? toPath(field) : path, message });
}

function textOf(issue: Data): string | undefined {
  const { detail, message, msg, defaultMessage, description, title } = issue;
  return firstText(detail, message, msg, defaultMessage, description, title);
}

function codeOf({ code, keyword, rule, extensions }: Data): { code?: string } {
  return text('code', firstText(code, keyword, rule, isData(extensions) ? extensions['code'] : undefined));
}

/** The field that an issue names: as a member, a path, a JSON pointer or a location. */
function fieldOf(issue: Data): Path | undefined {
  for (const source of [issue, issue['source'], issue['extensions']]) {
    if (!isData(source)) continue;
    // Ext JS; elsewhere an `id` is the issue's own.
    for (const name of 'msg' in issue ? [...FIELD, 'id'] : FIELD) {
      const at = source[name];
      if (Array.isArray(at))
        return at.filter((each) => each !== 'body' && ['string', 'number'].includes(typeof each)) as PropertyKey[];
      if (typeof at === 'string' && at)
        return toPath(at.replace(/^#?\/(data\/)?(attributes\/|relationships\/)?/, '').replaceAll('/', '.'));
    }
  }
  return undefined;
}

function toPath(text: string): Path {
  return text
    .replace(/\[(\w+)\]/g, '.$1')
    .split('.')
    .filter(Boolean);
}

function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value) return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

function text<K extends string>(name: K, value: string | undefined): { [P in K]?: string } {
  return (value ? { [name]: value } : {}) as { [P in K]?: string };
}
