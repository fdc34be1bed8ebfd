import { checkNoOptions } from '../dev/checks.js';
import { type DataError, isGone } from '../errors/data-error.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Outcome, Write } from '../extension/write-hook.js';
import type { Change } from '../model/change.js';
import { goesToSamePlace } from '../model/classify-outcome.js';
import { readsElsewhere } from '../model/read-address.js';
import { rowIfDone } from '../model/read-again.js';
import { type InnerRecord, inner } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import type { RecordWrite } from '../model/write.js';
import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/**
 * Recognises a repeated update or destroy that was refused only because an earlier attempt had succeeded. A 404 or 410 after a repeated
 * DELETE counts as success, also if a save between the two has failed. After a 409 or 412 to a repeated update, the row is read: if it
 * holds the values that were sent, the update counts as success. `retry()` and an outbox include this extension. Throws `DefinitionError`
 * if it is given options: it has none.
 *
 * A first 404 rejects, also the first after a renewed sign-in. Only fields that were edited are compared, because servers count versions
 * and other people edit; a save without edits is compared as a whole.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [confirm()] } }) {}
 * ```
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

/** Whether an error may be the server's response to a write that it has carried out before. */
function isRepeated({ records, operation }: Write, at: number, error: DataError): boolean {
  const { action, repeated, unclear } = operation;
  const { unanswered = [] } = inner(records[at] as Write['records'][number])[CORE] ?? {};
  const { status = 0 } = error as { status?: number };
  const isRepeat = unanswered.some(
    ({ operation: earlier }) => earlier?.action === action && goesToSamePlace(earlier, operation),
  );
  const wasSentBefore = repeated || unclear || isRepeat;
  return wasSentBefore && action !== 'create' && [404, 409, 410, 412].includes(status);
}

/**
 * Finds out whether a repeated write was refused only because an earlier attempt had succeeded: the record to erase is gone, or the
 * row on the server holds the values of `change`. Resolves with the outcome: the row, undefined after an erase, or else the refusal.
 */
async function confirmWrite(
  record: InnerRecord,
  change: Change | undefined,
  proxy: DataProxy,
  operation: Operation,
  refusal: DataError,
): Promise<Outcome> {
  const isErase = operation.action === 'destroy';
  if (isGone(refusal)) {
    if (!isErase) return { error: refusal };
    // A 404 to a request with several records does not say which of them is gone.
    if (refusal.operation?.records.length === 1) return { row: undefined };
  }
  try {
    const row = await rowIfDone(record, isErase ? undefined : change, proxy, operation);
    return row ? { row } : { error: refusal, isRefuted: true };
  } catch (error) {
    if (isErase && isGone(error) && !readsElsewhere(proxy, operation)) return { row: undefined };
    return { error: refusal };
  }
}
