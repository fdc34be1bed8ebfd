import { editTime, focusedElement } from '../form/field-input.js';
import type { FieldSnapshot } from '../model/record-sources.js';
import type { Shown } from '../store/shown.js';
import { type Source, sourceOver } from '../util/value-source.js';
import { reuseMembers } from '../util/values.js';
import { recordIn } from './hook-arguments.js';

/**
 * One field of a record, whose text is typed into an input and set on the record. The text in an input that has the focus is the user's: whatever
 * a server makes of it, the value is this text until the input is left, or the field is set to another value than this text.
 */
export function fieldSource<V, K extends keyof V & string>(record: Shown<V>, name: K): Source<FieldSnapshot<V[K]>> {
  /** The input into which the text was typed, and this text. */
  let [input, text]: [Partial<HTMLInputElement> | undefined, unknown] = [undefined, undefined];
  let editedAt: number | undefined;
  const update = () => source.update();
  const keep = () => {
    text = input?.value;
    // After all listeners: a component that is rendered before them would write a text into the input that lacks what was typed.
    globalThis.addEventListener('input', update, { once: true });
  };
  const read = (field: FieldSnapshot<V[K]>, _: boolean, previous: FieldSnapshot<V[K]> | undefined) => {
    const focused = focusedElement() as Partial<HTMLInputElement> | undefined;
    const lastEdit = editTime(record, name);
    if (lastEdit !== editedAt) {
      // Typed is what is set while the platform tells the event of the focused input: a button has the focus and a value, too.
      const { type, target } = Object(globalThis.event) as Partial<Event>;
      const isTyped = type === 'input' && target === focused && focused?.value === field.value;
      input = isTyped ? focused : undefined;
      text = field.value;
    }
    editedAt = lastEdit;
    if (!input || input !== focused || text === field.value) return field;
    // A text that is the value of the server is no edit, so that nobody tells it.
    input.addEventListener?.('input', keep, { once: true });
    input.addEventListener?.('blur', update, { once: true });
    return reuseMembers(previous, { ...field, value: text as V[K] });
  };
  const source = sourceOver<FieldSnapshot<V[K]>, FieldSnapshot<V[K]>>(recordIn(record).$.field(name), read);
  return source;
}
