import { AbortError } from '../errors/abort-error.js';
import { DefinitionError } from '../errors/definition-error.js';
import { onDemand } from '../errors/on-demand.js';
import { isValidId } from '../http/url.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { rounded } from '../util/rounded.js';
import { isSame } from '../util/values.js';
import type { refusalOf } from './dependency.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { baseValue, coreOf, exactBase, type InnerRecord, keepValue, valuesOf, withWritten } from './record.js';
import { forewarn, notify } from './record-owner.js';
import { CACHE, CORE, DEFINITION, ROW } from './symbols.js';
import { unsaved } from './unsaved.js';

/** A model that fields refer to. */
export type Target = (abstract new (...args: never) => object) & { readonly [DEFINITION]: ModelDefinition };
/** A field that refers to a model. */
export type Reference = readonly [field: FieldDefinition, target: Target];

/** The models that fields refer to, by the names of these. */
function targetsOf(record: object): Readonly<Record<string, Target>> | undefined {
  return (record.constructor as { references?(): Record<string, Target> }).references?.();
}

/** The fields of a record that refer to models. Throws `DefinitionError` for a name that is no field: its ids would be sent as they are. */
export function referencesOf(record: InnerRecord): Reference[] {
  const model = record[MODEL];
  return Object.entries(targetsOf(record) ?? {}).map(([name, target]) => {
    const field = model.field(name);
    if (!field) throw new DefinitionError('field-unknown', { field: name, model: model.name });
    return [field, target];
  });
}

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

/** What a field would send that no server knows yet: of a new record its value, of a saved one its edit. */
export function ownValue(record: InnerRecord, field: FieldDefinition): unknown {
  const core = record[CORE];
  if (core?.edits?.has(field)) return core.edits.get(field);
  return core?.phantom ? baseValue(record, field) : undefined;
}

/** Points a field at the id that its record has now. For a new record this is no edit: the value simply is another. */
export function repoint(record: InnerRecord, field: FieldDefinition, id: unknown): void {
  const core = coreOf(record);
  const value = field.accept(id);
  const previousId = record[MODEL].serverId(record);
  forewarn(record, field.names);
  // What was sent is settled against the row as it was: until then the other value is an edit.
  if (core.sent && !core.edits?.has(field)) core.edits = new Map([...(core.edits ?? []), [field, value]]);
  else if (core.edits?.has(field)) {
    if (!core.sent?.has(field) && isSame(exactBase(record, field), value)) core.edits.delete(field);
    else core.edits.set(field, value);
  } else {
    const written = field.write(value, record[ROW]);
    record[ROW] = withWritten(record, new Map([[field, written]]));
    if (record[CACHE] && field.slot >= 0) record[CACHE][field.slot] = undefined;
    if (!field.direct(written) || written !== value) keepValue(record, field, rounded(value));
  }
  notify(record, { kind: 'set', fields: field.names, previousId });
  core.events?.emit('set', { record, modified: valuesOf(record, [field]) });
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
    const refuse = (reason: string) => refuseReference(reason, record, reference, parent, value, proxy);
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

/** Rejects with why a record is not sent. */
async function refuseReference(...why: Parameters<typeof refusalOf>): Promise<never> {
  const { refusalOf } = await onDemand(import('./dependency.js'));
  throw refusalOf(...why);
}

/** Waits until the writes of a record that are under way have ended. */
async function waitFor(record: InnerRecord, parent: InnerRecord, signal: AbortSignal | undefined): Promise<void> {
  const core = coreOf(record);
  core.waitsFor = parent;
  await coreOf(parent).lane.ended(signal);
  core.waitsFor = undefined;
  if (signal?.aborted) throw new AbortError('abort');
}
