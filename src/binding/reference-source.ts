import type { AnyDataError } from '../errors/is-data-error.js';
import { wrongValue } from '../errors/option-rules.js';
import type { ModelType, Referred as RecordAt } from '../model/field.js';
import type { Model } from '../model/model.js';
import { modelClass } from '../model/model-options.js';
import { referencedModel, referenceId } from '../model/parts/reference-fields.js';
import { inner } from '../model/record.js';
import type { RecordId } from '../operation/actions.js';
import { ReferenceReader } from '../sync/reference-reader.js';
import { type SharedRecords, sharedRecordsOf } from '../sync/shared-records.js';
import { recordIn } from './hook-arguments.js';
import { type LoadedSnapshot, sharedSource } from './loaded-record.js';
import type { OwnedSource } from './owned.js';

/** A model with `references()`. */
export type Referring = typeof Model;

/** The name of a field that refers to another model. */
export type ReferenceName<B extends Referring> = keyof ReturnType<B['references']> & string;

/**
 * The record that a field refers to. It is loaded when a screen shows it. Screens that show the same record share it, and those that ask in the
 * same turn, such as the rows of a list, share one request where the server can filter by a list of ids. A record of a session gets what it refers
 * to from there.
 */
export type Referred<B extends Referring, K extends ReferenceName<B>> = RecordAt<ReturnType<B['references']>[K]>;

/** The reader of a class whose records are in no session. It is a member of the class, so that no module keeps a state. */
const READER: unique symbol = Symbol('repose.references');

/**
 * Makes the source of the record that a field refers to. It follows the field. All screens that show the same record share it, and those that ask
 * in the same turn share a request. Throws `DefinitionError` if `references()` does not name the field, and for values of the wrong kind.
 */
export function referenceSource<B extends Referring, K extends ReferenceName<B>>(
  model: B,
  record: InstanceType<B>,
  name: K,
): OwnedSource<LoadedSnapshot<Referred<B, K>>> {
  if (!modelClass.holds(model)) throw wrongValue('The model of a reference', modelClass.expected, model);
  const owner = recordIn(record as Model);
  const target = referencedModel(model, name);
  const field = inner(owner).$.field(name);
  let known:
    | { readonly id: unknown; readonly shared: unknown; readonly source: OwnedSource<LoadedSnapshot<never>> }
    | undefined;
  const current = () => {
    const shared = sharedRecordsOf(owner);
    const id = field.get().value;
    if (!known || known.id !== id || known.shared !== shared)
      known = { id, shared, source: sourceOf(target, owner, name, id as RecordId, shared) };
    return known.source;
  };
  /** Begins with the present record, and again with each other one that the field refers to. */
  const following = (begin: (source: OwnedSource<unknown>) => () => void, changed?: () => void) => {
    let now = current();
    let end = begin(now);
    const stop = field.subscribe(() => {
      const next = current();
      if (next === now) return;
      const endBefore = end;
      now = next;
      end = begin(now);
      endBefore();
      changed?.();
    });
    return () => {
      stop();
      end();
    };
  };
  return {
    get: () => current().get(),
    hold: () => following(({ hold }) => hold()),
    subscribe: (listener) => following(({ subscribe }) => subscribe(listener), listener),
  };
}

function sourceOf(
  target: ModelType<Model>,
  record: Model,
  name: string,
  value: RecordId,
  shared: SharedRecords | undefined,
): OwnedSource<LoadedSnapshot<never>> {
  // The session may know a new record by its temporary id.
  const { session } = shared ?? {};
  if (session?.getById(target, value)) return sharedSource<never>({ model: target, id: value, options: { session } });
  let id: RecordId | undefined;
  try {
    id = referenceId(record, name);
  } catch (error) {
    return refused(error as AnyDataError);
  }
  const reader = shared?.references ?? readerOf(target);
  const read = () => reader.read(target, id as RecordId);
  return sharedSource<never>({ model: target, id, options: { session }, read });
}

/** The reference to a new record that is in no session: nobody knows that record by its temporary id. */
function refused(error: AnyDataError): OwnedSource<LoadedSnapshot<never>> {
  const snapshot: LoadedSnapshot<never> = Object.freeze({
    ...{ record: undefined, loading: false, error, notFound: false, idle: false },
    reload: () => Promise.resolve(false),
  });
  const nothing = () => () => undefined;
  return { get: () => snapshot, subscribe: nothing, hold: nothing };
}

function readerOf(target: object): ReferenceReader {
  if (!Object.hasOwn(target, READER)) Object.defineProperty(target, READER, { value: new ReferenceReader(undefined) });
  return (target as { readonly [READER]: ReferenceReader })[READER];
}
