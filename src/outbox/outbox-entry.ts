import type { WireValues } from '../model/parts/wire-values.js';
import { dependenciesOf } from './next-job.js';
import { type LoggedChange, type StoredChange, UNSENT, valuesIn } from './stored-change.js';

/**
 * The state of what is stored of a record. `queued`: the outbox sends it as soon as possible. `unconfirmed`: a create that got no clear
 * answer and could create a duplicate if it were repeated. `failed`: the server refused it, or the model found its values invalid.
 */
export type EntryState = 'queued' | 'unconfirmed' | 'failed';

/** The changes of one record that the server has not confirmed yet, together. It is frozen, and made for each look. */
export interface OutboxEntry extends StoredChange {
  /** The values that were saved after the create was first sent. They follow as an update. */
  readonly later?: WireValues | undefined;
  /** Whether the record is erased as soon as its create is confirmed. */
  readonly destroy?: boolean | undefined;
  /** Whether the server can recognise a repeated create as a duplicate. */
  readonly repeatable?: boolean | undefined;
  /** How often it was sent, including an attempt that is about to start. */
  readonly attempts: number;
  /** `queued`: the outbox sends it. `unconfirmed`: its create got no clear response. `failed`: the server refused it, or its values are invalid. */
  readonly state: EntryState;
  /** The error in its JSON form: why it failed, or the conflict after which it was queued again. */
  readonly error?: object | undefined;
}

/** The entry of a record: its changes together. `id` is the id of a created record, as far as it is known. */
export function entryOf(changes: readonly LoggedChange[], id: unknown): OutboxEntry {
  const [first] = changes as readonly [LoggedChange];
  const erase = changes.find(({ change }) => change.action === 'destroy');
  const isCreate = first.change.action === 'create';
  const isSent = first.progress.attempts > 0 || first.progress.state !== 'queued';
  const saved = changes.filter(({ change }) => change.action !== 'destroy');
  // The values that were saved behind a create that was sent follow as an update.
  const together =
    isCreate && isSent && first.progress.state !== 'refused'
      ? saved.filter(({ progress }) => progress.state === first.progress.state)
      : saved;
  const rest = saved.filter((each) => !together.includes(each));
  const isErase = erase !== undefined && !isCreate;
  const { progress } = changes.find((each) => each.progress.state !== 'queued') ?? first;
  const values = isErase ? [] : [...valuesIn(together)];
  const cleared = values.filter(([, value]) => value === undefined).map(([name]) => name);
  const base = Object.assign({}, ...[...together].reverse().map(({ change }) => change.base)) as WireValues;
  const { cleared: _, ...common } = first.change;
  const last = changes.at(-1)?.change;
  const attempts = Math.max(...changes.map((each) => each.progress.attempts));
  return Object.freeze({
    ...common,
    ...(first.change.id === undefined && id !== undefined && id !== null && { id: id as StoredChange['id'] }),
    action: isErase ? 'destroy' : first.change.action,
    values: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    ...(cleared.length > 0 && { cleared }),
    base: isErase || isCreate ? {} : base,
    dependsOn: isErase ? {} : Object.fromEntries(dependenciesOf(saved)),
    ...(rest.length > 0 && { later: Object.fromEntries(valuesIn(rest)) }),
    ...(isCreate && erase && { destroy: true }),
    ...(!isSent && last?.parameters && { parameters: last.parameters }),
    ...((progress ?? UNSENT).repeatable && { repeatable: true }),
    attempts,
    state: progress.state === 'refused' ? 'failed' : progress.state === 'unconfirmed' ? 'unconfirmed' : 'queued',
    ...(progress.error && { error: progress.error }),
  });
}

type Named = Pick<StoredChange, 'model' | 'id' | 'key' | 'action'>;

/** How texts name a stored write: a new record by its key, as it has no id yet. */
export function entryName({ model, id, key, action }: Named): Readonly<Record<'model' | 'id' | 'action', unknown>> {
  return { model, id: id ?? key, action };
}

/** Identifies what is stored of a record by the record's key, so that a caller may pass an outdated copy of its entry. */
export type EntryRef = Pick<OutboxEntry, 'key'>;
