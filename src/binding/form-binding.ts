import type { Issue } from '../errors/validation-error.js';
import { type InputValue, inputText } from '../form/field-input.js';
import type { FormSnapshot, RecordForm } from '../form/record-form.js';
import { constraintsOf, isRequired, limitsOf } from '../model/field-limits.js';
import type { FieldName, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { fieldOf, inner } from '../model/record.js';
import type { Constraint } from '../model/validators.js';
import type { WriteOutcome } from './record-actions.js';

/** The attributes of an input for a field, by their names in HTML. Those that the field does not decide are undefined. */
export interface InputAttributes {
  /** Another one for each form, so that a label can name it: `<label for={input('title').id}>`. */
  readonly id: string;
  readonly name: string;
  /** A number has the type `text`, so that the browser leaves what is typed as it is; `inputmode` asks for the right keyboard. */
  readonly type: 'text' | 'checkbox' | 'date' | 'email' | 'url';
  /** The text that the user has typed, else that of the value; undefined for a check box. */
  readonly value: string | undefined;
  /** Whether a check box is checked; undefined for other inputs. */
  readonly checked: boolean | undefined;
  /** Whether a validator (`presence`) demands a value. Browsers then show a hint of their own, unless the form is `novalidate`. */
  readonly required: boolean | undefined;
  /** Set for a field that is computed or cannot be set. */
  readonly readonly: boolean | undefined;
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly maxlength: number | undefined;
  readonly inputmode: 'numeric' | 'decimal' | undefined;
  readonly 'aria-invalid': boolean;
  /** The id for the element with the errors of the field, while it has some. */
  readonly 'aria-describedby': string | undefined;
}

/** The attributes and listeners of an input for a field, to be spread onto it. */
export interface InputProps extends InputAttributes {
  readonly onInput: (event: { readonly target: unknown }) => void;
  readonly onBlur: () => void;
}

/** The part of a field that its input shows. */
export interface ShownInput {
  readonly value: unknown;
  /** The text in the input. */
  readonly text: string;
  readonly errors: readonly Issue[] | undefined;
}

const INPUT_MODES: Readonly<Record<string, 'numeric' | 'decimal'>> = {
  int: 'numeric',
  bigint: 'numeric',
  number: 'decimal',
  decimal: 'decimal',
};

/** Makes the attributes of an input from its field and validators. Throws `StateError` for a name that is no field. */
export function inputAttributes(
  record: Model,
  name: string,
  prefix: string,
  { value, text, errors = [] }: ShownInput,
): InputAttributes {
  const { config, type, writable } = fieldOf(inner(record), name);
  const constraints = constraintsOf(config);
  const { min, max, maxLength } = limitsOf(constraints);
  const isMark = type === 'boolean';
  const isInvalid = errors.length > 0;
  return {
    id: `${prefix}-${name}`,
    name,
    type: inputType(type, constraints),
    value: isMark ? undefined : text,
    checked: isMark ? value === true : undefined,
    // A check box that is required has to be checked, whereas `presence` accepts false.
    required: (isRequired(constraints) && !isMark) || undefined,
    readonly: !writable || undefined,
    min: min === undefined ? undefined : inputText(min),
    max: max === undefined ? undefined : inputText(max),
    maxlength: Number.isFinite(maxLength) ? maxLength : undefined,
    inputmode: Object.hasOwn(INPUT_MODES, type) ? INPUT_MODES[type] : undefined,
    'aria-invalid': isInvalid,
    'aria-describedby': isInvalid ? errorId(prefix, name) : undefined,
  };
}

/** Makes the attributes and listeners of the input of a field. Throws `StateError` for a name that is no field. */
export function inputProps<M extends Model>(
  { record, enter, touch }: RecordForm<M>,
  name: FieldName<M>,
  prefix: string,
  shown: ShownInput,
): InputProps {
  return {
    ...inputAttributes(record, name, prefix, shown),
    onInput: (event) => enter(name, event),
    onBlur: () => touch(name),
  };
}

/** The beginning of the ids of a form, where the framework makes none: the key of its record. */
export function keyPrefix(record: Model): string {
  return inner(record).$.key;
}

/** The id for the element that shows the errors of a field. */
export function errorId(prefix: string, name: string): string {
  return `${prefix}-${name}-errors`;
}

function inputType(type: string, constraints: readonly Constraint[]): InputAttributes['type'] {
  if (type === 'boolean') return 'checkbox';
  if (type === 'date' || type === 'dateonly') return 'date';
  const [address] = constraints.flatMap(({ kind }) => (kind === 'email' || kind === 'url' ? [kind] : []));
  return address ?? 'text';
}

/** The text that the user has typed into the input of a field, if it is not the usual text of its value. */
export function typedText({ typed }: { readonly typed: object }, name: string): string | undefined {
  return (typed as Readonly<Record<string, string>>)[name];
}

/** The input of a field, as the state of its form has it. */
export function shownInput(state: FormSnapshot<unknown>, name: string): ShownInput {
  const { values, errors, typed } = state as FormSnapshot<Readonly<Record<string, unknown>>>;
  return { value: values[name], text: typed[name] ?? inputText(values[name]), errors: errors[name] };
}

/** The functions of a form on a screen. They can be passed on without it, and act on the form of the present record. */
export interface FormActions<M extends Model> extends Pick<RecordForm<M>, 'set' | 'enter' | 'touch' | 'reject'> {
  /** The id for the element that shows the errors of a field: its input refers to this element while there are some. */
  readonly errorId: (name: FieldName<M>) => string;
  /**
   * Submits the form, and prevents what the browser does at the event of a `<form>`. Resolves with `'saved'`, with `'queued'` if an outbox will
   * send the save, or with false: then the form stays open, and its state says why. Never rejects.
   */
  readonly submit: (event?: { preventDefault(): void }) => Promise<WriteOutcome>;
}

/** Submits a form at the event of its element. */
export function submitForm<M extends Model>(
  form: RecordForm<M>,
  event: { preventDefault(): void } | undefined,
): Promise<WriteOutcome> {
  event?.preventDefault();
  return form.submit();
}

/** Makes functions that act on the form of the present record. `prefix`: the beginning of its ids. */
export function formActions<M extends Model>(form: () => RecordForm<M>, prefix: () => string): FormActions<M> {
  return {
    set: (path, value) => form().set(path, value),
    enter: (name, input) => form().enter(name, input),
    touch: (name) => form().touch(name),
    reject: () => form().reject(),
    errorId: (name) => errorId(prefix(), name),
    submit: (event) => submitForm(form(), event),
  };
}

// Fields and forms in frameworks whose templates can set a value, such as Vue and Svelte.

/** A field for an input or a cell. */
export interface FieldBinding<V> {
  /**
   * The value as inputs show it: a date as its day in UTC, a number as it was typed, such as `1.50`. Setting it sets the field of the
   * record: `v-model="title.value"` in Vue, `bind:value={title.value}` in Svelte. `record.due` gives a date itself.
   */
  get value(): InputValue<V>;
  set value(value: InputValue<V> | V);
  /** Problems of the value: the findings of the model, then those in the server's response to the last write. */
  readonly errors: readonly Issue[];
  /** Whether the value is an edit that is not saved yet. */
  readonly dirty: boolean;
}

/** A field of a form. What the model finds is in `errors` only once the field was touched or the form submitted. */
export interface FormFieldBinding<V> extends FieldBinding<V> {
  /** Whether the user has left the field, or submitted the form. */
  readonly touched: boolean;
  /** Shows the errors of the field from now on: `@blur="title.touch"` in Vue, `onblur={title.touch}` in Svelte. */
  readonly touch: () => void;
}

/** A form on a screen: its state as members, and functions for its inputs. */
export interface FormMembers<M extends Model> extends FormSnapshot<ValuesOf<M>>, FormActions<M> {
  /** The form itself, with its sources. */
  readonly form: RecordForm<M>;
  /** A field for an input: the same object for the same name. Throws `StateError` for a name that is no field. */
  readonly field: <K extends FieldName<M>>(name: K) => FormFieldBinding<ValuesOf<M>[K]>;
}

/** Sets a field of a form to the value of an input, which may be a text. */
export function enterValue<M extends Model>(form: RecordForm<M>, name: FieldName<M>, value: unknown): void {
  if (typeof value === 'string') form.enter(name, value);
  else (form.set as (path: string, value: unknown) => void)(name, value);
}
