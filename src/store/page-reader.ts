import { UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { ModelDefinition } from '../model/model-definition.js';
import { checkRows } from '../model/read.js';
import { coreOf, inner } from '../model/record.js';
import { settleRead } from '../model/settle.js';
import { CORE } from '../model/symbols.js';
import type { Operation } from '../operation/operation.js';
import type { ResultSet } from '../operation/result-set.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { Data } from '../util/data-path.js';
import type { Contents } from './contents.js';

/** Makes the rows of a page records, and puts them in place. */
export class PageReader<M extends BaseModel> {
  /** When records were erased, by id, for reads that started before. */
  private readonly graves: Map<string, number> = new Map();

  constructor(
    private readonly contents: Contents<M>,
    private readonly model: ModelDefinition,
    private readonly fromRow: (row: object) => M,
  ) {}

  /** Remembers that a record is gone, so that an older read does not bring it back. */
  bury(id: unknown): void {
    this.graves.set(String(id), this.model.clock.now);
    // Reads that started this long ago do not come any more.
    if (this.graves.size > 10_000) for (const key of [...this.graves.keys()].slice(0, 5000)) this.graves.delete(key);
  }

  /** Reads and checks a page without touching anything. */
  async read(operation: Operation, proxy: DataProxy): Promise<{ result: ResultSet; startedAt: number }> {
    const startedAt = (this.model.clock.now += 1);
    const result = await proxy.read(operation);
    checkRows(this.model, proxy, result.rows as Data[]);
    return { result, startedAt };
  }

  /** Takes a page in; known records keep their identity and edits. Returns the records of the page. */
  take(result: ResultSet, startedAt: number, proxy: DataProxy, mode: { append: boolean; paged: boolean }): M[] {
    const { contents } = this;
    const partial = proxy.reader.rows === 'partial';
    const records = new Set<M>();
    for (const row of result.rows as Data[]) {
      const id = this.model.rowId(row);
      if (id !== undefined && (this.graves.get(String(id)) ?? 0) > startedAt) continue;
      const known = id === undefined ? undefined : contents.index.get(id);
      if (known && !known.phantom) {
        settleRead(inner(known), row, startedAt, partial);
        records.add(known);
        continue;
      }
      const record = this.fromRow(row);
      if (partial) coreOf(inner(record)).partial = true;
      // Two rows with one id are one record.
      if (id !== undefined) contents.index.add(record);
      records.add(record);
    }
    const page = [...records];
    if (mode.append) {
      const here = new Set(contents.source);
      contents.replace([...contents.source, ...page.filter((record) => !here.has(record))]);
    } else contents.replace([...page, ...this.kept(records, startedAt, mode.paged)]);
    result.records = page;
    return page;
  }

  /** What stays in place though the answer lacks it: records created meanwhile and, without pages, new ones. */
  private kept(page: ReadonlySet<M>, startedAt: number, paged: boolean): M[] {
    const here = [...this.contents.source, ...(paged ? [] : this.contents.away)];
    return here.filter((record) => {
      const core = inner(record)[CORE];
      if (!core || page.has(record) || core.erased) return false;
      return core.phantom ? !paged : core.created > startedAt;
    });
  }
}

/** Refuses to sort, filter or group locally what is here only in part. */
export function checkComplete(complete: boolean, what: { sort: boolean; filter: boolean }): void {
  if (complete || (!what.sort && !what.filter)) return;
  throw new UnsupportedQueryError('query-partial', {
    what: what.sort ? 'sorting' : 'filtering',
    remote: what.sort ? 'Sort' : 'Filter',
  });
}
