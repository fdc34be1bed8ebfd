/**
 * Bindings for React: lists, fields, records, statuses and forms as hooks.
 *
 * @module
 */
'use client';

import { useEffect, useId, useInsertionEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { fieldSource } from './binding/field-source.js';
import {
  errorId,
  type FormActions,
  type InputAttributes,
  inputAttributes,
  shownInput,
  submitForm,
} from './binding/form-binding.js';
import { type Grouped, type GroupsSnapshot, groupsSource } from './binding/groups-source.js';
import { checkSource, listedIn, refuseToWait } from './binding/hook-arguments.js';
import { type LoadedOptions, type LoadedSnapshot, loadedKey, loadedSource } from './binding/loaded-record.js';
import { type OutboxBinding, outboxSource, type ShownOutbox } from './binding/outbox-binding.js';
import { isSameList, type OwnedSource } from './binding/owned.js';
import { type ListBinding, listSource, type StatusBinding, statusSource } from './binding/read-actions.js';
import { type BoundRecord, recordSource } from './binding/record-actions.js';
import { type ReferenceName, type Referred, type Referring, referenceSource } from './binding/reference-source.js';
import { type SelectionBinding, selectionSource } from './binding/selection-binding.js';
import { type ShownStore, type StoreBinding, storeSource } from './binding/store-source.js';
import { StoreWatch, watchSuspending } from './binding/store-watch.js';
import { isSameView, type ViewBinding, viewSource, type WindowBinding, windowSource } from './binding/view-source.js';
import { inDevelopment } from './dev/checks.js';
import { checkMade } from './dev/made-options.js';
import { wrongValue } from './errors/option-rules.js';
import type { EnteredInput } from './form/field-input.js';
import { type FormOptions, type FormSnapshot, RecordForm } from './form/record-form.js';
import type { ModelType } from './model/field.js';
import type { FieldName, ValuesOf } from './model/infer.js';
import type { Model } from './model/model.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { AnyId } from './operation/actions.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import type { Store } from './store/store.js';
import type { ViewConfig } from './store/store-config.js';
import type { WindowConfig } from './store/window-config.js';
import { ignoreRejection } from './util/ignore-rejection.js';
import { renderedValue, type Source } from './util/value-source.js';

export type * from './binding/types.js';

/**
 * A store on a screen: its records, its activity, and its loads for buttons. Give a function to make a store with the component: it is called
 * once, and the store is disposed of with the component. When one of the dependencies is another value, the function is called again, and the
 * store before is disposed of; with `update`, the store stays, and `update` changes it. Give a store that lives elsewhere as it is. Throws
 * `DefinitionError` for anything else.
 *
 * @example
 * ```tsx
 * const { records, loading, error, retry, store } = useStore(() => new Store({ model: Task, sorters: ['title'] }));
 * if (error) return <button onClick={retry}>{error.userMessage}</button>;
 * return <ul aria-busy={loading}>{records.map((task) => <TaskRow key={task.$.key} task={task} />)}</ul>;
 * ```
 *
 * @example
 * ```tsx
 * function TasksOf({ ownerId }: { ownerId: number }) {
 *   const own = { property: 'ownerId', value: ownerId } as const;
 *   const { records } = useStore(() => new Store({ model: Task, filters: [own] }), [ownerId]);
 *   return <ul>{records.map((task) => <TaskRow key={task.$.key} task={task} />)}</ul>;
 * }
 * ```
 */
export function useStore<S extends ShownStore>(
  given: S | (() => S),
  dependencies?: readonly unknown[],
  update?: (store: S) => void,
): StoreBinding<S> {
  // Another function at each render is the usual form, so only the first one for these dependencies is called.
  const isMade = typeof given === 'function';
  const key = isMade ? (update ? [] : (dependencies ?? [])) : [given];
  const source = useWatched(key, () => storeSource<S>(given), isSameList);
  if (!dependencies) checkMade(source, given);
  const binding = useOwned(source);
  const { store } = binding;
  const [first = []] = useState(dependencies);
  const shown = useMade(store, () => ({ dependencies: first }));
  useEffect(() => {
    if (!update || !dependencies || isSameList(dependencies, shown.dependencies)) return;
    shown.dependencies = dependencies;
    update(store);
  });
  return binding;
}

/**
 * Another list of the records of a store, with its own sorters, filters and groups. The view is made once, and disposed of with the
 * component. Other options make another view; a function among them counts as another one at each render, unless it is memoized. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const { records } = useView(tasks, { filters: [{ property: 'done', value: false }], sorters: ['due'] });
 * ```
 */
export function useView<M extends Model, const V>(store: Store<M>, options: ViewConfig<M, V> = {}): ViewBinding<M, V> {
  return useOwned(useMade([store, options] as const, () => viewSource<M, V>(store, options), isSameView));
}

/**
 * A window on a collection that is too large to be loaded whole. It is made once, and disposed of with the component. It asks for the
 * records from `start` to `end` when the component is shown, and whenever these numbers change; `show()` asks for others. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const { list, show } = useWindow(tasks, { end: 50 });
 * return <Grid count={list.count} rowAt={(index) => list.at(index)} onRange={show} />;
 * ```
 */
export function useWindow<M extends Model>(store: Store<M>, options: WindowConfig<M> = {}): WindowBinding<M> {
  const { start = 0, end } = options;
  const source = useMade([store, options] as const, () => windowSource<M>(store, options), isSameView);
  const { show } = source;
  useEffect(() => {
    if (end !== undefined) show({ start, end });
  }, [show, start, end]);
  return useOwned(source);
}

/**
 * A record that is loaded by its id when the component is shown, and again when the id changes. Without an id (undefined, null or `''`),
 * nothing is asked. Throws `DefinitionError` if the first argument is no model class.
 *
 * @example
 * ```tsx
 * const { record, error, notFound, reload } = useLoaded(Task, id);
 * if (notFound) return <p>There is no such task.</p>;
 * if (error) return <button onClick={reload}>{error.userMessage}</button>;
 * return record ? <TaskForm task={record} /> : <p>Loading</p>;
 * ```
 */
export function useLoaded<M extends Model>(
  model: ModelType<M>,
  id: AnyId | null | undefined,
  options: LoadedOptions = {},
): LoadedSnapshot<M> {
  return useOwned(useMade(loadedKey(model, id, options), () => loadedSource<M>(model, id, options)));
}

/**
 * The record that a field refers to, as `references()` of the model says, and another one when the field changes. An empty field asks nothing.
 * Throws `DefinitionError` if `references()` does not name the field.
 *
 * @example
 * ```tsx
 * const { record: owner, notFound } = useReference(Task, task, 'ownerId');
 * return <td>{notFound ? 'unknown' : owner?.name}</td>;
 * ```
 */
export function useReference<B extends Referring, const K extends ReferenceName<B>>(
  model: B,
  record: InstanceType<B>,
  name: K,
): LoadedSnapshot<Referred<B, K>> {
  const key = [model, record, name] as const;
  return useOwned(useMade(key, () => referenceSource<B, K>(model, record, name), isSameList));
}

/**
 * A record that is loaded by its id, as by `useLoaded`; suspends until it is there: the nearest `<Suspense>` shows its fallback. If the load
 * fails, it throws the error to the nearest error boundary, and loads again when the boundary is reset. Throws `DefinitionError` without an
 * id. On a server it throws `StateError`, so that the page loads the record.
 *
 * @example
 * ```tsx
 * function TaskPage({ id }: { id: number }) {
 *   const { record } = useSuspenseLoaded(Task, id);
 *   return <TaskForm task={record} />;
 * }
 * // <Suspense fallback="Loading"><TaskPage id={7} /></Suspense> shows "Loading" until the task is there.
 * ```
 */
export function useSuspenseLoaded<M extends Model>(
  model: ModelType<M>,
  id: AnyId,
  options: LoadedOptions = {},
): LoadedSnapshot<M> & { readonly record: M } {
  const source = useMade(loadedKey(model, id, options), () => loadedSource<M>(model, id, options));
  useInsertionEffect(source.hold, [source]);
  const { subscribe, get } = source;
  const shown = useSyncExternalStore(subscribe, get, () => refuseToWait(model));
  if (shown.idle) throw wrongValue('The id for `useSuspenseLoaded()`', 'an id; `useLoaded()` takes none as well', id);
  if (shown.record) return shown as LoadedSnapshot<M> & { readonly record: M };
  if (shown.error && !shown.loading && source.giveUp()) throw shown.error;
  throw source.wait();
}

/**
 * The groups of a store or view with the option `groups`, as they are at one moment: another object after each change, so that nothing
 * memoized is stale. Throws `DefinitionError` for a store without groups.
 *
 * @example
 * ```tsx
 * const { groups } = useGroups(tasks);
 * return groups.map((group) => <Section key={String(group.key)} title={String(group.key)} tasks={group.records} />);
 * ```
 */
export function useGroups<M, O>(view: Grouped<M, O>): GroupsSnapshot<M, O> {
  return useSource(useMade(view, groupsSource<M, O>));
}

/**
 * The records that the user has selected, over pages, sorting and reloads: `{ count, all, isSelected }`, and functions that change it. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```tsx
 * const { isSelected, toggle, count } = useSelection(tasks);
 * return <input type="checkbox" checked={isSelected(task)} onChange={() => toggle(task)} />;
 * ```
 */
export function useSelection<M extends Model>(store: Store<M>): SelectionBinding<M> {
  return useSource(useMade(store, selectionSource<M>));
}

/**
 * The records that a store, a view or a window shows, in their order; for a store or window, also its loads for buttons. The component is
 * rendered when records are added, removed or moved, and not while only their contents change: show those by `useField`. Throws
 * `DefinitionError` for a value without a list, and for a store that is made anew at each render.
 *
 * @example
 * ```tsx
 * const list = useList(tasks);
 * return list.slice().map((task) => <TaskRow key={task.$.key} task={task} />);
 * ```
 */
export function useList<C extends Listed<unknown>>(collection: C): ListBinding<C> {
  return useSource(useWatched(collection, listSource<C>));
}

/**
 * One field of a record: `{ value, errors, dirty }`. The component is rendered in the same call in which the field changes, so that an
 * input keeps its caret. Set the field on the record. While the input has the focus, the value is the text that was typed into it, whatever a
 * server makes of it. Throws `StateError` for a name that is no field.
 *
 * @example
 * ```tsx
 * const title = useField(task, 'title');
 * return <input value={title.value} onChange={(event) => task.set('title', event.target.value)} />;
 * ```
 */
export function useField<V, K extends keyof V & string>(record: Shown<V>, name: K): FieldSnapshot<V[K]> {
  inDevelopment(useSteady, record);
  return useSource(useMemo(() => fieldSource(record, name), [record, name]));
}

/**
 * A whole record: its values, its errors, whether it is edited, new, being saved or in conflict, and its writes for buttons, which never
 * reject. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```tsx
 * const { dirty, saving, error, save, reject } = useRecord(task);
 * return (
 *   <p>
 *     <button disabled={saving || !dirty} onClick={save}>Save</button>
 *     <button disabled={!dirty} onClick={reject}>Undo</button>
 *     {error && <strong>{error.userMessage}</strong>}
 *   </p>
 * );
 * ```
 */
export function useRecord<V>(record: Shown<V>): BoundRecord<V> {
  inDevelopment(useSteady, record);
  return useSource(useMemo(() => recordSource(record), [record]));
}

/**
 * The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last; for a store or window, also
 * its loads for buttons. Throws `DefinitionError` for a value without a status.
 *
 * @example
 * ```tsx
 * const { loading, total, pending, error, retry } = useStatus(tasks);
 * if (error) return <button onClick={retry}>{error.userMessage} Try again</button>;
 * return <p>{loading ? 'Loading' : `${total} tasks, ${pending} to save`}</p>;
 * ```
 */
export function useStatus<A extends Active<unknown>>(active: A): StatusBinding<A> {
  return useSource(useWatched(active, statusSource<A>));
}

/**
 * The contents of an outbox: how many writes are queued and being sent, whether there is a network, and the writes that need a decision of the
 * user. Throws `DefinitionError` for a value that is no outbox.
 *
 * @example
 * ```tsx
 * const { queued, failed, online } = useOutbox(outbox);
 * return failed.map(({ key, userMessage, retry, discard }) => (
 *   <p key={key}>{userMessage} <button onClick={retry}>Send again</button> <button onClick={discard}>Give up</button></p>
 * ));
 * ```
 */
export function useOutbox(outbox: ShownOutbox): OutboxBinding {
  return useSource(useMade(outbox, outboxSource));
}

/**
 * The list of a store after its first load. It starts that load, unless the store has loaded or is loading, and suspends until then: the
 * nearest `<Suspense>` shows its fallback. If the load fails, it throws the error to the nearest error boundary; call `store.load()` where
 * the boundary is reset. If `canLoad` refuses the load, the fallback stays until the application loads the store.
 *
 * @example
 * ```tsx
 * function Titles() {
 *   const list = useSuspenseList(tasks);
 *   return list.slice().map((task) => <li key={task.$.key}>{task.title}</li>);
 * }
 * // <Suspense fallback="Loading"><Titles /></Suspense> shows "Loading" until the tasks are there.
 * ```
 */
export function useSuspenseList<L>(store: Loadable<L>): L {
  const list = useSource(listedIn(store).list);
  watchSuspending(store);
  const { loaded, loading, error } = store.status.get();
  if (loaded) return list;
  if (error && !loading) throw error;
  throw firstLoad(store);
}

/** The properties of an input of a form, from its field and validators: `<input {...form.input('name')} />`. */
export interface InputProps extends Omit<InputAttributes, 'maxlength' | 'inputmode' | 'readonly'> {
  readonly maxLength: number | undefined;
  readonly inputMode: InputAttributes['inputmode'];
  readonly readOnly: boolean | undefined;
  readonly onChange: (event: InputChange) => void;
  readonly onBlur: () => void;
}

/** The part of a change event that a form reads. */
export interface InputChange {
  readonly target: EnteredInput;
}

/** A form on a screen: its state, and functions for its inputs. Another object after each change, so that nothing memoized is stale. */
export interface FormBinding<M extends Model> extends FormSnapshot<ValuesOf<M>>, FormActions<M> {
  /** The form itself, with the source of each field. */
  readonly form: RecordForm<M>;
  /**
   * The properties of an input, a text area or a select for a field: a text, number, boolean or date. The text stays as it is typed while it
   * is not the usual text of a value (`1.50`); what is no value is an error of the field. What follows `{...input(name)}` takes precedence.
   * Throws `StateError` for a name that is no field.
   */
  readonly input: (name: FieldName<M>) => InputProps;
}

/**
 * The form of a record: its state, and properties for its inputs. A pending autosave is sent when the component is unmounted. Another
 * record gives another form. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```tsx
 * const { input, errors, saving, submit } = useForm(task);
 * return (
 *   <form onSubmit={submit}>
 *     <input {...input('title')} />
 *     {errors.title?.map((issue) => <em key={issue.message}>{issue.message}</em>)}
 *     <button disabled={saving}>Save</button>
 *   </form>
 * );
 * ```
 */
export function useForm<M extends Model>(record: M, options: FormOptions = {}): FormBinding<M> {
  inDevelopment(useSteady, record);
  const [made, setMade] = useState(() => new RecordForm(record, options));
  const form = made.record === record ? made : new RecordForm(record, options);
  if (form !== made) setMade(form);
  const state = useSource(form.state);
  const { autosave, clock } = options;
  useEffect(() => form.setOptions({ autosave, clock }), [form, autosave, clock]);
  useEffect(() => form.dispose, [form]);
  const id = useId();
  return useMemo(() => {
    const { set, enter, touch, reject } = form;
    const input = (name: FieldName<M>): InputProps => {
      const shown = shownInput(state, name);
      const { maxlength, inputmode, readonly, ...attributes } = inputAttributes(form.record, name, id, shown);
      return {
        ...attributes,
        ...{ maxLength: maxlength, inputMode: inputmode, readOnly: readonly },
        onChange: (event) => enter(name, event),
        onBlur: () => touch(name),
      };
    };
    return {
      ...{ ...state, form, set, enter, touch, reject, input },
      errorId: (name) => errorId(id, name),
      submit: (event) => submitForm(form, event),
    };
  }, [form, state, id]);
}

/**
 * The value of a source: `historyOf(session).state`, the `state` of a feed, or one of your own. The component is rendered when the value is
 * another one. Throws `DefinitionError` for a value that is no source.
 *
 * @example
 * ```tsx
 * const { canUndo } = useSource(historyOf(session).state);
 * return <button disabled={!canUndo} onClick={() => historyOf(session).undo()}>Undo</button>;
 * ```
 */
export function useSource<T>(source: Source<T>): T {
  inDevelopment(checkSource, source);
  return useSyncExternalStore(source.subscribe, source.get, () => renderedValue(source));
}

/** How many records in a row a hook takes for one that changes, before it refuses them as made at each render. */
const MOST_RECORDS = 4;

/**
 * Renders once more when the record is another one. Throws `DefinitionError` if that gives another one again and again: it is made while the
 * component renders, and what is typed into it is lost. A record that a click replaces stays the same one.
 */
function useSteady(record: unknown): void {
  const [seen, setSeen] = useState({ record, times: 0 });
  if (seen.times > MOST_RECORDS) throw wrongValue('The record of a hook', STEADY, record);
  if (seen.record !== record) setSeen({ record, times: seen.times + 1 });
  else if (seen.times > 0) setSeen({ record, times: 0 });
}

const STEADY = 'the same one at each render: make it outside of the component, or by `useState(() => new Task())`';

/** The value of a source that this component owns until it is unmounted. */
function useOwned<T>(source: OwnedSource<T>): T {
  // Unlike other effects, this one goes on while a part of the screen is hidden by `<Activity>`: edits of its records are kept.
  useInsertionEffect(source.hold, [source]);
  return useSource(source);
}

/** The source that a function makes of a store, until the store is another one. Throws `DefinitionError` if that happens at each render. */
function useWatched<K, S extends Source<unknown>>(key: K, make: (key: K) => S, isSameKey?: (a: K, b: K) => boolean): S {
  const [watch] = useState(() => new StoreWatch());
  const source = useMade(
    key,
    () => {
      const made = make(key);
      const subscribe = (listener: () => void) =>
        made.subscribe(() => {
          watch.told();
          listener();
        });
      return { ...made, subscribe };
    },
    isSameKey,
  );
  watch.see(source, key);
  return source;
}

/** The value that a function makes of a key, until the key is another one. Unlike `useMemo`, React never forgets it. */
function useMade<K, T>(key: K, make: (key: K) => T, isSameKey: (a: K, b: K) => boolean = Object.is): T {
  const [kept] = useState((): { shown?: Made<K, T>; next?: Made<K, T> } => ({}));
  // A render that is not shown yet, such as that of a transition, must not replace what is on show. Not by `setState`: a key that is another
  // one at each render would render the component without end.
  const known = [kept.shown, kept.next].find((each) => each && isSameKey(each.key, key));
  const made = known ?? { key, value: make(key) };
  if (!known) kept.next = made;
  useInsertionEffect(() => {
    kept.shown = made;
  }, [kept, made]);
  return made.value;
}

/** A value and the key for which it was made. */
interface Made<K, T> {
  readonly key: K;
  readonly value: T;
}

async function firstLoad(store: Loadable<unknown>): Promise<void> {
  // A load tells its start at once, and a component must not update others while it is rendered.
  await undefined;
  let { ready } = store;
  const { loaded, loading } = store.status.get();
  if (!loaded && !loading) ignoreRejection(store.load());
  // A refused load leaves no error to show. Another render would ask for it again at once, without end, so wait for the next load.
  for (;;) {
    await ready.catch(() => undefined);
    const { loaded: isLoaded, error } = store.status.get();
    if (isLoaded || error) return;
    ({ ready } = store);
  }
}
