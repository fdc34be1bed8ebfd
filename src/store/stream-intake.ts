import type { BaseModel } from '../model/base-model.js';
import type { ResultSet } from '../operation/result-set.js';
import { joinChunks } from './chunks.js';
import type { PageMode, PageReader } from './page-reader.js';
import type { RecordSet } from './record-set.js';

/** Takes in the rows of one load as they arrive. */
export class StreamIntake<M extends BaseModel> {
  /** How many records were in place before the first rows. */
  readonly before: number;
  private readonly batches: (readonly M[])[] = [];
  /** Whether a record may have come twice. */
  private again = false;

  constructor(
    private readonly recordSet: RecordSet<M>,
    private readonly pages: PageReader<M>,
    private readonly mode: PageMode,
    /** When the rows were asked for. */
    private readonly startedAt: number,
  ) {
    this.before = recordSet.count;
  }

  /** Takes rows in, behind those before. */
  take(result: ResultSet): void {
    const { recordSet, batches, mode, startedAt } = this;
    const { count } = recordSet;
    const begun = batches.length > 0;
    const records = this.pages.take({ result, startedAt }, begun ? { ...mode, append: true } : mode);
    batches.push(records);
    this.again ||= begun && recordSet.count - count < records.length;
  }

  /** Takes the last rows in. Returns the records of all, each of them once. */
  finish(result: ResultSet): readonly M[] {
    const { batches, mode } = this;
    if (result.rows.length > 0) this.take(result);
    if (batches.length > 1 && !mode.append && !mode.paged) this.putNewLast();
    const records = joinChunks(batches);
    return (result.records = this.again ? [...new Set(records)] : records) as readonly M[];
  }

  /** New records go behind the rows, as many as have come. */
  private putNewLast(): void {
    const { recordSet } = this;
    const fresh = recordSet.pendingRecords((record) => record.phantom && recordSet.isPresent(record));
    if (fresh.length > 0) recordSet.place(undefined, fresh);
  }
}
