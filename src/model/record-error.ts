import type { DataError } from '../errors/data-error.js';
import type { MessageKey, MessageParams } from '../errors/message-format.js';
import { type StateCode, StateError } from '../errors/mistakes.js';
import { SyncError } from '../errors/write-errors.js';
import { MODEL } from '../operation/operation-record.js';
import type { FieldDefinition } from './field-definition.js';
import type { InnerRecord } from './record.js';
import type { WriteJob } from './write-job.js';

/** The error of a call that the state of a record does not allow, with its name and in the words of its model. */
export function recordError(
  record: InnerRecord,
  code: StateCode,
  reason: MessageKey,
  params: MessageParams = {},
): StateError {
  return new StateError(code, reason, { ...modelAndId(record), ...params }, { messages: record[MODEL].messages });
}

/** The error of a field that cannot be set. */
export function readOnlyError(record: InnerRecord, { name: field, config }: FieldDefinition): StateError {
  const [why, remedy] = config.calculate
    ? ['it is calculated', 'set the fields that it is calculated from']
    : ['its `mapping` is a function', 'declare `serialize` for it, which says how it is sent'];
  return recordError(record, 'field', 'field-calculated', { field, why, remedy });
}

/** The model name and the id of a record, as parameters of error texts. */
export function modelAndId(record: InnerRecord): { readonly model: string; readonly id: unknown } {
  return { model: record[MODEL].name, id: record[MODEL].serverId(record) };
}

/** Makes the errors of the jobs that are not attempted because of an earlier failure. */
export function skipped(cause: DataError): (job: WriteJob) => DataError {
  return ({ record }) =>
    new SyncError(
      'skipped',
      'sync-skipped',
      { ...modelAndId(record), why: cause.message },
      { cause, messages: record[MODEL].messages },
    );
}
