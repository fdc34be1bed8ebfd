/**
 * Bindings for Angular: lists, fields, records, statuses and forms as signals. Call the functions where `inject()` may be called, such as in the
 * initializer of a class member. They need neither zones nor Angular's compiler.
 *
 * @module
 */
import {
  computed,
  DestroyRef,
  inject,
  type Resource,
  type ResourceStatus,
  type Signal,
  signal,
  untracked,
} from '@angular/core';
import { fieldSource } from './binding/field-source.js';
import { type FormActions, formActions, type InputProps, inputProps, keyPrefix } from './binding/form-binding.js';
import { type Grouped, type GroupsSnapshot, groupsSource } from './binding/groups-source.js';
import { sourceIn } from './binding/hook-arguments.js';
import { isSameLoad, type LoadedOptions, type LoadedSnapshot, loadedSource } from './binding/loaded-record.js';
import { type OutboxBinding, outboxSource, type ShownOutbox } from './binding/outbox-binding.js';
import { kept, keptByName } from './binding/owned.js';
import {
  type LoadActions,
  type LoadActionsOf,
  loadActionsOf,
  type StatusBinding,
  statusSource,
} from './binding/read-actions.js';
import { type BoundRecord, recordSource } from './binding/record-actions.js';
import { type ReferenceName, type Referred, type Referring, referenceSource } from './binding/reference-source.js';
import { type SelectionBinding, selectionSource } from './binding/selection-binding.js';
import { followingSource, type ShownStore, type StoreBinding } from './binding/store-source.js';
import { isSameView, type ViewBinding, viewSource, type WindowBinding, windowSource } from './binding/view-source.js';
import type { AnyDataError } from './errors/is-data-error.js';
import { type FormFieldSnapshot, type FormOptions, type FormSnapshot, RecordForm } from './form/record-form.js';
import type { ModelType } from './model/field.js';
import type { FieldName, ValuesOf } from './model/infer.js';
import type { Model } from './model/model.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { AnyId } from './operation/actions.js';
import type { Active, Listed, Shown } from './store/shown.js';
import type { StoreStatus } from './store/status-feed.js';
import type { Store } from './store/store.js';
import type { ViewConfig } from './store/store-config.js';
import type { WindowConfig } from './store/window-config.js';
import type { Source } from './util/value-source.js';

export type { InputProps } from './binding/form-binding.js';
export type * from './binding/types.js';

/** A value, or a function that returns it: a signal such as an `input()`, or an arrow function around several. */
export type MaybeSignal<T> = T | (() => T);

/**
 * A store on a screen: its records, its activity, and its loads for buttons, as one signal. Give a function to make a store with the screen:
 * it is called once, and the store is disposed of with the screen. When one of the `dependencies` is another value, the function is called
 * again, and the store before is disposed of; with `update`, the store stays, and `update` changes it. Give a store that lives elsewhere as it
 * is. Throws `DefinitionError` for anything else.
 *
 * @example
 * ```typescript
 * class TasksPage {
 *   readonly tasks = injectStore(() => new Store({ model: Task, sorters: ['title'] }));
 *   readonly titles = computed(() => this.tasks().records.map(({ title }) => title));
 * }
 * // <p>{{ tasks().loading ? 'Loading' : tasks().total + ' tasks' }}</p>
 * // <button (click)="tasks().retry()">Try again</button>
 * ```
 *
 * @example
 * ```typescript
 * class TasksOf {
 *   readonly ownerId = input.required<number>();
 *   readonly tasks = injectStore(
 *     () => new Store({ model: Task, filters: [{ property: 'ownerId', value: this.ownerId() }] }),
 *     () => [this.ownerId()],
 *   );
 * }
 * // <p>{{ tasks().records.length }} tasks</p>
 * ```
 */
export function injectStore<S extends ShownStore>(
  given: S | (() => S),
  dependencies?: () => readonly unknown[],
  update?: (store: S) => void,
): Signal<StoreBinding<S>> {
  return sourceSignal(computed(followingSource<S>(given, dependencies, update)));
}

