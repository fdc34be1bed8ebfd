import { checkOptions } from '../dev/checks.js';
import type { ConflictError } from '../errors/conflict-error.js';
import { inWords } from '../errors/error-context.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import { DefinitionError, StateError } from '../errors/mistakes.js';
import { delay, object, type Rules, wrongValue } from '../errors/option-rules.js';
import type { Issue } from '../errors/validation-error.js';
import type { FieldName, Path, ValueAt, ValuesOf } from '../model/infer.js';
import type { Model } from '../model/model.js';
import { fieldOf, type InnerRecord, inner, withWritten, writeEdits } from '../model/record.js';
import { type FieldSnapshot, type RecordSnapshot, reuseErrors } from '../model/record-sources.js';
import { ROW } from '../model/symbols.js';
import { findIssues, issuesByField, serverIssues } from '../model/validate.js';
import { MODEL } from '../operation/operation-record.js';
import { type Clock, systemClock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { type Source, sourceOver, type ValueSource } from '../util/value-source.js';
import { deepFreeze, isSame, reuse, reuseMembers } from '../util/values.js';
import { type EnteredEvent, type EnteredInput, enteredValue, FieldInput } from './field-input.js';

/** Options of a form. */
export interface FormOptions {
  /**
   * Saves the edits that many milliseconds after the last call of `set()`, if the model finds no errors. A failed save is not repeated
   * before the next edit.
   *
   * It waits for a save in flight and for the end of a composition, and `submit()` replaces it.
   *
   * @default edits are saved by `submit()` only
   */
  autosave?: number | undefined;
  /** The source of time for `autosave`. @default the clock of the platform */
  clock?: Clock | undefined;
}

const FORM_RULES: Rules<FormOptions> = { autosave: delay, clock: object };

/** A field of a form at one moment: the value of the source `form.field(name)`. Frozen. */
export interface FormFieldSnapshot<T> extends FieldSnapshot<T> {
  /**
   * Problems of the value. Those that the model finds are in this list only once the field was touched or the form submitted; those in the
   * server's response are in it until the field is edited.
   *
   * Errors in values that a server has sent are in `record.$.errors` only: they are no mistake of the user.
   */
  readonly errors: readonly Issue[];
  /** Whether the user has left the field (`touch(name)`) or submitted the form. */
  readonly touched: boolean;
  /** The text for an input: what the user has typed, else the text of the value; `''` for no value, and the day in UTC of a date. */
  readonly text: string;
}

/** A form at one moment: the value of the source `form.state`. Frozen. */
export interface FormSnapshot<V> {
  /** All values by field name. */
  readonly values: Readonly<V>;
  /** The problems that the fields show, by field name; problems that belong to no field have the name `''`. */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  /** The texts of inputs as they were typed, by field name, where they are not the usual texts of the values: `{ price: '1.50' }`. */
  readonly typed: { readonly [K in keyof V]?: string };
  /** Whether there are edits that a save would send. */
  readonly dirty: boolean;
  /** Whether the model finds nothing wrong with the new values, also in fields that do not show their errors yet. */
  readonly valid: boolean;
  /** Whether a write of the record is in flight or waits. */
  readonly saving: boolean;
  /** Whether `submit()` was called since the form was made, or since `reject()`. */
  readonly submitted: boolean;
  /** Why the last save failed. The next edit, `submit()` or `reject()` clears it. */
  readonly error: AnyOutcomeError | StateError | DefinitionError | undefined;
  /** The same error if it is a conflict, with its methods `keepMine()`, `takeTheirs()` and `merge()`. */
  readonly conflict: ConflictError | undefined;
}

type Named = Readonly<Record<string, unknown>>;

/**
 * Edits one record on a screen, in any framework or none. The edits are those of the record; the form adds which fields were touched,
 * whether it was submitted, and autosave. All functions are bound: they can be passed on without the form.
 *
 * @example
 * ```ts
 * const form = new RecordForm(user, { autosave: 500 });
 * form.field('name').subscribe(() => show(form.field('name').get().errors));
 * form.set('name', 'Ada');
 * form.touch('name');
 * const outcome = await form.submit();
 * console.log(outcome || form.state.get().error?.userMessage);
 * ```
 */
export class RecordForm<M extends Model> {
  /** The record that the form edits. */
  readonly record: M;
  /**
   * The whole form as a source, for a submit button or a summary of errors. Listeners are told at once: each edit, the start and the end
   * of a save, its failure.
   */
  readonly state: Source<FormSnapshot<ValuesOf<M>>>;
  private readonly inner: InnerRecord;
  private readonly stateSource: ValueSource<FormSnapshot<Named>>;
  private readonly fields: Map<string, ValueSource<FormFieldSnapshot<unknown>>> = new Map();
  private readonly inputs: Map<string, FieldInput> = new Map();
  private readonly touched: Set<string> = new Set();
  private options: FormOptions;
  private isSubmitted = false;
  /** The mistake that prevented the last save. The record does not keep such errors. */
  private mistake: StateError | DefinitionError | undefined = undefined;
  /** The submit in flight, with the row that it sends. */
  private submission: { readonly sent: unknown; readonly result: Promise<'saved' | 'queued' | false> } | undefined =
    undefined;
  private cancelAutosave: (() => void) | undefined = undefined;

  /** Throws `DefinitionError` for a value that is no record, and for wrong options. */
  constructor(record: M, options: FormOptions = {}) {
    if (!isObject(record) || !(MODEL in record)) throw wrongValue('The record of a form', 'a record', record);
    this.record = record;
    this.inner = inner(record);
    this.options = this.checked(options);
    const { state } = this.inner.$;
    this.stateSource = sourceOver(state, (base, hasChanged, previous) => this.readState(base, hasChanged, previous));
    this.state = this.stateSource as Source<unknown> as Source<FormSnapshot<ValuesOf<M>>>;
  }

  /**
   * One field of the form as a source, for an input: always the same source for the same field. Throws `StateError` for a name that is
   * no field.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * const name = form.field('name');
   * const stop = name.subscribe(() => show(name.get().text, name.get().errors[0]?.message));
   * ```
   */
  readonly field = <K extends FieldName<M>>(name: K): Source<FormFieldSnapshot<ValuesOf<M>[K]>> => {
    let source = this.fields.get(name);
    if (!source) {
      const base = this.inner.$.field(name);
      source = sourceOver(base, (...read) => this.readField(name, ...read));
      this.fields.set(name, source);
    }
    return source as Source<unknown> as Source<FormFieldSnapshot<ValuesOf<M>[K]>>;
  };

  /**
   * Sets a field of the record, or a member inside its value, as `record.set()` does. A value of an emptied input (null, or `''` for a
   * field that has no empty text) empties the field: it is then null if it allows null, else undefined. Throws the errors of
   * `record.set()`.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * form.set('age', 36); // a choice or a button; for the text of an input, `enter()`
   * ```
   */
  readonly set = <P extends Path<ValuesOf<M>>>(path: P, value: ValueAt<ValuesOf<M>, P>): void => {
    const { record } = this;
    this.inputs.get(path as string)?.forget();
    this.inner.set(path as string, enteredValue(inner(record), path, value));
    this.edited(path);
  };

  /**
   * Sets a field to what the user has typed: a text, the element that has changed, or its `input` event. The text stays as it was typed while
   * it is not the usual text of the value (`1.50`), and whatever a server makes of it, until `touch()` says that the user has left the input.
   * While the event says that an input method composes the text, autosave waits. A text that is no value of the field is an error of it. An
   * emptied text is null again where it was null before. Throws the errors of `record.set()`.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * form.enter('name', 'Ada ');
   * show(form.field('name').get().text);
   * ```
   */
  readonly enter = (name: FieldName<M>, input: string | EnteredInput | EnteredEvent): void => {
    this.input(name).enter(input);
    this.edited(name);
  };

  /**
   * Shows the errors of a field from now on, and its value in place of the text that was typed: call it when the user leaves the input. Throws
   * `StateError` for a name that is no field.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * const input = document.querySelector('input')!;
   * input.addEventListener('blur', () => form.touch('name'));
   * ```
   */
  readonly touch = (name: FieldName<M>): void => {
    this.touched.add(fieldOf(this.inner, name).name);
    this.inputs.get(name)?.leave();
    this.fields.get(name)?.update();
    this.stateSource.update();
  };

  /**
   * Shows the errors of all fields and, if the model finds none, saves the record in its turn. Without edits nothing is sent, but for a
   * new record. Resolves with `'saved'` if nothing is left to save, with `'queued'` if an outbox keeps the save and sends it by itself, else
   * with false: `state` says why. Never rejects. A second call without edits in between shares the request.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * const outcome = await form.submit();
   * if (outcome === 'queued') show('Saved on this device, and sent later');
   * else if (!outcome) show(form.state.get().error?.userMessage ?? 'Look at the marked fields');
   * ```
   */
  readonly submit = (): Promise<'saved' | 'queued' | false> => {
    this.stopAutosave();
    this.mistake = undefined;
    this.isSubmitted = true;
    for (const { name } of this.inner[MODEL].fields) this.touched.add(name);
    this.update();
    if (!this.isValid) return Promise.resolve(false);
    const sent = this.rowToSend();
    if (this.submission && isSame(this.submission.sent, sent)) return this.submission.result;
    const result = this.save();
    const submission = { sent, result };
    this.submission = submission;
    void result.then(() => {
      if (this.submission === submission) this.submission = undefined;
    });
    return result;
  };

  /**
   * Drops the edits as `record.reject()` does, hides the errors, and cancels a pending autosave.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user);
   * form.set('name', '');
   * form.reject(); // "Cancel"
   * show(user.name, form.state.get().dirty); // 'Ada' false
   * ```
   */
  readonly reject = (): void => {
    this.stopAutosave();
    this.mistake = undefined;
    this.isSubmitted = false;
    this.touched.clear();
    for (const input of this.inputs.values()) input.forget();
    this.record.reject();
    this.update();
  };

  /**
   * Replaces the options. A pending autosave keeps its time; without the option `autosave` it is cancelled. Throws `DefinitionError` for
   * wrong options.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user, { autosave: 500 });
   * form.setOptions({ autosave: 5000 }); // such as on a slow network
   * ```
   */
  readonly setOptions = (options: FormOptions): void => {
    this.options = this.checked(options);
    if (this.options.autosave === undefined) this.stopAutosave();
  };

  /**
   * Call it when the form leaves the screen: a pending autosave is sent now, unless the model finds errors. Edits that were not sent stay
   * in the record. The form can be used again afterwards.
   *
   * @example
   * ```ts
   * const form = new RecordForm(user, { autosave: 500 });
   * form.set('name', 'Grace');
   * form.dispose(); // the save is sent now, not after 500 ms
   * ```
   */
  readonly dispose = (): void => {
    if (!this.cancelAutosave) return;
    this.stopAutosave();
    this.autosave();
  };

  private get isValid(): boolean {
    return findIssues(this.inner, true).length === 0 && [...this.inputs.values()].every((input) => !input.isUnreadable);
  }

  /** The input of a field. Throws `StateError` for a name that is no field. */
  private input(name: string): FieldInput {
    let input = this.inputs.get(name);
    if (!input) this.inputs.set(name, (input = new FieldInput(this.record, name)));
    return input;
  }

  private edited(name: string): void {
    this.mistake = undefined;
    this.fields.get(name)?.update();
    this.stateSource.update();
    this.scheduleAutosave();
  }

  private checked(options: FormOptions): FormOptions {
    inWords(this.inner[MODEL].messages, () => {
      checkOptions('a form', options, FORM_RULES);
    });
    return { ...options };
  }

  /** Tells the listeners of all sources that have changed. */
  private update(): void {
    for (const source of [...this.fields.values(), this.stateSource]) source.update();
  }

  /** The row as a save would send it now; undefined if a value cannot be written, so that the save reports why. */
  private rowToSend(): unknown {
    try {
      return withWritten(this.inner[ROW], writeEdits(this.inner));
    } catch {
      return undefined;
    }
  }

  private async save(): Promise<'saved' | 'queued' | false> {
    const { record } = this;
    if (!record.erased && !record.phantom && !record.dirty) return this.inner.$.queued ? 'queued' : 'saved';
    try {
      await record.save();
      return 'saved';
    } catch (error) {
      if (error instanceof StateError || error instanceof DefinitionError) this.mistake = error;
      this.stateSource.update();
      return (error as { readonly queued?: boolean }).queued ? 'queued' : false;
    }
  }

  private scheduleAutosave(): void {
    const { autosave, clock = systemClock } = this.options;
    if (autosave === undefined) return;
    this.stopAutosave();
    this.cancelAutosave = clock.after(autosave, () => {
      // The text that an input method composes is a candidate. An answer would end the composition.
      if ([...this.inputs.values()].some((input) => input.isComposing)) return this.scheduleAutosave();
      this.cancelAutosave = undefined;
      this.autosave();
    });
  }

  private stopAutosave(): void {
    this.cancelAutosave?.();
    this.cancelAutosave = undefined;
  }

  private autosave(): void {
    if (!this.record.erased && this.isValid) void this.save();
  }

  /** The errors that a field shows, of those of the new values and that of its input. A row that has come is no mistake of the user. */
  private shownErrors(name: string, found: Readonly<Record<string, readonly Issue[]>>): readonly Issue[] {
    const { issue } = this.inputs.get(name) ?? {};
    const { [name]: issues = [] } = found;
    if (this.isSubmitted || this.touched.has(name)) return issue ? [issue, ...issues] : issues;
    return serverIssues(this.inner).filter(({ path }) => String(path[0] ?? '') === name);
  }

  private readField(
    name: string,
    base: FieldSnapshot<unknown>,
    hasChanged: boolean,
    previous: FormFieldSnapshot<unknown> | undefined,
  ): FormFieldSnapshot<unknown> {
    const { value, dirty } = base;
    const shown = reuse(previous?.errors, deepFreeze(this.shownErrors(name, issuesByField(this.inner, true))));
    const next = { value, errors: shown, dirty, touched: this.touched.has(name), text: this.input(name).text };
    return hasChanged ? Object.freeze(next) : reuseMembers<FormFieldSnapshot<unknown>>(previous, next);
  }

  private readState(
    base: RecordSnapshot<Named>,
    hasChanged: boolean,
    previous: FormSnapshot<Named> | undefined,
  ): FormSnapshot<Named> {
    const { values, dirty, saving, error = this.mistake, conflict } = base;
    const found = issuesByField(this.inner, true);
    const names = new Set([...Object.keys(found), ...this.inputs.keys()]);
    const shown = [...names].map((name) => [name, this.shownErrors(name, found)] as const);
    const errors = Object.fromEntries(shown.filter(([, issues]) => issues.length > 0));
    const texts = [...this.inputs].map(([name, { typedText }]) => [name, typedText] as const);
    const typed = Object.freeze(Object.fromEntries(texts.filter(([, text]) => text !== undefined)));
    const next = {
      ...{ values, errors: reuseErrors(previous?.errors, errors), dirty, valid: this.isValid, saving },
      typed: reuse(previous?.typed, typed),
      ...{ submitted: this.isSubmitted, error, conflict },
    };
    return hasChanged ? Object.freeze(next) : reuseMembers<FormSnapshot<Named>>(previous, next);
  }
}
