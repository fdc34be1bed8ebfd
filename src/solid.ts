/**
 * Bindings for Solid: lists, fields, records, statuses and forms as accessors.
 *
 * @module
 */
import {
  type Accessor,
  createComputed,
  createMemo,
  createResource,
  createSignal,
  createUniqueId,
  getOwner,
  onCleanup,
  onMount,
  runWithOwner,
  sharedConfig,
} from 'solid-js';
import { isServer } from 'solid-js/web';
import { fieldSource } from './binding/field-source.js';
import { type FormActions, formActions, type InputProps, inputProps } from './binding/form-binding.js';
import { type Grouped, type GroupsSnapshot, groupsSource } from './binding/groups-source.js';
import { listedIn, sourceIn } from './binding/hook-arguments.js';
import { isSameLoad, type LoadedOptions, type LoadedSnapshot, loadedSource } from './binding/loaded-record.js';
import { type OutboxBinding, outboxSource, type ShownOutbox } from './binding/outbox-binding.js';
import { kept, keptByName } from './binding/owned.js';
import { firstLoad, type ListBinding, listSource, type StatusBinding, statusSource } from './binding/read-actions.js';
import { type BoundRecord, recordSource } from './binding/record-actions.js';
import { type ReferenceName, type Referred, type Referring, referenceSource } from './binding/reference-source.js';
import { type SelectionBinding, selectionSource } from './binding/selection-binding.js';
import { followingSource, type ShownStore, type StoreBinding } from './binding/store-source.js';
import { isSameView, type ViewBinding, viewSource, type WindowBinding, windowSource } from './binding/view-source.js';
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
import { renderedValue, type Source } from './util/value-source.js';

export type { InputProps } from './binding/form-binding.js';
export type * from './binding/types.js';

/** A value, or a function that returns it: an accessor, or an arrow function around a property, `() => props.task`. */
export type MaybeAccessor<T> = T | Accessor<T>;

/**
 * A store on a screen: its records, its activity, and its loads for buttons, as one accessor. Give a function to make a store with the screen:
 * it is called once, and the store is disposed of with the screen. When one of the `dependencies` is another value, the function is called
 * again, and the store before is disposed of; with `update`, the store stays, and `update` changes it. Give a store that lives elsewhere as it
 * is. Throws `DefinitionError` for anything else.
 *
 * @example
 * ```tsx
 * const tasks = useStore(() => new Store({ model: Task, sorters: ['title'] }));
 * return (
 *   <Show when={!tasks().error} fallback={<button onClick={() => tasks().retry()}>Try again</button>}>
 *     <For each={tasks().records}>{(task) => <TaskRow task={task} />}</For>
 *   </Show>
 * );
 * ```
 *
 * @example
 * ```tsx
 * const tasks = useStore(
 *   () => new Store({ model: Task, filters: [{ property: 'ownerId', value: props.ownerId }] }),
 *   () => [props.ownerId],
 * );
 * return <For each={tasks().records}>{(task) => <TaskRow task={task} />}</For>;
 * ```
 */
export function useStore<S extends ShownStore>(
  given: S | (() => S),
  dependencies?: () => readonly unknown[],
  update?: (store: S) => void,
): Accessor<StoreBinding<S>> {
  return followed(createMemo(followingSource<S>(given, dependencies, update)));
}

/**
 * The value of a source, as an accessor: `historyOf(session).state`, the `state` of a feed, or one of your own. Throws `DefinitionError` for a value
 * that is no source.
 *
 * @example
 * ```tsx
 * const undoable = useSource(historyOf(session).state);
 * return <button disabled={!undoable().canUndo} onClick={() => historyOf(session).undo()}>Undo</button>;
 * ```
 */
export function useSource<T>(source: MaybeAccessor<Source<T>>): Accessor<T> {
  return followed(() => sourceIn(read(source)));
}

