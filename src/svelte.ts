/**
 * Bindings for Svelte 5: lists, fields, records, statuses and forms as objects with getters. They follow their source while a template or
 * an effect reads them; elsewhere, and on a server, they give the present value.
 *
 * @module
 */
import { onMount, untrack } from 'svelte';
import { createSubscriber } from 'svelte/reactivity';
import {
  enterValue,
  type FieldBinding,
  type FormFieldBinding,
  type FormMembers,
  formActions,
  type InputAttributes,
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
import { followingSource, type ShownStore, type StoreBinding } from './binding/store-source.js';
import { isSameView, type ViewBinding, viewSource, type WindowBinding, windowSource } from './binding/view-source.js';
import { FieldInput, type InputValue, inputValue } from './form/field-input.js';
import { type FormFieldSnapshot, type FormOptions, type FormSnapshot, RecordForm } from './form/record-form.js';
import type { ModelType } from './model/field.js';
import type { FieldName, ValuesOf } from './model/infer.js';
import type { Model } from './model/model.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { AnyId } from './operation/actions.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Store } from './store/store.js';
import type { ViewConfig } from './store/store-config.js';
import type { WindowConfig } from './store/window-config.js';
import type { Source } from './util/value-source.js';

export type { FieldBinding, FormFieldBinding } from './binding/form-binding.js';
export type * from './binding/types.js';
export type { InputValue } from './form/field-input.js';

/** A value, or a function that returns it: `() => task` follows a prop or a `$state` that changes. */
export type MaybeGetter<T> = T | (() => T);

/** A value that templates and effects follow. */
export interface Current<T> {
  readonly current: T;
}

/**
 * A store on a screen: its records, its activity, and its loads for buttons. Give a function to make a store with the screen: it is called
 * once, and the store is disposed of with the screen. When one of the `dependencies` is another value, the function is called again, and the
 * store before is disposed of; with `update`, the store stays, and `update` changes it. Give a store that lives elsewhere as it is. Call it
 * while the component is made. Throws `DefinitionError` for anything else.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const tasks = useStore(() => new Store({ model: Task, sorters: ['title'] }));
 * </script>
 *
 * {#if tasks.current.error}<button onclick={tasks.current.retry}>Try again</button>{/if}
 * {#each tasks.current.records as task (task.$.key)}<li>{task.title}</li>{/each}
 * ```
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { ownerId }: { ownerId: number } = $props();
 *   const tasks = useStore(
 *     () => new Store({ model: Task, filters: [{ property: 'ownerId', value: ownerId }] }),
 *     () => [ownerId],
 *   );
 * </script>
 *
 * {#each tasks.current.records as task (task.$.key)}<li>{task.title}</li>{/each}
 * ```
 */
export function useStore<S extends ShownStore>(
  given: S | (() => S),
  dependencies?: () => readonly unknown[],
  update?: (store: S) => void,
): Current<StoreBinding<S>> {
  const current = followingSource<S>(given, dependencies, update);
  let held: OwnedSource<unknown> | undefined;
  let release: (() => void) | undefined;
  const hold = (source: OwnedSource<unknown>) => {
    if (source === held) return;
    release?.();
    release = source.hold();
    held = source;
  };
  // The store stays while no template reads it, as in a closed part of the screen.
  if (typeof given === 'function')
    onMount(() => {
      hold(untrack(current));
      return () => release?.();
    });
  return followed(() => {
    const source = current();
    if (held) hold(source);
    return source;
  });
}

/**
 * The value of a source, as `{ current }`: `historyOf(session).state`, the `state` of a feed, or one of your own. Throws `DefinitionError` for a value
 * that is no source.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const undoable = useSource(historyOf(session).state);
 * </script>
 *
 * <button disabled={!undoable.current.canUndo} onclick={() => historyOf(session).undo()}>Undo</button>
 * ```
 */
export function useSource<T>(source: MaybeGetter<Source<T>>): Current<T> {
  return followed(() => sourceIn(read(source)));
}

