import { checkOptions, text } from '../errors/option-rules.js';
import type { Extension } from '../extension/extension.js';
import { LAYERS } from '../extension/layers.js';
import type { Write } from '../extension/write.js';
import { randomId } from '../model/identifier.js';
import { setSlot, slotOf } from '../model/slots.js';

/** Options of {@link idempotency}. */
export interface IdempotencyConfig {
  /** Name of the header that carries the key. @default 'Idempotency-Key' */
  header?: string;
}

/** What is known of the create of a record. */
interface CreateKey {
  readonly key: string;
  /** Whether the create may have been sent under the key. */
  readonly sent: boolean;
  /** Whether it was never sent under another key, or without one. */
  readonly only: boolean;
}

const NAME = 'idempotency';

/**
 * Sends a key with each create, by which the server tells a repeated create from a new one. The key belongs to the create of its
 * record until that has a definite answer. With it a create may be repeated: by `retry()`, by an outbox, and by `save()` after one
 * that got no answer, which then goes with the key and the values that it had before; what was edited since follows as an update.
 * Only for servers that honour such a key. Throws `DefinitionError` for wrong options.
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
    send(call, next) {
      if (call.request.operation.idempotencyKey) call.repeatable = true;
      return next(call);
    },
    write(write, next) {
      if (write.action === 'create') giveKey(write);
      return next(write);
    },
    settled(write) {
      if (write.action === 'create' && write.records.length === 1) keepKey(write);
    },
  });
}

/** Gives a create the key of its record; several in one request have one of their own, under which none of them can go again alone. */
function giveKey(write: Write): void {
  const { records, operation } = write;
  const [record, another] = records;
  if (!record) return;
  const known = another ? undefined : slotOf<CreateKey>(record, { name: NAME });
  const key = known?.key ?? randomId();
  Object.assign(operation, { idempotencyKey: key });
  if (another) {
    for (const each of records) setSlot(each, { name: NAME }, undefined);
    return;
  }
  const { inDoubt } = record.$;
  const resend = inDoubt && (known?.sent ?? false);
  // A doubt from before the key was sent is about another create.
  const only = inDoubt ? resend && (known?.only ?? false) : true;
  write.repeatable = only;
  write.resend = resend;
  setSlot(record, { name: NAME }, { key, only, sent: true } satisfies CreateKey);
}

/** Forgets the key when the create has a definite answer. */
function keepKey(write: Write): void {
  const { records, outcomes, repeatable, resend, isCopy, operation } = write;
  const [record] = records;
  const [outcome] = outcomes;
  const known = record && slotOf<CreateKey>(record, { name: NAME });
  if (!record || !outcome || !known) return;
  const { ending, error } = outcome;
  // The server has seen the values, and refused them: the next create is another one, though one before is still in doubt.
  const isOver =
    ending === 'done' ||
    ending === 'refused' ||
    (!repeatable && error?.code === 'validation' && error.operation?.response);
  if (isOver) setSlot(record, { name: NAME }, undefined);
  // Not by a write that was refused before it had the key: that says nothing of the one that has carried it.
  else if (ending === 'noNews' && !resend && operation.idempotencyKey === known.key)
    setSlot(record, { name: NAME }, { ...known, sent: false } satisfies CreateKey);
  // What was edited since it was first sent follows.
  if (ending === 'done' && resend && !isCopy && record.dirty) write.follow = 'update';
}