/**
 * Another list of the records of a store, with its own sorters, filters and groups. The view is disposed of with the screen. Other options
 * make another view. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const mine = useView(tasks, { filters: [{ property: 'ownerId', value: 7 }], sorters: ['title'] });
 * return <For each={mine().records}>{(task) => <TaskRow task={task} />}</For>;
 * ```
 */
export function useView<M extends Model, const V>(
  store: MaybeAccessor<Store<M>>,
  options: MaybeAccessor<ViewConfig<M, V>> = {},
): Accessor<ViewBinding<M, V>> {
  const source = kept(viewSource<M, V>, isSameView);
  return followed(createMemo(() => source(read(store), read(options))));
}

/**
 * A window on a collection that is too large to be loaded whole. It is disposed of with the screen. It asks for the records from `start` to
 * `end` when it is shown, and whenever these numbers change; `show()` asks for others. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const [first, setFirst] = createSignal(0);
 * const shown = useWindow(tasks, () => ({ start: first(), end: first() + 50 }));
 * return <Grid count={shown().list.count} rowAt={(index) => shown().list.at(index)} onScroll={setFirst} />;
 * ```
 */
export function useWindow<M extends Model>(
  store: MaybeAccessor<Store<M>>,
  options: MaybeAccessor<WindowConfig<M>> = {},
): Accessor<WindowBinding<M>> {
  const made = kept(windowSource<M>, isSameView);
  const source = createMemo(() => made(read(store), read(options)));
  const binding = followed(source);
  createComputed(() => {
    const { start = 0, end } = read(options);
    if (end !== undefined && !isServer) source().show({ start, end });
  });
  return binding;
}

/**
 * A record that is loaded by its id, and another one when the id changes. Without an id (undefined, null or `''`), nothing is asked. Throws
 * `DefinitionError` if the first argument is no model class.
 *
 * @example
 * ```tsx
 * const loaded = useLoaded(Task, () => props.id);
 * return (
 *   <Show when={!loaded().notFound} fallback={<p>There is no such task.</p>}>
 *     <Show when={loaded().record}>{(task) => <TaskForm task={task()} />}</Show>
 *   </Show>
 * );
 * ```
 */
export function useLoaded<M extends Model>(
  model: ModelType<M>,
  id: MaybeAccessor<AnyId | null | undefined>,
  options: MaybeAccessor<LoadedOptions> = {},
): Accessor<LoadedSnapshot<M>> {
  const source = kept(loadedSource<M>, isSameLoad);
  return followed(createMemo(() => source(model, read(id), read(options))));
}

/**
 * The record that a field refers to, as `references()` of the model says, and another one when the field changes. An empty field asks nothing.
 * Throws `DefinitionError` if `references()` does not name the field.
 *
 * @example
 * ```tsx
 * const order = useReference(Line, () => props.line, 'orderId');
 * return <td>{order().notFound ? 'unknown' : order().record?.customer}</td>;
 * ```
 */
export function useReference<B extends Referring, const K extends ReferenceName<B>>(
  model: B,
  record: MaybeAccessor<InstanceType<B>>,
  name: MaybeAccessor<K>,
): Accessor<LoadedSnapshot<Referred<B, K>>> {
  return followed(() => referenceSource<B, K>(model, read(record), read(name)));
}

/**
 * The groups of a store or view with the option `groups`, as they are at one moment. Throws `DefinitionError` for a store without groups.
 *
 * @example
 * ```tsx
 * const people = new Store({ model: User, groups: groups({ by: ['team'] }), autoLoad: true });
 * const byTeam = useGroups(people);
 * return <For each={byTeam().groups}>{(group) => <li>{`${group.key}: ${group.count}`}</li>}</For>;
 * ```
 */
export function useGroups<M, O>(view: MaybeAccessor<Grouped<M, O>>): Accessor<GroupsSnapshot<M, O>> {
  return followed(() => groupsSource<M, O>(read(view)));
}