/**
 * Another list of the records of a store, with its own sorters, filters and groups. The view is disposed of with the screen. Other options
 * make another view. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const mine = useView(tasks, { filters: [{ property: 'ownerId', value: 7 }], sorters: ['title'] });
 * </script>
 *
 * {#each mine.current.records as task (task.$.key)}<li>{task.title}</li>{/each}
 * ```
 */
export function useView<M extends Model, const V>(
  store: MaybeGetter<Store<M>>,
  options: MaybeGetter<ViewConfig<M, V>> = {},
): Current<ViewBinding<M, V>> {
  const source = kept(viewSource<M, V>, isSameView);
  return followed(() => source(read(store), read(options)));
}

/**
 * A window on a collection that is too large to be loaded whole. It is disposed of with the screen. It asks for the records from `start` to
 * `end` when it is shown, and whenever these numbers change; `show()` asks for others. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   let first = $state(0); // the index of the first row on show, as the list is scrolled
 *   const shown = useWindow(tasks, () => ({ start: first, end: first + 50 }));
 * </script>
 *
 * <p>{shown.current.list.count} tasks, the first one on show: {shown.current.list.at(first)?.title ?? 'loading'}</p>
 * ```
 */
export function useWindow<M extends Model>(
  store: MaybeGetter<Store<M>>,
  options: MaybeGetter<WindowConfig<M>> = {},
): Current<WindowBinding<M>> {
  const made = kept(windowSource<M>, isSameView);
  let range: string | undefined;
  return followed(() => {
    const source = made(read(store), read(options));
    const { start = 0, end } = read(options);
    const wanted = `${start} ${end}`;
    // A template is about to read the window, and must not change it meanwhile.
    if (range !== undefined && wanted !== range && end !== undefined) queueMicrotask(() => source.show({ start, end }));
    range = wanted;
    return source;
  });
}

/**
 * A record that is loaded by its id, and another one when the id changes. Without an id (undefined, null or `''`), nothing is asked. Throws
 * `DefinitionError` if the first argument is no model class.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { id }: { id: number } = $props();
 *   const loaded = useLoaded(Task, () => id);
 * </script>
 *
 * {#if loaded.current.notFound}There is no such task.{:else}{loaded.current.record?.title}{/if}
 * ```
 */
export function useLoaded<M extends Model>(
  model: ModelType<M>,
  id: MaybeGetter<AnyId | null | undefined>,
  options: MaybeGetter<LoadedOptions> = {},
): Current<LoadedSnapshot<M>> {
  const source = kept(loadedSource<M>, isSameLoad);
  return followed(() => source(model, read(id), read(options)));
}

/**
 * The record that a field refers to, as `references()` of the model says, and another one when the field changes. An empty field asks nothing.
 * Throws `DefinitionError` if `references()` does not name the field.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { line }: { line: Line } = $props();
 *   const referred = useReference(Line, () => line, 'orderId');
 * </script>
 *
 * <td>{referred.current.notFound ? 'unknown' : referred.current.record?.customer}</td>
 * ```
 */
export function useReference<B extends Referring, const K extends ReferenceName<B>>(
  model: B,
  record: MaybeGetter<InstanceType<B>>,
  name: MaybeGetter<K>,
): Current<LoadedSnapshot<Referred<B, K>>> {
  const source = kept(referenceSource<B, K>);
  return followed(() => source(model, read(record), read(name)));
}

/**
 * The groups of a store or view with the option `groups`, as they are at one moment. Throws `DefinitionError` for a store without groups.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const people = new Store({ model: User, groups: groups({ by: ['team'] }), autoLoad: true });
 *   const byTeam = useGroups(people);
 * </script>
 *
 * {#each byTeam.current.groups as group (group.key)}<li>{group.key}: {group.count}</li>{/each}
 * ```
 */
export function useGroups<M, O>(view: MaybeGetter<Grouped<M, O>>): Current<GroupsSnapshot<M, O>> {
  return made(groupsSource<M, O>, view);
}

