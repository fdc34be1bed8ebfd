import type { DataError } from '../errors/data-error.js';
import type { Issue } from '../errors/validation-error.js';
import type { Ending } from '../extension/write-hook.js';
import type { RecordId } from '../operation/actions.js';
import type { Operation } from '../operation/operation.js';
import { isSame } from '../util/values.js';
import type { Change } from './change.js';
import { goesToSamePlace } from './classify-outcome.js';

/** The state of the writes of a record, which events change. */
export interface WriteState {
  readonly phantom: boolean;
  readonly erased: boolean;
  /** The id of a phantom until the server gives one. */
  readonly temporaryId: RecordId | undefined;
  /** The change that the write in flight, or an unconfirmed create, has sent. */
  readonly change: Change | undefined;
  /** The changes of the attempts at a create that the server may have carried out, the newest first. */
  readonly attempts: readonly Change[];
  /** The error that leaves the outcome of the last write unconfirmed; undefined if the outcome is known. */
  readonly unconfirmed: DataError | undefined;
  /** The erase that the server may have carried out, also if a save has got no response since; undefined: there is none. */
  readonly openErase: Operation | undefined;
  readonly error: DataError | undefined;
  /** The issues in the server's response to the last write, without those of fields that were edited since. */
  readonly issues: readonly Issue[];
  /** The error of the last write in the lane, for the writes that wait behind it. */
  readonly failure: DataError | undefined;
  /** When the change was captured that the last failed write sent, on the model's clock. An outbox may have sent the change of another save. */
  readonly failedAt: number | undefined;
  /** Whether the row lacks members that the server has. */
  readonly incomplete: boolean;
  /** When the change in flight has begun, and when the last read began that was answered since; on the model's clock. */
  readonly begunAt: number;
  readonly readAt: number;
  readonly settledAt: number;
  readonly createdAt: number;
}

export const NO_CHANGES: readonly Change[] = Object.freeze([]);
export const NO_ISSUES: readonly Issue[] = Object.freeze([]);

export type WriteEvent =
  /** The record was made as a new one, here or from a stored write. */
  | { readonly type: 'made'; readonly temporaryId?: RecordId | undefined }
  /** An embedded record is part of a row of its holder; it keeps its temporary id. */
  | { readonly type: 'taken' }
  /**
   * A field was set, or the edits were committed or rejected: the error of the last write no longer applies. `issues`: what it says of
   * fields that were not edited.
   */
  | { readonly type: 'edited'; readonly issues?: readonly Issue[] }
  /** A part of the row was read, or the whole row. `at`: when the read began. */
  | { readonly type: 'read'; readonly incomplete: boolean; readonly at?: number }
  /** The write of a change begins. */
  | { readonly type: 'begun'; readonly change: Change; readonly at: number }
  /** The edits and what waits were taken back. */
  | { readonly type: 'rejected' }
  /** A write succeeded. */
  | { readonly type: 'saved'; readonly at: number; readonly incomplete: boolean }
  | {
      readonly type: 'failed';
      readonly error: DataError;
      readonly ending: Ending;
      /** Whether the server may have carried this attempt out. */
      readonly isUnanswered: boolean;
      readonly isErase: boolean;
    }
  /** Nothing of the write was sent. */
  | { readonly type: 'notSent' }
  /** The application decided that an unconfirmed create has made nothing. */
  | { readonly type: 'notCreated' }
  | { readonly type: 'erased'; readonly at: number }
  /** The write could not start, or its conflict is over. */
  | { readonly type: 'refused'; readonly error: DataError | undefined; readonly failure?: DataError | undefined }
  /** A rollback has undone a write; `unanswered`: the undoing got no response. */
  | {
      readonly type: 'undone';
      readonly at: number;
      readonly wasCreate: boolean;
      readonly temporaryId: RecordId | undefined;
      readonly unanswered?: { readonly error: DataError; readonly change: Change } | undefined;
    }
  /** An outbox has restored a write that may have been sent by an earlier process. */
  | {
      readonly type: 'restored';
      readonly change?: Change | undefined;
      readonly unconfirmed?: DataError | undefined;
      readonly failure?: DataError | undefined;
      readonly isShown: boolean;
    };

/** The members of a state after its write has ended, and nothing is unconfirmed. */
const ENDED = Object.freeze({
  change: undefined,
  attempts: NO_CHANGES,
  unconfirmed: undefined,
  openErase: undefined,
  error: undefined,
  issues: NO_ISSUES,
  failure: undefined,
});

