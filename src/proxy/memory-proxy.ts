import { AbortError } from '../errors/abort-error.js';
import { ReadError } from '../errors/read-error.js';
import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import { within } from '../errors/within.js';
import { isValidId } from '../http/url.js';
import { createComparator, createPredicate, type ItemReader } from '../operation/local-query.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, type OperationRecord, type RecordModel } from '../operation/operation-record.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, getMember, writePath } from '../util/data-path.js';
import { DataProxy, type DataProxyConfig } from './data-proxy.js';
import { ProxyRequest } from './proxy-request.js';

/** Options of the memory proxy. */
export interface MemoryProxyConfig extends DataProxyConfig {
  /** Rows to begin with; they are copied. @default [] */
  data?: readonly object[];
}

/** Keeps rows in memory: for prototypes, tests and data without a server. Sorts, filters and pages like one. */
export class MemoryProxy extends DataProxy<MemoryProxyConfig> {
  static readonly alias: string = 'proxy.memory';
  private rows: Data[];
  private lastId = 0;
  /** Rows by the text of their id, as the model that asked last finds it. */
  private byId: Map<string, Data> = new Map();
  private model: RecordModel | null | undefined = null;

  constructor(config?: MemoryProxyConfig) {
    super(config);
    this.rows = copy(config?.data ?? []) as Data[];
  }

  /** The rows as they are now; a copy. */
  get data(): readonly object[] {
    return copy(this.rows);
  }

  create(operation: Operation): Promise<ResultSet> {
    return this.run(operation, (request) =>
      operation.records.map((record) => {
        const model = record[MODEL];
        const row = copy(this.writer.row(record, request));
        const { path } = model.idField;
        if (model.rowId(row) === undefined && path) writePath(row, path, this.nextId(model));
        this.rows.push(row);
        this.note(model, row);
        return row;
      }),
    );
  }

  read(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      const model = operation.model ?? operation.records[0]?.[MODEL];
      const [record] = operation.records;
      const id = record ? record[MODEL].serverId(record) : operation.id;
      if (isValidId(id)) return [this.find(model, id)];
      return this.query(operation, model);
    });
  }

  update(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      // All are found before any is changed.
      const found = operation.records.map((record) => this.findOf(record));
      return operation.records.map((record, at) => {
        // What is kept is the row, however much of it would be sent.
        const row = copy(this.writer.wholeRow(record));
        const old = found[at] as Data;
        this.index(record[MODEL]).delete(String(record[MODEL].rowId(old)));
        this.note(record[MODEL], row);
        this.rows[this.rows.indexOf(old)] = row;
        return row;
      });
    });
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      const gone = new Map(operation.records.map((record) => [this.findOf(record), record[MODEL]]));
      this.rows = this.rows.filter((row) => !gone.has(row));
      for (const [row, model] of gone) this.index(model).delete(String(model.rowId(row)));
      return [];
    });
  }

  private run(operation: Operation, act: (request: ProxyRequest) => Data[] | ResultSet): Promise<ResultSet> {
    const address = { method: operation.action, url: 'memory' };
    const request = (operation.request = Object.assign(new ProxyRequest({ operation }), address));
    return within(operation, this.messages, async () => {
      await Promise.resolve();
      if (operation.signal?.aborted) throw new AbortError('abort');
      const found = act(request);
      // Rows leave as JSON would carry them, so that nobody shares objects with the proxy.
      const result = found instanceof ResultSet ? found : new ResultSet({ rows: copy(found) });
      operation.resultSet = result as ResultSet<never>;
      return result;
    });
  }

  private query(operation: Operation, model: RecordModel | undefined): ResultSet {
    const reader: ItemReader<Data> = {
      read: (property) => {
        const field = model?.field(property);
        if (model && !field) throw new UnsupportedQueryError('query-field', { property, model: model.name });
        return field ? (row) => field.read(field.raw(row)) : (row) => getMember(row, property);
      },
      compare: (property) => model?.field(property)?.compare,
    };
    const { grouper, sorters = [], filters = [], limit } = operation;
    const keep = createPredicate(
      filters.filter((filter) => !filter.filterFn),
      reader,
    );
    const order = createComparator(
      [...(grouper ? [grouper] : []), ...sorters.filter((sorter) => !sorter.sorterFn)],
      reader,
    );
    const found = keep ? this.rows.filter(keep) : [...this.rows];
    if (order) found.sort(order);
    const start = operation.start ?? ((operation.page ?? 1) - 1) * (limit ?? 0);
    return new ResultSet({ rows: copy(found.slice(start, limit ? start + limit : undefined)), total: found.length });
  }

  private find(model: RecordModel | undefined, id: unknown): Data {
    const row = this.index(model).get(String(id));
    if (!row) throw new ReadError('reply-record', { id });
    return row;
  }

  private findOf(record: OperationRecord): Data {
    return this.find(record[MODEL], record[MODEL].serverId(record));
  }

  /** The rows by id; made anew only where another model asks. */
  private index(model: RecordModel | undefined): Map<string, Data> {
    if (this.model === model) return this.byId;
    this.model = model;
    this.byId = new Map();
    // Of several rows with one id the first counts.
    for (const row of [...this.rows].reverse()) this.note(model, row);
    return this.byId;
  }

  private note(model: RecordModel | undefined, row: Data): void {
    const id = model ? model.rowId(row) : row['id'];
    this.index(model).set(String(id), row);
    if (Number.isSafeInteger(Number(id))) this.lastId = Math.max(this.lastId, Number(id));
  }

  private nextId(model: RecordModel): unknown {
    this.index(model);
    return model.idFromText(String(this.lastId + 1));
  }
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
