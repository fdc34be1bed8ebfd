import type { BaseModel } from '../model/base-model.js';
import { joinChunks } from './chunks.js';
import type { Page, PageMode, PageReader } from './page-reader.js';
import type { RecordSet } from './record-set.js';
import type { RowsIntake } from './store-observer.js';

/** Puts the rows of one load in place while they arrive. */
export class StreamIntake<M extends BaseModel> implements RowsIntake<M> {
  before: number | undefined = undefined;
  private readonly batches: (readonly M[])[] = [];
  /** Whether a record may be in several batches. */
  private again = false;

  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly pages: PageReader<M>,
  ) {}

  take(page: Page, mode: PageMode): void {
    const { recordSet, batches } = this;
    const { count } = recordSet;
    const begun = batches.length > 0;
    this.before ??= count;
    const records = this.pages.take(page, begun ? { ...mode, append: true } : mode);
    batches.push(records);
    this.again ||= begun && recordSet.count - count < records.length;
  }

  finish(page: Page, mode: PageMode): readonly M[] {
    const { batches } = this;
    const { result } = page;
    if (result.rows.length > 0) this.take(page, mode);
    if (batches.length > 1 && !mode.append && !mode.paged) this.putNewLast();
    const records = joinChunks(batches);
    return (result.records = this.again ? [...new Set(records)] : records) as readonly M[];
  }

  /** Moves new records behind all rows of the answer, because each batch was put behind them. */
  private putNewLast(): void {
    const { recordSet } = this;
    const fresh = recordSet.pendingRecords((record) => record.phantom && recordSet.isPresent(record));
    if (fresh.length > 0) recordSet.place(undefined, fresh);
  }
}
