import type { ConflictError } from '../errors/conflict-error.js';
import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/validation-error.js';
import { MODEL } from '../operation/operation-record.js';
import { Notifier } from '../util/notifier.js';
import { type Source, ValueSource } from '../util/value-source.js';
import { deepFreeze, isSame, reuse, reuseMembers } from '../util/values.js';
import type { FieldDefinition } from './field-definition.js';
import { hasUnsaved, isUnsaved, queuedWrite } from './queued-write.js';
import { baseValue, coreOf, currentValue, exactBase, fieldOf, type InnerRecord, valuesOf } from './record.js';
import { CORE, ROW } from './symbols.js';
import { issuesByField, issuesOfField } from './validate.js';

/** A field of a record at one moment: the value of the source `record.$.field(name)`. Frozen. */
export interface FieldSnapshot<T> {
  /** The value of the field. */
  readonly value: T;
  /** Problems of the value: the findings of the model, then those in the server's response to the last write. */
  readonly errors: readonly Issue[];
  /** Whether the value is an edit that is saved nowhere: neither on the server nor in an outbox. */
  readonly dirty: boolean;
}

/** A record at one moment: the value of the source `record.$.state`. Frozen. */
export interface RecordSnapshot<V> {
  /** All values by field name. */
  readonly values: Readonly<V>;
  /** Problems of the values by field name, as in `record.$.errors`. */
  readonly errors: { readonly [K in keyof V]?: readonly Issue[] };
  /** Whether the record has edits that are saved nowhere: neither on the server nor in an outbox. */
  readonly dirty: boolean;
  /** Whether the record is new. */
  readonly phantom: boolean;
  /** Whether the record was erased. */
  readonly erased: boolean;
  /** Whether a write is in flight or waits. */
  readonly saving: boolean;
  /** Whether an outbox keeps a save or the erase of the record and sends it by itself, also after a reload and in every tab. */
  readonly queued: boolean;
  /** Why the last write failed; undefined if an outbox sends it again by itself. */
  readonly error: AnyOutcomeError | undefined;
  /** The same error if it is a conflict, with its methods `keepMine()`, `takeTheirs()` and `merge()`. */
  readonly conflict: ConflictError | undefined;
  /** Whether it is not known if the record exists on the server. */
  readonly unconfirmed: boolean;
  /**
   * The values that the server has now in edited fields where a row that came since has another value than before: somebody else has changed
   * what is edited here. Undefined if there is none. A field leaves it when its edit ends, by a save, `reject()` or the server's own value.
   */
  readonly newer: Readonly<Partial<V>> | undefined;
}

type Named = Readonly<Record<string, unknown>>;
/** Issues by field name. */
export interface FieldErrors {
  readonly [name: string]: readonly Issue[] | undefined;
}

/** The sources of one record, each made on first use. They follow the record itself, whether a store holds it or not. */
export class RecordSources {
  private readonly fields: Map<FieldDefinition, ValueSource<FieldSnapshot<unknown>>> = new Map();
  private state: ValueSource<RecordSnapshot<Named>> | undefined = undefined;

  constructor(private readonly record: InnerRecord) {}

  /** The source of a field. Throws `StateError` for an unknown name. */
  ofField(name: string): Source<FieldSnapshot<unknown>> {
    const field = fieldOf(this.record, name);
    let source = this.fields.get(field);
    if (!source) this.fields.set(field, (source = this.create(fieldReader(this.record, field))));
    return source;
  }

  ofState(): Source<RecordSnapshot<Named>> {
    return (this.state ??= this.create(stateReader(this.record)));
  }

  private create<T>(read: (previous: T | undefined) => T): ValueSource<T> {
    const core = coreOf(this.record);
    let stop: (() => void) | undefined;
    const source: ValueSource<T> = new ValueSource<T>(read, (isWatched) => {
      stop?.();
      core.listeners ??= new Notifier();
      stop = isWatched ? core.listeners.attach({ changed: () => source.update() }) : undefined;
    });
    return source;
  }
}

function fieldReader(
  record: InnerRecord,
  field: FieldDefinition,
): (previous?: FieldSnapshot<unknown>) => FieldSnapshot<unknown> {
  const hasChangedInside = insideReader(record, [field]);
  return (previous) => {
    const next: FieldSnapshot<unknown> = {
      value: frozenValue(record, field),
      errors: deepFreeze(issuesOfField(record, field)),
      dirty: isUnsaved(record, field),
    };
    return hasChangedInside() ? Object.freeze(next) : reuseMembers(previous, next);
  };
}

function stateReader(record: InnerRecord): (previous?: RecordSnapshot<Named>) => RecordSnapshot<Named> {
  const { fields } = record[MODEL];
  const hasChangedInside = insideReader(record, fields);
  return (previous) => {
    const core = record[CORE];
    const queued = queuedWrite(record);
    const failure = core?.error as AnyOutcomeError | undefined;
    // Until the write has ended, the outbox has not decided whether it sends it again.
    const error = queued && (failure?.queued || core?.saving) ? undefined : failure;
    const next: RecordSnapshot<Named> = {
      values: reuseMembers(previous?.values, valuesOf(record, fields, frozenValue)),
      errors: reuseErrors(previous?.errors, issuesByField(record, false)),
      dirty: hasUnsaved(record, queued),
      phantom: core?.phantom ?? false,
      erased: core?.erased ?? false,
      saving: core?.saving ?? false,
      queued: queued !== undefined,
      error,
      conflict: error?.code === 'conflict' ? (error as ConflictError) : undefined,
      unconfirmed: Boolean(core?.phantom && core.unconfirmed),
      newer: newerValues(record, previous?.newer),
    };
    return hasChangedInside() ? Object.freeze(next) : reuseMembers(previous, next);
  };
}

/** The values of the server in edited fields that it has changed since; undefined: there are none. */
function newerValues(record: InnerRecord, previous: Named | undefined): Named | undefined {
  const { edits, newer } = record[CORE] ?? {};
  const isEdited = (field: FieldDefinition) => edits?.has(field) && !isSame(exactBase(record, field), edits.get(field));
  const fields = [...(newer?.keys() ?? [])].filter(isEdited);
  if (fields.length === 0) return undefined;
  const read = (_: InnerRecord, field: FieldDefinition) => deepFreeze(baseValue(record, field));
  return reuseMembers<Named>(previous, valuesOf(record, fields, read));
}

/** The value of a field; the result of a `calculate` function is frozen as well. */
function frozenValue(record: InnerRecord, field: FieldDefinition): unknown {
  return deepFreeze(currentValue(record, field));
}

/** Errors by field name, frozen; the previous object, and previous lists, if nothing has changed. */
export function reuseErrors(previous: FieldErrors | undefined, next: Record<string, readonly Issue[]>): FieldErrors {
  for (const issues of Object.values(next)) deepFreeze(issues);
  return reuseMembers<FieldErrors>(previous, next);
}

/**
 * Returns a function that tells whether the contents of embedded records have changed since it was called last: these records are the
 * same objects before and after an edit.
 */
function insideReader(record: InnerRecord, fields: readonly FieldDefinition[]): () => boolean {
  const embedding = fields.filter((field) => field.embedding);
  if (embedding.length === 0) return () => false;
  let known: readonly unknown[] | undefined;
  return () => {
    const before = known;
    known = reuse(
      before,
      embedding.map((field) => field.write(currentValue(record, field), record[ROW])),
    );
    return before !== undefined && !isSame(before, known);
  };
}
