import type { BaseModel } from '../model/base-model.js';
import type { ResultSet } from '../operation/result-set.js';
import { joinChunks } from './chunks.js';
import type { PageMode, PageReader } from './page-reader.js';

/** Takes in the rows of one load: all at once, or as they arrive. */
export class StreamIntake<M extends BaseModel> {
  /** How many records were in place before the first rows; undefined until some came. */
  before: number | undefined = undefined;
  private startedAt = 0;
  private readonly batches: (readonly M[])[] = [];
  /** Whether a record may have come twice. */
  private again = false;

  constructor(
    private readonly pages: PageReader<M>,
    private readonly mode: () => PageMode,
  ) {}

  /** Whether rows came before the end. */
  get begun(): boolean {
    return this.before !== undefined;
  }

  /** The rows are asked for now. */
  start(startedAt: number): void {
    this.startedAt = startedAt;
  }

  /** Takes rows in, behind those before. */
  take(result: ResultSet): void {
    const { startedAt, begun } = this;
    const mode = this.mode();
    const { count } = this.pages;
    this.before ??= count;
    const records = this.pages.take({ result, startedAt }, begun ? { ...mode, append: true } : mode);
    this.batches.push(records);
    this.again ||= begun && this.pages.count - count < records.length;
  }

  /** Takes the last rows in. Returns the records of all, each of them once. */
  finish(result: ResultSet): readonly M[] {
    if (!this.begun || result.rows.length > 0) this.take(result);
    const { append, paged } = this.mode();
    if (this.batches.length > 1 && !append && !paged) this.pages.putNewLast();
    this.pages.close();
    const records = this.batches.length === 1 ? (this.batches[0] as readonly M[]) : joinChunks(this.batches);
    return (result.records = this.again ? [...new Set(records)] : records) as readonly M[];
  }
}
