import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Write } from '../extension/write.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import { innerOf } from './record-keeper.js';

/** Holds back saves of records that are to be erased: before they are checked, so that nothing is read for them either. */
export function orderWrites(erases: (record: InnerRecord) => boolean): Extension {
  return Object.freeze<Extension>({
    name: 'outbox-order',
    layer: LAYERS.checks - 1,
    write(write, next) {
      const records = write.records.map(innerOf);
      const error = records.map((record) => erasedLater(write, record, erases)).find((each) => each);
      return error ? Promise.resolve(records.map(() => ({ error }))) : next(write);
    },
  });
}

/**
 * The error of an erase that the outbox goes on with: nothing of the record is saved by itself. Nor is what waited behind an erase
 * that the outbox could not do: first somebody has to hear of that.
 */
function erasedLater(
  { action, waited, repeat, durable }: Write,
  record: InnerRecord,
  erases: (record: InnerRecord) => boolean,
): DataError | undefined {
  const { failure, phantom } = coreOf(record);
  if (action === 'destroy' || repeat || !durable) return undefined;
  // Of a new record the create has to be done first.
  return (failure?.queued || (waited && !phantom)) && erases(record) ? failure : undefined;
}
