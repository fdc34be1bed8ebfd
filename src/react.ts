/**
 * Bindings for React: lists, fields, records, statuses and forms as hooks.
 *
 * @module
 */
'use client';

import { useEffect, useId, useMemo, useState, useSyncExternalStore } from 'react';
import { errorId, type InputAttributes, inputAttributes, typedText } from './binding/input-attributes.js';
import { type BoundRecord, recordActions } from './binding/record-actions.js';
import type { Issue } from './errors/validation-error.js';
import { type EnteredInput, inputText } from './form/field-input.js';
import { type FormOptions, type FormSnapshot, RecordForm } from './form/record-form.js';
import type { BaseModel } from './model/base-model.js';
import type { FieldName, ValuesOf } from './model/infer.js';
import type { FieldSnapshot } from './model/record-sources.js';
import type { Active, Listed, Loadable, Shown } from './store/shown.js';
import { ignoreRejection } from './util/ignore-rejection.js';
import type { Source } from './util/value-source.js';

export type { InputAttributes } from './binding/input-attributes.js';
export type { BoundRecord, RecordActions, WriteOutcome } from './binding/record-actions.js';
export type { EnteredInput } from './form/field-input.js';
export type { Active, Listed, Loadable, Shown } from './store/shown.js';

/**
 * The records that a store, a view or a window shows, in their order. The component is rendered when records are added, removed or moved,
 * and not while only their contents change: show those by `useField`.
 *
 * @example
 * ```tsx
 * const list = useList(tasks);
 * return list.slice().map((task) => <TaskRow key={task.$.key} task={task} />);
 * ```
 */
export function useList<L>(collection: Listed<L>): L {
  return useSource(collection.list);
}

/**
 * One field of a record: `{ value, errors, dirty }`. The component is rendered in the same call in which the field changes, so that an
 * input keeps its caret. Set the field on the record. Throws `StateError` for a name that is no field.
 *
 * @example
 * ```tsx
 * const title = useField(task, 'title');
 * return <input value={title.value} onChange={(event) => task.set('title', event.target.value)} />;
 * ```
 */
export function useField<V, K extends keyof V & string>(record: Shown<V>, name: K): FieldSnapshot<V[K]> {
  return useSource(record.$.field(name));
}

/**
 * A whole record: its values, its errors, and whether it is edited, new, being saved or in conflict. Its `save()`, `undo()` and `erase()` never
 * reject: `error` says why one has failed.
 */
export function useRecord<V>(record: Shown<V>): BoundRecord<V> {
  const state = useSource(record.$.state);
  const actions = useMemo(() => recordActions(record), [record]);
  return useMemo(() => ({ ...state, ...actions }), [state, actions]);
}

/** The activity of a store, a window, a session or an outbox: whether it loads or saves, and which error came last. */
export function useStatus<S>(active: Active<S>): S {
  return useSource(active.status);
}

/**
 * The list of a store after its first load. It starts that load, unless the store has loaded or is loading, and suspends until then: the
 * nearest `<Suspense>` shows its fallback. If the load fails, it throws the error to the nearest error boundary; call `store.load()` where
 * the boundary is reset. If `canLoad` refuses the load, the fallback stays until the application loads the store.
 */
export function useSuspenseList<L>(store: Loadable<L> & { readonly error: unknown }): L {
  const list = useList(store);
  if (store.loaded) return list;
  if (store.error && !store.loading) throw store.error;
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
export interface FormBinding<M extends BaseModel>
  extends FormSnapshot<ValuesOf<M>>,
    Pick<RecordForm<M>, 'set' | 'enter' | 'touch' | 'reset'> {
  /** The form itself, with the source of each field. */
  readonly form: RecordForm<M>;
  /**
   * The properties of an input, a text area or a select for a field: a text, number, boolean or date. The text stays as it is typed while it
   * is not the usual text of a value (`1.50`); what is no value is an error of the field. What follows `{...input(name)}` takes precedence.
   * Throws `StateError` for a name that is no field.
   */
  input(name: FieldName<M>): InputProps;
  /** The id for the element that shows the errors of a field: its input refers to this element while there are some. */
  errorId(name: FieldName<M>): string;
  /** Submits the form: `<form onSubmit={submit}>`. Resolves with whether nothing is left to save; never rejects. */
  submit(event?: { preventDefault(): void }): Promise<boolean>;
}

/**
 * The form of a record: its state, and properties for its inputs. A pending autosave is sent when the component is unmounted. Another
 * record gives another form.
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
export function useForm<M extends BaseModel>(record: M, options: FormOptions = {}): FormBinding<M> {
  const [made, setMade] = useState(() => new RecordForm(record, options));
  const form = made.record === record ? made : new RecordForm(record, options);
  if (form !== made) setMade(form);
  const state = useSource(form.state);
  const { autosave, clock } = options;
  useEffect(() => form.setOptions({ autosave, clock }), [form, autosave, clock]);
  useEffect(() => form.dispose, [form]);
  const id = useId();
  return useMemo(() => bindForm(form, state, id), [form, state, id]);
}

function useSource<T>({ subscribe, get }: Source<T>): T {
  return useSyncExternalStore(subscribe, get, get);
}

async function firstLoad(store: Loadable<unknown> & { readonly error: unknown }): Promise<void> {
  // A load tells its start at once, and a component must not update others while it is rendered.
  await undefined;
  let { ready } = store;
  if (!store.loaded && !store.loading) ignoreRejection(store.load());
  // A refused load leaves no error to show. Another render would ask for it again at once, without end, so wait for the next load.
  for (;;) {
    await ready.catch(() => undefined);
    if (store.loaded || store.error) return;
    ({ ready } = store);
  }
}

function bindForm<M extends BaseModel>(
  form: RecordForm<M>,
  state: FormSnapshot<ValuesOf<M>>,
  id: string,
): FormBinding<M> {
  const { set, enter, touch, reset } = form;
  const values = state.values as Readonly<Record<string, unknown>>;
  const errors = state.errors as Readonly<Record<string, readonly Issue[]>>;
  return {
    ...{ ...state, form, set, enter, touch, reset },
    input: (name) => {
      const shown = {
        value: values[name],
        text: typedText(state, name) ?? inputText(values[name]),
        errors: errors[name],
      };
      const { maxlength, inputmode, readonly, ...attributes } = inputAttributes(form.record, name, id, shown);
      return {
        ...attributes,
        ...{ maxLength: maxlength, inputMode: inputmode, readOnly: readonly },
        onChange: ({ target }) => enter(name, target),
        onBlur: () => touch(name),
      };
    },
    errorId: (name) => errorId(id, name),
    submit: (event) => {
      event?.preventDefault();
      return form.submit();
    },
  };
}
