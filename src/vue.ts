/**
 * Bindings for Vue 3.5 and later: lists, fields, records, statuses and forms as refs and reactive objects. What a function returns
 * follows its source until the scope ends in which the function was called, such as the component.
 *
 * @module
 */
import {
  type ComputedRef,
  computed,
  customRef,
  effectScope,
  getCurrentInstance,
  hasInjectionContext,
  inject,
  type MaybeRefOrGetter,
  reactive,
  type ShallowRef,
  ssrContextKey,
  toRaw,
  toValue,
  useId,
  watch,
} from 'vue';
import { errorId, type InputProps, inputAttributes, keyPrefix, typedText } from './binding/input-attributes.js';
import { type BoundRecord, recordActions } from './binding/record-actions.js';
import { type EnteredInput, FieldInput, inputText, inputValue } from './form/field-input.js';
import {
  type FieldBinding,
  type FormFieldBinding,
  type FormMembers,
  type FormOptions,
  RecordForm,
} from './form/record-form.js';
import type { BaseModel } from './model/base-model.js';
import type { FieldName } from './model/infer.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Source } from './util/value-source.js';

export type { InputAttributes, InputProps } from './binding/input-attributes.js';
export type { BoundRecord, RecordActions, WriteOutcome } from './binding/record-actions.js';
export type { EnteredInput, InputValue } from './form/field-input.js';
export type { FieldBinding, FormFieldBinding } from './form/record-form.js';
export type { Active, Listed, Loadable, Shown } from './store/shown.js';

/**
 * The records that a store, a view or a window shows, in their order: `v-for="task in list" :key="task.$.key"`. The value changes when
 * records are added, removed or moved, and stays the same while only their contents change: a component for each row shows those.
 */
export function useList<L>(collection: MaybeRefOrGetter<Listed<L>>): Readonly<ShallowRef<L>> {
  return useSource(() => read(collection).list);
}

/**
 * One field of a record, as a reactive object `{ value, errors, dirty }`. Setting `value` sets the field. It changes in the same call as
 * the field. Throws `StateError` for a name that is no field.
 */
export function useField<V, K extends keyof V & string>(
  record: MaybeRefOrGetter<Shown<V>>,
  name: MaybeRefOrGetter<K>,
): FieldBinding<V[K]> {
  const field = useSource<FieldSnapshot<V[K]>>(() => read(record).$.field(toValue(name)));
  const input = computed(() => new FieldInput(read(record) as unknown as BaseModel, toValue(name)));
  const shown = useSource(() => input.value.shown);
  const value = computed({ get: () => shown.value, set: (value) => input.value.set(value) });
  return reactive({ ...membersOf(field), value }) as FieldBinding<V[K]>;
}

/**
 * A whole record: its values, its errors, and whether it is edited, new, being saved or in conflict. Its `save()`, `undo()` and `erase()` never
 * reject: `error` says why one has failed.
 */
export function useRecord<V>(record: MaybeRefOrGetter<Shown<V>>): Readonly<ShallowRef<BoundRecord<V>>> {
  const state = useSource(() => read(record).$.state);
  const actions = computed(() => recordActions(read(record)));
  return computed(() => ({ ...state.value, ...actions.value }));
}

/** The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last. */
export function useStatus<S>(active: MaybeRefOrGetter<Active<S>>): Readonly<ShallowRef<S>> {
  return useSource(() => read(active).status);
}

/**
 * The list of a store after its first load, for an `async setup` inside `<Suspense>`: `const tasks = await useSuspenseList(store)`. It
 * starts that load unless the store has loaded or is loading, and rejects with its error; a component that is made again loads again.
 * It waits for the store of the first call: give the component a `key` where its store may change.
 */
export async function useSuspenseList<L>(store: MaybeRefOrGetter<Loadable<L>>): Promise<Readonly<ShallowRef<L>>> {
  const list = useList(store);
  const { loaded, loading, ready } = read(store);
  if (!loaded) await (loading ? ready : read(store).load());
  return list;
}

