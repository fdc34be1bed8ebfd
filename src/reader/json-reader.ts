import { checkNames, checkOptions, checkValues, inDevelopment } from '../dev/checks.js';
import { describe } from '../errors/message-format.js';
import { checkPath, DefinitionError } from '../errors/mistakes.js';
import { callable, flag, oneOf, type Rule, type Rules, string, worded } from '../errors/option-rules.js';
import type { ProblemReader } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList, isPage, type Operation } from '../operation/operation.js';
import { modelOf, type RecordModel, type WireField } from '../operation/operation-record.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { type NextPage, ResultSet } from '../operation/result-set.js';
import { type Data, getMember, hasPath, isData, isObject, parsePath, readPath, withPath } from '../util/data-path.js';
import { TOO_DEEP } from '../util/json.js';
import { isNumeric } from '../util/long-number.js';
import { assignOptions } from '../util/options.js';
import { MAX_DEPTH } from '../util/values.js';
import { nextText, type Place, placeName, readPlace } from './place.js';

/** Options of the reader of responses. */
export interface JsonReaderConfig {
  /** Format of lists: one JSON document, or one row per line (needs `streaming()` in the proxy's `use`). @default 'json' */
  type?: 'json' | 'ndjson';
  /**
   * Whether lists are read while they arrive, so that `operation.onRows` gets rows early; `ndjson` is always read so. Needs
   * `streaming()` in the proxy's `use`. @default false
   */
  stream?: boolean;
  /** Path of the rows: `data`, `result.items`; or a function that returns them. @default '' (the body itself) */
  rootProperty?: Place;
  /** Path of the number of rows in the whole collection, or a function that returns it. @default 'total' */
  totalProperty?: Place;
  /**
   * Path of the next page's address or, with the proxy's `tokenParam`, of its token; or a function that returns it. @default ''
   * (none)
   */
  nextProperty?: Place;
  /**
   * Path of a success flag, or a function that returns it; `false` there makes the response a failure. The function is also called for an
   * answer without a body, with undefined. The default flag is ignored if the body is the row itself: if a field is mapped to `success` and `rootProperty` is not set, or if the body holds the id and another declared field.
   * @default 'success'
   */
  successProperty?: Place;
  /**
   * Path of the number of rows that an update or destroy has changed, or a function that returns it: `changes`, `data.affectedRows`. 0
   * there means that the record is missing: the write fails with an `HttpError` of the status 404. Some servers, such as MySQL, do not
   * count rows whose values were equal already: an update with 0 succeeds if the row, which is then read, holds what was sent. In a bulk
   * write, the path also applies to each entry.
   * @default the usual names (`changes`, `count`, `affectedRows` ...) in the response to a destroy or a repeated update, if the response has no
   * id, and the model no field of that name
   *
   * @example
   * ```ts
   * // PATCH /tasks/9 answers {"changes":0}: an HttpError with the status 404
   * const proxy = new RestProxy({ url: '/tasks', dialect: plain(), reader: { affected: 'changes' } });
   * ```
   */
  affected?: Place;
  /**
   * The meaning of a response without a body to an update or destroy: `'done'`, or that the record is `'missing'`, as on servers that answer
   * with a row otherwise. A missing record is an `HttpError` with the status 404; an update succeeds if the row, which is then read, holds
   * what was sent. For one of the two actions: `{ update: 'missing' }`. @default 'done'
   */
  empty?: EmptyMeaning | EmptyMeanings;
  /** Path of the server's message, or a function that returns it. @default 'message' */
  messageProperty?: Place;
  /**
   * How bodies of errors are read, before the built-in readers try: `problemFamily({ … })`, a function, or several of these. The first
   * that returns a problem is used. @default none: the readers of the dialect and of the model
   */
  problem?: ProblemReader | readonly ProblemReader[] | undefined;
  /** Member or path of a row that holds its ETag: `@odata.etag`. Missing quotes are added. @default '' (none) */
  etagProperty?: string;
  /** Path of the status in an entry of a bulk response. @default '' (none; status in a 207) */
  statusProperty?: string;
  /** Path of the row in an entry of a bulk response that has a status. @default '' (body, data, resource or record, else the entry) */
  bodyProperty?: string;
  /**
   * Path from an item of a list to its row, such as `node`, or a function that returns the row. To unwrap answers about one record
   * too, give an object: `{ list: 'node', single: 'user' }`, where `single` counts from the whole body. @default '' (the item itself)
   */
  record?: Place | RecordPlaces;
  /**
   * The places of the id and the row in the response to a create or update. If it is set, nothing else is taken for the
   * record: `{ id: 'insertedId' }` reads a response without a row, and `{}` reads nothing. In a bulk write it applies to each entry.
   * @default the row where `rootProperty` and `record` lead, else the body
   */
  saved?: SavedPlaces | undefined;
  /**
   * Whether every response to a list holds the whole collection, because the server has no pages. A store then sorts and filters by itself
   * (`remoteSort: 'auto'`), unless the total or a next page in the response says otherwise. @default false
   */
  complete?: boolean;
  /** `incomplete`: rows of lists lack members that single rows have; they are merged into loaded records. @default 'full' */
  rows?: 'full' | 'incomplete';
  /**
   * Whether a value that its field refuses rejects the load, instead of adding an error to `$.errors`; and so does the total of a list
   * that is no number, or smaller than the number of rows, instead of being ignored. @default false
   */
  strict?: boolean;
  /**
   * Transforms the parsed body before anything is read from it. It is not called for a response without a body. It needs the complete body, so `onRows` gets no rows early. Numbers
   * that JavaScript cannot represent are `LongNumber`s. `request.response` holds the status and the headers.
   *
   * @example
   * ```ts
   * // The server sends rows by their ids: { "7": { "name": "Ada" } }
   * const transform = (body: unknown) => Object.entries(Object(body)).map(([id, row]) => ({ id, ...Object(row) }));
   * const ById = User.with({ proxy: { reader: { transform } } });
   * ```
   */
  transform?: (body: unknown, request: ProxyRequest) => unknown;
}

