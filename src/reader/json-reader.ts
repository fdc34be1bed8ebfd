import { checkPath } from '../errors/check-path.js';
import { describe } from '../errors/messages.js';
import {
  callable,
  checkNames,
  checkValues,
  flag,
  oneOf,
  type Rule,
  type Rules,
  string,
} from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { exactBody, type HttpResponse } from '../http/http-response.js';
import { isList } from '../operation/operation.js';
import { modelOf, type RecordModel, type WireField } from '../operation/operation-record.js';
import { ResultSet } from '../operation/result-set.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { type Data, getMember, hasPath, isData, isObject, parsePath, readPath } from '../util/data-path.js';
import { assignOptions } from '../util/options.js';
import { MAX_DEPTH, TOO_DEEP } from '../util/parse-json.js';

/** Options of the reader of responses. */
export interface JsonReaderConfig {
  /** Format of lists: one JSON document, or one row per line (needs `streaming()` in the proxy's `use`). @default 'json' */
  type?: 'json' | 'ndjson';
  /**
   * Whether lists are read while they arrive, so that `operation.onRows` gets rows early; `ndjson` is always read so. Needs
   * `streaming()` in the proxy's `use`. @default false
   */
  stream?: boolean;
  /** Path of the rows: `data`, `result.items`. @default '' (the body itself) */
  rootProperty?: string;
  /** Path of the number of rows in the whole collection. @default 'total' */
  totalProperty?: string;
  /** Path of the next page's address or, with the proxy's `tokenParam`, of its token. @default '' (none) */
  nextProperty?: string;
  /**
   * Path of a success flag; `false` there makes the response a failure. The default flag is ignored if the body is the row itself: if a
   * field is mapped to `success` and `rootProperty` is not set, or if the body holds the id and another declared field.
   * @default 'success'
   */
  successProperty?: string;
  /** Path of the server's message. @default 'message' */
  messageProperty?: string;
  /** Member or path of a row that holds its ETag: `@odata.etag`. Missing quotes are added. @default '' (none) */
  etagProperty?: string;
  /** Path of the status in an entry of a bulk reply. @default '' (none; status in a 207) */
  statusProperty?: string;
  /** Path of the row in an entry of a bulk reply that has a status. @default '' (body, data, resource or record, else the entry) */
  bodyProperty?: string;
  /** Path from an item of a list to its row, such as `node`. Not used for responses about a single record. @default '' (the item itself) */
  record?: string;
  /** `incomplete`: rows of lists lack members that single rows have; they are merged into loaded records. @default 'full' */
  rows?: 'full' | 'incomplete';
  /** Whether a value that its field refuses rejects the load, instead of adding an error to `$.errors`. @default false */
  strict?: boolean;
  /**
   * Transforms the parsed body before anything is read from it. It needs the complete body, so `onRows` gets no rows early. Numbers
   * that JavaScript cannot represent are `LongNumber`s.
   */
  transform?: (body: unknown) => unknown;
}

const asItIs = (body: unknown): unknown => body;

const defaults: Required<JsonReaderConfig> = {
  type: 'json',
  stream: false,
  rootProperty: '',
  totalProperty: 'total',
  nextProperty: '',
  successProperty: 'success',
  messageProperty: 'message',
  etagProperty: '',
  statusProperty: '',
  bodyProperty: '',
  record: '',
  rows: 'full',
  strict: false,
  transform: asItIs,
};

/** Rule of an option that is a path into the body. */
const path: Rule = { expected: "a path such as 'data.items'", holds: string.holds };

const RULES: Rules<JsonReaderConfig> = {
  type: /* @__PURE__ */ oneOf('json', 'ndjson'),
  stream: flag,
  rootProperty: path,
  totalProperty: path,
  nextProperty: path,
  successProperty: path,
  messageProperty: path,
  etagProperty: path,
  statusProperty: path,
  bodyProperty: path,
  record: path,
  rows: /* @__PURE__ */ oneOf('full', 'incomplete'),
  strict: flag,
  transform: callable,
};

/** Names of the options that are paths. */
const paths = [
  'rootProperty',
  'totalProperty',
  'nextProperty',
  'successProperty',
  'messageProperty',
  'etagProperty',
  'statusProperty',
  'bodyProperty',
  'record',
] as const;

/** Reads rows from JSON responses. Throws `DefinitionError` if a path among its options is malformed. */
export class JsonReader {
  declare readonly type: 'json' | 'ndjson';
  declare readonly stream: boolean;
  declare readonly rootProperty: string;
  declare readonly totalProperty: string;
  declare readonly nextProperty: string;
  declare readonly successProperty: string;
  declare readonly messageProperty: string;
  declare readonly etagProperty: string;
  declare readonly statusProperty: string;
  declare readonly bodyProperty: string;
  declare readonly record: string;
  declare readonly rows: 'full' | 'incomplete';
  declare readonly strict: boolean;
  declare readonly transform: (body: unknown) => unknown;

  /** Whether `successProperty` was not set. */
  declare private readonly hasDefaultFlag: boolean;

  constructor(config: JsonReaderConfig = {}) {
    checkNames(config, 'reader', (this.constructor as typeof JsonReader).optionNames(), 'reader');
    checkValues(config, 'reader', RULES);
    assignOptions(this, config, {}, defaults);
    for (const name of paths) checkPath(this[name], `reader.${name}`);
    // Not enumerable, because it is no option.
    Object.defineProperty(this, 'hasDefaultFlag', { value: getMember(config, 'successProperty') === undefined });
  }

