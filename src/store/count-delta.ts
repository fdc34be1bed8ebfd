import type { BaseModel } from '../model/base-model.js';
import { coreOf, inner } from '../model/record.js';
import type { RecordChange } from '../model/record-owner.js';
import { serverId } from './id-index.js';
import type { RecordSet } from './record-set.js';

/**
 * What was created and erased here since the server last told how large the collection is. Under remote filters only what was erased
 * in place is counted: whether they let a new record pass, the server knows.
 */
export class CountDelta<M extends BaseModel> {
  private delta = 0;
  /** When records in place were erased: on the server, the rows behind them have moved up. */
  private erasedTimes: number[] = [];

  constructor(private readonly recordSet: RecordSet<M>) {}

  /** Number of rows by which those behind the loaded ones have moved up. */
  get erasedSinceLoad(): number {
    return this.erasedTimes.length;
  }

  /** The size of the collection now; undefined where the server has not told it. */
  addTo(total: number | undefined): number | undefined {
    return total === undefined ? undefined : Math.max(total + this.delta, 0);
  }

  /** An answer has told the size; its request was sent at a time. */
  restart(startedAt: number): void {
    this.delta = 0;
    this.erasedTimes = this.erasedTimes.filter((erasedAt) => erasedAt > startedAt);
  }

  /** Counts what became of a record; called before the records follow. */
  count(record: M, { kind, previousId }: RecordChange, filtered: boolean): void {
    const { recordSet } = this;
    if (kind === 'saved') this.delta += this.isCreated(record) && !filtered && !this.isCounted(record) ? 1 : 0;
    else if (kind === 'erased') {
      const isInPlace = recordSet.isInPlace(record);
      if (isInPlace) this.erasedTimes.push(coreOf(inner(record)).settledAt);
      this.delta -= !record.phantom && (!filtered || isInPlace) ? 1 : 0;
    } else if (kind === 'reject' && isUndoneCreate(record, previousId)) this.delta -= filtered ? 0 : 1;
  }

  /** Whether the write of a record that has just ended was its create. */
  private isCreated(record: M): boolean {
    const { created, settledAt } = coreOf(inner(record));
    return created === settledAt;
  }

  /** Whether the row of a new record was read while it was being created: then the server has counted it. */
  private isCounted(record: M): boolean {
    const known = this.recordSet.index.getSaved(serverId(record));
    return known !== undefined && known !== record;
  }
}

/** Whether a change undid the create of a record, which had the id `previousId` on the server. */
export function isUndoneCreate(record: BaseModel, previousId: unknown): boolean {
  return record.phantom && previousId !== undefined;
}
