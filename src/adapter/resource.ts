import { ConflictError } from '../errors/conflict-error.js';
import type { HttpResponse } from '../http/http-response.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelType } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { readRow } from '../model/read.js';
import { inner, setValues } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import { markIncomplete } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import { Operation } from '../operation/operation.js';
import { idFieldsOf, writeId } from '../operation/operation-record.js';
import type { NextPage } from '../operation/result-set.js';
import { readUrl } from '../proxy/address.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { idKeyOf } from '../store/id-index.js';
import { bulkForm } from '../store/parts/bulk-form.js';
import { Query, type QueryConfig } from '../store/query.js';
import { Store } from '../store/store.js';
import type { StoreObserver } from '../store/store-observer.js';
import { readByIds } from '../sync/read-by-ids.js';
import { compositeId, partsOfText } from '../util/composite-id.js';
import type { Data } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { isSame } from '../util/values.js';
import type { CallRequest } from './call-request.js';
import { KnownRows } from './known-rows.js';
import { plainRow } from './plain-row.js';

/** A page of a list. */
export interface ListedRows {
  readonly rows: Data[];
  /** Number of rows of the whole list; undefined if the server does not tell it. */
  readonly total: number | undefined;
  /** Whether the server may have rows behind these. */
  readonly hasMore: boolean;
}

/** The page to read. */
export interface PageNumber {
  /** The first page is 1. */
  readonly page: number;
  /** Number of rows; 0 for all. */
  readonly pageSize: number;
}

/** Conditions, order and search of a list, which `Query.of` checks. */
export type ListQuery = Pick<QueryConfig<BaseModel>, 'search'> & {
  readonly sorters?: readonly object[];
  readonly filters?: readonly object[];
};

/** Writes several records, in one request where the proxy allows it. */
class WritingStore extends Store<BaseModel> {
  static override readonly parts: readonly StoreObserver[] = [bulkForm];
}

/** The most tokens of pages that are remembered. */
const MOST_TOKENS = 1000;

/** Reads and writes the records of a model for a library that holds plain objects. */
export class Resource {
  private readonly known: KnownRows = new KnownRows();
  /** The tokens of pages, by query and number, for servers that give them with the page before only. */
  private readonly tokens: Map<string, NextPage | undefined> = new Map();

  constructor(readonly model: ModelType<BaseModel>) {}

  get definition(): ModelDefinition {
    return innerModel(this.model)[DEFINITION];
  }

