/**
 * Bindings for Svelte 5: lists, fields, records, statuses and forms as objects with getters. They follow their source while a template or
 * an effect reads them; elsewhere, and on a server, they give the present value.
 *
 * @module
 */
import { createSubscriber } from 'svelte/reactivity';
import type { Issue } from './errors/issue.js';
import type { FieldSnapshot, RecordSnapshot } from './model/snapshots.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Source } from './util/source.js';

export type { Active, Listed, Loadable, Shown } from './store/shown.js';

/** A value, or a function that returns it: `() => task` follows a prop or a `$state` that changes. */
export type MaybeGetter<T> = T | (() => T);

/** A value that templates and effects follow. */
export interface Current<T> {
  readonly current: T;
}

/** A field for an input or a cell. */
export interface FieldBinding<V> {
  /** The value; setting it sets the field of the record: `bind:value={title.value}`. */
  value: V;
  /** Problems of the value: the findings of the model, then those in the server's answer to the last write. */
  readonly errors: readonly Issue[];
  /** Whether the value is an edit that is not saved yet. */
  readonly dirty: boolean;
}

/**
 * The records that a store, a view or a window shows, in their order: `{#each list.current as task (task.$.key)}`. The value changes when
 * records are added, removed or moved, and stays the same while only their contents change: a component for each row shows those.
 */
export function useList<L>(collection: MaybeGetter<Listed<L>>): Current<L> {
  return useSource(() => read(collection).list);
}

/**
 * One field of a record: `{ value, errors, dirty }`. Setting `value` sets the field. It changes in the same call as the field. Throws
 * `StateError` for a name that is no field.
 */
export function useField<V, K extends keyof V & string>(
  record: MaybeGetter<Shown<V>>,
  name: MaybeGetter<K>,
): FieldBinding<V[K]> {
  const field = useSource<FieldSnapshot<V[K]>>(() => read(record).$.field(read(name)));
  return {
    get value() {
      return field.current.value;
    },
    set value(value) {
      (read(record) as unknown as Settable).set(read(name), value);
    },
    get errors() {
      return field.current.errors;
    },
    get dirty() {
      return field.current.dirty;
    },
  };
}

/** A whole record: its values, its errors, and whether it is edited, new, being saved or in conflict. */
export function useRecord<V>(record: MaybeGetter<Shown<V>>): Current<RecordSnapshot<V>> {
  return useSource(() => read(record).$.state);
}

/** The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last. */
export function useStatus<S>(active: MaybeGetter<Active<S>>): Current<S> {
  return useSource(() => read(active).status);
}

/**
 * The list of a store after its first load, as a promise for `{#await}`. It starts that load unless the store has loaded or is loading,
 * and rejects with its error; a further call loads again. On a server `{#await}` renders its first part only, so call this in the
 * browser, and load in the `load` function of the page.
 */
export async function useSuspenseList<L>(store: MaybeGetter<Loadable<L>>): Promise<Current<L>> {
  const { loaded, loading, ready } = read(store);
  if (!loaded) await (loading ? ready : read(store).load());
  return useList(store);
}

interface Settable {
  set(name: string, value: unknown): unknown;
}

function useSource<T>(source: () => Source<T>): Current<T> {
  let known: Source<T> | undefined;
  let follow: (() => void) | undefined;
  return {
    get current() {
      const now = source();
      if (now !== known) follow = createSubscriber(now.subscribe);
      known = now;
      follow?.();
      return now.get();
    },
  };
}

function read<T>(given: MaybeGetter<T>): T {
  return typeof given === 'function' ? (given as () => T)() : given;
}
