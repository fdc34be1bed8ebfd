import { type DataError, isGone } from '../errors/data-error.js';
import type { NetworkError } from '../errors/request-errors.js';
import type { ValidationError } from '../errors/validation-error.js';
import type { Ending } from '../extension/write-hook.js';
import { isClear, isNotDone } from '../http/http-response.js';
import type { Operation } from '../operation/operation.js';

/** The members of a write's error that help to classify the outcome. */
type Failure = DataError & Partial<Pick<ValidationError, 'issues' | 'status'> & Pick<NetworkError, 'unconfirmed'>>;

/** Facts about a write that its error does not contain. */
export interface Circumstances {
  /** Whether the record is new: the write creates it, or an unconfirmed create may have. */
  readonly isNew: boolean;
  /** Whether an earlier write of the record, or an earlier attempt of this one, is unconfirmed. */
  readonly isUnconfirmed: boolean;
  /** Whether the server recognises a repeated create, by its idempotency key. */
  readonly repeatable: boolean;
  /** Whether a read has shown that no earlier attempt was carried out. @default false */
  readonly isRefuted?: boolean | undefined;
  readonly operation: Operation | undefined;
}

/**
 * Classifies what the end of a write says about the server, by the first line that fits:
 *
 * | the end | says |
 * | --- | --- |
 * | success, and the response can be taken in | `done` |
 * | no response, 5xx, 408, a redirect that may have been done, a response that cannot be read | `unconfirmed` |
 * | after an unconfirmed create: any error, but for values refused under the same key | `unconfirmed` |
 * | after an unconfirmed update or destroy: 401, 403, 307, 308 | `unconfirmed` |
 * | after an unconfirmed update: 409, 412, unless a read has shown that the row does not have the values | `unconfirmed` |
 * | any other status, but for 425 and 429 | `refused` |
 * | 425, 429, or nothing was sent, as when the read before the write failed | `noNews` |
 */
export function classifyOutcome(error: DataError | undefined, circumstances: Circumstances): Ending {
  if (!error) return 'done';
  const { isNew, isUnconfirmed, repeatable, isRefuted = false, operation } = circumstances;
  if (isUnanswered(error, isNew, operation)) return 'unconfirmed';
  const status = statusOf(error, operation);
  // A refusal of the repeated create says nothing about the first one, unless the server refused its values: then it has not
  // seen the key before.
  // A 409 may be about the record that the first attempt has created.
  const hasIssues = Boolean((error as Failure).issues?.length);
  const refusesValues = status > 0 && status !== 409 && hasIssues;
  const refusesVersion = operation?.action === 'update' && (status === 409 || status === 412) && !hasIssues;
  const saysNothing = isNew
    ? !(repeatable && refusesValues)
    : status === 401 || status === 403 || isNotDone(status) || (refusesVersion && !isRefuted);
  if (isUnconfirmed && saysNothing) return 'unconfirmed';
  return status > 0 && status !== 425 && status !== 429 ? 'refused' : 'noNews';
}

/** Whether an error leaves it uncertain what the server did with the request. */
export function isUnanswered(error: DataError, isNew: boolean, operation: Operation | undefined): boolean {
  if (isUnsent(error, operation)) return false;
  const { code, unconfirmed } = error as Failure;
  const status = statusOf(error, operation);
  return (
    unconfirmed ||
    (code === 'read' && !isNotDone(status)) ||
    (code === 'definition' && status > 0) ||
    // The connection of an update may have failed after the server wrote it; errors of creates have `unconfirmed` for that.
    (status > 0 ? !isClear(status) : !isNew && ['network', 'timeout', 'abort'].includes(code))
  );
}

/**
 * Whether two writes went to one collection: a response from another place, such as that of another tenant, says nothing about the earlier
 * write. The request of a write that an outbox has stored is not known.
 */
export function goesToSamePlace(earlier: Operation | undefined, later: Operation | undefined): boolean {
  return !earlier?.request || !later?.request || earlier.request.base === later.request.base;
}

/** The status of the response to a write; 0 if there was none. */
function statusOf(error: DataError, operation: Operation | undefined): number {
  if (isUnsent(error, operation)) return 0;
  return (error as Failure).status ?? operation?.response?.status ?? 0;
}

/**
 * Whether the error of a write says that nothing was sent: the server's 429 answered an earlier call, or the read before the write failed. A read
 * that finds no record says more: the record is gone.
 */
function isUnsent(error: DataError, operation: Operation | undefined): boolean {
  const { reason, operation: failed } = error;
  return reason === 'rate-pause' || (failed?.action === 'read' && !operation?.request && !isGone(error));
}
