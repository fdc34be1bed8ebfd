import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { coreOf, inner } from '../model/record.js';
import type { RecordCore } from '../model/record-core.js';
import { nextTime, settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { ResultSet } from '../operation/result-set.js';
import type { Data } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';
import { type IdKey, idKeyOf } from './id-index.js';
import type { Observers } from './observer-list.js';
import type { AnsweredRows } from './paging.js';
import type { RecordSet } from './record-set.js';

/** An answer, and when it was asked for. */
export interface Page {
  readonly result: ResultSet;
  readonly startedAt: number;
}

/** How a page is taken in. */
export interface PageMode {
  /** Whether what is in place stays. */
  readonly append: boolean;
  /** Whether the server counts the rows: new records then have no place among them. */
  readonly paged: boolean;
  /** Whether rows lack members. */
  readonly incomplete: boolean;
}

/** A model class, as far as rows need it. */
export interface RecordClass<M> {
  fromRow(row: object): M;
}

/** What has become of the rows of a page so far. */
interface TakenRows<M extends BaseModel> {
  readonly records: M[];
  /** Records that have no place yet. */
  readonly coming: M[];
  /** Records that the store had: two rows with one id are one record. */
  readonly known: Set<M>;
  /** Whether the store had no records, and no row has come twice so far: then no record is looked for. */
  allNew: boolean;
  /** The observers of new records. */
  readonly observers: Observers<M, 'recordAdded'>;
}

/** Puts the rows of an answer in place as records. */
export class PageReader<M extends BaseModel> {
  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly model: ModelDefinition,
    private readonly Class: RecordClass<M>,
  ) {}

  /** What an answer adds to the records in place; `intake` has taken its first rows in already. */
  compare({ result, startedAt }: Page, intake: { readonly before: number | undefined } | undefined): AnsweredRows {
    const { recordSet } = this;
    return {
      loaded: recordSet.count,
      countTogether: () => {
        const fresh = result.rows.filter((row) => !this.isInPlace(row as Data));
        return fresh.length + recordSet.inPlace().filter((record) => !record.phantom).length;
      },
      bringNewRow: () =>
        recordSet.count > (intake?.before ?? recordSet.count) ||
        result.rows.some((row) => {
          const id = this.model.rowId(row as Data);
          return !this.isErasedSince(id, startedAt) && !this.isInPlace(row as Data);
        }),
    };
  }

  /** Takes a page in; known records keep their identity and edits. Returns the records of the page. */
  take(page: Page, mode: PageMode): M[] {
    const { recordSet } = this;
    const { result, startedAt } = page;
    const rows = result.rows as Data[];
    recordSet.reading = true;
    // What follows is told of as a whole.
    if (!mode.append) recordSet.tell((view) => view.reset());
    recordSet.announceRows(rows);
    const taken = this.takeRows(rows, page, mode);
    if (mode.append) recordSet.enter(undefined, taken.coming);
    else this.putInPlace(taken, startedAt, mode.paged);
    return (result.records = taken.records) as M[];
  }

  /** Puts the records of an answer in place of those that are there, with the pending ones that stay. */
  private putInPlace({ records, known }: TakenRows<M>, startedAt: number, paged: boolean): void {
    const { recordSet } = this;
    const kept = recordSet.pendingRecords((record) => this.stays(record, startedAt, paged) && !known.has(record));
    recordSet.replace(kept.length > 0 ? [...records, ...kept] : records);
  }

  /**
   * Puts records, and rows as the server sends them, in place of what is there, as an answer that holds everything. Returns the
   * records, each of them once. Throws `StateError`, before anything is changed, for what is neither, for a record that was erased,
   * and for one whose id another record has.
   */
  replace(given: readonly unknown[], incomplete: boolean): M[] {
    const { recordSet, model } = this;
    const startedAt = nextTime(model);
    const mode = { append: false, paged: false, incomplete };
    const isRecord = (each: unknown): each is M => each instanceof (this.Class as unknown as new () => M);
    const isItem = (each: unknown): each is M | Data => isRecord(each) || isPlainObject(each);
    if (!Array.isArray(given) || !given.every(isItem))
      throw new StateError('foreign', 'foreign-row', { model: model.name });
    const own = given.filter(isRecord);
    recordSet.check(own);
    for (const observer of recordSet.observers.having('checkAdded')) observer.checkAdded(own);
    recordSet.reading = true;
    recordSet.tell((view) => view.reset());
    const taken = this.startTaking(false);
    try {
      for (const record of own) if (!recordSet.holds(record)) recordSet.expect(record);
      recordSet.announceRows(given.filter((each): each is Data => !isRecord(each)));
      for (const each of given)
        if (isRecord(each)) takeRecord(each, taken);
        else this.takeRow(each, { startedAt }, mode, taken);
      this.putInPlace(taken, startedAt, mode.paged);
      return taken.records;
    } catch (error) {
      for (const record of taken.coming) recordSet.offPage.add(record);
      throw error;
    } finally {
      this.close();
    }
  }

  private startTaking(allNew: boolean): TakenRows<M> {
    const observers = this.recordSet.observers.having('recordAdded');
    return { records: [], coming: [], known: new Set(), allNew, observers };
  }

  /**
   * Takes the rows in one by one. A method of its own because engines discard the compiled code of a whole method, its loop included,
   * when a statement that runs once per page meets an object of a new shape.
   */
  private takeRows(rows: readonly Data[], page: Page, mode: PageMode): TakenRows<M> {
    const { recordSet } = this;
    const taken = this.startTaking(!mode.append && recordSet.index.isEmpty);
    try {
      for (const row of rows) this.takeRow(row, page, mode, taken);
      return taken;
    } catch (error) {
      // One that threw has kept the others from their places: they go with what is given up.
      for (const record of taken.coming) recordSet.offPage.add(record);
      throw error;
    }
  }

  /** Takes one row in: it becomes a new record, or that of the known record with its id. */
  private takeRow(
    row: Data,
    { startedAt }: Pick<Page, 'startedAt'>,
    { append, incomplete }: PageMode,
    taken: TakenRows<M>,
  ): void {
    const { recordSet } = this;
    const { records, coming, known } = taken;
    const id = this.model.rowId(row);
    if (this.isErasedSince(id, startedAt)) return;
    const record = (taken.allNew ? undefined : this.find(id)) ?? this.adopt(id, row, incomplete, taken);
    if (!record) return;
    // Until one row comes twice, none is looked for.
    taken.allNew = false;
    const again = known.has(record) || records[recordSet.rank(record)] === record;
    // What is yet to get its place is nowhere: views are not to follow it.
    if (append && again && !known.has(record)) recordSet.offPage.add(record);
    settleRead(inner(record), row, startedAt, incomplete);
    if (again) return;
    known.add(record);
    records.push(record);
    if (!recordSet.isInPlace(record)) coming.push(record);
  }

  /** No more rows are to come, for now. */
  close(): void {
    const { recordSet } = this;
    recordSet.reading = false;
    recordSet.tombstones.clear();
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /** Makes a record of a row and puts it on the page. Returns, instead, the one that has its id already, where none was looked for. */
  private adopt(id: unknown, row: Data, incomplete: boolean, taken: TakenRows<M>): M | undefined {
    const { recordSet, model } = this;
    const { records, coming, allNew, observers } = taken;
    const fresh = this.create(row, incomplete);
    if (!recordSet.adopt(id, fresh, records.length) && allNew) {
      const first = records.find((each) => idKeyOf(model.rowId(inner(each)[ROW])) === idKeyOf(id)) as M;
      recordSet.index.addRow(id, first);
      return first;
    }
    for (const observer of observers) observer.recordAdded(fresh);
    records.push(fresh);
    coming.push(fresh);
    return undefined;
  }

  /** Whether the record of a row is in place. */
  private isInPlace(row: Data): boolean {
    const known = this.find(this.model.rowId(row));
    return known !== undefined && this.recordSet.isInPlace(known);
  }

  /** Whether a record was erased after its row was asked for. */
  private isErasedSince(id: unknown, startedAt: number): boolean {
    const { tombstones } = this.recordSet;
    return tombstones.size > 0 && (tombstones.get(idKeyOf(id) as IdKey) ?? 0) > startedAt;
  }

  /** Makes a record of a row. */
  create(row: Data, incomplete: boolean): M {
    const record = this.Class.fromRow(row);
    if (incomplete) coreOf(inner(record)).incomplete = true;
    return record;
  }

  /** The saved record with an id. */
  find(id: unknown): M | undefined {
    const known = id === undefined ? undefined : this.recordSet.index.getSaved(id);
    return known?.phantom ? undefined : known;
  }

  /** Whether a record stays in place though the answer lacks it: one created meanwhile and, without pages, a new one. */
  private stays(record: M, startedAt: number, paged: boolean): boolean {
    const core = inner(record)[CORE] as RecordCore;
    if (paged && !this.recordSet.isInPlace(record)) return false;
    return core.phantom ? !paged : core.created > startedAt;
  }
}

/** Puts a record on the page, unless it is there already. */
function takeRecord<M extends BaseModel>(record: M, { known, records }: TakenRows<M>): void {
  if (known.has(record)) return;
  known.add(record);
  records.push(record);
}