/** The meaning of a response without a body. */
export type EmptyMeaning = 'done' | 'missing';

/** The meaning of a response without a body, by the action that it answers. */
export interface EmptyMeanings {
  /** @default 'done' */
  update?: EmptyMeaning;
  /** @default 'done' */
  destroy?: EmptyMeaning;
}

/** The places of rows inside the responses to reads and writes. */
export interface RecordPlaces {
  /** From an item of a list to its row. @default '' (the item itself) */
  list?: Place;
  /**
   * From the whole body of a response about one record to its row, whatever `rootProperty` is; not used for a response in which the value at
   * `rootProperty` is a list.
   * @default '' (the value at `rootProperty`, else the body)
   */
  single?: Place;
}

/** The places of the record in the response to a create or update. */
export interface SavedPlaces {
  /** The id. @default none: the row holds it, or the `Location` of the response */
  id?: Place;
  /** The row; `''` is the body itself. @default none */
  row?: Place;
}

const defaults: { [K in keyof Required<JsonReaderConfig>]: JsonReaderConfig[K] } = {
  type: 'json',
  stream: false,
  rootProperty: '',
  totalProperty: 'total',
  nextProperty: '',
  successProperty: 'success',
  affected: '',
  empty: 'done',
  messageProperty: 'message',
  problem: undefined,
  etagProperty: '',
  statusProperty: '',
  bodyProperty: '',
  record: '',
  saved: undefined,
  complete: false,
  rows: 'full',
  strict: false,
  transform: undefined,
};

/** Rule of an option that is a path into the body. */
const path: Rule = /* @__PURE__ */ worded(string, "a path such as 'data.items'");
/** Rule of an option that is a path into the body, or a function. */
const place: Rule = { expected: "a path such as 'data.items', or a function", holds: isPlace };

/** Rule of what an empty response means. */
const meaning: Rule = /* @__PURE__ */ oneOf('done', 'missing');

