import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Outcome, Write } from '../extension/write.js';
import { inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { confirmWrite } from './confirm-write.js';

/**
 * Finds out whether the refusal of an update or destroy that was sent again means that it was done before: a 404 after a repeated
 * DELETE is a success, and so is a 409 or 412 after a repeated update whose values the row holds, which is read to see that.
 * `retry()` and an outbox bring it along.
 */
export function confirm(): Extension {
  return Object.freeze<Extension>({
    name: 'confirm',
    layer: LAYERS.confirm,
    async write(write, next) {
      const outcomes = await next(write);
      const confirmed: Outcome[] = [];
      for (const [at, outcome] of outcomes.entries()) confirmed.push(await confirmOutcome(write, at, outcome));
      return confirmed;
    },
  });
}

async function confirmOutcome(write: Write, at: number, outcome: Outcome): Promise<Outcome> {
  const { records, proxy, operation } = write;
  const record = inner(records[at] as Write['records'][number]);
  if (!outcome.error || !isRepeated(write, at, outcome.error)) return outcome;
  try {
    return { row: await confirmWrite(record, proxy, operation, outcome.error) };
  } catch {
    // It was not done, or that cannot be found out.
    return outcome;
  }
}

/** Whether a refusal may be what the server says when it is told again of what it has done. */
function isRepeated({ records, operation }: Write, at: number, error: DataError): boolean {
  const { action, repeated, unclear } = operation;
  const { unconfirmed } = inner(records[at] as Write['records'][number])[CORE] ?? {};
  const { status = 0 } = error as { status?: number };
  const again = repeated || unclear || unconfirmed?.operation?.action === action;
  return again && action !== 'create' && [404, 409, 410, 412].includes(status);
}