/**
 * The records that the user has selected, over pages, sorting and reloads: `{ count, all, isSelected }`, and functions that change it. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const selection = useSelection(tasks);
 * return (
 *   <input
 *     type="checkbox"
 *     checked={selection().isSelected(props.task)}
 *     onChange={() => selection().toggle(props.task)}
 *   />
 * );
 * ```
 */
export function useSelection<M extends Model>(store: MaybeAccessor<Store<M>>): Accessor<SelectionBinding<M>> {
  return followed(() => selectionSource<M>(read(store)));
}

/**
 * The records that a store, a view or a window shows, in their order. The value changes when records are added, removed or moved, and
 * stays the same while only their contents change. `<For each={list().slice()}>` keeps the rows of the records that stay. Throws
 * `DefinitionError` for a value without a list.
 *
 * @example
 * ```tsx
 * const list = useList(tasks);
 * return <For each={list().slice()}>{(task) => <TaskRow task={task} />}</For>;
 * ```
 */
export function useList<C extends Listed<unknown>>(collection: MaybeAccessor<C>): Accessor<ListBinding<C>> {
  return followed(() => listSource<C>(read(collection)));
}

/**
 * One field of a record: `{ value, errors, dirty }`. The value changes in the same call as the field, so that an input keeps its caret.
 * Set the field on the record. While the input has the focus, the value is the text that was typed into it, whatever a server makes of it.
 * Throws `StateError` for a name that is no field.
 *
 * @example
 * ```tsx
 * const title = useField(() => props.task, 'title');
 * return <input value={title().value} onInput={({ currentTarget }) => props.task.set('title', currentTarget.value)} />;
 * ```
 */
export function useField<V, K extends keyof V & string>(
  record: MaybeAccessor<Shown<V>>,
  name: MaybeAccessor<K>,
): Accessor<FieldSnapshot<V[K]>> {
  return followed(() => fieldSource(read(record), read(name)));
}

/**
 * A whole record: its values, its errors, whether it is edited, new, being saved or in conflict, and its writes for buttons, which never
 * reject. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```tsx
 * const state = useRecord(() => props.task);
 * return (
 *   <>
 *     <button disabled={state().saving || !state().dirty} onClick={() => state().save()}>Save</button>
 *     <Show when={state().error}>{(error) => <strong>{error().userMessage}</strong>}</Show>
 *   </>
 * );
 * ```
 */
export function useRecord<V>(record: MaybeAccessor<Shown<V>>): Accessor<BoundRecord<V>> {
  return followed(() => recordSource(read(record)));
}

/**
 * The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last; for a store or window, also
 * its loads for buttons. Throws `DefinitionError` for a value without a status.
 *
 * @example
 * ```tsx
 * const status = useStatus(tasks);
 * return <p>{status().loading ? 'Loading' : `${status().total} tasks, ${status().pending} to save`}</p>;
 * ```
 */
export function useStatus<A extends Active<unknown>>(active: MaybeAccessor<A>): Accessor<StatusBinding<A>> {
  return followed(() => statusSource<A>(read(active)));
}

/**
 * The contents of an outbox: how many writes are queued and being sent, whether there is a network, and the writes that need a decision of the
 * user. Throws `DefinitionError` for a value that is no outbox.
 *
 * @example
 * ```tsx
 * const writes = useOutbox(outbox);
 * return (
 *   <For each={writes().failed}>
 *     {({ userMessage, retry, discard }) => (
 *       <p>{userMessage} <button onClick={retry}>Send again</button> <button onClick={discard}>Give up</button></p>
 *     )}
 *   </For>
 * );
 * ```
 */
export function useOutbox(outbox: MaybeAccessor<ShownOutbox>): Accessor<OutboxBinding> {
  return followed(() => outboxSource(read(outbox)));
}