const RULES: Rules<JsonReaderConfig> = {
  type: /* @__PURE__ */ oneOf('json', 'ndjson'),
  stream: flag,
  rootProperty: place,
  totalProperty: place,
  nextProperty: place,
  successProperty: place,
  affected: place,
  empty: {
    expected: "'done', 'missing', or an object such as `{ update: 'missing' }`",
    holds: (value) => meaning.holds(value) || isData(value),
  },
  messageProperty: place,
  problem: {
    expected: 'a function that reads bodies of errors, such as `problemFamily({ … })`, or a list of these',
    holds: (value) => [value].flat().every(callable.holds),
  },
  etagProperty: path,
  statusProperty: path,
  bodyProperty: path,
  record: {
    expected: "a path such as 'data.items', a function, or an object such as `{ list: 'node', single: 'user' }`",
    holds: (value) => isPlace(value) || isData(value),
  },
  saved: { expected: "an object of places, such as `{ id: 'insertedId' }`", holds: isData },
  complete: flag,
  rows: /* @__PURE__ */ oneOf('full', 'incomplete'),
  strict: flag,
  transform: callable,
};

const RECORD_RULES: Rules<RecordPlaces> = { list: place, single: place };
const SAVED_RULES: Rules<SavedPlaces> = { id: place, row: place };
const EMPTY_RULES: Rules<EmptyMeanings> = { update: meaning, destroy: meaning };

/** Names of the options that are paths or functions. */
const places = [
  'rootProperty',
  'totalProperty',
  'nextProperty',
  'successProperty',
  'affected',
  'messageProperty',
  'etagProperty',
  'statusProperty',
  'bodyProperty',
] as const;

/**
 * Reads rows from JSON responses. In development, throws `DefinitionError` if a path among its options is malformed.
 *
 * @example
 * ```ts
 * import type { JsonReaderConfig } from 'repose';
 *
 * class ItemsReader extends JsonReader {
 *   constructor(config: JsonReaderConfig = {}) {
 *     super({ rootProperty: 'items', totalProperty: 'count', ...config });
 *   }
 * }
 * const api = new RestProxy({ url: '/users', reader: new ItemsReader() }); // reads { "items": […], "count": 40 }
 * ```
 */
export class JsonReader {
  declare readonly type: 'json' | 'ndjson';
  declare readonly stream: boolean;
  declare readonly rootProperty: Place;
  declare readonly totalProperty: Place;
  declare readonly nextProperty: Place;
  declare readonly successProperty: Place;
  declare readonly affected: Place;
  declare readonly empty: EmptyMeaning | EmptyMeanings;
  declare readonly messageProperty: Place;
  declare readonly problem: ProblemReader | readonly ProblemReader[] | undefined;
  declare readonly etagProperty: string;
  declare readonly statusProperty: string;
  declare readonly bodyProperty: string;
  declare readonly record: Place | RecordPlaces;
  declare readonly saved: SavedPlaces | undefined;
  declare readonly complete: boolean;
  declare readonly rows: 'full' | 'incomplete';
  declare readonly strict: boolean;
  declare readonly transform: ((body: unknown, request: ProxyRequest) => unknown) | undefined;

  /** The option `record` as an object. */
  declare readonly recordPlaces: RecordPlaces;
  /** Whether `successProperty` was not set. */
  declare private readonly hasDefaultFlag: boolean;

  constructor(config: JsonReaderConfig = {}) {
    checkNames(config, 'reader', this.constructor as typeof JsonReader, 'reader');
    checkValues(config, 'reader', RULES);
    assignOptions(this, config, {}, defaults);
    // Not enumerable, because they are no options.
    Object.defineProperties(this, {
      recordPlaces: { value: isPlace(this.record) ? { list: this.record } : this.record },
      hasDefaultFlag: { value: getMember(config, 'successProperty') === undefined },
    });
    inDevelopment(checkReader, this);
  }

  /**
   * The names of all options. A reader class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'sheet']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(defaults);
  }

  /** Reads the response to a read: a list, or one row. Throws `ReadError`. */
  readPage(request: ProxyRequest, tokenParam?: string | null): ResultSet {
    return this.read(request, tokenParam);
  }

  /** Reads the response to a write, which may hold rows. Throws `ReadError`. */
  readSaved(request: ProxyRequest): ResultSet {
    return this.read(request);
  }

