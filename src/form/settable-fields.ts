import type { Issue } from '../errors/issue.js';
import type { BaseModel } from '../model/base-model.js';
import type { FieldName, ValuesOf } from '../model/infer.js';
import type { FormSnapshot } from './form-snapshots.js';
import type { RecordForm } from './record-form.js';

// Fields and forms in frameworks whose templates can set a value, such as Vue and Svelte.

/** A field for an input or a cell. */
export interface FieldBinding<V> {
  /** The value. Setting it sets the field of the record: `v-model="title.value"` in Vue, `bind:value={title.value}` in Svelte. */
  value: V;
  /** Problems of the value: the findings of the model, then those in the server's answer to the last write. */
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
export interface FormBinding<M extends BaseModel>
  extends FormSnapshot<ValuesOf<M>>,
    Pick<RecordForm<M>, 'set' | 'touch' | 'reset'> {
  /** The form itself, with its sources. */
  readonly form: RecordForm<M>;
  /** A field for an input: the same object for the same name. Throws `StateError` for a name that is no field. */
  readonly field: <K extends FieldName<M>>(name: K) => FormFieldBinding<ValuesOf<M>[K]>;
  /**
   * Submits the form: `<form @submit="form.submit">` in Vue, `<form onsubmit={form.submit}>` in Svelte. Resolves with whether nothing is
   * left to save; never rejects.
   */
  readonly submit: (event?: { preventDefault(): void }) => Promise<boolean>;
}
