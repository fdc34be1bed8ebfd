import { type Data, isData, isObject } from '../util/data-path.js';
import { pick } from './problem.js';
import { MOST_QUOTED } from './quoted-text.js';
import type { Issue } from './validation-error.js';

type Path = readonly PropertyKey[];

/** The names of the members of an issue, the likeliest first, separated by blanks. */
export interface IssueNames {
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
 * that are not issues.
 */
export function collectIssues(source: unknown, path: Path, mixed: boolean, names: IssueNames = USUAL_NAMES): Issue[] {
  const walker = new IssueWalker(names);
  walker.walk(source, path, mixed);
  return walker.issues;
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

class IssueWalker {
  readonly issues: Issue[] = [];

  constructor(private readonly names: IssueNames) {}

  walk(source: unknown, path: Path, mixed: boolean): void {
    if (typeof source === 'string') this.addText(source, path);
    else if (Array.isArray(source)) {
      for (const [i, each] of source.entries()) {
        if (isData(each)) this.walkObject(each, path, mixed, i);
        else this.walk(each, path, mixed);
      }
    } else if (isData(source)) this.walkObject(source, path, mixed);
  }

  private addText(text: string, path: Path): void {
    // Texts of class-validator begin with the field.
    const [, field, message = text] = (path.length === 0 && /^([\w.]{1,300}) ((?:must|should) .*)$/s.exec(text)) || [];
    if (text) this.issues.push({ path: field ? toPath(field) : path, message });
  }

  /** Reads an issue, or a map from field to issues. An entry with an `index` is an item of a list, and may name its field. */
  private walkObject(source: Data, path: Path, mixed: boolean, index?: number): void {
    const { names } = this;
    const listed = index !== undefined;
    const item: Data = listed ? { ...dataOf(source['extensions']), ...dataOf(source['source']), ...source } : source;
    const at = listed ? this.fieldOf(item) : undefined;
    const within = at ? [...path, ...at] : path;
    const code = pick(item, names.code);
    // At the top is a map, whose members may be fields of any name.
    const isIssue = listed || path.length > 0;
    const message = isIssue ? (pick(item, names.text) ?? (at && code)) : undefined;
    const more = item['errors'] ?? (isIssue ? (item['details'] ?? item['detail']) : undefined);
    if (Array.isArray(more) && more.some(isData)) this.walk(more, within, mixed);
    else if (message) this.issues.push({ path: within, message, ...(code && { code }) });
    else this.walkMap(source, listed && path.length ? [...within, index] : within, mixed || listed);
  }

  private walkMap(source: Data, path: Path, mixed: boolean): void {
    // LoopBack puts the texts in `messages`, beside the codes.
    for (const [name, each] of Object.entries(source['messages'] ?? source))
      if (isObject(each) || !mixed) this.walk(each, GENERAL.test(name) ? path : [...path, ...toPath(name)], mixed);
  }

  /** The field that an issue names: as a member, a path, a JSON pointer or a location. */
  private fieldOf(issue: Data): Path | undefined {
    const at = this.placeOf(issue);
    // Validators of JSON Schema name the object that lacks a required member in the path, and the member apart from it.
    const missing = pick({ ...dataOf(issue['params']), ...dataOf(issue['info']) }, 'missingProperty');
    return missing === undefined || at?.at(-1) === missing ? at : [...(at ?? []), missing];
  }

  private placeOf(issue: Data): Path | undefined {
    // Ext JS names the field `id`; elsewhere, `id` is the id of the issue.
    for (const name of (this.names.field + ('msg' in issue ? ' id' : '')).split(' ')) {
      const at = issue[name];
      if (Array.isArray(at)) return at.filter((each) => each !== 'body' && /^[sn]/.test(typeof each));
      if (at && typeof at === 'string') return toPath(at);
    }
    return undefined;
  }
}

/** The object, or an empty one: a long text would be spread into its characters. */
function dataOf(value: unknown): Data {
  return isData(value) ? value : {};
}