  /** The ETag inside a row; undefined if there is none. */
  etagOf(row: unknown): string | undefined {
    const { etagProperty } = this;
    if (!etagProperty) return undefined;
    const held = getMember(row, etagProperty) ?? readPath(row, parsePath(etagProperty));
    const [, weak = '', tag] = /^(W\/)?"?([!#-~]+)"?$/.exec(String(held ?? '')) ?? [];
    return tag && `${weak}"${tag}"`;
  }

  /**
   * The rows in a body: an array, the value at `rootProperty`, or the body as a single row (in lists of a model only with an id). An
   * override passes `request` on, because options that are functions need it. Throws `ReadError` where they are missing, and for a row that
   * is no object.
   */
  rowsOf(body: unknown, list: boolean, model?: RecordModel, request?: ProxyRequest): Data[] {
    const { rootProperty } = this;
    const found = Array.isArray(body) ? body : readPlace(body, rootProperty, request);
    if (list && rootProperty && (found ?? undefined) === undefined && this.saysEmpty(body, request)) return [];
    if (
      list &&
      (isData(found) ? model && model.rowId(this.rowIn(found, request)) === undefined : found === undefined)
    ) {
      const members = isData(body) ? Object.keys(body).join(', ') : describe(body);
      throw new ReadError('response-root', { path: rootProperty, place: placeName(rootProperty), members });
    }
    const rows = found === undefined ? body : found;
    if (rows === null) throw new ReadError('response-empty');
    if (!list && isData(rows)) return request?.bulk ? [rows] : this.singleRow(body, rows, request);
    return (Array.isArray(rows) ? rows : [rows]).map((item: unknown, row) => {
      const inside = this.rowIn(item, request);
      return checkRow(list || isData(inside) ? inside : item, row);
    });
  }

  /** The row in a response about one record. The response to a write may hold none. */
  private singleRow(body: unknown, found: Data, request: ProxyRequest | undefined): Data[] {
    const { single } = this.recordPlaces;
    const row = single ? readPlace(body, single, request) : found;
    const isWrite = request !== undefined && request.action !== 'read';
    return isWrite && (row ?? undefined) === undefined ? [] : [checkRow(row, 0)];
  }

  /**
   * The row in the response to a write, or in an entry of the response to a bulk write, as the option `saved` says. Throws `ReadError` for
   * a row that is no object.
   */
  savedRow(
    body: unknown,
    { id, row }: SavedPlaces,
    model: RecordModel | undefined,
    request: ProxyRequest | undefined,
  ): Data | undefined {
    const received = row === undefined ? undefined : (readPlace(body, row, request) ?? undefined);
    const found = received === undefined ? undefined : checkRow(received, 0);
    const named = id === undefined ? undefined : (readPlace(body, id, request) ?? undefined);
    const path = model ? model.idField.path : ['id'];
    return named === undefined || !path ? found : (withPath(found ?? {}, path, named) as Data);
  }

  /** The row inside an item of a list. */
  private rowIn(item: unknown, request: ProxyRequest | undefined): unknown {
    return readPlace(item, this.recordPlaces.list ?? '', request);
  }

  /** Whether the total in a body is 0: some servers then leave out the member with the rows. */
  private saysEmpty(body: unknown, request: ProxyRequest | undefined): boolean {
    return /^0$/.test(String(this.valueAt(this.totalProperty, body, request)));
  }

  /** The value of an option that names a member; undefined if the option is an empty text, which names none. */
  private valueAt(option: Place, body: unknown, request: ProxyRequest | undefined): unknown {
    return option === '' ? undefined : readPlace(body, option, request);
  }

  /** The server's message in a body; undefined if there is none. */
  messageOf(body: unknown, request: ProxyRequest): string | undefined {
    const message = this.valueAt(this.messageProperty, body, request);
    return typeof message === 'string' ? message : undefined;
  }

  /** Whether the success flag of a body is false: the server refused the request. */
  private isRefusal(body: unknown, model: RecordModel | undefined, request: ProxyRequest): boolean {
    const flag = this.valueAt(this.successProperty, body, request);
    if (flag !== false && flag !== 'false') return body === false;
    return !(this.hasDefaultFlag && model && isData(body) && this.isRow(body, model, request));
  }