/**
 * The records that the user has selected, over pages, sorting and reloads: `{ count, all, isSelected }`, and functions that change it. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { task }: { task: Task } = $props();
 *   const selection = useSelection(tasks);
 *   const now = $derived(selection.current);
 * </script>
 *
 * <input type="checkbox" checked={now.isSelected(task)} onchange={() => now.toggle(task)} />
 * <button disabled={now.count === 0} onclick={now.clear}>Select none</button>
 * ```
 */
export function useSelection<M extends Model>(store: MaybeGetter<Store<M>>): Current<SelectionBinding<M>> {
  return made(selectionSource<M>, store);
}

/**
 * The records that a store, a view or a window shows, in their order: `{#each list.current as task (task.$.key)}`. The value changes when
 * records are added, removed or moved, and stays the same while only their contents change: a component for each row shows those. Throws
 * `DefinitionError` for a value without a list.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const list = useList(tasks);
 * </script>
 *
 * {#each list.current as task (task.$.key)}<TaskRow {task} />{/each}
 * ```
 */
export function useList<C extends Listed<unknown>>(collection: MaybeGetter<C>): Current<ListBinding<C>> {
  return made(listSource<C>, collection);
}

/**
 * One field of a record: `{ value, errors, dirty }`. Setting `value` sets the field. It changes in the same call as the field. Throws
 * `StateError` for a name that is no field.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { task }: { task: Task } = $props();
 *   const title = useField(() => task, 'title');
 * </script>
 *
 * <input bind:value={title.value} aria-invalid={title.errors.length > 0} />
 * ```
 */
export function useField<V, K extends keyof V & string>(
  record: MaybeGetter<Shown<V>>,
  name: MaybeGetter<K>,
): FieldBinding<V[K]> {
  const made = kept((...given: [Shown<V>, K]) => new FieldInput(...given));
  const input = () => made(read(record), read(name));
  const shown = followed(() => input().shown);
  return settable<FieldSnapshot<V[K]>, InputValue<V[K]>, V[K]>(
    () => recordIn(read(record)).$.field(read(name)),
    () => shown.current as InputValue<V[K]>,
    (value) => input().set(value),
  );
}

/**
 * A whole record: its values, its errors, whether it is edited, new, being saved or in conflict, and its writes for buttons, which never
 * reject. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { task }: { task: Task } = $props();
 *   const state = useRecord(() => task);
 * </script>
 *
 * <button disabled={state.current.saving || !state.current.dirty} onclick={state.current.save}>Save</button>
 * {#if state.current.error}<strong>{state.current.error.userMessage}</strong>{/if}
 * ```
 */
export function useRecord<V>(record: MaybeGetter<Shown<V>>): Current<BoundRecord<V>> {
  return made(recordSource<V>, record);
}

/**
 * The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last; for a store or window, also
 * its loads for buttons. Throws `DefinitionError` for a value without a status.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const status = useStatus(tasks);
 * </script>
 *
 * <p>{status.current.loading ? 'Loading' : `${status.current.total} tasks, ${status.current.pending} to save`}</p>
 * {#if status.current.error}<button onclick={status.current.retry}>Try again</button>{/if}
 * ```
 */
export function useStatus<A extends Active<unknown>>(active: MaybeGetter<A>): Current<StatusBinding<A>> {
  return made(statusSource<A>, active);
}

/**
 * The contents of an outbox: how many writes are queued and being sent, whether there is a network, and the writes that need a decision of the
 * user. Throws `DefinitionError` for a value that is no outbox.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const writes = useOutbox(outbox);
 * </script>
 *
 * <p>{writes.current.online ? '' : 'Offline: '}{writes.current.queued} to send</p>
 * {#each writes.current.failed as each (each.key)}
 *   <p>{each.userMessage} <button onclick={each.retry}>Send again</button></p>
 * {/each}
 * ```
 */
export function useOutbox(outbox: MaybeGetter<ShownOutbox>): Current<OutboxBinding> {
  return made(outboxSource, outbox);
}

/**
 * The list of a store after its first load, as a promise for `{#await}`. It starts that load unless the store has loaded or is loading,
 * and rejects with its error; a further call loads again. On a server `{#await}` renders its first part only, so call this in the
 * browser, and load in the `load` function of the page.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const loaded = useSuspenseList(tasks);
 * </script>
 *
 * {#await loaded}Loading{:then list}
 *   {#each list.current as task (task.$.key)}<li>{task.title}</li>{/each}
 * {:catch error}{error.userMessage}{/await}
 * ```
 */
