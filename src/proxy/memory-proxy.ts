import { AbortError } from '../errors/abort-error.js';
import { ReadError } from '../errors/read-error.js';
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
        if (model.rowId(row) === undefined && model.idField.path)
          writePath(row, model.idField.path, this.nextId(model));
        this.rows.push(row);
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
    return this.run(operation, (request) =>
      operation.records.map((record) => {
        const old = this.find(record[MODEL], record[MODEL].serverId(record));
        const row = copy(this.writer.row(record, request));
        this.rows[this.rows.indexOf(old)] = row;
        return row;
      }),
    );
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      const gone = operation.records.map((record: OperationRecord) =>
        this.find(record[MODEL], record[MODEL].serverId(record)),
      );
      this.rows = this.rows.filter((row) => !gone.includes(row));
      return [];
    });
  }

  private run(operation: Operation, act: (request: ProxyRequest) => Data[] | ResultSet): Promise<ResultSet> {
    return within(operation, this.messages, async () => {
      await Promise.resolve();
      if (operation.signal?.aborted) throw new AbortError('abort', { method: operation.action, url: 'memory' });
      const found = act((operation.request = new ProxyRequest({ operation })));
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
    const row = this.rows.find((each) => String(model ? model.rowId(each) : each['id']) === String(id));
    if (!row) throw new ReadError('reply-record', { id });
    return row;
  }

  private nextId(model: RecordModel): unknown {
    const ids = this.rows.map((row) => Number(model.rowId(row))).filter(Number.isSafeInteger);
    this.lastId = ids.reduce((most, id) => Math.max(most, id), this.lastId) + 1;
    return model.idFromText(String(this.lastId));
  }
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
