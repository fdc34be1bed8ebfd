import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Write } from '../extension/write.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import { innerOf } from './record-keeper.js';

/**
 * Refuses saves of records that the outbox is going to erase. This happens before the core's checks, which might read the record's row
 * first.
 */
export function refuseSavesBeforeErase(willErase: (record: InnerRecord) => boolean): Extension {
  return Object.freeze<Extension>({
    name: 'outbox-order',
    layer: LAYERS.checks - 1,
    write(write, next) {
      const records = write.records.map(innerOf);
      const error = records.map((record) => pendingEraseError(write, record, willErase)).find((each) => each);
      return error ? Promise.resolve(records.map(() => ({ error }))) : next(write);
    },
  });
}

/**
 * The error with which a save is refused; undefined: the save may continue. While the outbox retries an erase, saves of its record are
 * refused unless they are made with `repeat`. A save that waited behind an erase is also refused if the outbox has given that erase up,
 * so that the caller learns of the failure first.
 */
function pendingEraseError(
  { action, waited, repeat, durable }: Write,
  record: InnerRecord,
  willErase: (record: InnerRecord) => boolean,
): DataError | undefined {
  const { failure, phantom } = coreOf(record);
  if (action === 'destroy' || repeat || !durable) return undefined;
  // A new record has to be created before it can be erased, so its save is not refused.
  return (failure?.queued || (waited && !phantom)) && willErase(record) ? failure : undefined;
}
