import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import type { InnerModel } from '../model/model-definition.js';
import { inner } from '../model/record.js';
import { markIncomplete, nextTime, settleRead } from '../model/settle.js';
import { DEFINITION, SETTINGS } from '../model/symbols.js';
import type { IncludedRow } from '../operation/result-set.js';
import type { StartTimes } from '../store/page-reader.js';
import type { Data } from '../util/data-path.js';
import type { ModelRecords } from './model-records.js';

/** The members of a session's records that included rows need. */
interface Holder {
  readonly readModels: Set<unknown>;
  ofModel(model: ModelType<Model>): ModelRecords;
}

/** Makes records of the rows that came with other records, such as the authors of articles. */
export class IncludedRecords {
  /**
   * The records that came with a record. A session holds records weakly, so each record holds those that came with it, until it is read
   * again.
   */
  private readonly companions: WeakMap<Model, readonly Model[]> = new WeakMap();

  constructor(private readonly records: Holder) {}

  /** The present times of models, to be kept when a read starts: each model has a clock of its own. */
  startTimes(models: readonly unknown[]): StartTimes {
    return new Map(models.map((model) => [model as object, nextTime((model as InnerModel)[DEFINITION])]));
  }

  /** Makes records of included rows, or gives the rows to the records that the session has. `holders` are the records they came with. */
  take(rows: readonly IncludedRow[] | undefined, times: StartTimes | undefined, holders: readonly Model[]): void {
    if (!rows) return;
    const taken = rows.flatMap((each) => this.takeRow(each, times) ?? []);
    for (const holder of holders) this.companions.set(holder, taken);
  }

  private takeRow({ model, row, incomplete = false }: IncludedRow, times: StartTimes | undefined): Model | undefined {
    const Class = model as InnerModel;
    // If the session did not know the model when the read started, any write of a record since then is newer than the row.
    const startedAt = times?.get(Class) ?? 0;
    const records = this.records.ofModel(Class);
    this.records.readModels.add(Class);
    const id = Class[DEFINITION].rowId(row);
    if (id === undefined || records.isErasedSince(id, startedAt)) return undefined;
    // An outbox gives the record of a queued write, which has edits.
    const { keeper } = Class[SETTINGS]?.proxy ? Class.proxy.hooks : {};
    const queued = keeper?.held(Class, id) as Model | undefined;
    const existing = records.find(id) ?? queued;
    if (existing) {
      if (!records.find(id)) records.adopt(existing);
      settleRead(inner(existing), row as Data, startedAt, incomplete);
      return existing;
    }
    const record = Class.fromRow(row);
    if (incomplete) markIncomplete(inner(record));
    records.adopt(record);
    return record;
  }
}
