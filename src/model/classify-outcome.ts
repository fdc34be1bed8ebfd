import type { DataError } from '../errors/data-error.js';
import type { NetworkError } from '../errors/network-error.js';
import type { ValidationError } from '../errors/validation-error.js';
import type { Ending } from '../extension/write.js';
import { isClear, isNotDone } from '../http/status.js';
import type { Operation } from '../operation/operation.js';

/** What of its error tells of a write. */
type Failure = DataError & Partial<Pick<ValidationError, 'issues' | 'status'> & Pick<NetworkError, 'inDoubt'>>;

/** What is known of a write beside its error. */
export interface Circumstances {
  /** Whether it creates its record, or is about a record that may have been created. */
  readonly isNew: boolean;
  /** Whether an earlier write of the record, or an earlier attempt of this one, is unconfirmed. */
  readonly isUnconfirmed: boolean;
  /** Whether the server can tell that it is the same create as before. */
  readonly repeatable: boolean;
  readonly operation: Operation | undefined;
}

/**
 * What the end of a write says of the server, by the first line that fits:
 *
 * | the end | says |
 * | --- | --- |
 * | success, and the answer can be taken in | `done` |
 * | no answer, 5xx, 408, a redirect that may have been done, an answer that cannot be read | `unconfirmed` |
 * | after an unconfirmed create: any error, but for values refused under the same key | `unconfirmed` |
 * | after an unconfirmed update or destroy: 401, 403, 307, 308 | `unconfirmed` |
 * | any other status, but for 425 and 429 | `refused` |
 * | 425, 429, or nothing was sent | `noNews` |
 */
export function classifyOutcome(error: DataError | undefined, circumstances: Circumstances): Ending {
  if (!error) return 'done';
  const { isNew, isUnconfirmed, repeatable, operation } = circumstances;
  if (isUnanswered(error, isNew, operation)) return 'unconfirmed';
  const status = statusOf(error, operation);
  // What is said of a repeat says nothing of the create before, but for values refused under the key that both carried.
  const refusesValues = status > 0 && Boolean((error as Failure).issues?.length);
  const saysNothing = isNew ? !(repeatable && refusesValues) : status === 401 || status === 403 || isNotDone(status);
  if (isUnconfirmed && saysNothing) return 'unconfirmed';
  return status > 0 && status !== 425 && status !== 429 ? 'refused' : 'noNews';
}

/** Whether an error leaves open what the server did with the request that it is about. */
export function isUnanswered(error: DataError, isNew: boolean, operation: Operation | undefined): boolean {
  const { code, inDoubt } = error as Failure;
  const status = statusOf(error, operation);
  return (
    inDoubt ||
    (code === 'read' && !isNotDone(status)) ||
    (code === 'definition' && status > 0) ||
    // Of an update the connection may have failed at any moment; a create says so itself, by `inDoubt`.
    (status > 0 ? !isClear(status) : !isNew && ['network', 'timeout', 'abort'].includes(code))
  );
}

/** The status that a write was answered with; 0: it was not answered. */
function statusOf(error: DataError, operation: Operation | undefined): number {
  // The answer was to another call, and keeps this one from being sent.
  if (error.reason === 'rate-pause') return 0;
  return (error as Failure).status ?? operation?.response?.status ?? 0;
}
