import { AbortError } from '../errors/abort-error.js';
import { AddressError } from '../errors/address-error.js';
import type { DataError } from '../errors/data-error.js';
import { DependencyError } from '../errors/dependency-error.js';
import { isValidId } from '../http/url.js';
import type { RecordId } from '../operation/actions.js';
import { MODEL } from '../operation/operation-record.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isSame } from '../util/values.js';
import type { BaseModel } from './base-model.js';
import type { FieldDefinition } from './field-definition.js';
import type { ModelDefinition } from './model-definition.js';
import { baseValue, coreOf, type InnerRecord, inner, keepValue, nameOf, valuesOf, withWritten } from './record.js';
import { forewarn, notify } from './record-owner.js';
import { CACHE, CORE, DEFINITION, ROW } from './symbols.js';

/** A model that fields refer to. */
export type Target = (abstract new (...args: never) => object) & { readonly [DEFINITION]: ModelDefinition };
/** A field that refers to a model. */
export type Reference = readonly [field: FieldDefinition, target: Target];

/** The models that fields refer to, by the names of these. */
function targetsOf(record: object): Readonly<Record<string, Target>> | undefined {
  return (record.constructor as { references?(): Record<string, Target> }).references?.();
}

/** The fields of a record that refer to models. */
export function referencesOf(record: InnerRecord): Reference[] {
  const model = record[MODEL];
  return Object.entries(targetsOf(record) ?? {}).flatMap(([name, target]) => {
    const field = model.field(name);
    return field ? [[field, target] as const] : [];
  });
}

/** Throws `AddressError` where a field would bring the id of a new record into an address (H10). */
export function refuseTemporary(record: object, field: string, value: unknown): void {
  if (targetsOf(record)?.[field]?.[DEFINITION].phantoms?.issued(value)) throw unsaved(field);
}

/** Why there is no address: a new record would have to be saved first. */
function unsaved(name: string): AddressError {
  const messages = { 'template-phantom': "'{{name}}' is of a record that was never saved: save it first" };
  return new AddressError('template-phantom', { name, url: `{${name}}` }, { messages });
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
    if (!core.sent?.has(field) && isSame(baseValue(record, field), value)) core.edits.delete(field);
    else core.edits.set(field, value);
  } else {
    const written = field.write(value, record[ROW]);
    record[ROW] = withWritten(record, new Map([[field, written]]));
    if (record[CACHE] && field.slot >= 0) record[CACHE][field.slot] = undefined;
    if (!field.direct(written) || written !== value) keepValue(record, field, value);
  }
  notify(record, { kind: 'set', fields: field.names, previousId });
  core.events?.emit('set', { record, modified: valuesOf(record, [field]) });
}

/** Stands in for a new record that is gone: what refers to it cannot be sent. */
export function makeGone(target: Target): InnerRecord {
  const Class = target as unknown as new (data: object, options: { phantom: true }) => BaseModel;
  const record = inner(new Class({}, { phantom: true }));
  coreOf(record).erased = true;
  return record;
}

/** Why a record is not sent: because of the one that a field of it refers to. */
export function dependencyError(
  reason: string,
  record: InnerRecord,
  field: FieldDefinition,
  parent: InnerRecord,
  cause: DataError | undefined = parent[CORE]?.failure,
): DependencyError {
  const { model, id } = nameOf(parent);
  const params = { ...nameOf(record), field: field.name, parent: model, parentId: id, why: cause?.message };
  return new DependencyError(reason, params, parent, cause);
}

/**
 * Makes sure that no temporary id is sent as a reference: takes the ids of records that were saved meanwhile, waits for those
 * that are being saved. Undefined where there is nothing to wait for. Throws and rejects with `DependencyError`, and with
 * `AddressError` where the address needs an id that nobody has asked for (H10).
 */
export function resolveReferences(
  record: InnerRecord,
  proxy: DataProxy,
  signal?: AbortSignal | undefined,
): Promise<void> | undefined {
  for (const [field, target] of referencesOf(record)) {
    const value = ownValue(record, field);
    const { phantoms } = target[DEFINITION];
    const parent = isValidId(value) ? phantoms?.get(value) : undefined;
    // Made here, and held by nobody any more.
    if (!parent && phantoms?.issued(value)) {
      const gone = makeGone(target);
      coreOf(gone).temporaryId = value as RecordId;
      throw dependencyError('parent-gone', record, field, gone);
    }
    if (!parent) continue;
    const fail = (reason: string) => dependencyError(reason, record, field, parent);
    if (parent[CORE]?.erased) throw fail('parent-gone');
    if (!parent[CORE]?.phantom) {
      repoint(record, field, parent[MODEL].serverId(parent));
      continue;
    }
    for (let each: InnerRecord | undefined = parent; each; each = each[CORE]?.waitsFor)
      if (each === record) throw fail('parent-circle');
    if (parent[CORE].busy) return waitFor(record, parent, signal).then(() => resolveReferences(record, proxy, signal));
    if (parent[CORE].failure) throw fail('parent-failed');
    const { url, api } = proxy as { url?: string; api?: object };
    if ([url, ...Object.values(api ?? {})].some((each) => String(each).includes(`{${field.name}}`)))
      throw unsaved(field.name);
    throw fail('parent-new');
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
