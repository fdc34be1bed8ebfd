import { providerMessages } from '../dev/texts.js';
import type { ConflictError } from '../errors/conflict-error.js';
import { AddressError, StateError } from '../errors/mistakes.js';
import { append, isSamePlace, isValidId, resolveUrl } from '../http/url.js';
import type { ModelType } from '../model/field.js';
import type { FieldDefinition } from '../model/field-definition.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { readRow } from '../model/read.js';
import { currentValue, inner, setValues } from '../model/record.js';
import { markFieldsUnconfirmed, markIncomplete } from '../model/settle.js';
import { CORE, DEFINITION, ROW } from '../model/symbols.js';
import type { RecordId } from '../operation/actions.js';
import type { Batch } from '../operation/batch.js';
import { Operation } from '../operation/operation.js';
import { idFieldsOf, MODEL, writeId } from '../operation/operation-record.js';
import { willBeConditional } from '../operation/proxy-request.js';
import type { NextPage } from '../operation/result-set.js';
import { readUrl } from '../proxy/address.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import { idKeyOf } from '../store/id-index.js';
import { innerStore } from '../store/inner-store.js';
import { Query, type QueryConfig } from '../store/query.js';
import { Store } from '../store/store.js';
import { readByIds } from '../sync/read-by-ids.js';
import { idOfValues, partsOfText } from '../util/composite-id.js';
import type { Data } from '../util/data-path.js';
import { idKey } from '../util/id-key.js';
import { isSame } from '../util/values.js';
import { BulkFailure } from './bulk-failure.js';
import type { CallRequest, UpdateBasis } from './call-request.js';
import { KnownRows } from './known-rows.js';
import { plainRow } from './plain-row.js';
import { unsentConflict } from './unsent-conflict.js';

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
export type ListQuery = Pick<QueryConfig<Model>, 'search'> & {
  readonly sorters?: readonly object[];
  readonly filters?: readonly object[];
};

/** The most tokens of pages that are remembered. */
const MOST_TOKENS = 1000;

/** Reads and writes the records of a model for a library that holds plain objects. */
export class Resource {
  private readonly known: KnownRows = new KnownRows();
  /** The ends of the last writes of records, by the keys of their ids. */
  private readonly lanes: Map<string, Promise<void>> = new Map();
  /** The tokens of pages, by query and number, for servers that give them with the page before only. */
  private readonly tokens: Map<string, NextPage | undefined> = new Map();

  constructor(readonly model: ModelType<Model>) {}

  get definition(): ModelDefinition {
    return innerModel(this.model)[DEFINITION];
  }

  /** The names of fields in braces in the address of the collection. */
  get addressNames(): readonly string[] {
    const { api, url, baseUrl } = this.model.proxy as Partial<Pick<AjaxProxy, 'api' | 'url' | 'baseUrl'>>;
    const address = `${baseUrl ?? ''}${readUrl(api?.list) || readUrl(api?.read) || url}`;
    return [...address.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name as string);
  }

  /** The path of the model's base address, if an address is below it; '' for another path of the same server, undefined for another server. */
  basePathOf(url: string): string | undefined {
    const { baseUrl, url: own = '' } = this.model.proxy as Partial<Pick<AjaxProxy, 'url' | 'baseUrl'>>;
    const target = resolveUrl(url, baseUrl);
    const base = baseUrl ? resolveUrl('', baseUrl) : resolveUrl(own.replace(/\{[^{}]*\}/g, '_'), undefined);
    if (!isSamePlace(target, base)) return undefined;
    return baseUrl && target.pathname.startsWith(append(base.pathname, '/', '')) ? base.pathname : '';
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
    const config = { ...query, ...asked } as QueryConfig<Model>;
    const checked = Query.of(this.model, config);
    const store = new Store({ model: this.model, pageSize, query: checked, remoteSort: true, remoteFilter: true });
    const request = { ...(headers && { headers }), ...(signal && { signal }) };
    try {
      if (!this.hasTokensOnly) await store.load({ ...request, ...(pageSize > 0 && { page }) });
      else if (!(await this.loadByToken(store, page, `${checked.key} ${pageSize}`, request)))
        return { rows: [], total: store.total, hasMore: false };
      const rows = [...store].map((record) => this.take(record, call));
      // Only a store that has read the pages before knows that a short page is the last one.
      const isLast = page > 1 && rows.length < pageSize && !this.hasTokensOnly && !nextOf(store);
      return { rows, total: store.total, hasMore: store.hasMore && !isLast };
    } finally {
      store.dispose();
    }
  }

  async one(id: unknown, call: CallRequest): Promise<Data> {
    return this.take(await innerModel(this.model).load(this.toId(id) as RecordId, call), call);
  }

