import type { CallbackOptions } from '../model/action-options.js';
import type { Fields, ModelType } from '../model/field.js';
import { Model } from '../model/model.js';
import type { RecordId } from '../operation/actions.js';
import { Operation, type OperationConfig } from '../operation/operation.js';
import { MODEL, type OperationRecord, type RecordModel } from '../operation/operation-record.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/** A record of the contract's model, whose fields are known at run time only. */
export interface ContractRecord extends Model {
  get(name: string): unknown;
  set(name: string, value: unknown): this;
}

/** The contract's model, bound to the proxy under test. */
export interface ContractModel extends ModelType<ContractRecord> {
  new (data?: object): ContractRecord;
  load(id: RecordId, options?: CallbackOptions<ContractRecord>): Promise<ContractRecord>;
  fromRow(row: object): ContractRecord;
}

/** Description of the collection under test. */
export interface CollectionOptions {
  readonly fields: Fields;
  readonly idProperty: string;
  readonly values: (n: number) => Record<string, unknown>;
  readonly text: string;
  readonly number: string;
  readonly paging: boolean;
}

/** The context of one contract test: a proxy, models bound to it, and the records that the test created. */
export class Fixture {
  /** All fields. */
  readonly Row: ContractModel;
  /** The id and the text field only. */
  readonly Narrow: ContractModel;
  readonly model: RecordModel;
  private readonly made: ContractRecord[] = [];

  constructor(
    readonly proxy: DataProxy,
    readonly options: CollectionOptions,
  ) {
    const { fields, idProperty, text } = options;
    const define = (some: Fields) => Model.define({ name: 'contract', fields: some, idProperty, proxy }) as unknown;
    this.Row = define(fields) as ContractModel;
    this.Narrow = define(
      Object.fromEntries(Object.entries(fields).filter(([name]) => name === idProperty || name === text)),
    ) as ContractModel;
    this.model = (this.Row.prototype as OperationRecord)[MODEL];
  }

  /** The text of the nth record. */
  text(n: number): unknown {
    return this.options.values(n)[this.options.text];
  }

  /** The number of the nth record. */
  number(n: number): unknown {
    return this.options.values(n)[this.options.number];
  }

  /** Builds the nth record without saving it. */
  build(n: number): ContractRecord {
    const record = new this.Row(this.options.values(n));
    this.made.push(record);
    return record;
  }

  /** Builds and saves the nth record. */
  async create(n: number): Promise<ContractRecord> {
    return await this.build(n).save();
  }

  /** Creates several records one after the other, so that their order in the collection is known. */
  async createAll(...numbers: readonly number[]): Promise<ContractRecord[]> {
    const records: ContractRecord[] = [];
    for (const n of numbers) records.push(await this.create(n));
    return records;
  }

  /** The id of a saved record. */
  id(record: ContractRecord): RecordId {
    return record.getId() as RecordId;
  }

  read(query: Omit<OperationConfig, 'action'> = {}): Promise<ResultSet> {
    return this.proxy.read(new Operation({ action: 'read', model: this.model, ...query }));
  }

  /** Reads a page in the way stores do. */
  page(page: number, limit: number, query: Omit<OperationConfig, 'action'> = {}): Promise<ResultSet> {
    if (!this.options.paging) return this.read(query);
    return this.read({ page, start: (page - 1) * limit, limit, ...query });
  }

  /** The current row of a record in the source. */
  async row(record: ContractRecord): Promise<object> {
    const { rows } = await this.read({ id: this.id(record) });
    return rows[0] as object;
  }

  /** The ids of the whole collection, as text. Reads pages until one has no new id. */
  async ids(): Promise<Set<string>> {
    const found = new Set<string>();
    for (let page = 1; ; page++) {
      const before = found.size;
      // Some servers respond with an error to a page after the last one.
      const { rows } = await this.page(page, 50).catch((error) => {
        if (page === 1) throw error;
        return { rows: [] };
      });
      for (const row of rows) found.add(String(this.model.rowId(row)));
      if (found.size === before || !this.options.paging) return found;
    }
  }

  /** Whether the collection holds a record. */
  async holds(record: ContractRecord): Promise<boolean> {
    return (await this.ids()).has(String(this.id(record)));
  }

  /** Erases all records that the test created, so that the collection is as before the test. */
  async end(): Promise<void> {
    for (const record of this.made) {
      if (!record.phantom && !record.erased) await record.erase().catch(() => undefined);
    }
  }
}