/**
 * The value of a source, as a signal: `historyOf(session).state`, the `state` of a feed, or one of your own. Throws `DefinitionError` for a value
 * that is no source.
 *
 * @example
 * ```typescript
 * class UndoButton {
 *   readonly undoable = injectSource(historyOf(session).state);
 *   undo() {
 *     void historyOf(session).undo();
 *   }
 * }
 * // <button [disabled]="!undoable().canUndo" (click)="undo()">Undo</button>
 * ```
 */
export function injectSource<T>(source: MaybeSignal<Source<T>>): Signal<T> {
  return sourceSignal(() => sourceIn(read(source)));
}

/**
 * Another list of the records of a store, with its own sorters, filters and groups. The view is disposed of with the screen. Other options
 * make another view. Throws `DefinitionError` for a value that is no store.
 *
 * @example
 * ```typescript
 * class MyTasks {
 *   readonly mine = injectView(tasks, { filters: [{ property: 'ownerId', value: 7 }], sorters: ['title'] });
 * }
 * // <p>{{ mine().records.length }} tasks are mine, the first one is {{ mine().records[0]?.title }}</p>
 * ```
 */
export function injectView<M extends Model, const V>(
  store: MaybeSignal<Store<M>>,
  options: MaybeSignal<ViewConfig<M, V>> = {},
): Signal<ViewBinding<M, V>> {
  const source = kept(viewSource<M, V>, isSameView);
  return sourceSignal(computed(() => source(read(store), read(options))));
}

/**
 * A window on a collection that is too large to be loaded whole. It is disposed of with the screen. It asks for the records from `start` to
 * `end` when it is shown, and whenever these numbers change; `show()` asks for others. Throws `DefinitionError` for a value that is
 * no store.
 *
 * @example
 * ```typescript
 * class LongList {
 *   readonly first = signal(0); // the index of the first row on show, as the list is scrolled
 *   readonly shown = injectWindow(tasks, () => ({ start: this.first(), end: this.first() + 50 }));
 * }
 * // <p>{{ shown().list.count }} tasks, the first one on show: {{ shown().list.at(first())?.title ?? 'loading' }}</p>
 * ```
 */
export function injectWindow<M extends Model>(
  store: MaybeSignal<Store<M>>,
  options: MaybeSignal<WindowConfig<M>> = {},
): Signal<WindowBinding<M>> {
  const made = kept(windowSource<M>, isSameView);
  const source = computed(() => made(read(store), read(options)));
  const binding = sourceSignal(source);
  const range = computed(() => {
    const { start = 0, end } = read(options);
    return { start, end };
  });
  return computed(() => {
    const { show } = source();
    const { start, end } = range();
    if (end !== undefined) untracked(() => show({ start, end }));
    return binding();
  });
}

/**
 * A record that is loaded by its id, and another one when the id changes. Without an id (undefined, null or `''`), nothing is asked. Throws
 * `DefinitionError` if the first argument is no model class.
 *
 * @example
 * ```typescript
 * class TaskPage {
 *   readonly id = input.required<number>();
 *   readonly loaded = injectLoaded(Task, this.id);
 * }
 * // <p>{{ loaded().notFound ? 'There is no such task.' : loaded().record?.title }}</p>
 * ```
 */
export function injectLoaded<M extends Model>(
  model: ModelType<M>,
  id: MaybeSignal<AnyId | null | undefined>,
  options: MaybeSignal<LoadedOptions> = {},
): Signal<LoadedSnapshot<M>> {
  const source = kept(loadedSource<M>, isSameLoad);
  return sourceSignal(computed(() => source(model, read(id), read(options))));
}

