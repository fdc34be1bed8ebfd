/**
 * Bindings for Svelte 5: lists, fields, records, statuses and forms as objects with getters. They follow their source while a template or
 * an effect reads them; elsewhere, and on a server, they give the present value.
 *
 * @module
 */
import { createSubscriber } from 'svelte/reactivity';
import {
  type FieldBinding,
  type FormBinding,
  type FormFieldBinding,
  type FormOptions,
  type FormSnapshot,
  RecordForm,
} from './form/record-form.js';
import type { BaseModel } from './model/base-model.js';
import type { FieldName, ValuesOf } from './model/infer.js';
import type { FieldSnapshot, RecordSnapshot } from './model/record-sources.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Source } from './util/value-source.js';

export type { FieldBinding, FormBinding, FormFieldBinding } from './form/record-form.js';
export type { Active, Listed, Loadable, Shown } from './store/shown.js';

/** A value, or a function that returns it: `() => task` follows a prop or a `$state` that changes. */
export type MaybeGetter<T> = T | (() => T);

/** A value that templates and effects follow. */
export interface Current<T> {
  readonly current: T;
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
  const source = (): Source<FieldSnapshot<V[K]>> => read(record).$.field(read(name));
  const set = (value: V[K]) => read(record).set({ [read(name)]: value });
  return settable(source, set, {});
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

/**
 * The form of a record: its state, and fields for its inputs. A pending autosave is sent when no template or effect reads the form any
 * more. Another record gives another form, which the same fields follow.
 */
export function useForm<M extends BaseModel>(
  record: MaybeGetter<M>,
  options?: MaybeGetter<FormOptions | undefined>,
): FormBinding<M> {
  let made: RecordForm<M> | undefined;
  let given: FormOptions | undefined;
  let keep: (() => void) | undefined;
  const form = (): RecordForm<M> => {
    const owner = read(record);
    const wanted = read(options);
    let now = made;
    if (now?.record !== owner) {
      now = made = new RecordForm(owner, wanted);
      const { dispose } = now;
      keep = createSubscriber(() => dispose);
    } else if (wanted !== given) now.setOptions(wanted ?? {});
    given = wanted;
    keep?.();
    return now;
  };
  const fields = new Map<string, unknown>();
  const bindField = <K extends FieldName<M>>(name: K): FormFieldBinding<ValuesOf<M>[K]> => {
    const set = (value: ValuesOf<M>[K]) => form().set(name as never, value as never);
    return settable(() => form().field(name), set, { touch: () => form().touch(name) });
  };
  return withMembers(() => form().state, {
    get form() {
      return form();
    },
    field: <K extends FieldName<M>>(name: K) => {
      if (!fields.has(name)) fields.set(name, bindField(name));
      return fields.get(name) as FormFieldBinding<ValuesOf<M>[K]>;
    },
    set: (path, value) => form().set(path, value),
    touch: (name) => form().touch(name),
    reset: () => form().reset(),
    submit: (event) => {
      event?.preventDefault();
      return form().submit();
    },
  } as Omit<FormBinding<M>, keyof FormSnapshot<ValuesOf<M>>>);
}

/** Adds the members of a value to an object, as getters that follow its source. */
function withMembers<T extends object, O extends object>(source: () => Source<T>, object: O): T & O {
  const value = useSource(source);
  for (const name of Object.keys(source().get()) as (keyof T)[])
    if (!(name in object)) Object.defineProperty(object, name, { enumerable: true, get: () => value.current[name] });
  return object as T & O;
}

/** The members of a field; its value can be set. */
function settable<V, S extends FieldSnapshot<V>, O extends object>(
  source: () => Source<S>,
  set: (value: V) => unknown,
  object: O,
): Omit<S, 'value'> & { value: V } & O {
  const field = useSource(source);
  Object.defineProperty(object, 'value', { enumerable: true, get: () => field.current.value, set });
  return withMembers(source, object as O & { value: V });
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