/** The members of the state that an event changes. The only place that decides it. */
export function changesBy(state: WriteState, event: WriteEvent): Partial<WriteState> | undefined {
  switch (event.type) {
    case 'made':
      return { phantom: true, temporaryId: event.temporaryId };
    case 'taken':
      return state.phantom ? { phantom: false } : undefined;
    case 'edited':
      return state.error || state.issues.length > 0
        ? { error: undefined, issues: event.issues ?? NO_ISSUES }
        : undefined;
    case 'read':
      return afterRead(state, event);
    case 'begun':
      return { change: event.change, begunAt: event.at, readAt: 0 };
    case 'rejected':
      return { error: undefined, issues: NO_ISSUES };
    case 'saved': {
      const { at, incomplete } = event;
      const created = state.phantom && { createdAt: at, phantom: false };
      return { ...ENDED, ...created, temporaryId: undefined, settledAt: at, incomplete };
    }
    case 'failed':
      return afterFailure(state, event);
    case 'notSent':
      return { unconfirmed: undefined, change: undefined, attempts: NO_CHANGES };
    case 'notCreated':
      return { ...ENDED };
    case 'erased':
      return { ...ENDED, erased: true, settledAt: event.at };
    case 'refused':
      return { ...shown(event.error), ...('failure' in event && { failure: event.failure }) };
    case 'undone': {
      const { at, wasCreate, temporaryId, unanswered } = event;
      const again = wasCreate && { phantom: true, temporaryId, createdAt: 0 };
      const unconfirmed = unanswered && {
        unconfirmed: unanswered.error,
        ...shown(unanswered.error),
        failure: unanswered.error,
        change: unanswered.change,
        attempts: [unanswered.change],
      };
      return { ...again, ...unconfirmed, settledAt: at };
    }
    case 'restored': {
      const { change, unconfirmed, failure, isShown } = event;
      return {
        change,
        attempts: change ? [change] : NO_CHANGES,
        unconfirmed,
        failure: failure ?? (isShown ? unconfirmed : undefined),
        ...(isShown && shown(unconfirmed)),
      };
    }
  }
}

/** The members for an error that is shown, with the issues in the response that it reports. */
function shown(error: DataError | undefined): Pick<WriteState, 'error' | 'issues'> {
  const { issues, problem } = Object(error) as { issues?: Issue[]; problem?: { issues: Issue[] } };
  return { error, issues: issues ?? problem?.issues ?? NO_ISSUES };
}

function afterRead(
  { change, readAt, incomplete: wasIncomplete }: WriteState,
  { at = 0, incomplete }: Extract<WriteEvent, { type: 'read' }>,
): Partial<WriteState> | undefined {
  if (change && at > readAt) return { incomplete, readAt: at };
  return wasIncomplete === incomplete ? undefined : { incomplete };
}

function afterFailure(state: WriteState, event: Extract<WriteEvent, { type: 'failed' }>): Partial<WriteState> {
  const { error, ending, isUnanswered, isErase } = event;
  const { phantom, unconfirmed: before } = state;
  const [earlier, operation] = [before?.operation, error.operation];
  // A refusal says that an earlier write of the same kind is not done either; about one of the other kind it says nothing.
  const isSameKind = isErase === (earlier?.action === 'destroy');
  const isAnswered =
    ending === 'refused' && isSameKind && (!earlier || !operation || goesToSamePlace(earlier, operation));
  // A create stays unconfirmed because of its first unanswered attempt; for an update, the latest unanswered attempt counts.
  const isNewest = !before || (isUnanswered && !phantom);
  const unconfirmed = ending === 'unconfirmed' && isNewest ? error : isAnswered ? undefined : before;
  const failed = { ...shown(error), failure: error, failedAt: state.change?.at, unconfirmed };
  if (isErase) return { ...failed, openErase: openEraseAfter(state, event) };
  if (!phantom || !unconfirmed) return { ...failed, change: undefined, attempts: NO_CHANGES };
  const attempts = isUnanswered || !before ? withAttempt(state) : state.attempts;
  // After a repeat that was refused or not sent, the record may still be the one that an earlier attempt has created.
  return { ...failed, attempts, change: attempts[0] ?? state.change };
}

/** The erase that the server may have carried out, after another attempt at it has failed. */
function openEraseAfter(
  { openErase }: WriteState,
  { error: { operation }, ending, isUnanswered }: Extract<WriteEvent, { type: 'failed' }>,
): Operation | undefined {
  if (ending === 'unconfirmed' && isUnanswered) return operation ?? openErase;
  const isRefused = ending === 'refused' && (!openErase || !operation || goesToSamePlace(openErase, operation));
  return isRefused ? undefined : openErase;
}

/** The attempts at a create with the one that has just failed. */
function withAttempt({ attempts, change }: WriteState): readonly Change[] {
  return change ? [change, ...attempts.filter((each) => each !== change)] : attempts;
}

/** Whether two changes were called with equal parameters of the proxy. If not, such as for another tenant, neither gets values of the other. */
export function haveSameParameters(one: Pick<Change, 'call'>, other: Pick<Change, 'call'>): boolean {
  return isSame(one.call.calledParameters, other.call.calledParameters);
}

/** A change with other values: after an earlier write, a read, or the create of a record to which it refers. */
export function changeWith(change: Change, values: Partial<Change>): Change {
  return Object.freeze({ ...change, ...values }) as Change;
}
