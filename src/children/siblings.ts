import { isValidId } from '../http/url.js';
import type { Model } from '../model/model.js';
import type { InnerModel } from '../model/model-definition.js';
import { referencesOf } from '../model/parts/reference-fields.js';
import { currentValue, type InnerRecord, inner } from '../model/record.js';
import type { RecordChildren } from '../model/record-children.js';
import { isOwner } from '../model/record-owner.js';
import { CORE, DEFINITION, OWNER } from '../model/symbols.js';
import { innerStore } from '../store/inner-store.js';
import { RecordSet } from '../store/record-set.js';
import { SharedRecords, sharedRecordsOf } from '../sync/shared-records.js';
import type { ChildrenScope } from './children-scope.js';

/** The children of the parent to which a record refers; undefined: nobody has asked for their store, or the parent is not known. */
export function siblingsFor<M extends Model>(scope: ChildrenScope<M>, record: M): ChildrenScope<M> | undefined {
  const { field, parent, target } = scope.link;
  const id = currentValue(inner(record), field);
  const other = newParent(target, id, sharedRecordsOf(parent)) ?? knownBeside(parent, id);
  return childScopes(other).find((each) => each.model === scope.model && each.link.field === field) as
    | ChildrenScope<M>
    | undefined;
}

/** The children of a record, for each reference to it whose store was made. */
export function childScopes(parent: InnerRecord | undefined): readonly ChildrenScope<Model>[] {
  return scopesIn(parent?.[CORE]?.children);
}

/** The same of the children that a record holds. */
export function scopesIn(children: RecordChildren | undefined): readonly ChildrenScope<Model>[] {
  return (children?.lists as readonly ChildrenScope<Model>[] | undefined) ?? [];
}

/** Lets stores of children take the records of a session that come to refer to their parent, wherever they were made or edited. */
export function followSession(shared: SharedRecords): void {
  if (shared.followsChildren) return;
  shared.followsChildren = true;
  shared.observers.attach({ recordChanged: (record) => joinParents(record, shared), storeAttached: () => undefined });
  for (const record of shared.pending) joinParents(record, shared);
}

function joinParents(record: Model, shared: SharedRecords): void {
  // The session tells of a record that leaves it, too.
  if (record.erased || !isOwner(inner(record), shared) || shared.isHidden(record)) return;
  for (const [field, target] of referencesOf(inner(record))) {
    const id = currentValue(inner(record), field);
    const parent = newParent(target, id, shared) ?? shared.ofModel(target).find(id);
    const scope = childScopes(parent && inner(parent)).find(
      (each) => (each.model as unknown) === record.constructor && each.link.field === field,
    );
    const isPending = record.phantom || record.dirty;
    if (scope && (innerStore(scope.store).hasLoaded || isPending)) scope.takeChild(record);
    else if (!scope && isPending && isValidId(id)) shared.unplaced.add(record);
  }
}

/** The new record with a temporary id. One of another session is left out: a fork has copies of the new records of its parent. */
function newParent(target: InnerModel, id: unknown, shared: SharedRecords | undefined): InnerRecord | undefined {
  const record = target[DEFINITION].phantoms?.get(id);
  const other = record && sharedRecordsOf(record);
  return other && other !== shared ? undefined : record;
}

/** The record with an id, in the session or in a store of another record. */
function knownBeside(record: InnerRecord, id: unknown): InnerRecord | undefined {
  const found = [record[OWNER]].flat().map((owner) => {
    if (owner instanceof SharedRecords) return owner.ofRecord(record).find(id);
    return owner instanceof RecordSet ? owner.index.getSaved(id) : undefined;
  });
  const known = found.find((each) => each !== undefined);
  return known && inner(known);
}
