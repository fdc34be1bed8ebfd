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

/**
 * Reads the error body of any of the usual families: problem+json, Rails, Django, Laravel, JSON:API, OData, Strapi, LoopBack,
 * NestJS, Spring, Ext JS; text and HTML give no more than a title.
 */
export function readProblem(body: unknown, status: number): Problem {
  if (typeof body === 'string') {
    const title = /<title>([^<]*)/i.exec(body)?.[1] ?? (/^\s*</.test(body) ? '' : body);
    return title.trim() ? { status, title: title.trim().slice(0, 200), issues: [] } : { status, issues: [] };
  }
  const issues: Issue[] = [];
  if (Array.isArray(body)) collect(body, [], issues);
  if (!isData(body)) return { status, issues };
  const inner = isData(body['error']) ? body['error'] : body;
  const own = (name: string) => inner[name] ?? body[name];
  // The first member that holds anything wins: servers repeat themselves (`errors` and `message`).
  for (const source of [own('errors'), own('details'), own('validation'), own('message'), withoutTexts(inner)]) {
    if (issues.length === 0 && typeof source === 'object') collect(source, [], issues);
  }
  const target = own('target');
  const detail = firstText(own('detail'), own('message'), own('error_description'), body['error']);
  if (typeof target === 'string' && issues.length === 0) issues.push({ path: toPath(target), message: detail ?? '' });
  const first = isData(own('errors')) ? undefined : (own('errors') as Data[] | undefined)?.[0];
  return {
    status,
    ...text('title', firstText(own('title'), own('name'), isData(first) ? first['title'] : undefined)),
    ...text('detail', detail ?? firstText(isData(first) ? first['detail'] : first, own('msg'), own('description'))),
    ...text('type', firstText(own('type'))),
    ...text('code', firstText(own('code'))),
    issues,
  };
}

/** Walks arrays of issues and maps from field to issues, to any depth. */
function collect(source: unknown, path: readonly PropertyKey[], issues: Issue[]): void {
  if (typeof source === 'string') {
    if (source && path.length) issues.push({ path, message: source });
  } else if (Array.isArray(source)) {
    for (const each of source) {
      if (typeof each === 'string' && path.length === 0) issues.push({ path, message: each });
      else collect(each, path, issues);
    }
  } else if (isData(source)) {
    const message = firstText(
      source['detail'],
      source['message'],
      source['msg'],
      source['defaultMessage'],
      source['title'],
    );
    const at = fieldOf(source);
    if (message !== undefined && (at !== undefined || path.length === 0)) {
      const code = firstText(source['code'], source['keyword'], source['rule']);
      issues.push({ path: [...path, ...(at ?? [])], message, ...text('code', code) });
    } else {
      for (const [name, each] of Object.entries(source)) {
        const general = /^(non_field_errors|__all__|base|_errors|codes|messages|errors|details)$/.test(name);
        if (name !== 'codes') collect(each, general ? path : [...path, ...toPath(name)], issues);
      }
    }
  }
}

/** The field that an issue names: as a member, a path, a JSON pointer or a location. */
function fieldOf(issue: Data): readonly PropertyKey[] | undefined {
  const source = isData(issue['source']) ? issue['source'] : issue;
  for (const name of [
    'pointer',
    'path',
    'field',
    'property',
    'target',
    'parameter',
    'location',
    'loc',
    'param',
    'id',
  ]) {
    const at = source[name];
    if (Array.isArray(at)) return at.filter((each) => each !== 'body') as PropertyKey[];
    if (typeof at === 'string' && at)
      return toPath(at.replace(/^#?\/(data\/)?(attributes\/|relationships\/)?/, '').replaceAll('/', '.'));
  }
  return undefined;
}

function toPath(text: string): readonly PropertyKey[] {
  return text
    .replace(/\[(\w+)\]/g, '.$1')
    .split('.')
    .filter(Boolean);
}

/** Django and Rails put the fields at the top: whatever holds lists is one. */
function withoutTexts(body: Data): Data {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => Array.isArray(value) && value.some((each) => typeof each === 'string' || isData(each)),
    ),
  );
}

function firstText(...values: unknown[]): string | undefined {
  for (const value of values) {
    if (typeof value === 'string' && value) return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

function text<K extends string>(name: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: string };
}