/**
 * The record that a field refers to, as `references()` of the model says, and another one when the field changes. An empty field asks nothing.
 * Throws `DefinitionError` if `references()` does not name the field.
 *
 * @example
 * ```typescript
 * class LineRow {
 *   readonly line = input.required<Line>();
 *   readonly order = injectReference(Line, this.line, 'orderId');
 * }
 * // <td>{{ order().notFound ? 'unknown' : order().record?.customer }}</td>
 * ```
 */
export function injectReference<B extends Referring, const K extends ReferenceName<B>>(
  model: B,
  record: MaybeSignal<InstanceType<B>>,
  name: MaybeSignal<K>,
): Signal<LoadedSnapshot<Referred<B, K>>> {
  return sourceSignal(() => referenceSource<B, K>(model, read(record), read(name)));
}

/**
 * The groups of a store or view with the option `groups`, as they are at one moment. Throws `DefinitionError` for a store without groups.
 *
 * @example
 * ```typescript
 * class Teams {
 *   readonly people = new Store({ model: User, groups: groups({ by: ['team'] }), autoLoad: true });
 *   readonly byTeam = injectGroups(this.people);
 *   readonly sizes = computed(() => this.byTeam().groups.map(({ key, count }) => `${key}: ${count}`));
 * }
 * // <p>{{ sizes().join(', ') }}</p> shows "A: 2, B: 5"
 * ```
 */
export function injectGroups<M, O>(view: MaybeSignal<Grouped<M, O>>): Signal<GroupsSnapshot<M, O>> {
  return sourceSignal(() => groupsSource<M, O>(read(view)));
}

/**
 * The records that the user has selected, over pages, sorting and reloads: `{ count, all, isSelected }`, and functions that change it. Throws
 * `DefinitionError` for a value that is no store.
 *
 * @example
 * ```typescript
 * class TaskRow {
 *   readonly task = input.required<Task>();
 *   readonly selection = injectSelection(tasks);
 * }
 * // <input type="checkbox" [checked]="selection().isSelected(task())" (change)="selection().toggle(task())" />
 * ```
 */
export function injectSelection<M extends Model>(store: MaybeSignal<Store<M>>): Signal<SelectionBinding<M>> {
  return sourceSignal(() => selectionSource<M>(read(store)));
}

/** A store, a window or a view. A view has no status and no `reload` of its own. */
export interface ListOwner<L> extends Listed<L>, Partial<Active<StoreStatus>> {
  reload?(): Promise<unknown>;
}

/** The list of a store, window or view as a resource, with the further loads of a store or window for buttons. */
export type ListResourceOf<C> = ListResource<C extends Listed<infer L> ? L : never> & Omit<LoadActionsOf<C>, 'reload'>;

/** A list of records in the form of Angular's `Resource`. */
export interface ListResource<L> extends Resource<L> {
  /** The records, in their order. Never throws: after a failed load it still holds the records that are there. */
  readonly value: Signal<L>;
  /**
   * `'idle'` before the first load, `'loading'` during it, `'reloading'` during later ones, then `'resolved'` or `'error'`. The status of
   * a view is always `'local'`.
   */
  readonly status: Signal<ResourceStatus>;
  /** The error of the last load that failed, until a load succeeds. */
  readonly error: Signal<AnyDataError | undefined>;
  /** Loads again, as the `reload()` of the store or window does. Returns false for a view, which cannot. */
  reload(): boolean;
}

/**
 * The records that a store, a view or a window shows, in their order, with the activity of that store or window. `value()` changes when
 * records are added, removed or moved, and stays the same while only their contents change. It does not load by itself. For a store or window, also
 * its loads for buttons: `retry()`, and for a store `loadMore()` and `loadPage()`. These never reject.
 *
 * @example
 * ```typescript
 * class TaskList {
 *   readonly list = injectList(tasks);
 *   readonly titles = computed(() => this.list.value().slice().map(({ title }) => title));
 * }
 * // <p>{{ list.isLoading() ? 'Loading' : list.error()?.userMessage }}</p>
 * // <button (click)="list.reload()">Reload</button>
 * ```
 */
