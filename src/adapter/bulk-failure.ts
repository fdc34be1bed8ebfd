import type { DataError } from '../errors/data-error.js';
import { BatchError } from '../errors/write-errors.js';
import type { Model } from '../model/model.js';
import type { Batch } from '../operation/batch.js';
import { compositeText } from '../util/composite-id.js';

/** A record of a bulk action that could not be written. */
export interface FailedRecord {
  /** Place of the record among those of the call. */
  readonly at: number;
  /** The id as the library has it; undefined for a new record. */
  readonly id: string | number | undefined;
  readonly error: DataError;
}

/** Some records of a bulk action could not be written. The library gets an error of its own for it. */
export class BulkFailure {
  readonly cause: BatchError;
  readonly failed: readonly FailedRecord[];
  /** Number of all records of the call. */
  readonly total: number;

  constructor(batch: Batch<Model>, records: readonly Model[]) {
    const failures = batch.failures.map(({ record, error }) => ({ record, error: error as DataError }));
    this.total = records.length;
    this.cause = new BatchError(
      failures.map(({ error }) => error),
      this.total,
    );
    this.failed = failures.map(({ record, error }) => ({ at: records.indexOf(record), id: idOf(record), error }));
  }
}

function idOf(record: Model): string | number | undefined {
  if (record.phantom) return undefined;
  const id = record.getId() as unknown;
  return Array.isArray(id) ? compositeText(id) : (id as string | number);
}
