import type { WriteAction } from '../extension/write-hook.js';
import { isInConflict, type LoggedChange } from './stored-change.js';

/** The next step for a record. */
export interface Job {
  /**
   * `send`: a request. `drop`: the record was erased before it was created, so nothing is sent. `unconfirmed`: the create may have been
   * done, and cannot be repeated. `refuse`: it refers to a record that was never created. `wait`: it refers to a record that is not created
   * yet.
   */
  readonly does: 'send' | 'drop' | 'unconfirmed' | 'refuse' | 'wait';
  readonly action: WriteAction;
  /** The changes that the request carries. */
  readonly group: readonly LoggedChange[];
  /** Whether the group was sent before, and got no response. */
  readonly isRepeat: boolean;
  /** The field that refers to another record, and the key of that record. */
  readonly parent?: readonly [field: string, key: string] | undefined;
}

/** The id of a created record, by its key; null: it was never created; undefined: it is not created yet. */
export type IdOf = (key: string) => unknown;

/**
 * Works out from the stored changes of a record what is to be done. What was sent without a response is repeated as it was. Otherwise, all
 * changes are sent together, from the oldest up to and including the first erase. Undefined: nothing, or a decision of the application is
 * needed first.
 */
export function nextJob(changes: readonly LoggedChange[], idOf: IdOf): Job | undefined {
  const group = groupOf(changes);
  if (!group) return undefined;
  const has = (action: WriteAction) => group.some(({ change }) => change.action === action);
  const action: WriteAction = has('destroy') ? 'destroy' : has('create') ? 'create' : 'update';
  const isRepeat = sentBy({ action, group }).every(({ progress }) => progress.state === 'attempted');
  const job = { group, isRepeat, action } as const;
  const [{ change, progress, own }] = group as readonly [LoggedChange];
  const isRepeatable = progress.repeatable && (!change.hasOwnRequest || own?.change !== undefined);
  if (isRepeat && action === 'create' && !isRepeatable) return { ...job, does: 'unconfirmed' };
  // The record itself, and what its values refer to, must have ids.
  const needed: [string, string, unknown][] =
    action === 'destroy' ? [] : [...dependenciesOf(group)].map(([field, key]) => [field, key, idOf(key)]);
  if (change.action !== 'create') needed.unshift([change.key, change.key, change.id ?? idOf(change.key)]);
  const isNever = needed.some(([, , id]) => id === null);
  if (action === 'destroy' && (has('create') || isNever)) return { ...job, does: 'drop' };
  const missing = needed.find(([, , id]) => id === undefined || id === null);
  if (!missing) return { ...job, does: 'send' };
  const [field, key, id] = missing;
  return { ...job, does: id === null ? 'refuse' : 'wait', parent: [field, key] };
}

/** The changes that are sent next, together; undefined: a decision of the application is needed first. */
function groupOf(changes: readonly LoggedChange[]): readonly LoggedChange[] | undefined {
  const erases = ({ change, progress }: LoggedChange) => change.action === 'destroy' && progress.state !== 'refused';
  const isErased = changes.some(erases);
  // A refused erase waits for the application, and what was saved before it waits with it. What was saved after it has replaced it.
  if (!isErased && changes.at(-1)?.change.action === 'destroy') return undefined;
  const list = isErased ? changes : changes.filter(({ change }) => change.action !== 'destroy');
  if (list.length === 0 || list.some(({ progress }) => progress.state === 'unconfirmed')) return undefined;
  const attempted = list.filter(({ progress }) => progress.state === 'attempted');
  const end = list.findIndex(erases);
  // A save that was stored before a conflict does not decide it. An erase is sent for the row that the conflict was about.
  const isUndecided = end < 0 && list.some(isInConflict);
  if (attempted.length === 0 && (isUndecided || list.every(({ progress }) => progress.state === 'refused')))
    return undefined;
  // An erase makes the repeat of an update needless.
  if (attempted.length > 0 && (end < 0 || attempted.some(({ change }) => change.action === 'create'))) return attempted;
  return end < 0 ? list : list.slice(0, end + 1);
}

/** The changes whose values a request sends: an erase sends none of the changes before it, which end with it. */
export function sentBy({ action, group }: Pick<Job, 'action' | 'group'>): readonly LoggedChange[] {
  return action === 'destroy' ? group.filter(({ change }) => change.action === 'destroy') : group;
}

/** The keys of the records that the values of a group refer to, by field: a later change of a field counts. */
export function dependenciesOf(group: readonly LoggedChange[]): Map<string, string> {
  const all = new Map<string, string>();
  for (const { change } of group) {
    for (const name of [...Object.keys(change.values), ...(change.cleared ?? [])]) all.delete(name);
    for (const [name, key] of Object.entries(change.dependsOn)) all.set(name, key);
  }
  return all;
}