  /** The names of fields in braces in the address of the collection. */
  get addressNames(): readonly string[] {
    const { api, url, baseUrl } = this.model.proxy as Partial<Pick<AjaxProxy, 'api' | 'url' | 'baseUrl'>>;
    const address = `${baseUrl ?? ''}${readUrl(api?.list) || readUrl(api?.read) || url}`;
    return [...address.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
  }

  /** The property that a library means: `id` is the id of every record, whatever its field is called. */
  propertyOf(name: string): string {
    return name === 'id' && !this.definition.field('id') ? this.definition.idField.name : name;
  }

  /** Sorters for a property, which for an id of several fields are several. */
  sortersOf(name: string, direction: 'ASC' | 'DESC'): object[] {
    const { idParts, idField } = this.definition;
    const property = this.propertyOf(name);
    const names = idParts && property === idField.name ? idParts.map((part) => part.name) : [property];
    return names.map((each) => ({ property: each, direction }));
  }

  /** Reads a page. Rejects with `UnsupportedQueryError`, before anything is sent, for a query that the model or the dialect cannot express. */
  async list(query: ListQuery, { page, pageSize }: PageNumber, call: CallRequest): Promise<ListedRows> {
    const { headers, signal, ...asked } = call;
    const config = { ...query, ...asked } as QueryConfig<never>;
    const checked = Query.of(this.model, config as never);
    const store = new Store({ model: this.model, pageSize, query: checked, remoteSort: true, remoteFilter: true });
    const request = { ...(headers && { headers }), ...(signal && { signal }) };
    let hasNext = this.hasTokensOnly;
    const success = (_: unknown, { resultSet }: Operation) => {
      hasNext = Boolean(resultSet?.next);
    };
    try {
      if (!this.hasTokensOnly) await store.load({ ...request, ...(pageSize > 0 && { page }), success });
      else if (!(await this.loadByToken(store, page, `${checked.key} ${pageSize}`, request)))
        return { rows: [], total: store.totalCount, hasMore: false };
      const rows = [...store].map((record) => this.take(record, call));
      // Only a store that has read the pages before knows that a short page is the last one.
      const isLast = page > 1 && rows.length < pageSize && !hasNext;
      return { rows, total: store.totalCount, hasMore: store.hasMore && !isLast };
    } finally {
      store.dispose();
    }
  }

  async one(id: unknown, call: CallRequest): Promise<Data> {
    return this.take(await innerModel(this.model).load(this.toId(id) as RecordId, call), call);
  }

  /** Reads the records of ids; those that the server does not have are left out. */
  async many(ids: readonly unknown[], call: CallRequest): Promise<Data[]> {
    const { fields: _, ...request } = call;
    const asked = new Map(ids.map((id) => [idKeyOf(this.toId(id)), this.toId(id) as RecordId]));
    const found = await readByIds(this.model, asked, { request });
    return [...asked.keys()].flatMap((key) => {
      const record = found.get(key);
      return record ? [this.take(record, call)] : [];
    });
  }

  async create(values: object, call: CallRequest): Promise<Data> {
    const record = new this.model(this.newValues(values));
    await record.save(requestOf(call));
    return this.take(record, call);
  }

  /**
   * Saves the values that differ from those before, which the library got with the row; undefined: it does not have them. Nothing is sent if
   * none differs.
   */
  async update(id: unknown, values: object, before: object | undefined, call: CallRequest): Promise<Data> {
    const record = await this.toUpdate(this.toId(id), values as Data, before as Data | undefined, call);
    if (record.dirty) await record.save(requestOf(call));
    return this.take(record, call);
  }

  /** Erases a record. Returns its values, as far as they are known. */
  async erase(id: unknown, before: object | undefined, call: CallRequest): Promise<Data> {
    const record = this.savedRecord(this.toId(id), before as Data | undefined, call);
    const values = plainRow(record);
    await record.erase(requestOf(call));
    this.known.forget(this.keyOf(this.toId(id), call));
    return values;
  }

  /** Creates records. Rejects with `BatchError` if one of them could not be written. */
  async createAll(values: readonly object[], call: CallRequest): Promise<Data[]> {
    return this.writeAll(call, (store) => store.add(...(values.map((each) => this.newValues(each)) as never[])));
  }

  /** Saves the same values in records. Rejects with `BatchError` if one of them could not be written. */
  async updateAll(ids: readonly unknown[], values: object, call: CallRequest): Promise<Data[]> {
    return this.writeAll(call, (store) => {
      const records = this.placeRecords(store, ids, call);
      for (const record of records) this.setChanged(record, values as Data);
      return records;
    });
  }

  /** Erases records. Rejects with `BatchError` if one of them could not be erased. */
  async eraseAll(ids: readonly unknown[], call: CallRequest): Promise<void> {
    await this.writeAll(call, (store) => store.remove(...this.placeRecords(store, ids, call)));
  }

  private placeRecords(store: Store<BaseModel>, ids: readonly unknown[], call: CallRequest): readonly BaseModel[] {
    return store.setRecords(ids.map((id) => this.savedRecord(this.toId(id), undefined, call)));
  }

  /** Writes the changes that `change` makes in a store, and returns the rows of its records. */
  private async writeAll(
    call: CallRequest,
    change: (store: Store<BaseModel>) => readonly BaseModel[],
  ): Promise<Data[]> {
    const { params, headers, signal, pathParams } = call;
    const query = Query.of(this.model, pathParams ? { pathParams } : {});
    const store = new WritingStore({ model: this.model, pageSize: 0, query });
    try {
      const records = change(store);
      const batch: Batch<BaseModel> = await store.sync({ params, headers, signal });
      for (const { record, error } of batch.outcomes) {
        if (error) continue;
        if (record.erased) this.known.forget(this.keyOf(record.getId(), call));
        else this.take(record, call);
      }
      batch.orThrow();
      return records.map((record) => plainRow(record));
    } finally {
      store.dispose();
    }
  }

  /** The record of the row that the library has shown, with the values that differ from it. */
  private async toUpdate(id: unknown, values: Data, before: Data | undefined, call: CallRequest): Promise<BaseModel> {
    const isShown = !before || this.known.find(this.keyOf(id, call), before) !== undefined;
    if (isShown) {
      const record = this.savedRecord(id, before, call);
      this.setChanged(record, values);
      return record;
    }
    const changed = Object.entries(values).filter(([name, value]) => !isSame(value, before[name]));
    const { record, response } = await this.readAgain(id, call);
    const present = plainRow(record);
    const row = inner(record)[ROW];
    this.setChanged(record, Object.fromEntries(changed));
    // The library has shown another value than the server has now: somebody else may have changed it.
    const isNewer = changed.some(
      ([name, value]) => !isSame(present[name], before[name]) && !isSame(present[name], value),
    );
    if (isNewer) {
      const mine = { ...row, ...Object.fromEntries(changed) };
      const options = { response: { ...response, status: 412 }, base: before, mine, theirs: row };
      throw new ConflictError('conflict-unsent', modelAndId(inner(record)), options);
    }
    return record;
  }

  private async readAgain(
    id: unknown,
    call: CallRequest,
  ): Promise<{ readonly record: BaseModel; readonly response: HttpResponse }> {
    const { definition } = this;
    const { proxy } = this.model;
    const operation = new Operation({ ...requestOf(call), action: 'read', id, model: definition });
    const row = await readRow(definition, proxy, operation);
    const record = innerModel(this.model).fromRow(row);
    this.take(record, call);
    return { record, response: operation.response as HttpResponse };
  }

  /** A saved record: of the row that the library has shown, or else of the id alone. */
  private savedRecord(id: unknown, before: Data | undefined, call: CallRequest): BaseModel {
    const Class = innerModel(this.model);
    const known = this.known.find(this.keyOf(id, call), before);
    if (known) return Class.fromRow(known.row);
    const row: Data = {};
    writeId(row, this.definition, id);
    const record = Class.fromRow(row);
    markIncomplete(inner(record));
    return record;
  }

  private setChanged(record: BaseModel, values: Data): void {
    const present = plainRow(record);
    const isChanged = ([name, value]: [string, unknown]) => !isSame(present[name], value);
    // Nobody knows which values a row has that was not read.
    const isRead = !inner(record)[CORE]?.incomplete;
    const given = Object.entries(this.withoutId(values));
    setValues(inner(record), Object.fromEntries(isRead ? given.filter(isChanged) : given));
  }

  /** The values for a new record: without those that only the model or the server makes. */
  private newValues(values: object): object {
    const given = Object.entries(this.definition.field('id') ? values : this.withoutId(values as Data));
    const isOwn = ([name, value]: [string, unknown]) =>
      value !== undefined && this.definition.field(name)?.writable !== false;
    return Object.fromEntries(given.filter(isOwn));
  }

  /** The values without `id`, if that is no field, and without an id that is not to be changed. */
  private withoutId(values: Data): Data {
    const ids = new Set<FieldDefinition | undefined>(idFieldsOf(this.definition) as readonly FieldDefinition[]);
    return Object.fromEntries(
      Object.entries(values).filter(([name]) => {
        const field = this.definition.field(name);
        return name === 'id' ? field !== undefined && !ids.has(field) : !ids.has(field);
      }),
    );
  }

  /** Remembers the row of a record, and returns its values. */
  private take(record: BaseModel, call: CallRequest): Data {
    const values = plainRow(record);
    // Rows with some of the fields must not stand for whole ones.
    if (!call.fields) this.known.remember(this.keyOf(record.getId(), call), { row: inner(record)[ROW], values });
    return values;
  }

  private keyOf(id: unknown, { pathParams = {} }: CallRequest): string {
    return `${idKey(id)} ${JSON.stringify(pathParams)}`;
  }

  /** The id that a library gave, perhaps from an address: a text of its parts for an id of several fields. */
  private toId(id: unknown): unknown {
    const { idParts, idField } = this.definition;
    if (typeof id !== 'string') return id;
    if (!idParts) return this.definition.idFromText(id);
    const parts = partsOfText(id);
    return compositeId(parts.map((part, at) => idParts[at]?.read(part) ?? idField.read(part)));
  }

  /** Whether pages have no numbers: the server gives a token for the next one. */
  private get hasTokensOnly(): boolean {
    const { tokenParam, pageParam } = this.model.proxy as Partial<Pick<AjaxProxy, 'tokenParam' | 'pageParam'>>;
    return Boolean(tokenParam) && !pageParam;
  }

  /** Loads a page, after those before it whose tokens are not known. Resolves with whether there is such a page. */
  private async loadByToken(
    store: Store<BaseModel>,
    page: number,
    key: string,
    request: Pick<CallRequest, 'headers' | 'signal'>,
  ): Promise<boolean> {
    let at = page;
    while (at > 1 && !this.tokens.has(`${key} ${at}`)) at -= 1;
    for (; ; at += 1) {
      const next = at > 1 ? this.tokens.get(`${key} ${at}`) : undefined;
      if (at > 1 && !next) return false;
      let following: NextPage | undefined;
      const success = (_: unknown, { resultSet }: Operation) => {
        following = resultSet?.next ?? undefined;
      };
      await store.load({ ...request, page: at, ...(next && { next }), success });
      if (this.tokens.size >= MOST_TOKENS) this.tokens.clear();
      this.tokens.set(`${key} ${at + 1}`, following);
      if (at === page) return true;
    }
  }
}

/** The options of a request for one record. */
function requestOf({ fields: _, ...request }: CallRequest): Omit<CallRequest, 'fields'> {
  return request;
}
