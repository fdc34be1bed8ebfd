import { describe } from '../errors/messages.js';
import { ReadError } from '../errors/read-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { ResultSet } from '../operation/result-set.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { type Data, hasPath, isData, parsePath, readPath } from '../util/data-path.js';

/** How answers are read. */
export interface JsonReaderConfig {
  /** @default 'json' */
  type?: 'json';
  /** Path of the rows: `data`, `result.items`. @default '' (the body itself) */
  rootProperty?: string;
  /** Path of the size of the whole collection. @default 'total' */
  totalProperty?: string;
  /** Path of a flag; `false` there makes the answer a failure. @default 'success' */
  successProperty?: string;
  /** Path of what the server has to say. @default 'message' */
  messageProperty?: string;
  /** Path from an item of the list to its row, such as `node`. @default '' (the item itself) */
  record?: string;
  /** `partial`: rows of lists lack members that single rows have; they merge into known rows. @default 'full' */
  rows?: 'full' | 'partial';
  /** Whether a value that its field refuses rejects the load, instead of standing in `$.errors`. @default false */
  strict?: boolean;
  /** Reshapes the parsed body before anything is read from it. */
  transform?: (body: unknown) => unknown;
}

/** Reads JSON answers into raw rows. */
export class JsonReader {
  readonly rootProperty: string;
  readonly totalProperty: string;
  readonly successProperty: string;
  readonly messageProperty: string;
  readonly record: string;
  readonly rows: 'full' | 'partial';
  readonly strict: boolean;
  readonly transform: (body: unknown) => unknown;

  constructor(config: JsonReaderConfig = {}) {
    this.rootProperty = config.rootProperty ?? '';
    this.totalProperty = config.totalProperty ?? 'total';
    this.successProperty = config.successProperty ?? 'success';
    this.messageProperty = config.messageProperty ?? 'message';
    this.record = config.record ?? '';
    this.rows = config.rows ?? 'full';
    this.strict = config.strict ?? false;
    this.transform = config.transform ?? ((body) => body);
  }

  /** Reads the answer to a read: a list, or one row. Throws `ReadError`. */
  readPage(request: ProxyRequest): ResultSet {
    const { action, operation } = request;
    const list = action === 'read' && operation.id === undefined && operation.records.length === 0;
    return this.read(request, (body) => this.rowsOf(body, list));
  }

  /** Reads the answer to a write: rows, or nothing of use. Throws `ReadError`. */
  readSaved(request: ProxyRequest): ResultSet {
    const { action, bulk } = request;
    return this.read(request, (body) => {
      // A number or a flag says that it was done, not what the record is now.
      const said = typeof body !== 'object' && action !== 'create';
      return said || (action === 'destroy' && !bulk) ? [] : this.rowsOf(body, false);
    });
  }

  /** The rows in a body: an array, what lies at the root, or the body as the one row. */
  rowsOf(body: unknown, list: boolean): Data[] {
    const { rootProperty } = this;
    const root = rootProperty && !Array.isArray(body) ? parsePath(rootProperty) : [];
    const found = hasPath(body, root);
    if (!found && list) {
      const members = isData(body) ? Object.keys(body).join(', ') : describe(body);
      throw new ReadError('reply-root', { path: rootProperty, members });
    }
    const rows = found ? readPath(body, root) : body;
    if (rows === null || rows === undefined) throw new ReadError('reply-empty');
    return (Array.isArray(rows) ? rows : [rows]).map((item: unknown, row) => {
      const each = this.record ? readPath(item, parsePath(this.record)) : item;
      if (!isData(each)) throw new ReadError('reply-row', { row, what: describe(each) });
      return each;
    });
  }

  private read({ action, operation, response }: ProxyRequest, rowsOf: (body: unknown) => Data[]): ResultSet {
    const { body: received, malformed } = response as HttpResponse;
    if (malformed !== undefined) {
      throw new ReadError('reply-json', {
        what: /^\s*</.test(received as string) ? 'HTML' : `malformed text (${malformed})`,
      });
    }
    if (received === undefined) return new ResultSet();
    const body = this.transform(received);
    if (body === null) throw new ReadError('reply-empty');
    const at = (path: string) => readPath(body, parsePath(path));
    const message = at(this.messageProperty);
    const success = at(this.successProperty);
    if (success === false || success === 'false') return new ResultSet({ success: false });
    const rows = rowsOf(body);
    const total = at(this.totalProperty) ?? (action === 'read' && !operation.limit ? rows.length : undefined);
    return new ResultSet({
      rows,
      total: /^\d+$/.test(String(total)) ? Number(total) : undefined,
      message: typeof message === 'string' ? message : undefined,
    });
  }
}
