import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { coreOf, inner } from '../model/record.js';
import type { RecordCore } from '../model/record-core.js';
import { settleRead } from '../model/settle.js';
import { CORE, ROW } from '../model/symbols.js';
import type { ResultSet } from '../operation/result-set.js';
import type { Data } from '../util/data-path.js';
import { type IdKey, keyOf } from './id-index.js';
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
  readonly partial: boolean;
}

/** Puts the rows of an answer in place as records. */
export class PageReader<M extends BaseModel> {
  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly model: ModelDefinition,
    private readonly fromRow: (row: object) => M,
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
  take({ result, startedAt }: Page, { append, paged, partial }: PageMode): M[] {
    const { recordSet, model } = this;
    recordSet.reading = true;
    const page: M[] = [];
    // Those that have no place yet.
    const coming: M[] = [];
    // Two rows with one id are one record.
    const known = new Set<M>();
    // What follows is told of as a whole.
    if (!append) recordSet.tell((view) => view.reset());
    recordSet.announceRows(result.rows as Data[]);
    let empty = !append && recordSet.index.isEmpty;
    try {
      for (const row of result.rows as Data[]) {
        const id = model.rowId(row);
        if (this.isErasedSince(id, startedAt)) continue;
        const record = (empty ? undefined : this.find(id)) ?? this.adopt(id, row, page, { append, partial, empty });
        if (!record) {
          coming.push(page.at(-1) as M);
          continue;
        }
        // Until one row comes twice, none is looked for.
        empty = false;
        const again = known.has(record) || page[recordSet.rank(record)] === record;
        // What is yet to get its place is nowhere: views are not to follow it.
        if (append && again && !known.has(record)) recordSet.offPage.add(record);
        settleRead(inner(record), row, startedAt, partial);
        if (again) continue;
        known.add(record);
        page.push(record);
        if (!recordSet.isInPlace(record)) coming.push(record);
      }
    } catch (error) {
      // One that threw has kept the others from their places: they go with what is given up.
      for (const record of coming) recordSet.offPage.add(record);
      throw error;
    }
    if (append) recordSet.enter(undefined, coming);
    else {
      const kept = recordSet.pendingRecords((record) => this.stays(record, startedAt, paged) && !known.has(record));
      recordSet.replace(kept.length > 0 ? [...page, ...kept] : page);
    }
    return (result.records = page) as M[];
  }

  /** No more rows are to come, for now. */
  close(): void {
    const { recordSet } = this;
    recordSet.reading = false;
    recordSet.tombstones.clear();
    for (const record of recordSet.offPage) recordSet.release(record);
  }

  /** Makes a record of a row and puts it on the page. Returns, instead, the one that has its id already, where none was looked for. */
  private adopt(
    id: unknown,
    row: Data,
    page: M[],
    mode: { append: boolean; partial: boolean; empty: boolean },
  ): M | undefined {
    const { recordSet, model } = this;
    const fresh = this.create(row, mode.partial);
    if (!recordSet.adopt(id, fresh, page.length) && mode.empty) {
      const first = page.find((each) => keyOf(model.rowId(inner(each)[ROW])) === keyOf(id)) as M;
      recordSet.index.addRow(id, first);
      return first;
    }
    recordSet.announce(fresh);
    page.push(fresh);
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
    return tombstones.size > 0 && (tombstones.get(keyOf(id) as IdKey) ?? 0) > startedAt;
  }

  /** Makes a record of a row. */
  create(row: Data, partial: boolean): M {
    const record = this.fromRow(row);
    if (partial) coreOf(inner(record)).partial = true;
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
