import type { Action, RecordId } from '../operation/actions.js';
import { isPlainObject } from '../util/values.js';

/** The values of fields by name, in their JSON form. */
export type WireValues = Readonly<Record<string, unknown>>;

/**
 * The state of a stored write. `queued`: the outbox sends it as soon as possible. `unconfirmed`: a create that got no clear answer and
 * could create a duplicate if it were repeated. `failed`: the server refused it, or the model found its values invalid.
 */
export type EntryState = 'queued' | 'unconfirmed' | 'failed';

/** The parameters of a request, by name, in the form in which they are sent. */
export interface EntryParameters {
  /** The parameters of the query: `params` of the call, and `extraParams` of the store or proxy. */
  readonly params?: WireValues | undefined;
  /** The values for the `{name}`s of the proxy's `url`: `pathParams` of the call, and of the store or proxy. */
  readonly pathParams?: WireValues | undefined;
}

/** A write of one record that the server has not confirmed yet. It is frozen, and holds no address or header. */
export interface OutboxEntry {
  /** The version of the application's models with which the entry was made. */
  readonly version: number;
  /** The user or tenant to whom the write belongs. */
  readonly scope: string;
  /** The name of the record's model. */
  readonly model: string;
  /** The record's `$.key`. */
  readonly key: string;
  /** The record's id as the server knows it; for a new record, the id that the application has set, if any. */
  readonly id?: RecordId | undefined;
  /** The temporary id of a new record, which its create may send: a uuid, or a counted number. */
  readonly clientId?: RecordId | undefined;
  readonly action: Exclude<Action, 'read'>;
  /** The values to send: all fields for a create, the edited fields for an update. */
  readonly values: WireValues;
  /** The values that were saved after the create was first sent. They follow as an update. */
  readonly later?: WireValues | undefined;
  /** Whether the record is erased as soon as its create is confirmed. */
  readonly destroy?: boolean | undefined;
  /**
   * The parameters with which the record was saved or erased, also where functions gave them. The write is sent with these, whatever
   * parameters its store or proxy has by then. Undefined: it had none.
   */
  readonly parameters?: EntryParameters | undefined;
  /** The parameters of the writes that follow a create, where they differ from those of the create. */
  readonly laterParameters?: EntryParameters | undefined;
  /** The names of fields that were set to `undefined`, which JSON cannot hold. */
  readonly cleared?: readonly string[] | undefined;
  /** The values that the server had in the edited fields before they were edited. */
  readonly base: WireValues;
  /** The notes of extensions about the row that was edited, such as its ETag, by the names of the extensions. */
  readonly notes?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the server can recognise a repeated create as a duplicate. */
  readonly repeatable?: boolean | undefined;
  /** The data that extensions keep of the record, by the names of the extensions. */
  readonly slots?: Readonly<Record<string, object>> | undefined;
  /**
   * The keys of the new records that fields refer to, by the names of the fields. These records are created first, and the fields then
   * get their ids.
   */
  readonly dependsOn: Readonly<Record<string, string>>;
  /** The position of the write among the writes of its outbox. */
  readonly seq: number;
  /** How often the write was sent, including an attempt that is about to start. */
  readonly attempts: number;
  /** When the write was first queued, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly state: EntryState;
  /** The error in its JSON form: why the write failed, or the conflict after which it was queued again. */
  readonly error?: object | undefined;
}

/** Whether an update or erase failed with a conflict, or is queued again after one. */
export function isAgainstConflict({ action, error }: OutboxEntry): boolean {
  return action !== 'create' && (error as { code?: unknown } | undefined)?.code === 'conflict';
}

/** Whether a value has the form of an entry. */
export function isEntry(value: unknown): value is OutboxEntry {
  const entry = (value ?? {}) as Partial<OutboxEntry>;
  const { version, scope, model, key, action, values, base, dependsOn, later, seq, attempts, createdAt, state } = entry;
  const { slots, notes, parameters = {}, laterParameters = {} } = entry;
  return (
    [scope, model, key].every((each) => typeof each === 'string') &&
    ['create', 'update', 'destroy'].includes(action as string) &&
    ['queued', 'unconfirmed', 'failed'].includes(state as string) &&
    [values, base, dependsOn, later ?? {}, slots ?? {}, notes ?? {}].every(isPlainObject) &&
    [parameters, laterParameters].every(areParameters) &&
    [version, seq, attempts, createdAt].every(Number.isFinite)
  );
}

function areParameters(value: unknown): boolean {
  const { params = {}, pathParams = {} } = (value ?? {}) as EntryParameters;
  return isPlainObject(value) && isPlainObject(params) && isPlainObject(pathParams);
}

/** How texts name a stored write: a new record by its key, as it has no id yet. */
export function entryName({
  model,
  id,
  key,
  action,
}: OutboxEntry): Readonly<Record<'model' | 'id' | 'action', unknown>> {
  return { model, id: id ?? key, action };
}
