import { checkOptions } from '../dev/checks.js';
import { DefinitionError } from '../errors/definition-error.js';
import { inWords } from '../errors/error-context.js';
import type { Issue } from '../errors/issue.js';
import { wrongValue } from '../errors/option-rules.js';
import { StateError } from '../errors/state-error.js';
import type { BaseModel } from '../model/base-model.js';
import type { FieldName, Path, RecordState, ValueAt, ValuesOf } from '../model/infer.js';
import { fieldOf, type InnerRecord, inner, withWritten, writeEdits } from '../model/record.js';
import type { FieldSnapshot, RecordSnapshot } from '../model/record-sources.js';
import { reuseErrors } from '../model/record-sources.js';
import { ROW } from '../model/symbols.js';
import { findIssues, serverIssues } from '../model/validate.js';
import { MODEL } from '../operation/operation-record.js';
import { systemClock } from '../util/clock.js';
import { isObject } from '../util/data-path.js';
import { reuse, reuseMembers } from '../util/reuse.js';
import type { Source } from '../util/source.js';
import { ValueSource } from '../util/value-source.js';
import { isSame } from '../util/values.js';
import { FORM_RULES, type FormOptions } from './form-options.js';
import type { FormFieldSnapshot, FormSnapshot } from './form-snapshots.js';
import { typedValue } from './typed-value.js';

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
 * if (await form.submit()) console.log('saved');
 * else console.log(form.state.get().error?.message);
 * ```
 */
export class RecordForm<M extends BaseModel> {
  readonly record: M;
  /**
   * The whole form as a source, for a submit button or a summary of errors. Listeners are told at once: each edit, the start and the end
   * of a save, its failure.
   */
  readonly state: Source<FormSnapshot<ValuesOf<M>>>;
  private readonly inner: InnerRecord;
  private readonly stateSource: ValueSource<FormSnapshot<Named>>;
  private readonly fields: Map<string, ValueSource<FormFieldSnapshot<unknown>>> = new Map();
  private readonly touched: Set<string> = new Set();
  private options: FormOptions;
  private isSubmitted = false;
  /** The mistake that prevented the last save. The record does not keep such errors. */
  private mistake: StateError | DefinitionError | undefined = undefined;
  /** The submit in flight, with the row that it sends. */
  private submission: { readonly sent: unknown; readonly result: Promise<boolean> } | undefined = undefined;
  private cancelAutosave: (() => void) | undefined = undefined;

  /** Throws `DefinitionError` for a value that is no record, and for wrong options. */
  constructor(record: M, options: FormOptions = {}) {
    if (!isObject(record) || !(MODEL in record)) throw wrongValue('The record of a form', 'a record', record);
    this.record = record;
    this.inner = inner(record);
    this.options = this.checked(options);
    const { state } = this.recordState;
    this.stateSource = sourceOver(state, (base, hasChanged, previous) => this.readState(base, hasChanged, previous));
    this.state = this.stateSource as Source<unknown> as Source<FormSnapshot<ValuesOf<M>>>;
  }

  /**
   * One field of the form as a source, for an input: always the same source for the same field. Throws `StateError` for a name that is
   * no field.
   */
  readonly field = <K extends FieldName<M>>(name: K): Source<FormFieldSnapshot<ValuesOf<M>[K]>> => {
    let source = this.fields.get(name);
    if (!source) {
      const base = this.recordState.field(name);
      source = sourceOver(base, (...read) => this.readField(name, ...read));
      this.fields.set(name, source);
    }
    return source as Source<unknown> as Source<FormFieldSnapshot<ValuesOf<M>[K]>>;
  };

  /**
   * Sets a field of the record, or a member inside its value, as `record.set()` does; throws the same errors. A value of an emptied input
   * (null, or `''` for a field that has no empty text) empties the field: it is then null if it allows null, else undefined.
   */
  readonly set = <P extends Path<ValuesOf<M>>>(path: P, value: ValueAt<ValuesOf<M>, P>): void => {
    this.mistake = undefined;
    const { record } = this;
    (record as unknown as { set(path: string, value: unknown): void }).set(path, typedValue(record, path, value));
    this.stateSource.update();
    this.scheduleAutosave();
  };

  /** Shows the errors of a field from now on: call it when the user leaves the input. Throws `StateError` for a name that is no field. */
  readonly touch = (name: FieldName<M>): void => {
    this.touched.add(fieldOf(this.inner, name).name);
    this.fields.get(name)?.update();
    this.stateSource.update();
  };

  /**
   * Shows the errors of all fields and, if the model finds none, saves the record in its turn. Without edits nothing is sent, but for a
   * new record. Resolves with true if nothing is left to save, else with false: `state` says why. Never rejects. A second call without
   * edits in between shares the request.
   */
  readonly submit = (): Promise<boolean> => {
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

  /** Drops the edits as `record.reject()` does, hides the errors, and cancels a pending autosave. */
  readonly reset = (): void => {
    this.stopAutosave();
    this.mistake = undefined;
    this.isSubmitted = false;
    this.touched.clear();
    this.record.reject();
    this.update();
  };

  /** Replaces the options. A pending autosave keeps its time; without the option `autosave` it is cancelled. */
  readonly setOptions = (options: FormOptions): void => {
    this.options = this.checked(options);
    if (this.options.autosave === undefined) this.stopAutosave();
  };

  /**
   * Call it when the form leaves the screen: a pending autosave is sent now, unless the model finds errors. Edits that were not sent stay
   * in the record. The form can be used again afterwards.
   */
  readonly dispose = (): void => {
    if (!this.cancelAutosave) return;
    this.stopAutosave();
    this.autosave();
  };

  private get recordState(): RecordState<Named, BaseModel> {
    return (this.record as unknown as { readonly $: RecordState<Named, BaseModel> }).$;
  }

  private get isValid(): boolean {
    return findIssues(this.inner, true).length === 0;
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

  private async save(): Promise<boolean> {
    const { record } = this;
    if (!record.erased && !record.phantom && !record.dirty) return true;
    try {
      await record.save();
      return true;
    } catch (error) {
      if (error instanceof StateError || error instanceof DefinitionError) this.mistake = error;
      this.stateSource.update();
      return false;
    }
  }

  private scheduleAutosave(): void {
    const { autosave, clock = systemClock } = this.options;
    if (autosave === undefined) return;
    this.stopAutosave();
    this.cancelAutosave = clock.after(autosave, () => {
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

  /** The errors that a field shows. */
  private shownErrors(name: string, all: readonly Issue[]): readonly Issue[] {
    if (this.isSubmitted || this.touched.has(name)) return all;
    return serverIssues(this.inner).filter(({ path }) => String(path[0] ?? '') === name);
  }

  private readField(
    name: string,
    base: FieldSnapshot<unknown>,
    hasChanged: boolean,
    previous: FormFieldSnapshot<unknown> | undefined,
  ): FormFieldSnapshot<unknown> {
    const { value, errors, dirty } = base;
    const shown = reuse(previous?.errors, Object.freeze(this.shownErrors(name, errors)));
    const next = { value, errors: shown, dirty, touched: this.touched.has(name) };
    return hasChanged ? Object.freeze(next) : reuseMembers<FormFieldSnapshot<unknown>>(previous, next);
  }

  private readState(
    base: RecordSnapshot<Named>,
    hasChanged: boolean,
    previous: FormSnapshot<Named> | undefined,
  ): FormSnapshot<Named> {
    const { values, dirty, saving, error = this.mistake, conflict } = base;
    const shown = Object.entries(base.errors).map(([name, all]) => [name, this.shownErrors(name, all ?? [])] as const);
    const errors = Object.fromEntries(shown.filter(([, issues]) => issues.length > 0));
    const next = {
      ...{ values, errors: reuseErrors(previous?.errors, errors), dirty, valid: this.isValid, saving },
      ...{ submitted: this.isSubmitted, error, conflict },
    };
    return hasChanged ? Object.freeze(next) : reuseMembers<FormSnapshot<Named>>(previous, next);
  }
}

/** Makes a source of a form from a source of the record. `read` is told whether the record's source has another value than before. */
function sourceOver<B, T>(
  base: Source<B>,
  read: (base: B, hasChanged: boolean, previous: T | undefined) => T,
): ValueSource<T> {
  let known: B | undefined;
  let stop: (() => void) | undefined;
  const source: ValueSource<T> = new ValueSource<T>(
    (previous: T | undefined) => {
      const now = base.get();
      const hasChanged = known !== now;
      known = now;
      return read(now, hasChanged, previous);
    },
    (isWatched) => {
      stop?.();
      stop = isWatched ? base.subscribe(() => source.update()) : undefined;
    },
  );
  return source;
}
