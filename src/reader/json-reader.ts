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

/** How answers are read. */
export interface JsonReaderConfig {
  /** What lists are written in: one JSON document, or a row per line, which needs `streaming()` in the proxy's `use`. @default 'json' */
  type?: 'json' | 'ndjson';
  /**
   * Whether lists are read while they arrive, rows going to `operation.onRows`; `ndjson` always is. Needs `streaming()` in the
   * proxy's `use`. @default false
   */
  stream?: boolean;
  /** Path of the rows: `data`, `result.items`. @default '' (the body itself) */
  rootProperty?: string;
  /** Path of the size of the whole collection. @default 'total' */
  totalProperty?: string;
  /** Path of what leads to the next rows: their address or, with the proxy's `tokenParam`, a token. @default '' (none) */
  nextProperty?: string;
  /**
   * Path of a flag; `false` there makes the answer a failure. Unless it is given, it says nothing where the body is the row itself:
   * where a field is mapped to `success` and there is no `rootProperty`, or where the body holds the id and another declared field.
   * @default 'success'
   */
  successProperty?: string;
  /** Path of what the server has to say. @default 'message' */
  messageProperty?: string;
  /** Member or path of a row that holds its ETag: `@odata.etag`. A text without quotes gets them. @default '' (none) */
  etagProperty?: string;
  /** Path of the status in an entry of a bulk reply. @default '' (none; status in a 207) */
  statusProperty?: string;
  /** Path of the row in an entry of a bulk reply that has a status. @default '' (body, data, resource or record, else the entry) */
  bodyProperty?: string;
  /** Path from an item of the list to its row, such as `node`; an answer about one record is its row. @default '' (the item itself) */
  record?: string;
  /** `incomplete`: rows of lists lack members that single rows have; they merge into known rows. @default 'full' */
  rows?: 'full' | 'incomplete';
  /** Whether a value that its field refuses rejects the load, instead of standing in `$.errors`. @default false */
  strict?: boolean;
  /**
   * Reshapes the parsed body before anything is read from it; needs all of it, so no rows are handed over before. Numbers that
   * JavaScript cannot hold are `LongNumber`s in it.
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

/** A path into the body. */
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

/** The options that are paths. */
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

/** Reads JSON answers into raw rows. A malformed path among its options is a `DefinitionError`. */
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

  /** Whether nobody has chosen `successProperty`. */
  declare private readonly hasDefaultFlag: boolean;

  constructor(config: JsonReaderConfig = {}) {
    checkNames(config, 'reader', (this.constructor as typeof JsonReader).optionNames(), 'reader');
    checkValues(config, 'reader', RULES);
    assignOptions(this, config, {}, defaults);
    for (const name of paths) checkPath(this[name], `reader.${name}`);
    // Not enumerable: it is no option.
    Object.defineProperty(this, 'hasDefaultFlag', { value: getMember(config, 'successProperty') === undefined });
  }

  /**
   * The names of all options. A reader class with options of its own adds them, since unknown names are refused:
   * `static override optionNames() { return [...super.optionNames(), 'sheet']; }`.
   */
  static optionNames(): readonly string[] {
    return Object.keys(RULES);
  }

  /** Reads the answer to a read: a list, or one row. Throws `ReadError`. */
  readPage(request: ProxyRequest, tokenParam?: string | null): ResultSet {
    return this.read(request, tokenParam);
  }

  /** Reads the answer to a write: rows, or nothing of use. Throws `ReadError`. */
  readSaved(request: ProxyRequest): ResultSet {
    return this.read(request);
  }

  /** Whether a body is reshaped before it is read. */
  get reshapes(): boolean {
    return this.transform !== asItIs;
  }

  /** The ETag that a row holds. */
  etagOf(row: unknown): string | undefined {
    const { etagProperty } = this;
    if (!etagProperty) return undefined;
    const held = getMember(row, etagProperty) ?? readPath(row, parsePath(etagProperty));
    const [, weak = '', tag] = /^(W\/)?"?([!#-~]+)"?$/.exec(String(held ?? '')) ?? [];
    return tag && `${weak}"${tag}"`;
  }

  /** The rows in a body: an array, what lies at the root, or the body as the one row; in a list of a model, that has an id. */
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
    // An answer about one record is its row: `record` is the path inside the items of lists.
    if (!list && isData(rows)) return [rows];
    return (Array.isArray(rows) ? rows : [rows]).map((item: unknown, row) => {
      const inside = this.rowIn(item);
      const each = list || isData(inside) ? inside : item;
      if (!isData(each)) throw new ReadError('reply-row', { row, what: describe(each) });
      return each;
    });
  }

  /** The row in an item of a list. */
  private rowIn(item: unknown): unknown {
    return this.record ? readPath(item, parsePath(this.record)) : item;
  }

  /** Whether a body tells that there are no rows: some servers then leave out the member that holds them. */
  private saysEmpty(body: unknown): boolean {
    return /^0$/.test(String(readPath(body, parsePath(this.totalProperty))));
  }

  /** Whether a body says that the request was refused. */
  private isRefusal(body: unknown, model: RecordModel | undefined): boolean {
    const flag = readPath(body, parsePath(this.successProperty));
    if (flag !== false && flag !== 'false') return body === false;
    return !(this.hasDefaultFlag && model && isData(body) && this.isRow(body, model));
  }

  /** Whether a body with a member `success` is a row that has such a member, and no envelope. */
  private isRow(body: Data, model: RecordModel): boolean {
    const { rootProperty, successProperty } = this;
    if (rootProperty && readPath(body, parsePath(rootProperty)) !== undefined) return false;
    const held = model.fields.filter(({ path }) => path && hasPath(body, path));
    if (model.rowId(body) !== undefined && held.some((field) => field !== model.idField)) return true;
    const isFlag = ({ path }: WireField) => path?.[0] === successProperty;
    if (rootProperty || !held.some(isFlag)) return false;
    // `{ success: false, message: 'no' }` is a refusal also of a model that has a field of that name.
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
    // Of a write, a number or a flag says that it was done, not what the record is now.
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

/** How a text names the place in an answer that a path leads to. */
export function placeOf(path: string): string {
  return path ? `'${path}'` : 'its top level';
}
