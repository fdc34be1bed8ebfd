import { HttpError } from '../errors/http-error.js';
import { describe, type Messages } from '../errors/messages.js';
import { readProblem } from '../errors/problem.js';
import { ReadError } from '../errors/read-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { ResultSet } from '../operation/result-set.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { type Data, type DataPath, hasPath, isData, parsePath, readPath } from '../util/data-path.js';

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
  readonly rows: 'full' | 'partial';
  readonly strict: boolean;
  readonly transform: ((body: unknown) => unknown) | undefined;
  private readonly root: DataPath | undefined;
  private readonly total: DataPath;
  private readonly success: DataPath;
  private readonly message: DataPath;
  private readonly record: DataPath | undefined;

  constructor(
    config: JsonReaderConfig = {},
    readonly messages: Messages | undefined = undefined,
  ) {
    this.rootProperty = config.rootProperty ?? '';
    this.rows = config.rows ?? 'full';
    this.strict = config.strict ?? false;
    this.transform = config.transform;
    this.root = config.rootProperty ? parsePath(config.rootProperty) : undefined;
    this.total = parsePath(config.totalProperty ?? 'total');
    this.success = parsePath(config.successProperty ?? 'success');
    this.message = parsePath(config.messageProperty ?? 'message');
    this.record = config.record ? parsePath(config.record) : undefined;
  }

  /** Reads the answer to a read: a list, or one row. Throws `ReadError`. */
  readPage(request: ProxyRequest): ResultSet {
    const body = this.bodyOf(request);
    if (body === undefined) return new ResultSet();
    return this.resultSet(request, body, this.rowsOf(request, body));
  }

  /** Reads the answer to a write: rows, or nothing of use. Throws `ReadError`. */
  readSaved(request: ProxyRequest): ResultSet {
    const body = this.bodyOf(request);
    // A number or a flag says that it was done, not what the record is now.
    if (body === undefined || (typeof body !== 'object' && request.action !== 'create')) return new ResultSet();
    if (request.action === 'destroy' && !request.bulk) return new ResultSet({ message: this.messageOf(body) });
    return this.resultSet(request, body, this.rowsOf(request, body));
  }

  /** The one row in a body that is no answer to one of the four actions. */
  rowOf(body: unknown): unknown {
    const found = this.root && hasPath(body, this.root) ? readPath(body, this.root) : body;
    const item = Array.isArray(found) ? found[0] : found;
    return this.record ? readPath(item, this.record) : item;
  }

  private bodyOf(request: ProxyRequest): unknown {
    const { body: received, malformed } = request.response as HttpResponse;
    if (malformed !== undefined) {
      const what = /^\s*</.test(received as string) ? 'HTML' : `malformed text (${malformed})`;
      throw this.error('reply-json', request, { what });
    }
    const body = this.transform && received !== undefined ? this.transform(received) : received;
    if (body === null) throw this.error('reply-empty', request);
    const flag = readPath(body, this.success);
    if (flag === false || flag === 'false') {
      const message = this.messageOf(body);
      throw new HttpError(
        'refused',
        { ...told(request), detail: message ? `: ${message}` : '' },
        {
          response: request.response as HttpResponse,
          problem: readProblem(body, request.response?.status ?? 0),
          operation: request.operation,
          messages: this.messages,
        },
      );
    }
    return body;
  }

  /** The rows in a body: an array, what lies at the root, or the body as the one row. */
  private rowsOf(request: ProxyRequest, body: unknown): Data[] {
    let found = body;
    if (!Array.isArray(body) && this.root) {
      const list =
        request.action === 'read' && request.operation.id === undefined && request.operation.records.length === 0;
      if (hasPath(body, this.root)) found = readPath(body, this.root);
      else if (list) {
        const members = isData(body) ? Object.keys(body).join(', ') : describe(body);
        throw this.error('reply-root', request, { path: this.rootProperty, members });
      }
    }
    if (found === null || found === undefined) throw this.error('reply-empty', request);
    const items = Array.isArray(found) ? found : [found];
    return items.map((item, row) => {
      const each = this.record ? readPath(item, this.record) : item;
      if (!isData(each)) throw this.error('reply-row', request, { row, what: describe(each) });
      return each;
    });
  }

  private resultSet(request: ProxyRequest, body: unknown, rows: Data[]): ResultSet {
    const total = Number(readPath(body, this.total) ?? Number.NaN);
    const everything = request.action === 'read' && !request.operation.limit;
    return new ResultSet({
      rows,
      total: Number.isSafeInteger(total) && total >= 0 ? total : everything ? rows.length : undefined,
      message: this.messageOf(body),
    });
  }

  private messageOf(body: unknown): string | undefined {
    const message = readPath(body, this.message);
    return typeof message === 'string' ? message : undefined;
  }

  private error(
    reason: 'reply-json' | 'reply-empty' | 'reply-row' | 'reply-root',
    request: ProxyRequest,
    more = {},
  ): ReadError {
    return new ReadError(
      reason,
      { ...told(request), ...more },
      { operation: request.operation, messages: this.messages },
    );
  }
}

function told({ method, url, response }: ProxyRequest): { method: unknown; url: unknown; status: unknown } {
  return { method, url, status: response?.status };
}
