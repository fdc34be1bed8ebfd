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
  type Ref,
  reactive,
  type ShallowRef,
  ssrContextKey,
  toRaw,
  toValue,
  useId,
  type WatchSource,
  watch,
} from 'vue';
import {
  enterValue,
  type FieldBinding,
  type FormMembers,
  formActions,
  type InputProps,
  inputProps,
  keyPrefix,
  shownInput,
  typedText,
} from './binding/form-binding.js';
import { type Grouped, type GroupsSnapshot, groupsSource } from './binding/groups-source.js';
import { listedIn, recordIn, sourceIn } from './binding/hook-arguments.js';
import { isSameLoad, type LoadedOptions, type LoadedSnapshot, loadedSource } from './binding/loaded-record.js';
import { type OutboxBinding, outboxSource, type ShownOutbox } from './binding/outbox-binding.js';
import { kept, keptByName, type OwnedSource } from './binding/owned.js';
import { firstLoad, type ListBinding, listSource, type StatusBinding, statusSource } from './binding/read-actions.js';
import { type BoundRecord, recordSource } from './binding/record-actions.js';
import { type ReferenceName, type Referred, type Referring, referenceSource } from './binding/reference-source.js';
import { type SelectionBinding, selectionSource } from './binding/selection-binding.js';
import { followingSource, type ShownStore, type StoreBinding, storeSource } from './binding/store-source.js';
import { isSameView, type ViewBinding, viewSource, type WindowBinding, windowSource } from './binding/view-source.js';
import { FieldInput, inputValue } from './form/field-input.js';
import { type FormOptions, RecordForm } from './form/record-form.js';
import type { ModelType } from './model/field.js';
import type { FieldName } from './model/infer.js';
import type { Model } from './model/model.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { AnyId } from './operation/actions.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Store } from './store/store.js';
import type { ViewConfig } from './store/store-config.js';
import type { WindowConfig } from './store/window-config.js';
import type { Source } from './util/value-source.js';

export type { FieldBinding, FormFieldBinding, InputProps } from './binding/form-binding.js';
export type * from './binding/types.js';
export type { InputValue } from './form/field-input.js';

/**
 * A store on a screen: its records, its activity, and its loads for buttons, as one ref. Give a function to make a store with the screen: it
 * is called once, and the store is disposed of with the screen. When one of the `dependencies` is another value, the function is called again,
 * and the store before is disposed of; with `update`, the store stays, and `update` changes it. Give a store that lives elsewhere as it is.
 * Throws `DefinitionError` for anything else.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const tasks = useStore(() => new Store({ model: Task, sorters: ['title'] }));
 * </script>
 *
 * <template>
 *   <p v-if="tasks.error">{{ tasks.error.userMessage }} <button v-on:click="tasks.retry">Try again</button></p>
 *   <li v-for="task in tasks.records" :key="task.$.key">{{ task.title }}</li>
 * </template>
 * ```
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { ownerId } = defineProps<{ ownerId: number }>();
 * const tasks = useStore(
 *   () => new Store({ model: Task, filters: [{ property: 'ownerId', value: ownerId }] }),
 *   () => [ownerId],
 * );
 * </script>
 *
 * <template>
 *   <li v-for="task in tasks.records" :key="task.$.key">{{ task.title }}</li>
 * </template>
 * ```
 */
export function useStore<S extends ShownStore>(
  given: S | Readonly<Ref<S>> | (() => S),
  dependencies?: () => readonly unknown[],
  update?: (store: S) => void,
): Readonly<ShallowRef<StoreBinding<S>>> {
  return useOwned(
    typeof given === 'function' ? followingSource<S>(given, dependencies, update) : () => storeSource<S>(read(given)),
  );
}

/**
 * The value of a source, as a ref: `historyOf(session).state`, the `state` of a feed, or one of your own. Throws `DefinitionError` for a value
 * that is no source.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const undoable = useSource(historyOf(session).state);
 * </script>
 *
 * <template>
 *   <button :disabled="!undoable.canUndo" v-on:click="historyOf(session).undo()">Undo</button>
 * </template>
 * ```
 */
export function useSource<T>(source: MaybeRefOrGetter<Source<T>>): Readonly<ShallowRef<T>> {
  return followed(() => sourceIn(read(source)));
}