  /** Reads the records of ids; those that the server does not have are left out, and empty references, which are no ids. */
  async many(ids: readonly unknown[], call: CallRequest): Promise<Data[]> {
    const { fields: _, ...request } = call;
    const given = ids.filter((id) => id !== undefined && id !== null && id !== '');
    const asked = new Map(given.map((id) => [idKeyOf(this.toId(id)), this.toId(id) as RecordId]));
    const found = await readByIds(this.model, asked, { request });
    return [...asked.keys()].flatMap((key) => {
      const record = found.get(key);
      return record ? [this.take(record, call)] : [];
    });
  }

  async create(values: object, call: CallRequest): Promise<Data> {
    const record = this.newRecord(values);
    await record.save(requestOf(call));
    return this.take(record, call);
  }

  /**
   * Saves the values that differ from those before. Nothing is sent if none differs. Rejects with `StateError` if nobody knows what differs,
   * because the record was not read here and the library does not say what it had before.
   */
  async update(id: unknown, values: object, basis: UpdateBasis, call: CallRequest): Promise<Data> {
    const { before, overwrites } = basis;
    const known = this.toId(id);
    return this.inTurn([known], call, async () => {
      const record = overwrites
        ? this.setAll(this.recordOf(known), values as Data)
        : await (before
            ? this.toUpdate(known, values as Data, before as Data, call)
            : this.toUpdateNewest(known, values as Data, call));
      if (record.dirty) return this.save(record, call);
      return { ...(this.known.find(this.keyOf(known, call), undefined)?.values ?? plainRow(record)) };
    });
  }

  /** Erases a record. Returns its values, as far as they are known. */
  async erase(id: unknown, before: object | undefined, call: CallRequest): Promise<Data> {
    const known = this.toId(id);
    return this.inTurn([known], call, async () => {
      const record = this.savedRecord(known, before as Data | undefined, call);
      const values = plainRow(record);
      await record.erase(requestOf(call));
      this.known.forget(this.keyOf(known, call));
      return values;
    });
  }

  /** Creates records. Rejects with `BulkFailure` if one of them could not be written. */
  async createAll(values: readonly object[], call: CallRequest): Promise<Data[]> {
    return this.writeAll([], call, (store) => store.add(...values.map((each) => this.newRecord(each))));
  }

  /** Saves the same values in records. Rejects with `BulkFailure` if one of them could not be written. */
  async updateAll(ids: readonly unknown[], values: object, call: CallRequest): Promise<Data[]> {
    return this.writeAll(ids, call, (store) => {
      const records = this.placeRecords(store, ids, call);
      const fields = Object.keys(values).flatMap((name) => this.definition.field(name) ?? []);
      for (const record of records) {
        // The rows that are known may be old: a value is sent although they have it.
        markFieldsUnconfirmed(inner(record), fields);
        this.setAll(record, values as Data);
      }
      return records;
    });
  }

  /** Erases records. Rejects with `BulkFailure` if one of them could not be erased. */
  async eraseAll(ids: readonly unknown[], call: CallRequest): Promise<void> {
    await this.writeAll(ids, call, (store) => store.remove(...this.placeRecords(store, ids, call)));
  }

  /** The records of ids. An id that is given twice means one record. */
  private placeRecords(store: Store<Model>, ids: readonly unknown[], call: CallRequest): readonly Model[] {
    const different = new Map(ids.map((id) => [idKey(this.toId(id)), this.toId(id)]));
    return store.setRecords([...different.values()].map((id) => this.savedRecord(id, undefined, call)));
  }

  /** Writes the changes that `change` makes in a store, and returns the rows of its records. */
  private writeAll(
    ids: readonly unknown[],
    call: CallRequest,
    change: (store: Store<Model>) => readonly Model[],
  ): Promise<Data[]> {
    const known = ids.map((id) => this.toId(id));
    return this.inTurn(known, call, () => this.writeStore(call, change));
  }

  private async writeStore(call: CallRequest, change: (store: Store<Model>) => readonly Model[]): Promise<Data[]> {
    const { params, headers, signal, pathParams } = call;
    const query = Query.of(this.model, pathParams ? { pathParams } : {});
    const store = new Store({ model: this.model, pageSize: 0, query });
    try {
      const records = change(store);
      const edited = new Map(records.map((record) => [record, editedNames(record)]));
      const batch: Batch<Model> = await store.sync({ params, headers, signal });
      for (const { record, error } of batch.outcomes) {
        if (error) continue;
        if (record.erased) this.known.forget(this.keyOf(record.getId(), call));
        else this.take(record, call, edited.get(record) ?? []);
      }
      if (batch.failures.length > 0) throw new BulkFailure(batch, records);
      return records.map((record) => plainRow(record));
    } finally {
      store.dispose();
    }
  }

