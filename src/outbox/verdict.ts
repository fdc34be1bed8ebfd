import type { SettledOutcome } from '../extension/write.js';
import type { OutboxEntry } from './outbox-entry.js';
import { isPause } from './put-off.js';

/**
 * What the end of a write means for its entry. `unsent`: the server has certainly not seen it; it is sent again, as `queued`
 * ones are.
 */
export type Verdict = 'done' | 'queued' | 'unsent' | 'doubt' | 'failed';

/** Errors of the platform that say that no connection was made. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/**
 * What becomes of an entry by the end of its write (`classifyOutcome`). `inDoubt`: it, or a write of the record before, may have been
 * done; `worn`: it was answered in vain often enough.
 */
export function verdictOf(
  entry: OutboxEntry,
  { ending, error }: SettledOutcome,
  inDoubt: boolean,
  attempts: number,
  worn: boolean,
): Verdict {
  if (ending === 'done' || !error) return 'done';
  const { code } = error;
  const { status = 0 } = error as { status?: number };
  const paused = isPause(error);
  // Attempts that may have been seen: one that made no connection, or was not made at all, says nothing of those before it.
  const seen = code === 'network' && isUnsent(error) ? attempts - 1 : paused ? attempts : 1;
  if (seen <= 0 && entry.attempts <= 1) return 'unsent';
  if (isUndecided(entry, code, inDoubt)) return 'doubt';
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
  return inDoubt && entry.action === 'create' ? 'doubt' : 'failed';
}

/** Whether somebody has to decide what became of a create: it may have been done, and would not be sent under a key that it had. */
function isUndecided({ action, repeatable }: OutboxEntry, code: string, inDoubt: boolean): boolean {
  return code === 'outbox-doubt' || (inDoubt && action === 'create' && !repeatable);
}

function isUnsent({ cause }: Error): boolean {
  const { code, cause: inner } = (cause ?? {}) as { code?: string; cause?: { code?: string } };
  return UNSENT.includes(inner?.code ?? code ?? '');
}