/**
 * The list of a store after its first load. It starts that load unless the store has loaded or is loading. Until then, the accessor
 * suspends: the nearest `<Suspense>` shows its fallback. If the load fails, the accessor throws its error to the nearest
 * `<ErrorBoundary>`, whose `reset` loads again.
 *
 * @example
 * ```tsx
 * function Titles() {
 *   const list = useSuspenseList(tasks);
 *   return <For each={list().slice()}>{(task) => <li>{task.title}</li>}</For>;
 * }
 * // <Suspense fallback="Loading"><Titles /></Suspense> shows "Loading" until the tasks are there.
 * ```
 */
export function useSuspenseList<L>(store: MaybeAccessor<Loadable<L>>): Accessor<L> {
  const list = followed(() => listedIn(read(store)).list);
  const [hasLoaded] = createResource(
    () => read(store),
    // Without a promise for a store that has loaded: it must not suspend.
    (now) => firstLoad(now)?.then(() => true) ?? true,
  );
  return () => {
    hasLoaded();
    return list();
  };
}

/** A form on a screen. */
export interface FormBinding<M extends Model> extends FormActions<M> {
  /** The form itself. */
  readonly form: Accessor<RecordForm<M>>;
  /** The whole form, for a submit button or a summary of errors. */
  readonly state: Accessor<FormSnapshot<ValuesOf<M>>>;
  /** One field of the form, for an input. Throws `StateError` for a name that is no field. */
  readonly field: <K extends FieldName<M>>(name: MaybeAccessor<K>) => Accessor<FormFieldSnapshot<ValuesOf<M>[K]>>;
  /**
   * The attributes and listeners of an input, a text area or a select for a field: `<input {...form.input('title')} />`. The text stays as it is
   * typed while it is not the usual text of a value (`1.50`); what is no value is an error of the field. Throws `StateError` for a name that
   * is no field.
   */
  readonly input: (name: FieldName<M>) => InputProps;
}

/**
 * The form of a record. A pending autosave is sent when the screen goes. Another record gives another form, which the same fields follow.
 * Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```tsx
 * const form = useForm(() => props.task, { autosave: 500 });
 * return (
 *   <form onSubmit={form.submit}>
 *     <input {...form.input('title')} />
 *     <For each={form.state().errors.title}>{(issue) => <em>{issue.message}</em>}</For>
 *     <button disabled={form.state().saving}>Save</button>
 *   </form>
 * );
 * ```
 */
export function useForm<M extends Model>(
  record: MaybeAccessor<M>,
  options: MaybeAccessor<FormOptions> = {},
): FormBinding<M> {
  const form = createMemo(() => {
    const made = new RecordForm(read(record));
    onCleanup(made.dispose);
    return made;
  });
  createComputed(() => form().setOptions(read(options)));
  const prefix = createUniqueId();
  // A template may be the first to ask for an input, within an effect that is run again.
  const owner = getOwner();
  const shown = keptByName((name: FieldName<M>) => runWithOwner(owner, () => followed(() => form().field(name))));
  return {
    form,
    state: followed(() => form().state),
    field: (name) => followed(() => form().field(read(name))),
    input: (name) => inputProps(form(), name, prefix, shown(name)?.() ?? form().field(name).get()),
    ...formActions(form, () => prefix),
  };
}

function followed<T>(source: Accessor<Source<T>>): Accessor<T> {
  // A server renders once: a subscription would never end.
  if (isServer) return () => source().get();
  const current = createMemo(() => {
    const followed = source();
    const update = () => setValue(followed.get);
    let isHydrated = !sharedConfig.context;
    const [value, setValue] = createSignal(isHydrated ? followed.get() : renderedValue(followed));
    onCleanup(followed.subscribe(() => isHydrated && update()));
    // While Solid takes over the HTML of a server, it changes none of it: what came before is shown when it is ready.
    if (!isHydrated)
      onMount(() => {
        isHydrated = true;
        update();
      });
    return value;
  });
  return () => current()();
}

function read<T>(given: MaybeAccessor<T>): T {
  return typeof given === 'function' ? (given as Accessor<T>)() : given;
}
