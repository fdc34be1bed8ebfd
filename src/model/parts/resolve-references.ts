import { AbortError } from '../../errors/request-errors.js';
import { isValidId } from '../../http/url.js';
import { MODEL } from '../../operation/operation-record.js';
import type { DataProxy } from '../../proxy/data-proxy.js';
import { changeToSend } from '../change.js';
import type { FieldDefinition } from '../field-definition.js';
import { coreOf, type InnerRecord } from '../record.js';
import type { Entry } from '../record-core.js';
import { CORE, DEFINITION } from '../symbols.js';
import { type ParentReason, referenceError } from './dependency.js';
import { referencesOf, refersTo, setReferenceId, targetsOf, unsentValue } from './reference-fields.js';

/**
 * Keeps the new records that a record refers to in memory until it is sent: the ids to send are known from these records only. They know it as
 * well, to give it their ids.
 */
export function keepParents(record: InnerRecord, changed?: FieldDefinition): void {
  const targets = targetsOf(record);
  // Most fields do not refer to another model, and calling this for each edit must cost little.
  if (!targets || (changed && !targets[changed.name])) return;
  const changes = [undefined, ...coreOf(record).waiting];
  const parents = referencesOf(record).flatMap(([field, target]) =>
    changes.flatMap((change) => target[DEFINITION].phantoms?.get(unsentValue(record, field, change)) ?? []),
  );
  const isNew = (parent: InnerRecord) => !coreOf(record).parents?.includes(parent);
  for (const parent of parents)
    if (parent[CORE]?.phantom && isNew(parent)) (parent[CORE].referring ??= new Set()).add(new WeakRef(record));
  coreOf(record).parents = parents;
}

/** Gives a record the id that a record to which it refers has now, instead of the id `before`. */
export function replaceParentId(record: InnerRecord, parent: InnerRecord, before: unknown): void {
  for (const [field, target] of referencesOf(record))
    if (parent instanceof target && refersTo(record, field, before))
      setReferenceId(record, field, before, parent[MODEL].serverId(parent));
}

/**
 * Replaces the temporary ids in a record's references, before the record is sent, by the server's ids of records that were
 * saved meanwhile. Waits for records that are being saved; returns undefined if there is nothing to wait for. Rejects with
 * `DependencyError` if a record that is referred to cannot be saved, was dropped or was never saved, and with `AddressError` if
 * the address needs the id of a record that was never saved.
 */
export function resolveReferences(
  record: InnerRecord,
  proxy: DataProxy,
  signal?: AbortSignal | undefined,
  entry?: Entry | undefined,
): Promise<void> | undefined {
  const change = changeToSend(record, entry);
  for (const reference of referencesOf(record)) {
    const [field, target] = reference;
    const value = unsentValue(record, field, change);
    const { phantoms } = target[DEFINITION];
    const parent = isValidId(value) ? phantoms?.get(value) : undefined;
    const refuse = (reason: ParentReason) =>
      Promise.reject(referenceError(reason, record, reference, parent, value, proxy));
    // The id is a temporary id of this client, but no record has it any more: the new record was dropped.
    if (!parent && phantoms?.isIssued(value)) return refuse('parent-gone');
    if (!parent) continue;
    if (parent[CORE]?.erased) return refuse('parent-gone');
    if (!parent[CORE]?.phantom) {
      setReferenceId(record, field, value, parent[MODEL].serverId(parent));
      continue;
    }
    for (let each: InnerRecord | undefined = parent; each; each = each[CORE]?.waitsFor)
      if (each === record) return refuse('parent-circle');
    if (parent[CORE].busy)
      return waitFor(record, parent, signal).then(() => resolveReferences(record, proxy, signal, entry));
    return refuse(parent[CORE].failure ? 'parent-failed' : 'parent-new');
  }
  if (coreOf(record).waiting.length === 0) coreOf(record).parents = undefined;
  return undefined;
}

/** Waits until the writes of `parent` that are in flight have ended. */
async function waitFor(record: InnerRecord, parent: InnerRecord, signal: AbortSignal | undefined): Promise<void> {
  const core = coreOf(record);
  core.waitsFor = parent;
  await coreOf(parent).whenEnded(signal);
  core.waitsFor = undefined;
  if (signal?.aborted) throw new AbortError('abort');
}
