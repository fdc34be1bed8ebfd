import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Write } from '../extension/write-hook.js';
import { coreOf, type InnerRecord } from '../model/record.js';
import { modelAndId } from '../model/record-error.js';
import type { RecordWrite } from '../model/write.js';
import { MODEL } from '../operation/operation-record.js';
import { OutboxError } from './outbox-error.js';
import { innerOf } from './screen.js';

/**
 * Refuses saves of records that the outbox is going to erase. This happens before the core's checks, which might read the record's row
 * first.
 */
export function refuseSavesBeforeErase(willErase: (record: InnerRecord) => boolean): Extension {
  const refused: WeakMap<Write, DataError> = new WeakMap();
  return Object.freeze<Extension>({
    name: 'outbox-order',
    layer: LAYERS.checks - 1,
    write(write, next) {
      const records = write.records.map(innerOf);
      const error = records
        .map((record) => pendingEraseError(write as RecordWrite, record, willErase))
        .find((each) => each);
      if (!error) return next(write);
      if (error.queued) refused.set(write, error);
      return Promise.resolve(records.map(() => ({ error })));
    },
    settled(write) {
      const cause = refused.get(write);
      if (cause) tellNotStored(write as RecordWrite, cause);
    },
  });
}

/** The state of a record stays that of its erase, whose error says that the erase is queued: the caller is told that the save is not. */
function tellNotStored(write: RecordWrite, cause: DataError): void {
  const { operation, inner } = write;
  write.outcomes = write.outcomes.map((outcome, at) => {
    const record = inner[at] as InnerRecord;
    const { messages } = record[MODEL];
    return { ...outcome, error: new OutboxError('outbox-erase', modelAndId(record), { cause, operation, messages }) };
  });
}

/**
 * The error with which a save is refused; undefined: the save may continue. While the outbox retries an erase, saves of its record are
 * refused unless they are made with `repeat`. A save that waited behind an erase is also refused if the outbox has given that erase up,
 * so that the caller learns of the failure first.
 */
function pendingEraseError(
  { action, waited, repeat, durable, options }: RecordWrite,
  record: InnerRecord,
  willErase: (record: InnerRecord) => boolean,
): DataError | undefined {
  const { failure, phantom } = coreOf(record);
  if (action === 'destroy' || repeat || !durable || options.stored) return undefined;
  // A new record has to be created before it can be erased, so its save is not refused.
  return (failure?.queued || (waited && !phantom)) && willErase(record) ? failure : undefined;
}