/**
 * Another list of the records of a store, with its own sorters, filters and groups. The view is disposed of with the screen. Other options
 * make another view. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const mine = useView(tasks, { filters: [{ property: 'ownerId', value: 7 }], sorters: ['title'] });
 * </script>
 *
 * <template>
 *   <li v-for="task in mine.records" :key="task.$.key">{{ task.title }}</li>
 * </template>
 * ```
 */
export function useView<M extends Model, const V>(
  store: MaybeRefOrGetter<Store<M>>,
  options: MaybeRefOrGetter<ViewConfig<M, V>> = {},
): Readonly<ShallowRef<ViewBinding<M, V>>> {
  const source = kept(viewSource<M, V>, isSameView);
  return useOwned(() => source(read(store), toValue(options)));
}

/**
 * A window on a collection that is too large to be loaded whole. It is disposed of with the screen. It asks for the records from `start` to
 * `end` when it is shown, and whenever these numbers change; `show()` asks for others. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const first = ref(0); // the index of the first row on show, as the list is scrolled
 * const shown = useWindow(tasks, () => ({ start: first.value, end: first.value + 50 }));
 * </script>
 *
 * <template>
 *   <p>{{ shown.list.count }} tasks, the first one on show: {{ shown.list.at(first)?.title ?? 'loading' }}</p>
 * </template>
 * ```
 */
export function useWindow<M extends Model>(
  store: MaybeRefOrGetter<Store<M>>,
  options: MaybeRefOrGetter<WindowConfig<M>> = {},
): Readonly<ShallowRef<WindowBinding<M>>> {
  const made = kept(windowSource<M>, isSameView);
  const source = computed(() => made(read(store), toValue(options)));
  const binding = useOwned(() => source.value);
  whileUsed(
    () => [source.value, toValue(options).start ?? 0, toValue(options).end] as const,
    ([{ show }, start, end]) => {
      if (end !== undefined) show({ start, end });
      return () => undefined;
    },
  );
  return binding;
}

/**
 * A record that is loaded by its id, and another one when the id changes. Without an id (undefined, null or `''`), nothing is asked. Throws
 * `DefinitionError` if the first argument is no model class.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { id } = defineProps<{ id: number }>();
 * const loaded = useLoaded(Task, () => id);
 * </script>
 *
 * <template>
 *   <p v-if="loaded.notFound">There is no such task.</p>
 *   <TaskForm v-else-if="loaded.record" :task="loaded.record" />
 * </template>
 * ```
 */
export function useLoaded<M extends Model>(
  model: ModelType<M>,
  id: MaybeRefOrGetter<AnyId | null | undefined>,
  options: MaybeRefOrGetter<LoadedOptions> = {},
): Readonly<ShallowRef<LoadedSnapshot<M>>> {
  const source = kept(loadedSource<M>, isSameLoad);
  return useOwned(() => source(model, toValue(id), toValue(options)));
}

/**
 * The record that a field refers to, as `references()` of the model says, and another one when the field changes. An empty field asks nothing.
 * Throws `DefinitionError` if `references()` does not name the field.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { line } = defineProps<{ line: Line }>();
 * const referred = useReference(Line, () => line, 'orderId');
 * </script>
 *
 * <template>
 *   <td>{{ referred.notFound ? 'unknown' : referred.record?.customer }}</td>
 * </template>
 * ```
 */
export function useReference<B extends Referring, const K extends ReferenceName<B>>(
  model: B,
  record: MaybeRefOrGetter<InstanceType<B>>,
  name: MaybeRefOrGetter<K>,
): Readonly<ShallowRef<LoadedSnapshot<Referred<B, K>>>> {
  return useOwned(() => referenceSource<B, K>(model, read(record), toValue(name)));
}

/**
 * The groups of a store or view with the option `groups`, as they are at one moment. Throws `DefinitionError` for a store without groups.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const people = new Store({ model: User, groups: groups({ by: ['team'] }), autoLoad: true });
 * const byTeam = useGroups(people);
 * </script>
 *
 * <template>
 *   <li v-for="group in byTeam.groups" :key="String(group.key)">{{ group.key }}: {{ group.count }}</li>
 * </template>
 * ```
 */
export function useGroups<M, O>(view: MaybeRefOrGetter<Grouped<M, O>>): Readonly<ShallowRef<GroupsSnapshot<M, O>>> {
  return followed(() => groupsSource<M, O>(read(view)));
}

