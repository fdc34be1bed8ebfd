import { checkOptions } from '../../dev/checks.js';
import { callable, object, type Rules, text } from '../../errors/option-rules.js';
import { exactBody, type HttpResponse } from '../../http/http-response.js';
import type { AnyModel } from '../../model/field.js';
import type { IncludedRow, NextPage } from '../../operation/result-set.js';
import type { ProxyRequest } from '../../proxy/proxy-request.js';
import { nextText } from '../../reader/next-page.js';
import { type Data, getMember, isData, readPath } from '../../util/data-path.js';
import type { Dialect } from '../dialect.js';
import { type PlainOptions, plain } from '../plain.js';
import { sharedSteps } from '../steps.js';
import { type ResourceTypes, resourceOf } from './resource.js';
import { rowOfResource } from './rows.js';

/** Options of `jsonApi()`. */
export interface JsonApiOptions extends Pick<PlainOptions, 'sort' | 'searchParam'> {
  /**
   * The parameters of a page, in the form of `plain()`; JSON:API leaves them to the server. `'page[offset]={start}&page[limit]={limit}'`
   * counts rows. `'page[size]={limit}'` is for cursors: further pages are those that `links.next` leads to.
   * @default 'page[number]={page}&page[size]={limit}'
   */
  page?: string;
  /** How filters are written; JSON:API leaves them to the server, and recommends these forms. Without `in`, a text may hold commas. @default { eq: 'filter[{name}]', in: 'filter[{name}]={values}' } */
  filter?: NonNullable<PlainOptions['filter']>;
  /** The type of the resources. @default the type that `models` has for the model, else the last segment of the address */
  type?: string;
  /**
   * Models by the types of resources. In a `Session`, resources that a compound document includes become records of these models. A
   * function, because models may be declared later than the dialect.
   *
   * @example
   * ```ts
   * const dialect = jsonApi({ models: () => ({ users: User, tasks: Task }) });
   * ```
   */
  models?: () => Readonly<Record<string, AnyModel>>;
  /**
   * The types that relationships link to, by the names of the relationships in resources. Needed to write relationships to lists, and those
   * that `references()` of the model does not name.
   *
   * @example
   * ```ts
   * const dialect = jsonApi({ relationships: { tags: 'tags', owner: 'people' } });
   * ```
   */
  relationships?: Readonly<Record<string, string>>;
}

const RULES: Rules<JsonApiOptions> = {
  sort: object,
  searchParam: text,
  page: text,
  filter: object,
  type: text,
  models: callable,
  relationships: object,
};
const MEDIA_TYPE = 'application/vnd.api+json';

/**
 * Dialect for JSON:API 1.1: `page[number]=2&page[size]=25&sort=-created,title&filter[author]=9`, resources as flat rows, with the ids of
 * linked resources under the names of their relationships. In a `Session`, included resources become records.
 *
 * @example
 * ```ts
 * const proxy = new RestProxy({ url: '/articles', dialect: jsonApi({ relationships: { tags: 'tags' } }) });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function jsonApi(options: JsonApiOptions = {}): Dialect {
  checkOptions('jsonApi', options, RULES, 'proxy');
  const { type, models, relationships = {}, ...wire } = options;
  const base = plain({
    page: 'page[number]={page}&page[size]={limit}',
    filter: { eq: 'filter[{name}]', in: 'filter[{name}]={values}' },
    searchParam: '',
    ...wire,
    name: 'jsonApi',
    reader: {
      rootProperty: 'data',
      record: { list: rowOfResource, single: rowOfResource },
      saved: { row: savedRow },
      totalProperty: totalOf,
      successProperty: '',
      messageProperty: '',
    },
  });
  const types: ResourceTypes = { type, models, relationships };
  return {
    ...base,
    // JSON:API has no request for several resources: its extension for atomic operations is another format.
    capabilities: { ...base.capabilities, bulk: [] },
    headers: ({ request }) => ({
      Accept: MEDIA_TYPE,
      ...(request.body !== undefined && { 'Content-Type': MEDIA_TYPE }),
    }),
    body(context) {
      const row = sharedSteps.body(context);
      return isData(row) ? { data: resourceOf(context.request, row, types) } : row;
    },
    readPage(context) {
      const { request } = context;
      const body = exactBody(request.response as HttpResponse);
      const read = base.readPage(context);
      if (read.next === undefined) read.next = nextPage(getMember(body, 'links'));
      read.included = includedRows(body, request, models?.());
      return read;
    },
    readError(context) {
      const problem = base.readError(context);
      // The specification answers 403 to a value that must not be written, and to a client's id.
      const isInvalid = problem.status === 403 && problem.issues.some(({ path }) => path.length > 0);
      return isInvalid && context.request.action !== 'read' ? { ...problem, invalid: true } : problem;
    },
  };
}

/** The row in the answer to a write. */
function savedRow(body: unknown): unknown {
  return rowOfResource(getMember(body, 'data'));
}

/** JSON:API leaves the place of the total to the server: these are the two most frequent. */
function totalOf(body: unknown): unknown {
  return readPath(body, ['meta', 'page', 'total']) ?? readPath(body, ['meta', 'total']);
}

/** The next page in the links of a document: a text, or an object with `href`. A server without such links does not say. */
function nextPage(links: unknown): NextPage | null | undefined {
  const next = getMember(links, 'next');
  const url = nextText(getMember(next, 'href') ?? next, "'links.next'");
  if (url !== null) return { url };
  return isData(links) && ['next', 'prev', 'first', 'last'].some((name) => Object.hasOwn(links, name))
    ? null
    : undefined;
}

/** The resources that a compound document includes, if `models` has a model for their type. */
function includedRows(
  body: unknown,
  { url = '' }: ProxyRequest,
  models: Readonly<Record<string, AnyModel>> = {},
): readonly IncludedRow[] {
  const [, query = ''] = url.split('?');
  const sent = new URLSearchParams(query);
  return [getMember(body, 'included') ?? []].flat().flatMap((resource) => {
    const type = String(getMember(resource, 'type'));
    const model = getMember(models, type) as AnyModel | undefined;
    if (!model) return [];
    return { model, row: rowOfResource(resource) as Data, incomplete: sent.has(`fields[${type}]`) };
  });
}
