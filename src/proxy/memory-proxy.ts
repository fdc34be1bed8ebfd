import { checkValues } from '../dev/checks.js';
import { withErrorContext } from '../errors/error-context.js';
import type { Rule } from '../errors/option-rules.js';
import { ReadError } from '../errors/read-error.js';
import { AbortError } from '../errors/request-errors.js';
import { isValidId } from '../http/url.js';
import { createComparator, createPredicate, rowReader, searchFilter } from '../operation/local-query.js';
import type { Operation } from '../operation/operation.js';
import { MODEL, modelOf, type OperationRecord, type RecordModel } from '../operation/operation-record.js';
import { ProxyRequest } from '../operation/proxy-request.js';
import { ResultSet } from '../operation/result-set.js';
import { type Data, writePath } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { parseJson } from '../util/json.js';
import { DataProxy, type DataProxyConfig } from './data-proxy.js';
import { bodyText } from './encode.js';

/** Options of the memory proxy. */
export interface MemoryProxyConfig extends DataProxyConfig {
  /** Initial rows. The proxy copies them. @default [] */
  data?: readonly object[];
}

const rows: Rule = { expected: "a list of rows, such as `[{ id: 1, name: 'Ada' }]`", holds: Array.isArray };

/** Holds a row at its position in the order; an update replaces the row and keeps the position. */
interface Place {
  row: Data;
}

/**
 * Keeps rows in memory: for prototypes, tests and data without a server. Sorts, filters and pages like a server.
 *
 * @example
 * ```ts
 * const InMemory = User.with({ proxy: new MemoryProxy({ data: [{ id: 7, name: 'Ada' }] }) });
 * const ada = await InMemory.load(7);
 * await ada.set('name', 'Grace').save(); // nothing is sent
 * const grace = await new InMemory({ name: 'Alan' }).save();
 * show(grace.id); // 8
 * ```
 */
export class MemoryProxy extends DataProxy<MemoryProxyConfig> {
  /** The name in the manner of Ext JS. */
  static readonly alias: string = 'proxy.memory';
  private readonly places: Set<Place>;
  private lastId = 0;
  /** The rows by id (as text), for the model of the last operation. */
  private byId: Map<string, Place> = new Map();
  private model: RecordModel | null | undefined = null;

  static override optionNames(): readonly string[] {
    return [...super.optionNames(), 'data'];
  }

  constructor(config?: MemoryProxyConfig) {
    checkValues(config, new.target.name, { data: rows });
    super(config);
    this.places = new Set((copy(config?.data ?? []) as Data[]).map((row) => ({ row })));
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
        const place = { row };
        this.places.add(place);
        this.remember(model, place);
        return row;
      }),
    );
  }

  read(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      const model = modelOf(operation);
      const [record] = operation.records;
      const id = record ? record[MODEL].serverId(record) : operation.id;
      if (isValidId(id)) return [this.find(model, id).row];
      return this.query(operation, model);
    });
  }

  update(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      // All records are looked up first: if one is missing, nothing has been changed.
      const found = operation.records.map((record) => this.findOf(record));
      return operation.records.map((record, at) => {
        // The writer may send edited fields only, but the proxy stores whole rows.
        const row = copy(this.writer.wholeRow(record));
        const place = found[at] as Place;
        this.index(record[MODEL]).delete(idKey(record[MODEL].rowId(place.row)));
        place.row = row;
        this.remember(record[MODEL], place);
        return row;
      });
    });
  }

  erase(operation: Operation): Promise<ResultSet> {
    return this.run(operation, () => {
      const gone = new Map(operation.records.map((record) => [this.findOf(record), record[MODEL]]));
      for (const [place, model] of gone) {
        this.places.delete(place);
        this.index(model).delete(idKey(model.rowId(place.row)));
      }
      return [];
    });
  }

  private run(operation: Operation, act: (request: ProxyRequest) => Data[] | ResultSet): Promise<ResultSet> {
    const address = { method: operation.action, url: 'memory' };
    const request = (operation.request = Object.assign(new ProxyRequest({ operation }), address));
    return withErrorContext(operation, this.messages, async () => {
      await Promise.resolve();
      if (operation.signal?.aborted) throw new AbortError('abort');
      const found = act(request);
      // Rows are copied through JSON, so that no caller shares objects with the proxy.
      const result = found instanceof ResultSet ? found : new ResultSet({ rows: copy(found) });
      operation.resultSet = result as ResultSet<never>;
      return result;
    });
  }

  private query(operation: Operation, model: RecordModel | undefined): ResultSet {
    const reader = rowReader(model);
    const { grouper, sorters = [], filters = [], limit, search } = operation;
    const remote = filters.filter((filter) => !filter.filterFn);
    const keep = createPredicate(search && model ? [...remote, searchFilter(search, model)] : remote, reader);
    const order = createComparator(
      [...(grouper ? [grouper] : []), ...sorters.filter((sorter) => !sorter.sorterFn)],
      reader,
    );
    const found = keep ? this.rows.filter(keep) : this.rows;
    if (order) found.sort(order);
    const start = operation.start ?? ((operation.page ?? 1) - 1) * (limit ?? 0);
    return new ResultSet({ rows: copy(found.slice(start, limit ? start + limit : undefined)), total: found.length });
  }

  private get rows(): Data[] {
    return [...this.places].map(({ row }) => row);
  }

  private find(model: RecordModel | undefined, id: unknown): Place {
    const place = this.index(model).get(idKey(id));
    if (!place) throw new ReadError('response-record', { id, model: model?.name ?? 'record' });
    return place;
  }

  private findOf(record: OperationRecord): Place {
    return this.find(record[MODEL], record[MODEL].serverId(record));
  }

  /** The rows by id. Rebuilt only when the model changes. */
  private index(model: RecordModel | undefined): Map<string, Place> {
    if (this.model === model) return this.byId;
    this.model = model;
    this.byId = new Map();
    // In reverse order, so that the first of several rows with the same id wins.
    for (const place of [...this.places].reverse()) this.remember(model, place);
    return this.byId;
  }

  private remember(model: RecordModel | undefined, place: Place): void {
    const id = model ? model.rowId(place.row) : place.row['id'];
    this.index(model).set(idKey(id), place);
    if (Number.isSafeInteger(Number(id))) this.lastId = Math.max(this.lastId, Number(id));
  }

  private nextId(model: RecordModel): unknown {
    this.index(model);
    return model.idFromText(String(this.lastId + 1));
  }
}

function copy<T>(value: T): T {
  return parseJson(bodyText(value) as string).value as T;
}
