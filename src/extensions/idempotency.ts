import { checkOptions } from '../dev/checks.js';
import { text } from '../errors/option-rules.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Write } from '../extension/write-hook.js';
import { randomUuid } from '../model/identifier.js';
import { setSlot, slotOf } from '../model/record.js';

/** Options of {@link idempotency}. */
export interface IdempotencyConfig {
  /** Name of the header that carries the key. @default 'Idempotency-Key' */
  header?: string;
}

/** The key of a record's create, as kept in the record's slot. */
interface CreateKey {
  readonly key: string;
  /** Whether the create may have been sent with the key. */
  readonly sent: boolean;
  /** Whether the create was never sent with another key or without a key. */
  readonly isOnlyKey: boolean;
}

const NAME = 'idempotency';

/**
 * Sends an idempotency key with each create, so that the server recognises a repeated create as a duplicate. A record keeps its key until
 * its create has a definite response. With a key, a create may be repeated by `retry()`, by an outbox, and by `save()` after a create that
 * got no response. Such a repeat sends the same key and values as before, and later edits follow as an update. Use it only with servers
 * that support such keys. Throws `DefinitionError` for wrong options.
 *
 * Such a repeat is sent byte for byte and to the first address, because servers refuse another body under a key. If it is answered 409 or
 * 422 without a field, 401 or another 4xx, the record stays unconfirmed: save again later, or settle it by `decide()`. `erase()` of an
 * unconfirmed record is refused under a key, too: save it, then erase it. With `batchActions`, the key is that of the request.
 *
 * @example
 * ```ts
 * class ApiModel extends Model.with({ proxy: { use: [idempotency(), retry()] } }) {}
 * ```
 */
export function idempotency(config: IdempotencyConfig = {}): Extension {
  checkOptions(NAME, config, { header: text });
  const { header = 'Idempotency-Key' } = config;
  return Object.freeze<Extension>({
    name: NAME,
    layer: LAYERS.idempotency,
    prepare(request) {
      const { idempotencyKey } = request.operation;
      if (idempotencyKey) request.headers = { ...request.headers, [header]: idempotencyKey };
    },
    send(request, next) {
      if (request.operation.idempotencyKey) request.repeatable = true;
      return next(request);
    },
    write(write, next) {
      if (write.action === 'create') assignKey(write);
      return next(write);
    },
    settled(write) {
      if (write.action === 'create' && write.records.length === 1) updateKey(write);
    },
  });
}

/**
 * Gives a create the key of its record. A request with several creates gets a new key of its own, with which no single record can be
 * sent again.
 */
function assignKey(write: Write): void {
  const { records, operation } = write;
  const [record, second] = records;
  if (!record) return;
  const createKey = second ? undefined : slotOf<CreateKey>(record, { name: NAME });
  const key = createKey?.key ?? randomUuid();
  Object.assign(operation, { idempotencyKey: key });
  if (second) {
    for (const each of records) setSlot(each, { name: NAME }, undefined);
    return;
  }
  const { unconfirmed } = record.$;
  const resend = unconfirmed && (createKey?.sent ?? false);
  // A create that became unconfirmed before the key was sent is another create, which the key does not protect.
  const isOnlyKey = unconfirmed ? resend && (createKey?.isOnlyKey ?? false) : true;
  write.repeatable = isOnlyKey;
  write.resend = resend;
  setSlot(record, { name: NAME }, { key, isOnlyKey, sent: true } satisfies CreateKey);
}

/** Forgets the key when the create has a definite response. */
function updateKey(write: Write): void {
  const { records, outcomes, repeatable, resend, operation } = write;
  const [record] = records;
  const [outcome] = outcomes;
  const createKey = record && slotOf<CreateKey>(record, { name: NAME });
  if (!record || !outcome || !createKey) return;
  const { ending, error } = outcome;
  // After the server has refused the values, the next save is a new create, even while an earlier create is still unconfirmed.
  const isOver =
    ending === 'done' ||
    ending === 'refused' ||
    (!repeatable && error?.code === 'validation' && error.operation?.response);
  if (isOver) setSlot(record, { name: NAME }, undefined);
  // A write that failed before it carried the key says nothing about an earlier attempt that did carry it.
  else if (ending === 'noNews' && !resend && operation.idempotencyKey === createKey.key)
    setSlot(record, { name: NAME }, { ...createKey, sent: false } satisfies CreateKey);
}
