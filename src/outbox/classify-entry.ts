import type { SettledOutcome } from '../extension/write.js';
import { isPause } from './backoff.js';
import type { OutboxEntry } from './outbox-entry.js';

/**
 * What the end of a write means for its entry. `never-connected`: the server has certainly not seen it; it is sent again, as `queued`
 * ones are.
 */
export type EntryOutcome = 'done' | 'queued' | 'never-connected' | 'unconfirmed' | 'failed';

/** Errors of the platform that say that no connection was made. */
const NO_CONNECTION = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * What becomes of an entry by the end of its write (`classifyOutcome`). `inDoubt`: it, or a write of the record before, may have been
 * done; `worn`: it was answered in vain often enough.
 */
export function classifyEntry(
  entry: OutboxEntry,
  { ending, error }: SettledOutcome,
  inDoubt: boolean,
  attempts: number,
  worn: boolean,
): EntryOutcome {
  if (ending === 'done' || !error) return 'done';
  const { code } = error;
  const { status = 0 } = error as { status?: number };
  const paused = isPause(error);
  // Attempts that may have been seen: one that made no connection, or was not made at all, says nothing of those before it.
  const seen = code === 'network' && neverConnected(error) ? attempts - 1 : paused ? attempts : 1;
  if (seen <= 0 && entry.attempts <= 1) return 'never-connected';
  if (isUndecided(entry, code, inDoubt)) return 'unconfirmed';
  if (paused) return 'queued';
  // What it refers to is gone for good, or will never be there.
  if (code === 'dependency') return ['parent-gone', 'parent-circle'].includes(error.reason) ? 'failed' : 'queued';
  if (['network', 'timeout', 'outbox-closed'].includes(code)) return 'queued';
  if (code.startsWith('outbox-') && error.retryable) return 'queued';
  // Who is asking may be known again soon: that says nothing about the write.
  if (status === 401) return 'queued';
  if (ending === 'refused') return 'failed';
  const passing = status >= 500 || [408, 425, 429].includes(status) || (inDoubt && status === 409);
  if (passing && !worn) return 'queued';
  // The key is kept: what was sent under it may have been done.
  return inDoubt && entry.action === 'create' ? 'unconfirmed' : 'failed';
}

/** Whether somebody has to decide what became of a create: it may have been done, and would not be sent under a key that it had. */
function isUndecided({ action, repeatable }: OutboxEntry, code: string, inDoubt: boolean): boolean {
  return code === 'outbox-unconfirmed' || (inDoubt && action === 'create' && !repeatable);
}

function neverConnected({ cause }: Error): boolean {
  const { code, cause: inner } = (cause ?? {}) as { code?: string; cause?: { code?: string } };
  return NO_CONNECTION.includes(inner?.code ?? code ?? '');
}
