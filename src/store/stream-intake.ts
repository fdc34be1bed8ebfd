import type { Model } from '../model/model.js';
import { joinChunks } from './chunks.js';
import type { RowsIntake } from './load-intake.js';
import type { Page, PageMode, PageReader } from './page-reader.js';
import type { RecordSet } from './record-set.js';

/** Puts the rows of one load in place while they arrive. */
export class StreamIntake<M extends Model> implements RowsIntake<M> {
  before: number | undefined = undefined;
  private readonly batches: (readonly M[])[] = [];
  /** Whether a record may be in several batches. */
  private hasRepeats = false;

  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly pages: PageReader<M>,
  ) {}

  add(page: Page, mode: PageMode): void {
    const { recordSet, batches } = this;
    const { count } = recordSet;
    const hasStarted = batches.length > 0;
    this.before ??= count;
    const records = this.pages.apply(page, hasStarted ? { ...mode, append: true } : mode);
    batches.push(records);
    this.hasRepeats ||= hasStarted && recordSet.count - count < records.length;
  }

  finish(page: Page, mode: PageMode): readonly M[] {
    const { batches } = this;
    const { result } = page;
    if (result.rows.length > 0) this.add(page, mode);
    if (batches.length > 1 && !mode.append && !mode.paged) this.moveNewRecordsLast();
    const records = joinChunks(batches);
    return (result.records = this.hasRepeats ? [...new Set(records)] : records) as readonly M[];
  }

  /** Moves new records behind all rows of the response, because each batch was put behind them. */
  private moveNewRecordsLast(): void {
    const { recordSet } = this;
    const newRecords = recordSet.pendingRecords((record) => record.phantom && recordSet.isPresent(record));
    if (newRecords.length > 0) recordSet.place(undefined, newRecords);
  }
}