/** A form on a screen: its state as members, and functions for its inputs. */
export interface FormBinding<M extends BaseModel> extends FormMembers<M> {
  /**
   * The attributes and listeners of an input, a text area or a select for a field: `<input v-bind="form.input('title')" />`. The text stays as it is typed
   * while it is not the usual text of a value (`1.50`); what is no value is an error of the field. Throws `StateError` for a name that is no
   * field.
   */
  readonly input: (name: FieldName<M>) => InputProps;
}

/**
 * The form of a record, as a reactive object: its state, and fields for its inputs. A pending autosave is sent when the component goes.
 * Another record gives another form, which the same fields follow.
 */
export function useForm<M extends BaseModel>(
  record: MaybeRefOrGetter<M>,
  options?: MaybeRefOrGetter<FormOptions | undefined>,
): FormBinding<M> {
  const form = computed(() => new RecordForm(read(record)));
  whileUsed(
    () => [form.value, toValue(options)] as const,
    ([{ setOptions, dispose }, given = {}]) => {
      setOptions(given);
      return dispose;
    },
  );
  const state = useSource(() => form.value.state);
  const fields = new Map<string, FormFieldBinding<unknown>>();
  // A template may be the first to ask for a field, and has no scope of its own.
  const scope = effectScope();
  const bindField = (name: FieldName<M>) => {
    const field = useSource(() => form.value.field(name));
    const typed = computed(() => typedText(state.value, name));
    const value = computed({
      get: () => inputValue(field.value.value, typed.value),
      set: (value: unknown) =>
        typeof value === 'string' ? form.value.enter(name, value) : form.value.set(name as never, value as never),
    });
    return reactive({ ...membersOf(field), value, touch: () => form.value.touch(name) }) as FormFieldBinding<unknown>;
  };
  const field = (name: FieldName<M>): FormFieldBinding<unknown> => {
    const known = fields.get(name) ?? (scope.run(() => bindField(name)) as FormFieldBinding<unknown>);
    fields.set(name, known);
    return known;
  };
  const id = getCurrentInstance() ? useId() : undefined;
  const prefix = () => id ?? keyPrefix(form.value.record);
  return reactive({
    ...membersOf(state),
    form,
    field,
    input(name: FieldName<M>): InputProps {
      const { value, errors } = field(name);
      const text = typedText(state.value, name) ?? inputText(value);
      return {
        ...inputAttributes(form.value.record, name, prefix(), { value, text, errors }),
        onInput: ({ target }) => form.value.enter(name, target as EnteredInput),
        onBlur: () => form.value.touch(name),
      };
    },
    errorId: (name: FieldName<M>) => errorId(prefix(), name),
    set: (path: never, value: never) => form.value.set(path, value),
    enter: (name: FieldName<M>, input: string | EnteredInput) => form.value.enter(name, input),
    touch: (name: FieldName<M>) => form.value.touch(name),
    reset: () => form.value.reset(),
    submit(event?: { preventDefault(): void }) {
      event?.preventDefault();
      return form.value.submit();
    },
  }) as unknown as FormBinding<M>;
}

/** The members of a value, each as a ref of its own: what shows `dirty` only is not rendered for each typed character. */
function membersOf<T extends object>(value: Readonly<ShallowRef<T>>): { [K in keyof T]: ComputedRef<T[K]> } {
  const names = Object.keys(value.value) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, computed(() => value.value[name])])) as never;
}

function useSource<T>(source: () => Source<T>): Readonly<ShallowRef<T>> {
  const current = computed(source);
  return customRef<T>((track, trigger) => {
    whileUsed(
      () => current.value,
      ({ subscribe }) => subscribe(trigger),
    );
    const get = () => {
      track();
      return current.value.get();
    };
    return { get, set: () => undefined };
  });
}

/** Calls `start` with each value of `source`, and what it returns when another value follows or the scope ends. */
function whileUsed<T>(source: () => T, start: (value: T) => () => void): void {
  // A server renders once: a subscription would never end.
  const isServer = hasInjectionContext() && inject(ssrContextKey, undefined) !== undefined;
  if (isServer) return;
  watch(source, (value, _, onCleanup) => onCleanup(start(value)), { immediate: true, flush: 'sync' });
}

/** The object itself: a `ref` or `reactive` of the application may have wrapped it. */
function read<T>(given: MaybeRefOrGetter<T>): T {
  return toRaw(toValue(given));
}