/**
 * The records that the user has selected, over pages, sorting and reloads: `{ count, all, isSelected }`, and functions that change it. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { task } = defineProps<{ task: Task }>();
 * const selection = useSelection(tasks);
 * </script>
 *
 * <template>
 *   <input type="checkbox" :checked="selection.isSelected(task)" v-on:change="selection.toggle(task)" />
 *   <button :disabled="!selection.count" v-on:click="selection.clear">Select none</button>
 * </template>
 * ```
 */
export function useSelection<M extends Model>(
  store: MaybeRefOrGetter<Store<M>>,
): Readonly<ShallowRef<SelectionBinding<M>>> {
  return followed(() => selectionSource<M>(read(store)));
}

/**
 * The records that a store, a view or a window shows, in their order: `v-for="task in list" :key="task.$.key"`. The value changes when
 * records are added, removed or moved, and stays the same while only their contents change: a component for each row shows those. Throws
 * `DefinitionError` for a value without a list.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const list = useList(tasks);
 * </script>
 *
 * <template>
 *   <TaskRow v-for="task in list" :key="task.$.key" :task="task" />
 * </template>
 * ```
 */
export function useList<C extends Listed<unknown>>(
  collection: MaybeRefOrGetter<C>,
): Readonly<ShallowRef<ListBinding<C>>> {
  return followed(() => listSource<C>(read(collection)));
}

/**
 * One field of a record, as a reactive object `{ value, errors, dirty }`. Setting `value` sets the field. It changes in the same call as
 * the field. Throws `StateError` for a name that is no field.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { task } = defineProps<{ task: Task }>();
 * const title = useField(() => task, 'title');
 * </script>
 *
 * <template>
 *   <input v-model="title.value" :aria-invalid="title.errors.length > 0" />
 * </template>
 * ```
 */
export function useField<V, K extends keyof V & string>(
  record: MaybeRefOrGetter<Shown<V>>,
  name: MaybeRefOrGetter<K>,
): FieldBinding<V[K]> {
  const field = followed<FieldSnapshot<V[K]>>(() => recordIn(read(record)).$.field(toValue(name)));
  const input = computed(() => new FieldInput(read(record), toValue(name)));
  const shown = followed(() => input.value.shown);
  const value = computed({ get: () => shown.value, set: (value) => input.value.set(value) });
  return reactive({ ...membersOf(field), value }) as FieldBinding<V[K]>;
}

/**
 * A whole record: its values, its errors, whether it is edited, new, being saved or in conflict, and its writes for buttons, which never
 * reject. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { task } = defineProps<{ task: Task }>();
 * const state = useRecord(() => task);
 * </script>
 *
 * <template>
 *   <button :disabled="state.saving || !state.dirty" v-on:click="state.save">Save</button>
 *   <strong v-if="state.error">{{ state.error.userMessage }}</strong>
 * </template>
 * ```
 */
export function useRecord<V>(record: MaybeRefOrGetter<Shown<V>>): Readonly<ShallowRef<BoundRecord<V>>> {
  return followed(() => recordSource(read(record)));
}

/**
 * The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last; for a store or window, also
 * its loads for buttons. Throws `DefinitionError` for a value without a status.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const status = useStatus(tasks);
 * </script>
 *
 * <template>
 *   <p>{{ status.loading ? 'Loading' : `${status.total} tasks, ${status.pending} to save` }}</p>
 *   <button v-if="status.error" v-on:click="status.retry">Try again</button>
 * </template>
 * ```
 */
export function useStatus<A extends Active<unknown>>(
  active: MaybeRefOrGetter<A>,
): Readonly<ShallowRef<StatusBinding<A>>> {
  return followed(() => statusSource<A>(read(active)));
}

/**
 * The contents of an outbox: how many writes are queued and being sent, whether there is a network, and the writes that need a decision of the
 * user. Throws `DefinitionError` for a value that is no outbox.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const writes = useOutbox(outbox);
 * </script>
 *
 * <template>
 *   <p>{{ writes.online ? '' : 'Offline: ' }}{{ writes.queued }} to send</p>
 *   <p v-for="each in writes.failed" :key="each.key">
 *     {{ each.userMessage }} <button v-on:click="each.retry">Send again</button>
 *   </p>
 * </template>
 * ```
 */
export function useOutbox(outbox: MaybeRefOrGetter<ShownOutbox>): Readonly<ShallowRef<OutboxBinding>> {
  return followed(() => outboxSource(read(outbox)));
}

