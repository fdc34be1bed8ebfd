import { checkOptions } from '../dev/checks.js';
import { DefinitionError } from '../errors/mistakes.js';
import { callable, object, type Rules, text } from '../errors/option-rules.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import type { AnyModel, Reference } from '../model/field.js';
import { MODEL, type OperationRecord } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { targetOf } from '../operation/reference-target.js';
import type { IncludedRow, NextPage } from '../operation/result-set.js';
import { nextText } from '../reader/place.js';
import { type Data, getMember, isData, readPath, setMember } from '../util/data-path.js';
import { sharedSteps } from './define-dialect.js';
import type { Dialect } from './dialect.js';
import { type PlainOptions, plain } from './plain.js';
import { sentFields } from './sent-query.js';
import { filterTemplates } from './template-filter.js';

/** The options of `jsonApi()` that tell the types of resources. */
export interface ResourceTypes {
  readonly type: string | undefined;
  readonly models: (() => Readonly<Record<string, AnyModel>>) | undefined;
  readonly relationships: Readonly<Record<string, string>>;
}

/** The members of a model class by which the type of its resources is found. */
type TypedModel = AnyModel & {
  readonly proxy: { readonly url?: string };
  references(): Readonly<Record<string, Reference>>;
};

/** The resource in the body of a write, made of the flat body that the writer wrote. Throws `DefinitionError` for an unknown type. */
function resourceOf(request: ProxyRequest, row: Data, types: ResourceTypes): Data {
  const record = request.operation.records[0] as OperationRecord;
  const model = record[MODEL];
  const received: Data = record.phantom ? {} : model.row(record);
  const targets = targetsOf(record);
  const written = splitRow(
    row,
    (name) =>
      Object.hasOwn(types.relationships, name) ||
      targets.has(name) ||
      getMember(received['relationships'], name) !== undefined,
  );
  const linkage = (name: string, ids: unknown) => {
    const known = linkedTypes(received, name);
    const target = targets.get(name);
    const typeOf = (id: string) => {
      const type =
        getMember(types.relationships, name) ??
        known.get(id) ??
        (target ? typeOfModel(target, types) : known.values().next().value);
      if (type === undefined) throw new DefinitionError('json-api-type', { relationship: name });
      return String(type);
    };
    return { data: linkageOf(ids, isToMany(received, name), typeOf) };
  };
  const id = written.id ?? (record.phantom ? undefined : model.serverId(record));
  const { attributes, links } = written;
  return {
    type: received['type'] ?? types.type ?? typeOfRecord(record, types) ?? lastSegment(request.base),
    ...(id !== undefined && { id: String(id) }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(links.size > 0 && {
      relationships: Object.fromEntries([...links].map(([name, ids]) => [name, linkage(name, ids)])),
    }),
  };
}

/** The models that relationships of a record link to, as its model declares them, by the server's names. */
function targetsOf(record: OperationRecord): ReadonlyMap<string, AnyModel> {
  const references = (record.constructor as Partial<TypedModel>).references?.() ?? {};
  return new Map(
    Object.entries(references).map(([field, reference]) => [
      record[MODEL].field(field)?.mapping ?? field,
      targetOf(reference) as AnyModel,
    ]),
  );
}

/** The type that the option `models` has for the model of a record. */
function typeOfRecord(record: OperationRecord, { models }: ResourceTypes): string | undefined {
  return nameOf(models, (each) => record instanceof (each as new () => object));
}

/** The type of the resources of a model. */
function typeOfModel(model: AnyModel, { models }: ResourceTypes): string | undefined {
  return nameOf(models, (each) => each === model) ?? lastSegment((model as TypedModel).proxy.url);
}

function nameOf(models: ResourceTypes['models'], test: (model: AnyModel) => boolean): string | undefined {
  const known = models?.() ?? {};
  return Object.keys(known).find((type) => test(known[type] as AnyModel));
}

/** The last segment of an address: `articles` of `/api/articles?v=2`. */
function lastSegment(url: string | undefined): string | undefined {
  const [path = ''] = (url ?? '').split(/[?#]/);
  return path.split('/').filter(Boolean).at(-1);
}

/** The links of a relationship: one resource, a list of them, or nothing. */
type Linkage = Data | readonly Data[] | null;

/** Members of a resource that are no fields, and that a row has beside its fields. */
const BESIDE = ['links', 'meta', 'relationships', 'type'];

/**
 * Makes a flat row of a resource: attributes, and the ids of linked resources under the names of their relationships. The members `type`,
 * `relationships`, `links` and `meta` stay beside them. A relationship without `data` was not loaded, and is left out.
 */
function rowOfResource(resource: unknown): unknown {
  if (!isData(resource)) return resource;
  const { attributes, relationships, id, type, ...more } = resource;
  const row: Data = { ...more, ...(isData(attributes) && attributes) };
  for (const [name, each] of Object.entries(isData(relationships) ? relationships : {})) {
    const data = getMember(each, 'data') as Linkage | undefined;
    if (data !== undefined) setMember(row, name, Array.isArray(data) ? data.map(idOf) : idOf(data));
  }
  return { ...row, id, type, ...(isData(relationships) && { relationships }) };
}

function idOf(linkage: unknown): unknown {
  return getMember(linkage, 'id') ?? null;
}

/** The parts of the flat body of a write. */
export interface WrittenRow {
  readonly id: unknown;
  readonly attributes: Data;
  /** The ids of linked resources by the names of their relationships. */
  readonly links: ReadonlyMap<string, unknown>;
}

/** Splits the flat body of a write. `isRelationship` tells the names of relationships. */
function splitRow(row: Data, isRelationship: (name: string) => boolean): WrittenRow {
  const attributes: Data = {};
  const links = new Map<string, unknown>();
  for (const [name, value] of Object.entries(row)) {
    if (isRelationship(name)) links.set(name, value);
    else if (name !== 'id' && !BESIDE.includes(name)) setMember(attributes, name, value);
  }
  return { id: row['id'], attributes, links };
}

/** The resource linkage of ids; `typeOf` returns the type of the resource with an id. */
function linkageOf(ids: unknown, isMany: boolean, typeOf: (id: string) => string): Linkage {
  const link = (id: unknown) => ({ type: typeOf(String(id)), id: String(id) });
  if (Array.isArray(ids)) return ids.map(link);
  const isEmpty = ids === null || ids === undefined || ids === '';
  if (isMany) return isEmpty ? [] : [link(ids)];
  return isEmpty ? null : link(ids);
}

/** The types of linked resources that a received row names in a relationship, by their ids. */
function linkedTypes(row: Data, relationship: string): ReadonlyMap<string, string> {
  const data = getMember(getMember(row['relationships'], relationship), 'data');
  const linked = [data].flat().filter(isData);
  return new Map(linked.map(({ id, type }) => [String(id), String(type)]));
}

/** Whether a received row has a list in a relationship. */
function isToMany(row: Data, relationship: string): boolean {
  return Array.isArray(getMember(getMember(row['relationships'], relationship), 'data'));
}

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
 * linked resources under the names of their relationships. In a `Session`, included resources become records. Throws `DefinitionError` for
 * wrong options.
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
    filter: filterTemplates({ eq: 'filter[{name}]', in: 'filter[{name}]={values}' }),
    searchParam: '',
    ...wire,
    name: 'jsonApi',
    reader: {
      rootProperty: 'data',
      record: { list: rowOfResource, single: singleRow },
      saved: { row: singleRow },
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
    fields(context) {
      const { request, options: used } = context;
      const resource = type ?? lastSegment(used.placeOf?.(request.operation));
      const names = sentFields(context).filter((each) => each !== 'id');
      request.collect(`fields[${resource}]`, names.join(','), 'jsonApi', 'fields');
    },
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

/** The row in a response about one record. */
function singleRow(body: unknown): unknown {
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
