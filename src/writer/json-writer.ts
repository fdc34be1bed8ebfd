import { MODEL, type OperationRecord, type WireField } from '../operation/operation-record.js';
import type { ProxyRequest } from '../proxy/proxy-request.js';
import { type Data, deletePath, hasPath, parsePath, readPath, setMember, writePath } from '../util/data-path.js';

/** What is written, and how. */
export interface JsonWriterConfig {
  /** @default 'json' */
  type?: 'json';
  /** Whether an update carries the whole row, or edited fields only. @default by the verb: PATCH edited, PUT and POST whole (H7) */
  writeAllFields?: boolean;
  /** Whether a create carries the client's id (H14). @default false */
  writeRecordId?: boolean;
  /** Whether members of the row that no field declares are sent back as they came. @default true */
  undeclared?: boolean;
  /** Path to wrap the body in. @default '' */
  rootProperty?: string;
  /** Whether one record travels as an object; otherwise always as an array. @default true */
  allowSingle?: boolean;
  /** Whether members are named by the fields' `mapping` or by their own names. @default 'mapping' */
  nameProperty?: 'mapping' | 'name';
  /** Member that carries the client's id of a new record, to match the reply by. @default '' */
  clientIdProperty?: string;
  /** Reshapes the body (an object, or an array of them) before it becomes JSON. */
  transform?: (body: unknown, request: ProxyRequest) => unknown;
}

/** Writes records into JSON bodies, losslessly: what nobody edited travels as it was received (H7). */
export class JsonWriter {
  readonly writeAllFields: boolean | undefined;
  readonly writeRecordId: boolean;
  readonly undeclared: boolean;
  readonly rootProperty: string;
  readonly allowSingle: boolean;
  readonly nameProperty: 'mapping' | 'name';
  readonly clientIdProperty: string;
  readonly transform: ((body: unknown, request: ProxyRequest) => unknown) | undefined;

  constructor(config: JsonWriterConfig = {}) {
    this.writeAllFields = config.writeAllFields;
    this.writeRecordId = config.writeRecordId ?? false;
    this.undeclared = config.undeclared ?? true;
    this.rootProperty = config.rootProperty ?? '';
    this.allowSingle = config.allowSingle ?? true;
    this.nameProperty = config.nameProperty ?? 'mapping';
    this.clientIdProperty = config.clientIdProperty ?? '';
    this.transform = config.transform;
  }

  /** The body of a write; undefined where it has none. */
  write(request: ProxyRequest): unknown {
    const { action, operation, bulk } = request;
    if (action === 'read' || operation.records.length === 0) return undefined;
    // The address names the record; where it does not, the body must (H7).
    if (action === 'destroy' && !bulk && request.written) return undefined;
    const rows = operation.records.map((record) =>
      action === 'destroy' ? this.idOnly(record) : this.row(record, request),
    );
    let body: unknown = rows.length === 1 && this.allowSingle && !bulk ? rows[0] : rows;
    if (this.transform) body = this.transform(body, request);
    if (this.rootProperty) {
      const wrapped: Data = {};
      writePath(wrapped, parsePath(this.rootProperty), body);
      return wrapped;
    }
    return body;
  }

  /** One record as a body carries it. */
  row(record: OperationRecord, request: ProxyRequest): Data {
    const create = request.action === 'create';
    const whole = create || (this.writeAllFields ?? request.method?.toUpperCase() !== 'PATCH');
    return whole ? this.wholeRow(record, create) : this.editedRow(record, request.bulk);
  }

  /** The row as received, with the edits written over it. */
  private wholeRow(record: OperationRecord, create: boolean): Data {
    const model = record[MODEL];
    const received = model.row(record);
    const edits = model.edits(record);
    const row: Data = this.undeclared ? { ...received } : {};
    for (const field of model.fields) {
      const { path } = field;
      if (!path) {
        if (field.persist && edits.has(field)) this.put(row, field, edits.get(field));
      } else if (!field.persist || (create && field === model.idField && !edits.has(field))) deletePath(row, path);
      else if (edits.has(field)) this.put(row, field, edits.get(field));
      else if (hasPath(received, path)) {
        if (!this.undeclared) writePath(row, path, readPath(received, path));
        if (this.nameProperty === 'name') this.rename(row, field);
      }
    }
    if (create) this.putClientId(row, record);
    return row;
  }

  private editedRow(record: OperationRecord, bulk: boolean): Data {
    const model = record[MODEL];
    const row: Data = {};
    if (bulk) Object.assign(row, this.idOnly(record));
    for (const [field, value] of model.edits(record)) if (field.persist) this.put(row, field, value);
    return row;
  }

  private idOnly(record: OperationRecord): Data {
    const { idField } = record[MODEL];
    const row: Data = {};
    if (this.nameProperty === 'name' || !idField.path) setMember(row, idField.name, record[MODEL].serverId(record));
    else writePath(row, idField.path, record[MODEL].serverId(record));
    return row;
  }

  private putClientId(row: Data, record: OperationRecord): void {
    const model = record[MODEL];
    const id = model.serverId(record);
    if (id === undefined) return;
    if (this.writeRecordId && !model.edits(record).has(model.idField)) this.put(row, model.idField, id);
    if (this.clientIdProperty) setMember(row, this.clientIdProperty, id);
  }

  private put(row: Data, field: WireField, value: unknown): void {
    const written = field.write(value, row);
    // A function mapping has no member of its own: its `serialize` gives the members to write.
    if (!field.path) {
      for (const [name, each] of Object.entries((written ?? {}) as Data)) setMember(row, name, each);
    } else if (this.nameProperty === 'mapping') writePath(row, field.path, written);
    else {
      deletePath(row, field.path);
      setMember(row, field.name, written);
    }
  }

  private rename(row: Data, field: WireField): void {
    const path = field.path as readonly string[];
    if (path.length === 1 && path[0] === field.name) return;
    const value = readPath(row, path);
    deletePath(row, path);
    setMember(row, field.name, value);
  }
}