export function injectList<C extends ListOwner<unknown>>(owner: MaybeSignal<C>): ListResourceOf<C> {
  const value = sourceSignal(() => read(owner).list);
  const activity = sourceSignal<StoreStatus | undefined>(() => read(owner).status ?? NO_STATUS);
  const status = computed(() => statusOf(activity()));
  const error = computed(() => activity()?.error);
  const loads = () => loadActionsOf(untracked(() => read(owner))) as Partial<LoadActions>;
  const resource: Record<keyof ListResource<unknown> | keyof LoadActions, unknown> = {
    value,
    status,
    error,
    isLoading: computed(() => activity()?.loading ?? false),
    snapshot: computed(() =>
      status() === 'error' ? { status: status(), error: error() } : { status: status(), value: value() },
    ),
    hasValue: () => activity()?.loaded ?? true,
    reload: () => loads().reload?.() !== undefined,
    retry: () => loads().retry?.() ?? NOT_LOADED,
    loadMore: () => loads().loadMore?.() ?? NOT_LOADED,
    loadPage: (page: number) => loads().loadPage?.(page) ?? NOT_LOADED,
  };
  return resource as unknown as ListResourceOf<C>;
}

/**
 * One field of a record: `{ value, errors, dirty }`. The signal changes in the same call as the field, so that an input keeps its caret.
 * Set the field on the record. While the input has the focus, the value is the text that was typed into it, whatever a server makes of it.
 * Throws `StateError` for a name that is no field.
 *
 * @example
 * ```typescript
 * class TitleCell {
 *   readonly task = input.required<Task>();
 *   readonly title = injectField(this.task, 'title');
 * }
 * // <input [value]="title().value" (input)="task().title = $any($event.target).value" />
 * ```
 */
export function injectField<V, K extends keyof V & string>(
  record: MaybeSignal<Shown<V>>,
  name: MaybeSignal<K>,
): Signal<FieldSnapshot<V[K]>> {
  return sourceSignal(() => fieldSource(read(record), read(name)));
}

/**
 * A whole record: its values, its errors, whether it is edited, new, being saved or in conflict, and its writes for buttons, which never
 * reject. Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```typescript
 * class TaskButtons {
 *   readonly task = input.required<Task>();
 *   readonly state = injectRecord(this.task);
 * }
 * // <button [disabled]="state().saving || !state().dirty" (click)="state().save()">Save</button>
 * // <strong>{{ state().error?.userMessage }}</strong>
 * ```
 */
export function injectRecord<V>(record: MaybeSignal<Shown<V>>): Signal<BoundRecord<V>> {
  return sourceSignal(() => recordSource(read(record)));
}

/**
 * The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last; for a store or window, also
 * its loads for buttons. Throws `DefinitionError` for a value without a status.
 *
 * @example
 * ```typescript
 * class TasksStatus {
 *   readonly status = injectStatus(tasks);
 * }
 * // <p>{{ status().loading ? 'Loading' : status().total + ' tasks, ' + status().pending + ' to save' }}</p>
 * ```
 */
export function injectStatus<A extends Active<unknown>>(active: MaybeSignal<A>): Signal<StatusBinding<A>> {
  return sourceSignal(() => statusSource<A>(read(active)));
}

/**
 * The contents of an outbox: how many writes are queued and being sent, whether there is a network, and the writes that need a decision of the
 * user. Throws `DefinitionError` for a value that is no outbox.
 *
 * @example
 * ```typescript
 * class UnsentWrites {
 *   readonly writes = injectOutbox(outbox);
 *   retryAll() {
 *     for (const { retry } of this.writes().failed) void retry();
 *   }
 * }
 * // <p>{{ writes().online ? '' : 'Offline: ' }}{{ writes().queued }} to send, {{ writes().failed.length }} refused</p>
 * ```
 */
export function injectOutbox(outbox: MaybeSignal<ShownOutbox>): Signal<OutboxBinding> {
  return sourceSignal(() => outboxSource(read(outbox)));
}