export async function useSuspenseList<L>(store: MaybeGetter<Loadable<L>>): Promise<Current<L>> {
  await firstLoad(read(store));
  return followed(() => listedIn(read(store)).list);
}

/** The attributes and listeners of an input for a field: `<input {...form.input('title')} />`. */
export interface InputProps extends InputAttributes {
  readonly oninput: (event: { readonly target: unknown }) => void;
  readonly onblur: () => void;
}

/** A form on a screen: its state as members, and functions for its inputs. */
export interface FormBinding<M extends Model> extends FormMembers<M> {
  /**
   * The attributes and listeners of an input, a text area or a select for a field: `<input {...form.input('title')} />`. The text stays as it is typed
   * while it is not the usual text of a value (`1.50`); what is no value is an error of the field. Throws `StateError` for a name that is no
   * field.
   */
  readonly input: (name: FieldName<M>) => InputProps;
}

/**
 * The form of a record. A pending autosave is sent when no template or effect reads the form any more. Another record gives another form,
 * which the same fields follow. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```svelte
 * <script lang="ts">
 *   const { task }: { task: Task } = $props();
 *   const form = useForm(() => task, { autosave: 500 });
 * </script>
 *
 * <form onsubmit={form.submit}>
 *   <input {...form.input('title')} />
 *   {#each form.errors.title ?? [] as issue (issue.message)}<em>{issue.message}</em>{/each}
 * </form>
 * ```
 */
export function useForm<M extends Model>(
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
  const state = followed(() => form().state);
  const bindField = <K extends FieldName<M>>(name: K): FormFieldBinding<ValuesOf<M>[K]> => {
    const source = (): Source<FormFieldSnapshot<ValuesOf<M>[K]>> => form().field(name);
    const current = followed(source);
    const bound = settable<FormFieldSnapshot<ValuesOf<M>[K]>, InputValue<ValuesOf<M>[K]>, ValuesOf<M>[K]>(
      source,
      () => inputValue(current.current.value, typedText(state.current, name)) as InputValue<ValuesOf<M>[K]>,
      (value) => enterValue(form(), name, value),
    );
    return Object.assign(bound, { touch: () => form().touch(name) });
  };
  const prefix = () => keyPrefix(form().record);
  return withMembers(() => form().state, {
    get form() {
      return form();
    },
    field: keptByName(bindField),
    input: (name) => {
      const shown = shownInput(state.current, name);
      const { onInput: oninput, onBlur: onblur, ...attributes } = inputProps(form(), name, prefix(), shown);
      return { ...attributes, oninput, onblur };
    },
    ...formActions(form, prefix),
  } as Omit<FormBinding<M>, keyof FormSnapshot<ValuesOf<M>>>);
}

/** Adds the members of a value to an object, as getters that follow its source. */
function withMembers<T extends object, O extends object>(source: () => Source<T>, object: O): T & O {
  const value = followed(source);
  for (const name of Object.keys(source().get()) as (keyof T)[])
    if (!(name in object)) Object.defineProperty(object, name, { enumerable: true, get: () => value.current[name] });
  return object as T & O;
}

/** The members of a field, with a value for inputs that can be set. */
function settable<S extends object, I, V>(
  source: () => Source<S>,
  get: () => I,
  set: (value: I | V) => void,
): Omit<S, 'value'> & { get value(): I; set value(value: I | V) } {
  const object = Object.defineProperty({}, 'value', { enumerable: true, get, set });
  return withMembers(source, object as { get value(): I; set value(value: I | V) });
}

/** The value of the source that a function makes of a value, made again when that is another one. */
function made<G, T>(make: (given: G) => Source<T>, given: MaybeGetter<G>): Current<T> {
  const source = kept(make);
  return followed(() => source(read(given)));
}

function followed<T>(source: () => Source<T>): Current<T> {
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