  /** Runs a write of records when the earlier writes of these records have ended: a later value must not arrive first. */
  private async inTurn<T>(ids: readonly unknown[], call: CallRequest, write: () => Promise<T>): Promise<T> {
    const { lanes } = this;
    const keys = new Set(ids.map((id) => this.keyOf(id, call)));
    const earlier = [...keys].flatMap((key) => lanes.get(key) ?? []);
    const result = earlier.length > 0 ? Promise.all(earlier).then(write) : write();
    const ended = result.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) lanes.set(key, ended);
    try {
      return await result;
    } finally {
      for (const key of keys) if (lanes.get(key) === ended) lanes.delete(key);
    }
  }

  /** Saves a record, and returns its values. */
  private async save(record: Model, call: CallRequest): Promise<Data> {
    const key = this.keyOf(inner(record)[MODEL].serverId(inner(record)), call);
    const saved = editedNames(record);
    await record.save(requestOf(call));
    // The record may have got another id.
    if (this.keyOf(record.getId(), call) !== key) this.known.forget(key);
    return this.take(record, call, saved);
  }

  /** The record with the values that differ from those that the library has shown. */
  private async toUpdate(id: unknown, values: Data, before: Data, call: CallRequest): Promise<Model> {
    const key = this.keyOf(id, call);
    const changed = Object.entries(values).filter(([name, value]) => !isSame(value, before[name]));
    const edits = Object.fromEntries(changed);
    const [shown, newest] = [this.known.find(key, before), this.known.find(key, undefined)];
    const isOwn = shown !== undefined && this.known.isOwnSince(key, shown);
    if (shown && !isOwn && this.isGuarded(shown.row)) return this.setChanged(this.recordOf(id, shown.row), edits);
    // Without a version, the server would not notice that somebody else has changed the row since it was shown.
    const record = shown ? this.recordOf(id, newest?.row) : await this.readAgain(id, call);
    const present = plainRow(record);
    this.setChanged(record, edits);
    // A response to a save of the user may have brought what others have saved.
    const others = this.known.changedFields(key);
    const isTheirs = (name: string) => !isSame(present[name], before[name]) && (!isOwn || others.has(name));
    const newer = changed.filter(([name, value]) => isTheirs(name) && !isSame(present[name], value));
    if (newer.length === 0) return record;
    throw this.conflict(record, Object.fromEntries(newer.map(([name]) => [name, before[name]])), call);
  }

  /** Whether the server refuses an update of a row that is older than its own. */
  private isGuarded(row: Data): boolean {
    return willBeConditional(inner(innerModel(this.model).fromRow(row)), 'update', this.model.proxy);
  }

  /** The record of the newest row, with the values that differ from it. Which of the rows that were read the library has shown is not known. */
  private async toUpdateNewest(id: unknown, values: Data, call: CallRequest): Promise<Model> {
    const key = this.keyOf(id, call);
    const newest = this.known.latest(key);
    const record = newest && (newest.row ? this.recordOf(id, newest.row) : await this.readAgain(id, call));
    if (!record) {
      const params = { model: this.definition.name, id };
      throw new StateError('foreign', 'provider-unread', params, {
        messages: { ...providerMessages, ...this.definition.messages },
      });
    }
    this.setChanged(record, values);
    const changed = this.known.changedFields(key);
    const edited = editedNames(record);
    const newer = edited.filter((name) => changed.has(name));
    if (newer.length === 0) return record;
    const before = newer.map((name) => [name, this.known.valueBefore(key, name)]);
    // The user knows of it from now on.
    this.known.told(key);
    throw this.conflict(record, Object.fromEntries(before), call);
  }

  private conflict(record: Model, before: Data, call: CallRequest): ConflictError {
    const id = inner(record)[MODEL].serverId(inner(record));
    // A merge may leave nothing to save.
    const save = () => this.inTurn([id], call, async () => (record.dirty ? this.save(record, call) : undefined));
    return unsentConflict({ record: inner(record), before, save });
  }

  private async readAgain(id: unknown, call: CallRequest): Promise<Model> {
    const { definition } = this;
    const operation = new Operation({ ...requestOf(call), action: 'read', id, model: definition });
    const record = innerModel(this.model).fromRow(await readRow(definition, this.model.proxy, operation));
    this.take(record, requestOf(call));
    return record;
  }

  /** A saved record: of the row that the library has shown, or else of the id alone. */
  private savedRecord(id: unknown, before: Data | undefined, call: CallRequest): Model {
    return this.recordOf(id, this.known.find(this.keyOf(id, call), before)?.row);
  }

  /** A saved record of a row, or of the id alone. */
  private recordOf(id: unknown, known?: Data): Model {
    const Class = innerModel(this.model);
    if (known) return Class.fromRow(known);
    // Without an id, a request would name the collection.
    if (!isValidId(id)) throw new AddressError('id-missing', { action: 'write', model: this.definition.name });
    const row: Data = {};
    writeId(row, this.definition, id);
    const record = Class.fromRow(row);
    markIncomplete(inner(record));
    return record;
  }

  /** Sets the values that differ from those of the record. */
  private setChanged(record: Model, values: Data): Model {
    const present = plainRow(record);
    const changed = Object.entries(values).filter(([name, value]) => !isSame(present[name], value));
    return this.setAll(record, Object.fromEntries(changed));
  }

  /** Sets values, whatever the record has. */
  private setAll(record: Model, values: Data): Model {
    setValues(inner(record), this.withoutSameId(values, record));
    return record;
  }

  /** A new record: without the values that only the model or the server makes. The id of a copied record is such a value, unless ids are made here. */
  private newRecord(values: object): Model {
    const { definition, model } = this;
    const ids = new Set<unknown>(idFieldsOf(definition));
    const { naturalId, idParts } = definition;
    const makesIds = naturalId || idParts !== undefined || model.proxy.writer.writeRecordId;
    const isOwn = ([name, value]: [string, unknown]) => {
      const field = definition.field(name);
      if (value === undefined || (name === 'id' && !field)) return false;
      return field?.writable !== false && (makesIds || !ids.has(field));
    };
    return new (innerModel(model))(Object.fromEntries(Object.entries(values).filter(isOwn)), { phantom: true });
  }

  /** The values without the id, unless that is to be changed. */
  private withoutSameId(values: Data, record: Model): Data {
    const { definition } = this;
    const { idField, idParts } = definition;
    const ids = new Set(idFieldsOf(definition) as readonly FieldDefinition[]);
    const entries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
      const field = definition.field(name);
      if (field ? !ids.has(field) : name !== 'id') return [[name, value]];
      const present = field ? currentValue(inner(record), field) : record.getId();
      if (value === undefined || value === null || idKey(value) === idKey(present)) return [];
      return [[field || idParts ? name : idField.name, value]];
    });
    return Object.fromEntries(entries);
  }

  /** Remembers the row of a record, and returns its values. `saved` are the fields that the library has saved. */
  private take(record: Model, call: CallRequest, saved?: readonly string[]): Data {
    const values = plainRow(record);
    // Rows with some of the fields must not stand for whole ones.
    const row = call.fields ? undefined : inner(record)[ROW];
    this.known.remember(this.keyOf(record.getId(), call), { row, values }, saved);
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
    return idOfValues(parts.map((part, at) => idParts[at]?.read(part) ?? idField.read(part)));
  }

  /** Whether pages have no numbers: the server gives a token for the next one. */
  private get hasTokensOnly(): boolean {
    const { tokenParam, pageParam } = this.model.proxy as Partial<Pick<AjaxProxy, 'tokenParam' | 'pageParam'>>;
    return Boolean(tokenParam) && !pageParam;
  }

  /** Loads a page, after those before it whose tokens are not known. Resolves with whether there is such a page. */
  private async loadByToken(
    store: Store<Model>,
    page: number,
    key: string,
    request: Pick<CallRequest, 'headers' | 'signal'>,
  ): Promise<boolean> {
    let at = page;
    while (at > 1 && !this.tokens.has(`${key} ${at}`)) at -= 1;
    for (; ; at += 1) {
      const next = at > 1 ? this.tokens.get(`${key} ${at}`) : undefined;
      if (at > 1 && !next) return false;
      await store.load({ ...request, page: at, ...(next && { next }) });
      if (this.tokens.size >= MOST_TOKENS) this.tokens.clear();
      this.tokens.set(`${key} ${at + 1}`, nextOf(store));
      if (at === page) return true;
    }
  }
}

/** The next page as the response to the last load of a store gave it. */
function nextOf(store: Store<Model>): NextPage | undefined {
  return innerStore(store).lastLoad?.resultSet?.next ?? undefined;
}

function editedNames(record: Model): readonly string[] {
  return [...(inner(record)[CORE]?.edits?.keys() ?? [])].map(({ name }) => name);
}

/** The options of a request for one record. */
function requestOf({ fields: _, ...request }: CallRequest): Omit<CallRequest, 'fields'> {
  return request;
}