/**
 * The list of a store after its first load, for an `async setup` inside `<Suspense>`: `const tasks = await useSuspenseList(store)`. It
 * starts that load unless the store has loaded or is loading, and rejects with its error; a component that is made again loads again.
 * It waits for the store of the first call: give the component a `key` where its store may change.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * // A component inside <Suspense>.
 * const list = await useSuspenseList(tasks);
 * </script>
 *
 * <template>
 *   <li v-for="task in list" :key="task.$.key">{{ task.title }}</li>
 * </template>
 * ```
 */
export async function useSuspenseList<L>(store: MaybeRefOrGetter<Loadable<L>>): Promise<Readonly<ShallowRef<L>>> {
  const list = followed(() => listedIn(read(store)).list);
  await firstLoad(read(store));
  return list;
}

/** A form on a screen: its state as members, and functions for its inputs. */
export interface FormBinding<M extends Model> extends FormMembers<M> {
  /**
   * The attributes and listeners of an input, a text area or a select for a field: `<input v-bind="form.input('title')" />`. The text stays as it is typed
   * while it is not the usual text of a value (`1.50`); what is no value is an error of the field. Throws `StateError` for a name that is no
   * field.
   */
  readonly input: (name: FieldName<M>) => InputProps;
}

/**
 * The form of a record. A pending autosave is sent when the component goes. Another record gives another form, which the same fields follow.
 * Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```vue
 * <script setup lang="ts">
 * const { task } = defineProps<{ task: Task }>();
 * const form = useForm(() => task, { autosave: 500 });
 * </script>
 *
 * <template>
 *   <form v-on:submit.prevent="form.submit()">
 *     <input v-bind="form.input('title')" />
 *     <em v-for="issue in form.errors.title" :key="issue.message">{{ issue.message }}</em>
 *   </form>
 * </template>
 * ```
 */
export function useForm<M extends Model>(
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
  const state = followed(() => form.value.state);
  // A template may be the first to ask for a field, and has no scope of its own.
  const scope = effectScope();
  const bindField = (name: FieldName<M>) => {
    const field = followed(() => form.value.field(name));
    const typed = computed(() => typedText(state.value, name));
    const value = computed({
      get: () => inputValue(field.value.value, typed.value),
      set: (value: unknown) => enterValue(form.value, name, value),
    });
    return reactive({ ...membersOf(field), value, touch: () => form.value.touch(name) });
  };
  const field = keptByName((name: FieldName<M>) => scope.run(() => bindField(name)));
  const id = getCurrentInstance() ? useId() : undefined;
  const prefix = () => id ?? keyPrefix(form.value.record);
  return reactive({
    ...membersOf(state),
    form,
    field,
    input: (name: FieldName<M>) => inputProps(form.value, name, prefix(), shownInput(state.value, name)),
    ...formActions(() => form.value, prefix),
  }) as FormBinding<M>;
}

/** The members of a value, each as a ref of its own: what shows `dirty` only is not rendered for each typed character. */
type Refs<T> = { [K in keyof T]: ComputedRef<T[K]> };

function membersOf<T extends object>(value: Readonly<ShallowRef<T>>): Refs<T> {
  const names = Object.keys(value.value) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, computed(() => value.value[name])])) as Refs<T>;
}

function followed<T>(source: () => Source<T>): Readonly<ShallowRef<T>> {
  const current = computed(source);
  return customRef<T>((track, trigger) => {
    whileUsed(current, ({ subscribe }) => subscribe(trigger));
    const get = () => {
      track();
      return current.value.get();
    };
    return { get, set: () => undefined };
  });
}

/** The value of a source that this scope owns until it ends. */
function useOwned<T>(source: () => OwnedSource<T>): Readonly<ShallowRef<T>> {
  const current = computed(source);
  whileUsed(current, ({ hold }) => hold());
  return followed(() => current.value);
}

/** Calls `start` with each value of `source`, and what it returns when another value follows or the scope ends. */
function whileUsed<T>(source: WatchSource<T>, start: (value: T) => () => void): void {
  // A server renders once: a subscription would never end.
  const isServer = hasInjectionContext() && inject(ssrContextKey, undefined) !== undefined;
  if (isServer) return;
  watch(source, (value, _, onCleanup) => onCleanup(start(value)), { immediate: true, flush: 'sync' });
}

/** The object itself: a `ref` or `reactive` of the application may have wrapped it. */
function read<T>(given: MaybeRefOrGetter<T>): T {
  return toRaw(toValue(given));
}
