import type { Issue } from '../errors/validation-error.js';
import { inputText } from '../form/field-input.js';
import { constraintsOf, isRequired, limitsOf } from '../model/field-limits.js';
import type { Model } from '../model/model.js';
import { fieldOf, inner } from '../model/record.js';
import type { Constraint } from '../model/validators.js';

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
  const limits = limitsOf(constraints);
  const isMark = type === 'boolean';
  return {
    id: `${prefix}-${name}`,
    name,
    type: inputType(type, constraints),
    value: isMark ? undefined : text,
    checked: isMark ? value === true : undefined,
    // A check box that is required has to be checked, whereas `presence` accepts false.
    required: (isRequired(constraints) && !isMark) || undefined,
    readonly: !writable || undefined,
    min: limits.min === undefined ? undefined : inputText(limits.min),
    max: limits.max === undefined ? undefined : inputText(limits.max),
    maxlength: Number.isFinite(limits.maxLength) ? limits.maxLength : undefined,
    inputmode: Object.hasOwn(INPUT_MODES, type) ? INPUT_MODES[type] : undefined,
    'aria-invalid': errors.length > 0,
    'aria-describedby': errors.length > 0 ? errorId(prefix, name) : undefined,
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
