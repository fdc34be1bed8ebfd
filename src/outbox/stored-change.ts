import type { Change } from '../model/change.js';
import type { ChangeValues, WireValues } from '../model/parts/wire-values.js';
import type { InnerRecord } from '../model/record.js';
import { isPlainObject } from '../util/values.js';

/** The parameters of a request, by name, in the form in which they are sent. */
export interface EntryParameters {
  /** The parameters of the query: `params` of the call, and `extraParams` of the store or proxy. */
  readonly params?: WireValues | undefined;
  /** The values for the `{name}`s of the proxy's `url`: `pathParams` of the call, and of the store or proxy. */
  readonly pathParams?: WireValues | undefined;
}

/**
 * The values that one save or erase of a record sends, as an outbox stores them. It is frozen, never rewritten, and holds no address or header.
 */
export interface StoredChange extends ChangeValues {
  /** The version of the application's models with which the change was made. */
  readonly version: number;
  /** The user or tenant to whom the change belongs. */
  readonly scope: string;
  /** The name of the record's model. */
  readonly model: string;
  /** The record's `$.key`. */
  readonly key: string;
  /**
   * The parameters with which the record was saved or erased, also where functions gave them. The change is sent with these, whatever
   * parameters its store or proxy has by then. Undefined: it had none.
   */
  readonly parameters?: EntryParameters | undefined;
  /**
   * Whether the call gave an address or headers of its own, which are not stored. A create that was sent with them cannot be repeated by
   * another page or process, because it would be another request there.
   */
  readonly hasOwnRequest?: boolean | undefined;
  /** The version of the row that was edited, with the name of its member (`lockVersion` of the dialect). */
  readonly rowVersion?: WireValues | undefined;
  /** The outbox that has stored the change. */
  readonly tab: string;
  /** When the change was saved, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** The facts about sending a change. */
export interface Progress {
  /**
   * `queued`: nothing that the server may have done. `attempted`: it was sent, and has no response; it is repeated as it was. `unconfirmed`:
   * such a create that cannot be repeated safely. `refused`: it waits for the application, or for a newer save of the record.
   */
  readonly state: 'queued' | 'attempted' | 'unconfirmed' | 'refused';
  /** How often it was sent, including an attempt that is about to start. */
  readonly attempts: number;
  /** Distinguishes this attempt from all others, so that no tab takes another one's attempt for its own. */
  readonly attempt?: string | undefined;
  /** Whether the server can recognise a repeated create as a duplicate. */
  readonly repeatable?: boolean | undefined;
  /** The data that extensions keep of the record, by the names of the extensions. */
  readonly slots?: Readonly<Record<string, object>> | undefined;
  /** The error in its JSON form: why it was refused, or the conflict after which it was queued again. */
  readonly error?: object | undefined;
  /** How many changes of an item that an earlier version of the package has stored are answered. */
  readonly answered?: number | undefined;
}

/** The progress of a change that was never sent. */
export const UNSENT: Progress = Object.freeze({ state: 'queued', attempts: 0 });

/** The capture of a change in this page. */
export interface OwnChange {
  readonly record: InnerRecord;
  readonly change: Change | undefined;
  /** When it was captured: an erase has a time, and no change that is kept. */
  readonly at?: number | undefined;
}

/** A stored change with its place in the order. */
export interface LoggedChange {
  /** The key that the storage gave to the item. */
  readonly key: number;
  /** The place among the changes of one item: an earlier version of the package has stored several together. */
  readonly part: number;
  readonly change: StoredChange;
  readonly progress: Progress;
  /** The capture of the change, if this page has made it. */
  readonly own?: OwnChange | undefined;
}

/** Whether a value has the form of a stored change. */
export function isStoredChange(value: unknown): value is StoredChange {
  const change = (value ?? {}) as Partial<StoredChange>;
  const {
    version,
    scope,
    model,
    key,
    action,
    values,
    base,
    dependsOn,
    notes,
    rowVersion,
    parameters = {},
    createdAt,
  } = change;
  return (
    [scope, model, key].every((each) => typeof each === 'string') &&
    ['create', 'update', 'destroy'].includes(action as string) &&
    [values, base, dependsOn, notes ?? {}, rowVersion ?? {}].every(isPlainObject) &&
    areParameters(parameters) &&
    [version, createdAt].every(Number.isFinite)
  );
}

export function areParameters(value: unknown): boolean {
  const { params = {}, pathParams = {} } = (value ?? {}) as EntryParameters;
  return isPlainObject(value) && isPlainObject(params) && isPlainObject(pathParams);
}

/** Whether two are the same change, whatever is known of sending it. */
export function isOne(a: LoggedChange, b: LoggedChange): boolean {
  return a.key === b.key && a.part === b.part;
}

/** Whether a change was sent and has no response. */
export function isUnanswered({ progress: { state } }: LoggedChange): boolean {
  return state === 'attempted' || state === 'unconfirmed';
}

/** Whether a change was refused with a conflict, or is queued again after one. */
export function isAgainstConflict({ change, progress }: LoggedChange): boolean {
  return change.action !== 'create' && (progress.error as { code?: unknown } | undefined)?.code === 'conflict';
}

/** Whether a change was refused with a conflict that nobody has decided yet. A decision queues the change again. */
export function isInConflict(logged: LoggedChange): boolean {
  return logged.progress.state === 'refused' && isAgainstConflict(logged);
}

/** The values that changes have for fields, by name: the last one counts. Undefined: the field is cleared. */
export function valuesIn(changes: readonly Pick<LoggedChange, 'change'>[]): Map<string, unknown> {
  const all = new Map<string, unknown>();
  for (const { change } of changes) {
    for (const [name, value] of Object.entries(change.values)) all.set(name, value);
    for (const name of change.cleared ?? []) all.set(name, undefined);
  }
  return all;
}
