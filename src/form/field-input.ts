import { formatMessage } from '../errors/message-format.js';
import type { Issue } from '../errors/validation-error.js';
import { type FieldDefinition, typeTextKey } from '../model/field-definition.js';
import { isDate } from '../model/field-types.js';
import { baseValue, currentValue, exactValue, fieldOf, type InnerRecord } from '../model/record.js';
import { CORE } from '../model/symbols.js';
import { MODEL } from '../operation/operation-record.js';
import { type Source, sourceOver, type ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';

/** The part of an `input`, `textarea` or `select` element that a form reads. */
export interface EnteredInput {
  readonly value: string;
  /** The kind of the element: of a `checkbox`, only `checked` is read. @default 'text' */
  readonly type?: string;
  readonly checked?: boolean;
  /** Browsers set `badInput` where the element holds a text that `value` does not give, such as half a date. */
  readonly validity?: { readonly badInput: boolean };
  addEventListener?(type: 'compositionend', listener: () => void, options: { readonly once: true }): void;
}

/** The part of the event of an input that a form reads. */
export interface EnteredEvent {
  /** The element: an {@link EnteredInput}. */
  readonly target: unknown;
  /** Whether an input method is composing the text: the user has not confirmed it. @default false */
  readonly isComposing?: boolean;
  /** The event of the browser in an event of React. */
  readonly nativeEvent?: object;
}

/**
 * A value as inputs show it: a `Date` as its day in UTC, a number as the text that the user has typed while this is not the usual text of the
 * number.
 */
export type InputValue<V> = V extends Date ? string : V extends number | bigint ? V | string : V;

/** The types whose inputs are empty for no value, because they have no empty text. */
const TYPES_WITHOUT_TEXT: readonly string[] = [
  ...['int', 'number', 'decimal', 'bigint', 'boolean', 'date', 'dateonly', 'enum'],
];

/** The types whose texts may begin or end with the point: `.5` and `12.` have a certain meaning. */
const TYPES_WITH_POINT: readonly string[] = ['number', 'decimal'];

/** The text that an input shows for a value: `''` for no value, and the day in UTC of a date. */
export function inputText(value: unknown): string {
  return isDate(value) ? value.toISOString().slice(0, 10) : String(value ?? '');
}

/** A value as an input shows it. `typed`: the text that the user has typed, if it is not the usual text of the value. */
export function inputValue(value: unknown, typed: string | undefined): unknown {
  return typed ?? (isDate(value) ? inputText(value) : value);
}

/**
 * The value to set for a value from an input. An emptied input gives `''` or null. A field without an empty text then has no value: none again
 * where the record had none, else null, which is an error of a field without `allowNull`.
 */
export function enteredValue(record: InnerRecord, name: string, value: unknown): unknown {
  const field = record[MODEL].field(name);
  if (!field || (value !== null && (value !== '' || hasEmptyText(field)))) return value;
  return baseValue(record, field) === undefined && !field.config.allowNull ? undefined : null;
}

interface Typed {
  /** The text to show. Of an element with a text that it does not give, it is the text before, so that nothing is written into it. */
  readonly text: string;
  /** The text that the element gives: `''` where it does not give what it shows. */
  readonly given: string;
  /** The value of the field with this text. */
  readonly value: unknown;
  /** When the field was set to this value, on the model's clock. */
  readonly editedAt: number | undefined;
  /** The element that had the focus when the text was typed, if the platform knows it. */
  readonly focused: Element | undefined;
  readonly isUnreadable: boolean;
}

/**
 * The text that the user has typed into the input of one field. The input shows it until the field gets another value: one that the
 * application sets at once, one from a server only when the user has left the input. So no answer moves the caret, or takes a space away to
 * which the user is about to add a word.
 */
export class FieldInput {
  /** Whether an input method is composing the text. */
  isComposing = false;
  /** The value as the input shows it, as a source. */
  readonly shown: Source<unknown>;
  private readonly record: InnerRecord;
  private readonly field: FieldDefinition;
  private typed: Typed | undefined = undefined;
  /** The text whose value is being set: listeners that are told at once must not show another text, which would move the caret. */
  private entering: string | undefined = undefined;
  private readonly source: ValueSource<unknown>;

  /** Throws `StateError` for a name that is no field. */
  constructor(record: object, name: string) {
    this.record = record as InnerRecord;
    this.field = fieldOf(this.record, name);
    this.source = sourceOver(this.record.$.field(name), () => this.value);
    this.shown = this.source;
  }

  /** Sets the field to what an element holds now, or to a text. Throws the errors of `record.set()`. */
  enter(given: string | EnteredInput | EnteredEvent): void {
    const isText = typeof given === 'string';
    // Whoever gives a text, such as `bind:value`, does so while the platform tells the event of the input.
    const said = isText ? Object(globalThis.event) : given;
    const event: EnteredEvent = 'target' in said ? said : { target: said };
    const { value: text, type, checked, validity } = (isText ? { value: given } : event.target) as EnteredInput;
    this.isComposing = ((event.nativeEvent ?? event) as EnteredEvent).isComposing === true;
    if (this.isComposing)
      (event.target as EnteredInput).addEventListener?.('compositionend', this.endComposition, { once: true });
    if (type === 'checkbox') this.setTo(checked === true, undefined);
    else if (validity?.badInput) this.keep(this.text, '');
    else {
      this.setTo(this.valueOf(text), text);
      this.keep(text, text);
    }
    this.source.update();
  }

  /** The text that the input shows. */
  get text(): string {
    return this.entering ?? this.known?.text ?? inputText(currentValue(this.record, this.field));
  }

  /** Sets the field to a value from an input, as {@link enter} does for texts. Throws the errors of `record.set()`. */
  set(value: unknown): void {
    if (typeof value === 'string') return this.enter(value);
    this.setTo(enteredValue(this.record, this.field.name, value), undefined);
    this.source.update();
  }

  /** Whether the element holds a text that it does not give, such as half a date. */
  get isUnreadable(): boolean {
    return this.known?.isUnreadable ?? false;
  }

  /** The text that the element gives, while it is not the usual text of the value: `''` for half a date. */
  get typedText(): string | undefined {
    const given = this.entering ?? this.known?.given;
    return given === inputText(currentValue(this.record, this.field)) ? undefined : given;
  }

  /** Why the text is no value, if the record does not know it. */
  get issue(): Issue | undefined {
    if (!this.isUnreadable) return undefined;
    const { name, type } = this.field;
    const { messages } = this.record[MODEL];
    return { path: [name], code: 'type', message: formatMessage(typeTextKey('type', type), { type }, messages) };
  }

  /** Forgets the text, so that the input shows the value of the field. */
  forget(): void {
    this.typed = undefined;
  }

  /** Called when the user leaves the input. An input in a window that loses the focus keeps it: there the user may go on typing. */
  leave(): void {
    this.endComposition();
    if (this.typed && !this.typed.focused) this.typed = { ...this.typed, editedAt: Number.NaN };
  }

  private readonly showValue = (): void => this.source.update();

  private readonly endComposition = (): void => {
    this.isComposing = false;
  };

  private get value(): unknown {
    return inputValue(currentValue(this.record, this.field), this.typedText);
  }

  private get known(): Typed | undefined {
    const { typed } = this;
    if (!typed || isSame(typed.value, exactValue(this.record, this.field))) return typed;
    // The value comes from a server: nobody has set it since the text was typed.
    const isAnswer = typed.editedAt === this.editedAt;
    if (!isAnswer || (typed.focused && typed.focused !== focusedElement())) this.forget();
    else typed.focused?.addEventListener('blur', this.showValue, { once: true });
    return this.typed;
  }

  private get editedAt(): number | undefined {
    return editTime(this.record, this.field.name);
  }

  private keep(text: string, given: string): void {
    const value = exactValue(this.record, this.field);
    const { editedAt } = this;
    this.typed = { text, given, value, editedAt, focused: focusedElement(), isUnreadable: text !== given };
  }

  private setTo(value: unknown, text: string | undefined): void {
    this.typed = undefined;
    this.entering = text;
    try {
      this.record.set({ [this.field.name]: value });
    } finally {
      this.entering = undefined;
    }
  }

  /** The value to set for a text. An emptied text is no value again where it was none before. */
  private valueOf(text: string): unknown {
    const { field, record } = this;
    if (text === '') {
      const before = baseValue(record, field);
      return hasEmptyText(field) && (before === undefined || before === null)
        ? before
        : enteredValue(record, field.name, text);
    }
    if (!TYPES_WITH_POINT.includes(field.type)) return text;
    return text.replace(/^([+-]?)(?=\.\d)/, '$10').replace(/(?<=\d)\.$/, '');
  }
}

/** When a field was set, on the clock of its model: undefined if nobody has set it since. A server changes the value, and not this time. */
export function editTime(record: object, name: string): number | undefined {
  return (record as InnerRecord)[CORE]?.editedAt[name];
}

/** The element that has the focus, also inside shadow roots; undefined if none has it, or without a document. */
export function focusedElement(): Element | undefined {
  const { activeElement, body } = Object(globalThis.document) as Partial<Document>;
  let found = activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found && found !== body ? found : undefined;
}

function hasEmptyText({ type, config: { values } }: FieldDefinition): boolean {
  return values?.includes('') ?? !TYPES_WITHOUT_TEXT.includes(type);
}