  /** Whether a body with a member `success` is a row with such a field, and not an envelope. */
  private isRow(body: Data, model: RecordModel, request: ProxyRequest): boolean {
    const { rootProperty, successProperty } = this;
    if (this.valueAt(rootProperty, body, request) !== undefined) return false;
    const held = model.fields.filter(({ path }) => path && hasPath(body, path));
    if (model.rowId(body) !== undefined && held.some((field) => field !== model.idField)) return true;
    const isFlag = ({ path }: WireField) => path?.[0] === successProperty;
    if (rootProperty || !held.some(isFlag)) return false;
    // `{ success: false, message: 'no' }` is a refusal even if the model has a field `success`.
    return Object.keys(body).length === 1 || held.some((field) => !isFlag(field));
  }

  private read(request: ProxyRequest, tokenParam?: string | null): ResultSet {
    const { action, operation, response } = request;
    checkReadable(response as HttpResponse);
    const received = exactBody(response as HttpResponse);
    const body = received !== undefined && this.transform ? this.transform(received, request) : received;
    if (received !== undefined && body == null) throw new ReadError('response-empty');
    const model = modelOf(operation);
    if (this.isRefusal(body, model, request)) return new ResultSet({ success: false });
    // The entries of a bulk response are read one by one.
    const hasEntries = request.bulk && Array.isArray(body);
    if (!hasEntries && changedNoRow(body, request, this)) return new ResultSet({ success: false, affected: 0 });
    if (body === undefined) return new ResultSet();
    const rows = this.rowsIn(body, model, request);
    const count = (response as HttpResponse).streamed ?? rows.length;
    const next = this.nextProperty ? this.nextIn(body, request, tokenParam) : undefined;
    const isCounted = action === 'read' && !next && isFromFirst(operation, tokenParam);
    const given = this.valueAt(this.totalProperty, body, request) ?? undefined;
    if (this.strict && given !== undefined && isList(operation))
      checkTotal(given, this.totalProperty, operation, count);
    const total = given ?? (isCounted ? count : undefined);
    return new ResultSet({
      rows,
      count,
      total: /^\d+$/.test(total as string) ? Number(total) : undefined,
      next,
      message: this.messageOf(body, request),
    });
  }

  /** The next page by its address or token; null if there is none. A token may be a number too. */
  private nextIn(body: unknown, request: ProxyRequest, tokenParam: string | null | undefined): NextPage | null {
    const given = this.valueAt(this.nextProperty, body, request);
    if (tokenParam && isNumeric(given)) return given ? { params: { [tokenParam]: given } } : null;
    const next = nextText(given, placeName(this.nextProperty));
    if (next === null) return null;
    return tokenParam ? { params: { [tokenParam]: next } } : { url: next };
  }

  /** The rows in the body of any response. */
  private rowsIn(body: unknown, model: RecordModel | undefined, request: ProxyRequest): Data[] {
    const { action, bulk, operation } = request;
    const read = action === 'read';
    if (this.saved && !read && !bulk) {
      const row = action === 'destroy' ? undefined : this.savedRow(body, this.saved, model, request);
      return row ? [row] : [];
    }
    // A number or a flag in the response to a write confirms the write, but holds no row.
    const useful = isObject(body) ? action !== 'destroy' || bulk : read || action === 'create';
    return useful ? this.rowsOf(body, isList(operation), model, request) : [];
  }
}

/** Throws `ReadError` for a response whose body cannot be read. */
function checkReadable({ malformed, status, text, codec }: HttpResponse): void {
  if (malformed === undefined) return;
  if (malformed === TOO_DEEP) throw new ReadError('response-depth', { status, most: MAX_DEPTH });
  const isHtml = codec ? /^\s*<(!doctype\s+)?html\b/i.test(text) : /^\s*</.test(text);
  const what = isHtml ? 'HTML' : `malformed text (${malformed})`;
  throw new ReadError('response-json', { what, format: codec?.name ?? 'JSON' });
}

