import { checkNoOptions } from '../dev/checks.js';
import type { DataError } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Outcome, Write } from '../extension/write.js';
import { goesToSamePlace } from '../model/classify-outcome.js';
import { inner } from '../model/record.js';
import type { RecordWrite } from '../model/record-write.js';
import { CORE } from '../model/symbols.js';
import { confirmWrite } from './confirm-write.js';

/**
 * Recognises a repeated update or destroy that was refused only because an earlier attempt had succeeded. A 404 or 410 after a repeated
 * DELETE counts as success. After a 409 or 412 to a repeated update, the row is read: if it holds the values that were sent, the update
 * counts as success. `retry()` and an outbox include this extension.
 */
export function confirm(...none: readonly never[]): Extension {
  checkNoOptions('confirm', none);
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
  return confirmWrite(record, (write as RecordWrite).innerChanges[at], proxy, operation, outcome.error);
}

/** Whether an error may be the server's answer to a write that it has carried out before. */
function isRepeated({ records, operation }: Write, at: number, error: DataError): boolean {
  const { action, repeated, unclear } = operation;
  const { unconfirmed } = inner(records[at] as Write['records'][number])[CORE] ?? {};
  const { status = 0 } = error as { status?: number };
  const earlier = unconfirmed?.operation;
  const isRepeat = earlier?.action === action && goesToSamePlace(earlier, operation);
  const wasSentBefore = repeated || unclear || isRepeat;
  return wasSentBefore && action !== 'create' && [404, 409, 410, 412].includes(status);
}
