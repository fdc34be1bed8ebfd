import { constraintsOf, limitsOf } from '../model/field-limits.js';
import { isDate } from '../model/field-types.js';
import type { Model } from '../model/model.js';
import { currentValue, fieldOf, inner } from '../model/record.js';
import { inputText } from './field-input.js';

/** The attributes of an input that {@link localDateTime} changes, and the name of its field. */
export interface DateInput {
  readonly name: string;
  readonly value: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/**
 * The attributes that a form gives to the input of a `date` field, changed for an input of the type `datetime-local`: it shows and edits
 * the instant in the zone of the platform, which is that of the user in a browser. Seconds and milliseconds are shown where the instant
 * has some. A time that the clocks skip is read as one hour later, a time that they repeat as the first of both. Throws `StateError` for a
 * name that is no field.
 *
 * A server renders in its own zone: show such an input in the browser only.
 *
 * @example
 * ```tsx
 * const { input } = useForm(visit);
 * return <input {...localDateTime(input('at'), visit)} />;
 * ```
 */
export function localDateTime<A extends DateInput>(
  attributes: A,
  record: Model,
): Omit<A, 'type'> & { readonly type: 'datetime-local' } {
  const { name, value, min, max } = attributes;
  const field = fieldOf(inner(record), name);
  const now = currentValue(inner(record), field);
  const limits = limitsOf(constraintsOf(field.config));
  return {
    ...attributes,
    type: 'datetime-local',
    // Another text than the usual one was typed.
    value: value === inputText(now) ? localText(now) : value,
    min: min && localText(limits.min),
    max: max && localText(limits.max),
  };
}

/** The time of an instant in the zone of the platform, to the minute if it has no seconds. */
function localText(value: unknown): string {
  if (!isDate(value)) return inputText(value);
  const digits = (part: number, length = 2) => String(part).padStart(length, '0');
  const day = `${digits(value.getFullYear(), 4)}-${digits(value.getMonth() + 1)}-${digits(value.getDate())}`;
  const [seconds, milliseconds] = [value.getSeconds(), value.getMilliseconds()];
  const fraction = milliseconds ? `.${digits(milliseconds, 3)}` : '';
  const rest = seconds || milliseconds ? `:${digits(seconds)}${fraction}` : '';
  return `${day}T${digits(value.getHours())}:${digits(value.getMinutes())}${rest}`;
}
