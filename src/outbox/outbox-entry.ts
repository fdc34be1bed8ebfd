import type { Action, RecordId } from '../operation/actions.js';
import { isPlainObject } from '../util/values.js';

/** Values of fields as JSON carries them. */
export type WireValues = Readonly<Record<string, unknown>>;

/**
 * How a stored write stands. `queued`: it is sent as soon as it can be. `unconfirmed`: a create that got no answer and cannot be
 * repeated safely. `failed`: the server, or the model, said no.
 */
export type EntryState = 'queued' | 'unconfirmed' | 'failed';

/** A write of one record that the server has not answered yet: frozen, and no address, header or token in it. */
export interface OutboxEntry {
  /** Version of the application's models that it was made by. */
  readonly version: number;
  /** Whose it is. */
  readonly scope: string;
  /** Name of the record's model. */
  readonly model: string;
  /** The record's `$.key`. */
  readonly key: string;
  /** The record's id as the server knows it; of a new record, the one that the application chose, if it did. */
  readonly id?: RecordId | undefined;
  /** The temporary id of a new record, which its create may carry: a uuid, or one that was counted. */
  readonly clientId?: RecordId | undefined;
  readonly action: Exclude<Action, 'read'>;
  /** What is sent: of a create all fields, of an update the edited ones. */
  readonly values: WireValues;
  /** What was saved since the create was first sent; it follows as an update. */
  readonly later?: WireValues | undefined;
  /** Whether the record is to be erased as soon as its create is certain. */
  readonly destroy?: boolean | undefined;
  /** Fields that were emptied to `undefined`, which JSON does not carry. */
  readonly cleared?: readonly string[] | undefined;
  /** What the server had in the edited fields. */
  readonly base: WireValues;
  /** What extensions noted of the row that was edited, by their names: its ETag, for one. */
  readonly notes?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the server can tell a create that is sent again from another one. */
  readonly repeatable?: boolean | undefined;
  /** What extensions keep of the record, by their names: plain data. */
  readonly slots?: Readonly<Record<string, object>> | undefined;
  /** Keys of new records that fields refer to, by field: they are sent first, and the fields get their ids. */
  readonly dependsOn: Readonly<Record<string, string>>;
  /** Orders the writes of an outbox. */
  readonly seq: number;
  /** How often it was sent, or was about to be. */
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly state: EntryState;
  /** Why it failed, as data. Of one that is queued again: the conflict that it goes against. */
  readonly error?: object | undefined;
}

/** Whether a write of a row failed by a conflict, or is queued again after one. */
export function isAgainstConflict({ action, error }: OutboxEntry): boolean {
  return action !== 'create' && (error as { code?: unknown } | undefined)?.code === 'conflict';
}

/** Whether an entry has what every entry has. */
export function isEntry(value: unknown): value is OutboxEntry {
  const entry = (value ?? {}) as Partial<OutboxEntry>;
  const { version, scope, model, key, action, values, base, dependsOn, later, seq, attempts, createdAt, state } = entry;
  const { slots, notes } = entry;
  return (
    [scope, model, key].every((each) => typeof each === 'string') &&
    ['create', 'update', 'destroy'].includes(action as string) &&
    ['queued', 'unconfirmed', 'failed'].includes(state as string) &&
    [values, base, dependsOn, later ?? {}, slots ?? {}, notes ?? {}].every(isPlainObject) &&
    [version, seq, attempts, createdAt].every(Number.isFinite)
  );
}
