import { AbortError } from '../../errors/abort-error.js';
import { isValidId } from '../../http/url.js';
import { MODEL } from '../../operation/operation-record.js';
import type { DataProxy } from '../../proxy/data-proxy.js';
import type { FieldDefinition } from '../field-definition.js';
import { coreOf, type InnerRecord } from '../record.js';
import { CORE, DEFINITION } from '../symbols.js';
import { refusalOf } from './dependency.js';
import { ownValue, referencesOf, repoint, targetsOf } from './reference-fields.js';
import { unsaved } from './unsaved.js';

/** Throws `AddressError` where a field would bring the id of a new record into an address (H10). */
export function refuseTemporary(record: object, field: string, value: unknown): void {
  if (targetsOf(record)?.[field]?.[DEFINITION].phantoms?.issued(value)) throw unsaved(field);
}

/** Keeps the new records that a record refers to until it is sent: only they know the ids that it is to be sent with. */
export function keepParents(record: InnerRecord, changed?: FieldDefinition): void {
  const targets = targetsOf(record);
  // Most models and fields refer to nothing.
  if (!targets || (changed && !targets[changed.name])) return;
  coreOf(record).parents = referencesOf(record).flatMap(
    ([field, target]) => target[DEFINITION].phantoms?.get(ownValue(record, field)) ?? [],
  );
}

/**
 * Makes sure that no temporary id is sent as a reference: takes the ids of records that were saved meanwhile, waits for those
 * that are being saved. Undefined where there is nothing to wait for. Rejects with `DependencyError`, and with
 * `AddressError` where the address needs an id that nobody has asked for (H10).
 */
export function resolveReferences(
  record: InnerRecord,
  proxy: DataProxy,
  signal?: AbortSignal | undefined,
): Promise<void> | undefined {
  for (const reference of referencesOf(record)) {
    const [field, target] = reference;
    const value = ownValue(record, field);
    const { phantoms } = target[DEFINITION];
    const parent = isValidId(value) ? phantoms?.get(value) : undefined;
    const refuse = (reason: string) => Promise.reject(refusalOf(reason, record, reference, parent, value, proxy));
    // Made here, and held by nobody any more.
    if (!parent && phantoms?.issued(value)) return refuse('parent-gone');
    if (!parent) continue;
    if (parent[CORE]?.erased) return refuse('parent-gone');
    if (!parent[CORE]?.phantom) {
      repoint(record, field, parent[MODEL].serverId(parent));
      continue;
    }
    for (let each: InnerRecord | undefined = parent; each; each = each[CORE]?.waitsFor)
      if (each === record) return refuse('parent-circle');
    if (parent[CORE].busy) return waitFor(record, parent, signal).then(() => resolveReferences(record, proxy, signal));
    return refuse(parent[CORE].failure ? 'parent-failed' : 'parent-new');
  }
  coreOf(record).parents = undefined;
  return undefined;
}

/** Waits until the writes of a record that are under way have ended. */
async function waitFor(record: InnerRecord, parent: InnerRecord, signal: AbortSignal | undefined): Promise<void> {
  const core = coreOf(record);
  core.waitsFor = parent;
  await coreOf(parent).lane.ended(signal);
  core.waitsFor = undefined;
  if (signal?.aborted) throw new AbortError('abort');
}
