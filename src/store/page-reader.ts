import { StateError } from '../errors/mistakes.js';
import { notesOf, setNotes } from '../extension/row-notes.js';
import type { Model } from '../model/model.js';
import type { InnerModel, ModelDefinition } from '../model/model-definition.js';
import { checkRows } from '../model/read.js';
import { inner } from '../model/record.js';
import type { RecordCore } from '../model/record-core.js';
import { markIncomplete, nextTime, settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { Having } from '../util/notifier.js';
import { copyPlain, isPlainObject, isTooDeep, MAX_DEPTH } from '../util/values.js';
import { type IdKey, idKeyOf } from './id-index.js';
import type { AnsweredRows } from './paging.js';
import type { RecordSet } from './record-set.js';
import type { StoreObserver } from './store-observer.js';

/** The response to a read, and when the read started, on the model's clock of reads and writes. */
export interface Page {
  readonly result: ResultSet;
  readonly startedAt: number;
  /** The same for other models, whose rows may come with the response; undefined outside of sessions. */
  readonly startTimes?: StartTimes | undefined;
  /** Whether the rows lack members that the server has. */
  readonly incomplete?: boolean | undefined;
}

/** When a read started, on the clocks of several models. */
export type StartTimes = ReadonlyMap<object, number>;

/** How a page is put into the store. */
export interface PageMode {
  /** Whether the records in place stay, and the page is added behind them. */
  readonly append: boolean;
  /** Whether the load asked for a part of the collection: then new records have no place among the rows. */
  readonly paged: boolean;
}

/** The records made or found so far for the rows of a page. */
export interface PageRecords<M extends Model> {
  readonly records: M[];
  /** Records of the page that have no place yet. */
  readonly unplaced: M[];
  /** Records that the store held before, or that came twice: two rows with the same id are one record. */
  readonly existing: Set<M>;
  /** Whether the store was empty and no row has come twice so far: then existing records need not be looked up. */
  allNew: boolean;
  /** The observers that follow added records. */
  readonly observers: Having<StoreObserver<M>, 'recordAdded'>;
}

/** Turns the rows of a response into records, and puts these in place. */
export class PageReader<M extends Model> {
  constructor(
    readonly recordSet: RecordSet<M>,
    private readonly model: ModelDefinition,
    private readonly Class: InnerModel<M>,
  ) {}

  /** Compares a response with the records in place; `intake` may have put its first rows in place already. */
  compare({ result, startedAt }: Page, intake: { readonly before: number | undefined } | undefined): AnsweredRows {
    const { recordSet } = this;
    return {
      countTogether: () => {
        const newRows = result.rows.filter((row) => !this.isInPlace(row as Data));
        return newRows.length + recordSet.inPlace().filter((record) => !record.phantom).length;
      },
      hasNewRow: () =>
        recordSet.count > (intake?.before ?? recordSet.count) ||
        result.rows.some((row) => {
          const id = this.model.rowId(row as Data);
          return !this.isErasedSince(id, startedAt) && !this.isInPlace(row as Data);
        }),
    };
  }

  /** Puts a page into the store, and returns its records. Records that the store holds keep their identity and their edits. */
  apply(page: Page, mode: PageMode): M[] {
    const { recordSet } = this;
    const { result, startedAt } = page;
    recordSet.isLoadingRows = true;
    // One reset for the whole page costs less than telling the views of each record.
    if (!mode.append) recordSet.tellLists('recordsReplaced');
    return this.take(result.rows as Data[], page, mode, (found) => {
      recordSet.findCopies(found.unplaced);
      if (mode.append) recordSet.placeNew(undefined, found.unplaced);
      else this.replaceRecords(found, startedAt, mode.paged);
      result.records = found.records;
    });
  }

  /** Makes records of rows, which the observers may replace by newer ones, and puts them where `put` says. Returns the records. */
  take(rows: Data[], page: Page, mode: PageMode, put: (found: PageRecords<M>) => void): M[] {
    const { observers } = this.recordSet;
    observers.tell('rowsComing', rows, page.startedAt);
    const found = this.applyRows(rows, page, mode);
    put(found);
    if (page.result.included) observers.tell('rowsIncluded', page, found.records);
    return found.records;
  }

  /** Replaces the records in place by the records of a response, and by the pending ones that stay. */
  private replaceRecords({ records, existing }: PageRecords<M>, startedAt: number, paged: boolean): void {
    const { recordSet } = this;
    const staying = recordSet.pendingRecords(
      (record) => this.staysInPlace(record, startedAt, paged) && !existing.has(record),
    );
    recordSet.replace(staying.length > 0 ? [...records, ...staying] : records);
  }

  /**
   * Replaces the records in place by records and rows, as if a response had brought them all. Returns the records, each of them once.
   * Before anything is changed, throws `StateError` for an item that is neither a record nor a row, for an erased record, and for a
   * record whose id another record has, and `ReadError` for a row that the reader of `proxy` refuses.
   */
  replaceAll(items: readonly unknown[], proxy: DataProxy | undefined): M[] {
    const { recordSet, model } = this;
    const page = { startedAt: nextTime(model), incomplete: proxy?.reader.rows === 'incomplete' };
    const isRecord = (each: unknown): each is M => each instanceof this.Class;
    const isItem = (each: unknown): each is M | Data => isRecord(each) || isPlainObject(each);
    if (!Array.isArray(items) || !items.every(isItem))
      throw new StateError('foreign', 'foreign-row', { model: model.name }, { messages: model.messages });
    if (items.some((each) => isTooDeep(each)))
      throw new StateError('foreign', 'foreign-depth', { most: MAX_DEPTH }, { messages: model.messages });
    if (proxy)
      for (const [index, each] of items.entries())
        if (!isRecord(each)) checkRows(model, proxy, [each as Data], index, 'given-field');
    // Rows of a response belong to the store alone, but the caller may change these.
    const given = items.map((each) => (isRecord(each) ? each : copyRow(each as Data)));
    const givenRecords = given.filter(isRecord);
    recordSet.checkIds(givenRecords);
    recordSet.observers.tell('checkAdded', givenRecords);
    recordSet.isLoadingRows = true;
    recordSet.tellLists('recordsReplaced');
    const found = this.startPage(false);
    try {
      for (const record of givenRecords) if (!recordSet.holds(record)) recordSet.addOffPage(record);
      const rows = given.filter((each): each is Data => !isRecord(each));
      recordSet.observers.tell('rowsComing', rows, undefined);
      for (const each of given)
        if (isRecord(each)) addRecord(each, found);
        else this.applyRow(each, page, false, found);
      this.replaceRecords(found, page.startedAt, false);
      return found.records;
    } catch (error) {
      for (const record of found.unplaced) recordSet.offPage.add(record);
      throw error;
    } finally {
      this.close();
    }
  }

  private startPage(allNew: boolean): PageRecords<M> {
    const observers = this.recordSet.observers.having('recordAdded');
    return { records: [], unplaced: [], existing: new Set(), allNew, observers };
  }

  /**
   * Turns rows into records one by one. This loop is a method of its own, because V8 discards the compiled code of a whole method, its
   * loop included, when a statement that runs once per page gets an object of a new shape.
   */
  private applyRows(rows: readonly Data[], page: Page, mode: PageMode): PageRecords<M> {
    const { recordSet } = this;
    const found = this.startPage(!mode.append && recordSet.index.isEmpty);
    try {
      for (const row of rows) this.applyRow(row, page, mode.append, found);
      return found;
    } catch (error) {
      // These records will not get a place, because one row threw: as off-page records they are released when the load ends.
      for (const record of found.unplaced) recordSet.offPage.add(record);
      throw error;
    }
  }

  /** Turns one row into a new record, or makes it the base of the record that has its id. */
  private applyRow(
    row: Data,
    { startedAt, incomplete }: Pick<Page, 'startedAt' | 'incomplete'>,
    append: boolean,
    found: PageRecords<M>,
  ): void {
    const { recordSet } = this;
    const { records, unplaced, existing } = found;
    const id = this.model.rowId(row);
    if (this.isErasedSince(id, startedAt)) return;
    const record = (found.allNew ? undefined : this.find(id)) ?? this.addNew(id, row, incomplete, found);
    if (!record) return;
    // Once a row has come twice, existing records must be looked up.
    found.allNew = false;
    const isRepeated = existing.has(record) || records[recordSet.rank(record)] === record;
    // A record without a place counts as off-page while its second row settles, so that no view follows it.
    if (append && isRepeated && !existing.has(record)) recordSet.offPage.add(record);
    settleRead(inner(record), row, startedAt, incomplete);
    if (isRepeated) return;
    existing.add(record);
    records.push(record);
    // The index found the record, so the store holds it.
    if (recordSet.offPage.has(record)) unplaced.push(record);
  }

  /** Ends a load: releases the off-page records that have nothing pending. */
  close(): void {
    const { recordSet } = this;
    recordSet.isLoadingRows = false;
    recordSet.tombstones.clear();
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /**
   * Makes a new record of a row, and adds it to the page. If no existing record was looked up, and a record of the page has the same id,
   * returns that record instead.
   */
  private addNew(id: unknown, row: Data, incomplete: boolean | undefined, found: PageRecords<M>): M | undefined {
    const { recordSet, model } = this;
    const { records, unplaced, allNew, observers } = found;
    const record = this.create(row, incomplete);
    if (!recordSet.addUnplaced(id, record, records.length) && allNew) {
      const first = records.find((each) => idKeyOf(model.rowId(inner(each)[ROW])) === idKeyOf(id)) as M;
      recordSet.index.addRow(id, first);
      return first;
    }
    for (const observer of observers) observer.recordAdded(record);
    records.push(record);
    unplaced.push(record);
    return undefined;
  }

  /** Whether the record of a row is in place. */
  private isInPlace(row: Data): boolean {
    const record = this.find(this.model.rowId(row));
    return record !== undefined && this.recordSet.isInPlace(record);
  }

  /** Whether the record with an id was erased after the read started. */
  private isErasedSince(id: unknown, startedAt: number): boolean {
    const { tombstones } = this.recordSet;
    return tombstones.size > 0 && (tombstones.get(idKeyOf(id) as IdKey) ?? 0) > startedAt;
  }

  /** Makes a record of a row. */
  private create(row: Data, incomplete: boolean | undefined): M {
    const record = this.Class.fromRow(row);
    if (incomplete) markIncomplete(inner(record));
    return record;
  }

  /** Finds the saved record with an id. */
  find(id: unknown): M | undefined {
    const record = id === undefined ? undefined : this.recordSet.index.getSaved(id);
    return record && inner(record)[CORE]?.phantom ? undefined : record;
  }

  /**
   * Whether a record stays in place although the response lacks it: a record created since the read started and, without pages, a new
   * record.
   */
  private staysInPlace(record: M, startedAt: number, paged: boolean): boolean {
    const core = inner(record)[CORE] as RecordCore;
    if (paged && !this.recordSet.isInPlace(record)) return false;
    return core.phantom ? !paged : core.createdAt > startedAt;
  }
}

/**
 * Makes records of rows that no list is to show. Records that the store did not hold before become off-page records, which it releases when
 * nothing keeps them.
 */
export function takeUnshown<M extends Model>(reader: PageReader<M>, rows: readonly Data[], page: Page): M[] {
  const { recordSet } = reader;
  const mode = { append: true, paged: true };
  return reader.take([...rows], page, mode, ({ unplaced }) => {
    for (const record of unplaced) recordSet.offPage.add(record);
  });
}

/** Copies a row at every depth, together with the notes about it. */
export function copyRow(row: Data): Data {
  const copy = copyPlain(row);
  setNotes(copy, notesOf(row));
  return copy;
}

/** Adds a record to the page, unless it is there already. */
function addRecord<M extends Model>(record: M, { existing, records }: PageRecords<M>): void {
  if (existing.has(record)) return;
  existing.add(record);
  records.push(record);
}
