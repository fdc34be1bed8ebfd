import type { Model } from '../model/model.js';
import { coreOf, inner } from '../model/record.js';
import type { RecordChange } from '../model/record-owner.js';
import { isSame } from '../util/values.js';
import { serverId } from './id-index.js';
import type { RecordSet } from './record-set.js';

/**
 * Counts the records created and erased here since the server last told the size of the collection. Under remote filters only erased
 * records count that the server has given for the same filters, because only the server knows whether others pass them.
 */
export class CountDelta<M extends Model> {
  private delta = 0;
  /** When records in place were erased. Each erase moves the rows behind it up on the server. */
  private erasedTimes: number[] = [];
  /** The rows to which records belong that were read without being shown. */
  private readonly rowsOf: WeakMap<M, object> = new WeakMap();

  /** The parts of a load that decide which rows the server counts: equal for equal rows. */
  countedRows: () => object = () => ({});
  /** Called when it is not known whether the server has counted a record that was erased. */
  becomeUnknown: () => void = () => undefined;

  constructor(private readonly recordSet: RecordSet<M>) {}

  /** Number of erases since the load: by so many places the rows behind the loaded ones have moved up on the server. */
  get erasedSinceLoad(): number {
    return this.erasedTimes.length;
  }

  /** Whether the collection has become smaller by erases since it was counted, also by those of records that are not on show. */
  get hasShrunk(): boolean {
    return this.erasedSinceLoad > 0 || this.delta < 0;
  }

  /** The size of the collection now; undefined if the server has not told it. */
  addTo(total: number | undefined): number | undefined {
    return total === undefined ? undefined : Math.max(total + this.delta, 0);
  }

  /** Starts again from the size that a response told; `startedAt` is when its request was sent. */
  restart(startedAt: number): void {
    this.delta = 0;
    this.erasedTimes = this.erasedTimes.filter((erasedAt) => erasedAt > startedAt);
  }

  /** Notes that the server has given records for some rows, in the form of `countedRows`. */
  note(records: readonly M[], rows: object): void {
    for (const record of records) this.rowsOf.set(record, rows);
  }

  /** Counts a change of a record. Called before the record set applies the change. */
  count(record: M, { kind, previousId }: RecordChange): void {
    const { recordSet } = this;
    const isFiltered = () => recordSet.store.isServerFiltered;
    if (kind === 'saved') this.delta += this.isCreated(record) && !isFiltered() && !this.isCounted(record) ? 1 : 0;
    else if (kind === 'erased') {
      const isInPlace = recordSet.isInPlace(record);
      if (isInPlace) this.erasedTimes.push(coreOf(inner(record)).settledAt);
      if (record.phantom) return;
      if (isInPlace || !isFiltered() || isSame(this.rowsOf.get(record), this.countedRows())) this.delta -= 1;
      else this.becomeUnknown();
    } else if (kind === 'reject' && isUndoneCreate(record, previousId)) this.delta -= isFiltered() ? 0 : 1;
  }

  /** Whether the write that ended last created the record. */
  private isCreated(record: M): boolean {
    const { createdAt, settledAt } = coreOf(inner(record));
    return createdAt === settledAt;
  }

  /** Whether a load read the row of a new record while its create was in flight: then the total of the server includes it. */
  private isCounted(record: M): boolean {
    const other = this.recordSet.index.getSaved(serverId(record));
    return other !== undefined && other !== record;
  }
}

/** Whether a change undid the create of a record; `previousId` is the id that the record had on the server. */
export function isUndoneCreate(record: Model, previousId: unknown): boolean {
  return record.phantom && previousId !== undefined;
}
