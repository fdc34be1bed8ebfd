import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { coreOf, inner } from '../model/record.js';
import { settleRead } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { ResultSet } from '../operation/result-set.js';
import type { Data } from '../util/data-path.js';
import type { Contents } from './contents.js';

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
    private readonly contents: Contents<M>,
    private readonly model: ModelDefinition,
    private readonly fromRow: (row: object) => M,
  ) {}

  /** How many rows of the server will be in place. */
  countAfter({ result }: Page, append: boolean): number {
    if (!append) return result.count;
    const { source } = this.contents;
    const fresh = result.rows.filter((row) => !source.has(this.find(row) as M));
    return fresh.length + [...source].filter((record) => !record.phantom).length;
  }

  /** Takes a page in; known records keep their identity and edits. Returns the records of the page. */
  take({ result, startedAt }: Page, { append, paged, partial }: PageMode): M[] {
    const { contents } = this;
    const { index, graves } = contents;
    const page = new Set<M>();
    for (const row of result.rows as Data[]) {
      if ((graves.get(String(this.model.rowId(row))) ?? 0) > startedAt) continue;
      let record = this.find(row);
      if (record) settleRead(inner(record), row, startedAt, partial);
      else {
        record = this.fromRow(row);
        if (partial) coreOf(inner(record)).partial = true;
        // Two rows with one id are one record.
        index.add(record);
      }
      page.add(record);
    }
    graves.clear();
    contents.replace(append ? [...contents.source, ...page] : [...page, ...this.kept(startedAt, paged)]);
    return (result.records = [...page]) as M[];
  }

  private find(row: unknown): M | undefined {
    const id = this.model.rowId(row);
    const known = id === undefined ? undefined : this.contents.index.getSaved(id);
    return known?.phantom ? undefined : known;
  }

  /** What stays in place though the answer lacks it: records created meanwhile and, without pages, new ones. */
  private kept(startedAt: number, paged: boolean): M[] {
    const { contents } = this;
    return (paged ? [...contents.source] : contents.all()).filter((record) => {
      const core = inner(record)[CORE];
      return core && (core.phantom ? !paged : core.created > startedAt);
    });
  }
}
