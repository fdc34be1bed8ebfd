import type { WireValues } from '../model/parts/wire-values.js';
import { isPlainObject } from '../util/values.js';
import { areParameters, type EntryParameters, type Progress, type StoredChange } from './stored-change.js';

/** The form in which an earlier version of the package has stored a record: its create, update or erase, and what was saved behind it. */
interface Entry extends Omit<StoredChange, 'tab'> {
  readonly later?: WireValues | undefined;
  readonly destroy?: boolean | undefined;
  readonly laterParameters?: EntryParameters | undefined;
  readonly repeatable?: boolean | undefined;
  readonly slots?: Readonly<Record<string, object>> | undefined;
  readonly attempts: number;
  readonly state: 'queued' | 'unconfirmed' | 'failed';
  readonly error?: object | undefined;
}

/** Whether a value has the form in which earlier versions stored writes. */
export function isEntry(value: unknown): value is Entry {
  const entry = (value ?? {}) as Partial<Entry>;
  const { version, scope, model, key, action, values, base, dependsOn, later, attempts, createdAt, state } = entry;
  const { slots, notes, parameters = {}, laterParameters = {} } = entry;
  return (
    [scope, model, key].every((each) => typeof each === 'string') &&
    ['create', 'update', 'destroy'].includes(action as string) &&
    ['queued', 'unconfirmed', 'failed'].includes(state as string) &&
    [values, base, dependsOn, later ?? {}, slots ?? {}, notes ?? {}].every(isPlainObject) &&
    [parameters, laterParameters].every(areParameters) &&
    [version, attempts, createdAt].every(Number.isFinite)
  );
}

/** The changes that an entry stands for. */
export function changesOfEntry(entry: Entry): StoredChange[] {
  const { version, scope, model, key, action, id, clientId, cleared, base, notes, parameters, createdAt } = entry;
  const { values, later = {}, dependsOn, destroy, laterParameters = parameters } = entry;
  const common = { version, scope, model, key, createdAt, tab: '' };
  const isLater = ([name]: readonly [string, unknown]) => action === 'create' && Object.hasOwn(later, name);
  const parents = Object.entries(dependsOn);
  const first = { action, id, clientId, values, cleared, base, notes, parameters };
  const changes: StoredChange[] = [
    { ...common, ...first, dependsOn: Object.fromEntries(parents.filter((each) => !isLater(each))) },
  ];
  if (Object.keys(later).length > 0) {
    const follows = { action: 'update', values: later, base: values, parameters: laterParameters } as const;
    changes.push({ ...common, ...follows, dependsOn: Object.fromEntries(parents.filter(isLater)) });
  }
  if (destroy)
    changes.push({ ...common, action: 'destroy', values: {}, base: {}, dependsOn: {}, parameters: laterParameters });
  return changes;
}

/** The progress of the first change of an entry. */
export function progressOfEntry({ state, attempts, repeatable, slots, error }: Entry): Progress {
  const isAttempted = state === 'queued' && attempts > 0;
  const next = state === 'failed' ? 'refused' : state === 'unconfirmed' ? state : isAttempted ? 'attempted' : 'queued';
  return { state: next, attempts, repeatable, slots, error };
}