/** Whether a read asks for all rows, and not for a page or for the rows behind a page. */
function isFromFirst(operation: Operation, tokenParam: string | null | undefined): boolean {
  return !isPage(operation) && operation.link === undefined && !getMember(operation.params, tokenParam || '');
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'string' || typeof value === 'function';
}

/** Throws `DefinitionError` for malformed paths, and for functions that would need the whole response while it is read as a stream. */
function checkReader(reader: JsonReader): void {
  const { recordPlaces, saved, empty, stream, type, rootProperty } = reader;
  checkPlaces(Object.fromEntries(places.map((name) => [name, reader[name]])), 'reader');
  checkOptions('reader.record', recordPlaces, RECORD_RULES);
  checkPlaces(recordPlaces, 'reader.record');
  if (saved) {
    checkOptions('reader.saved', saved, SAVED_RULES);
    checkPlaces(saved, 'reader.saved');
  }
  if (typeof empty === 'object') checkOptions('reader.empty', empty, EMPTY_RULES);
  if (!stream && type !== 'ndjson') return;
  const option =
    typeof rootProperty === 'function'
      ? 'rootProperty'
      : typeof recordPlaces.list === 'function'
        ? 'record'
        : undefined;
  if (option) throw new DefinitionError('reader-stream-place', { option });
}

/** Throws `DefinitionError` for malformed paths among the members of an option. */
function checkPlaces(given: object, option: string): void {
  for (const [name, each] of Object.entries(given)) if (typeof each === 'string') checkPath(each, `${option}.${name}`);
}

/** Throws `ReadError` for a total that is no number, or smaller than the number of rows up to the last one of the response. */
function checkTotal(total: unknown, place: Place, { start = 0, limit = 0 }: Operation, count: number): void {
  // A server that sends more rows than the limit ignores the page: it has sent all rows.
  const isAll = limit > 0 && count > limit;
  const least = count > 0 && !isAll ? start + count : count;
  if (!/^\d+$/.test(String(total)) || Number(total) < least)
    throw new ReadError('response-total', { place: placeName(place), total: describe(total), least });
}

/** Returns a row. Throws `ReadError` for what is no object. */
function checkRow(found: unknown, row: number): Data {
  if (!isData(found)) throw new ReadError('response-row', { row, what: describe(found) });
  return found;
}

/** Members by which servers tell how many rows a write has changed. */
const USUAL_COUNTS = [
  ...['affected', 'affectedRows', 'affected_rows', 'changedRows', 'changes', 'count', 'deleted', 'deletedCount'],
  ...['matchedCount', 'modifiedCount', 'numRowsAffected', 'rowCount', 'rowsAffected', 'rows_affected'],
];

/**
 * Whether the response to an update or destroy says that no row was changed; for a bulk write, whether an entry of the response says so.
 * `body` is undefined for a response without a body.
 */
export function changedNoRow(body: unknown, request: ProxyRequest, reader: JsonReader): boolean {
  const { action, operation } = request;
  if (action !== 'update' && action !== 'destroy') return false;
  const { affected, empty, rootProperty } = reader;
  if (body === undefined) return (typeof empty === 'string' ? empty : empty[action]) === 'missing';
  if (affected !== '') return isZero(readPlace(body, affected, request));
  // The first response to an update may count rows of another kind; after a repeat, a missing record is likely.
  if (action === 'update' && !operation.repeated && !operation.unclear) return false;
  const model = modelOf(operation);
  const inside = typeof rootProperty === 'string' ? readPlace(body, rootProperty, request) : undefined;
  return [body, inside].some((each) => isData(each) && namesZero(each, model));
}

/** Whether a count of rows is 0. */
function isZero(count: unknown): boolean {
  return count === 0 || count === '0';
}

/** Whether a response that is no row tells by a usual name that no row was changed. */
function namesZero(answer: Data, model: RecordModel | undefined): boolean {
  if (model?.rowId(answer) !== undefined) return false;
  const isField = (name: string) => model?.fields.some(({ path }) => path?.[0] === name) ?? false;
  return USUAL_COUNTS.some((name) => isZero(getMember(answer, name)) && !isField(name));
}