  /**
   * The names of all options. A reader class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'sheet']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(RULES);
  }

  /** Reads the response to a read: a list, or one row. Throws `ReadError`. */
  readPage(request: ProxyRequest, tokenParam?: string | null): ResultSet {
    return this.read(request, tokenParam);
  }

  /** Reads the response to a write, which may hold rows. Throws `ReadError`. */
  readSaved(request: ProxyRequest): ResultSet {
    return this.read(request);
  }

  /** Whether `transform` is set. */
  get reshapes(): boolean {
    return this.transform !== asItIs;
  }

  /** The ETag inside a row; undefined if there is none. */
  etagOf(row: unknown): string | undefined {
    const { etagProperty } = this;
    if (!etagProperty) return undefined;
    const held = getMember(row, etagProperty) ?? readPath(row, parsePath(etagProperty));
    const [, weak = '', tag] = /^(W\/)?"?([!#-~]+)"?$/.exec(String(held ?? '')) ?? [];
    return tag && `${weak}"${tag}"`;
  }

  /** The rows in a body: an array, the value at `rootProperty`, or the body as a single row (in lists of a model only with an id). */
  rowsOf(body: unknown, list: boolean, model?: RecordModel): Data[] {
    const { rootProperty } = this;
    const root = rootProperty && !Array.isArray(body) ? parsePath(rootProperty) : [];
    const found = readPath(body, root);
    if (list && rootProperty && (found ?? undefined) === undefined && this.saysEmpty(body)) return [];
    if (list && (isData(found) ? model && model.rowId(this.rowIn(found)) === undefined : found === undefined)) {
      const members = isData(body) ? Object.keys(body).join(', ') : describe(body);
      throw new ReadError('reply-root', { path: rootProperty, place: placeOf(rootProperty), members });
    }
    const rows = found === undefined ? body : found;
    if (rows === null) throw new ReadError('reply-empty');
    // `record` is a path inside the items of lists; a response about a single record is the row itself.
    if (!list && isData(rows)) return [rows];
    return (Array.isArray(rows) ? rows : [rows]).map((item: unknown, row) => {
      const inside = this.rowIn(item);
      const each = list || isData(inside) ? inside : item;
      if (!isData(each)) throw new ReadError('reply-row', { row, what: describe(each) });
      return each;
    });
  }

  /** The row inside an item of a list. */
  private rowIn(item: unknown): unknown {
    return this.record ? readPath(item, parsePath(this.record)) : item;
  }

  /** Whether the total in a body is 0: some servers then leave out the member with the rows. */
  private saysEmpty(body: unknown): boolean {
    return /^0$/.test(String(readPath(body, parsePath(this.totalProperty))));
  }

  /** Whether the success flag of a body is false: the server refused the request. */
  private isRefusal(body: unknown, model: RecordModel | undefined): boolean {
    const flag = readPath(body, parsePath(this.successProperty));
    if (flag !== false && flag !== 'false') return body === false;
    return !(this.hasDefaultFlag && model && isData(body) && this.isRow(body, model));
  }

  /** Whether a body with a member `success` is a row with such a field, and not an envelope. */
  private isRow(body: Data, model: RecordModel): boolean {
    const { rootProperty, successProperty } = this;
    if (rootProperty && readPath(body, parsePath(rootProperty)) !== undefined) return false;
    const held = model.fields.filter(({ path }) => path && hasPath(body, path));
    if (model.rowId(body) !== undefined && held.some((field) => field !== model.idField)) return true;
    const isFlag = ({ path }: WireField) => path?.[0] === successProperty;
    if (rootProperty || !held.some(isFlag)) return false;
    // `{ success: false, message: 'no' }` is a refusal even if the model has a field `success`.
    return Object.keys(body).length === 1 || held.some((field) => !isFlag(field));
  }

  private read({ action, bulk, operation, response }: ProxyRequest, tokenParam?: string | null): ResultSet {
    const { malformed, status, streamed } = response as HttpResponse;
    if (malformed !== undefined) {
      if (malformed === TOO_DEEP) throw new ReadError('reply-depth', { status, most: MAX_DEPTH });
      const what = /^\s*</.test((response as HttpResponse).text) ? 'HTML' : `malformed text (${malformed})`;
      throw new ReadError('reply-json', { what });
    }
    const received = exactBody(response as HttpResponse);
    if (received === undefined) return new ResultSet();
    const body = this.transform(received);
    if (body == null) throw new ReadError('reply-empty');
    const at = (path: string) => readPath(body, parsePath(path));
    if (this.isRefusal(body, modelOf(operation))) return new ResultSet({ success: false });
    const read = action === 'read';
    // A number or a flag in the response to a write confirms the write, but holds no row.
    const useful = isObject(body) ? action !== 'destroy' || bulk : read || action === 'create';
    const rows = useful ? this.rowsOf(body, isList(operation), modelOf(operation)) : [];
    const count = streamed ?? rows.length;
    const whole = read && !operation.limit && operation.page === undefined && !operation.start;
    const total = at(this.totalProperty) ?? (whole ? count : undefined);
    const message = at(this.messageProperty);
    const next = this.nextProperty ? at(this.nextProperty) || null : undefined;
    return new ResultSet({
      rows,
      count,
      total: /^\d+$/.test(total as string) ? Number(total) : undefined,
      next: next && (tokenParam ? { params: { [tokenParam]: next } } : { url: String(next) }),
      message: typeof message === 'string' ? message : undefined,
    });
  }
}

/** Names a path of a response in the text of an error. */
export function placeOf(path: string): string {
  return path ? `'${path}'` : 'its top level';
}
