import type { SettledOutcome, WriteAction } from '../extension/write-hook.js';
import { isRatePause } from './backoff.js';

/**
 * The fate of an entry after its write has ended. `done`: it is dropped. `queued`: it is sent again. `never-connected`: it is sent again
 * too, and the server has certainly never seen it. `unconfirmed`, `failed`: it waits for a decision of the application.
 */
export type EntryOutcome = 'done' | 'queued' | 'never-connected' | 'unconfirmed' | 'failed';

/** The facts about sending a group of changes. */
interface Sent {
  readonly action: WriteAction;
  readonly repeatable: boolean | undefined;
  readonly attempts: number;
}

/** The error codes of the platform that mean that no connection was made. */
const NO_CONNECTION = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * Decides what becomes of an entry when its write has ended. `isUnconfirmed`: this write, or an earlier write of the record, may have
 * succeeded although no response says so. `isExhausted`: the server has answered the write with an error as often as `maxAttempts` allows.
 */
export function classifyEntry(
  entry: Sent,
  { ending, error }: SettledOutcome,
  isUnconfirmed: boolean,
  attempts: number,
  isExhausted: boolean,
): EntryOutcome {
  if (ending === 'done' || !error) return 'done';
  const { code } = error;
  const { status = 0 } = error as { status?: number };
  const isPaused = isRatePause(error);
  // The number of attempts that the server may have seen: an attempt without a connection, or one that was never made, is not counted.
  const seenAttempts = code === 'network' && neverConnected(error) ? attempts - 1 : isPaused ? attempts : 1;
  if (seenAttempts <= 0 && entry.attempts <= 1) return 'never-connected';
  if (needsDecision(entry, code, isUnconfirmed)) return 'unconfirmed';
  if (isPaused) return 'queued';
  // A record that refers to a lost record, or to itself in a circle, can never be created; otherwise its parent may still be created.
  if (code === 'dependency') return ['parent-gone', 'parent-circle'].includes(error.reason) ? 'failed' : 'queued';
  if (['network', 'timeout', 'outbox-closed'].includes(code)) return 'queued';
  if (code.startsWith('outbox-') && error.retryable) return 'queued';
  // A 401 says nothing about the write: the user may sign in again.
  if (status === 401) return 'queued';
  if (ending === 'refused') return 'failed';
  // The row that would show whether an earlier attempt was done could not be read.
  const isOpen = isUnconfirmed && (status === 409 || status === 412);
  const isTransient = status >= 500 || [408, 425, 429].includes(status) || isOpen;
  if (isTransient && !isExhausted) return 'queued';
  // An earlier attempt with the same key may have created the record, so the create keeps its key and waits for a decision.
  return isUnconfirmed && entry.action === 'create' ? 'unconfirmed' : 'failed';
}

/** Whether the application has to decide about a create: the create may have succeeded, and cannot be repeated with the same key. */
function needsDecision({ action, repeatable }: Sent, code: string, isUnconfirmed: boolean): boolean {
  return code === 'outbox-unconfirmed' || (isUnconfirmed && action === 'create' && !repeatable);
}

function neverConnected({ cause }: Error): boolean {
  const { code, cause: inner } = (cause ?? {}) as { code?: string; cause?: { code?: string } };
  return NO_CONNECTION.includes(inner?.code ?? code ?? '');
}