/** A form on a screen. */
export interface FormBinding<M extends Model> extends FormActions<M> {
  /** The form itself. */
  readonly form: Signal<RecordForm<M>>;
  /** The whole form, for a submit button or a summary of errors. */
  readonly state: Signal<FormSnapshot<ValuesOf<M>>>;
  /** One field of the form, for an input: always the same signal for the same field. Reading it throws `StateError` for a name that is no field. */
  readonly field: <K extends FieldName<M>>(name: K) => Signal<FormFieldSnapshot<ValuesOf<M>[K]>>;
  /**
   * The attributes and listeners of an input for a field, always as the same signal for the same field, to be bound one by one:
   * `@let title = form.input('title')();` and `<input [id]="title.id" [value]="title.value" (input)="title.onInput($event)" />`. The text stays
   * as it is typed while it is not the usual text of a value (`1.50`); what is no value is an error of the field.
   */
  readonly input: (name: FieldName<M>) => Signal<InputProps>;
}

/**
 * The form of a record. A pending autosave is sent when the screen goes. Another record gives another form, which the same fields follow.
 * Throws `DefinitionError` for a value that is no record.
 *
 * @example
 * ```typescript
 * class TaskForm {
 *   readonly task = input.required<Task>();
 *   readonly form = injectForm(this.task, { autosave: 500 });
 *   readonly title = this.form.input('title');
 * }
 * // <form (submit)="form.submit($event)">
 * //   <input [id]="title().id" [value]="title().value" (input)="title().onInput($event)" (blur)="title().onBlur()" />
 * // </form>
 * ```
 */
export function injectForm<M extends Model>(
  record: MaybeSignal<M>,
  options: MaybeSignal<FormOptions> = {},
): FormBinding<M> {
  const destroyRef = inject(DestroyRef);
  let last: RecordForm<M> | undefined;
  destroyRef.onDestroy(() => last?.dispose());
  const made = computed(() => {
    const owner = read(record);
    return untracked(() => {
      last?.dispose();
      return (last = new RecordForm(owner));
    });
  });
  const form = computed(() => {
    const current = made();
    current.setOptions(read(options));
    return current;
  });
  const field = keptByName((name: FieldName<M>) => sourceSignal(() => form().field(name), destroyRef));
  const input = keptByName((name: FieldName<M>) => computed(() => inputProps(form(), name, prefix(), field(name)())));
  const prefix = () => keyPrefix(form().record);
  return {
    ...{ form, input, state: sourceSignal(() => form().state, destroyRef) },
    field: field as FormBinding<M>['field'],
    ...formActions(() => untracked(form), prefix),
  };
}

/** The status of a view, which has none. */
const NO_STATUS: Source<undefined> = { subscribe: () => () => undefined, get: () => undefined };

/** The end of a load that a window or view does not have. */
const NOT_LOADED: Promise<false> = Promise.resolve(false);

function statusOf(activity: StoreStatus | undefined): ResourceStatus {
  if (!activity) return 'local';
  const { loading, loaded, error } = activity;
  if (loading) return loaded ? 'reloading' : 'loading';
  if (error) return 'error';
  return loaded ? 'resolved' : 'idle';
}

/** Subscribes when the signal is read for the first time, and again when the source is another one. */
function sourceSignal<T>(source: () => Source<T>, destroyRef: DestroyRef = inject(DestroyRef)): Signal<T> {
  let stop = (): void => undefined;
  destroyRef.onDestroy(() => stop());
  const followed = computed(() => {
    const { get, subscribe } = source();
    return untracked(() => {
      stop();
      const value = signal(get());
      if (!destroyRef.destroyed) stop = subscribe(() => value.set(get()));
      return value;
    });
  });
  return computed(() => followed()());
}

function read<T>(given: MaybeSignal<T>): T {
  return typeof given === 'function' ? (given as () => T)() : given;
}
