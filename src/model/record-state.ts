import type { AnyOutcomeError } from '../errors/is-data-error.js';
import type { Issue } from '../errors/validation-error.js';
import { MODEL } from '../operation/operation-record.js';
import type { Source } from '../util/value-source.js';
import { sealed } from '../util/values.js';
import type { ReadOptions } from './action-options.js';
import { randomUuid } from './identifier.js';
import type { RecordState } from './infer.js';
import type { Model } from './model.js';
import { queuedWrite } from './queued-write.js';
import {
  baseValue,
  coreOf,
  currentValue,
  fieldOf,
  type InnerRecord,
  setPath,
  setValues,
  undeclaredValue,
  valuesOf,
} from './record.js';
import { childrenIn, type RecordChildren } from './record-children.js';
import {
  type FieldErrors,
  type FieldSnapshot,
  type RecordSnapshot,
  RecordSources,
  reuseErrors,
} from './record-sources.js';
import { CORE, ROW } from './symbols.js';
import { findIssues, issuesByField } from './validate.js';

type Named = Readonly<Record<string, unknown>>;

/** The object of `record.$`. */
class InnerState implements RecordState<Named, Model> {
  // Not enumerable, so that logging or comparing a state does not include the whole record.
  declare private readonly record: InnerRecord;
  /** The errors that were handed out last. */
  declare private lastErrors: FieldErrors | undefined;

  constructor(record: InnerRecord) {
    Object.defineProperty(this, 'record', { value: record });
    Object.defineProperty(this, 'lastErrors', { value: undefined, writable: true });
  }

  get key(): string {
    return (coreOf(this.record).key ??= randomUuid());
  }

  get data(): Named {
    return valuesOf(this.record, this.record[MODEL].fields);
  }

  get modified(): Named {
    return valuesOf(this.record, this.record[CORE]?.edits?.keys() ?? []);
  }

  get previousValues(): Named {
    return valuesOf(this.record, this.record[CORE]?.edits?.keys() ?? [], (record, field) => {
      const base = baseValue(record, field);
      // An embedded record that was edited in place shows its new values; the row of its holder still has the old ones.
      return sealed(field.embedding?.isDirty(base) ? field.read(field.raw(record[ROW]), record) : base);
    });
  }

  get saving(): boolean {
    return this.record[CORE]?.saving ?? false;
  }

  get loading(): boolean {
    return (this.record[CORE]?.readsInFlight ?? 0) > 0;
  }

  get queued(): boolean {
    return queuedWrite(this.record) !== undefined;
  }

  get error(): AnyOutcomeError | undefined {
    return this.record[CORE]?.error as AnyOutcomeError | undefined;
  }

  get unconfirmed(): boolean {
    const { phantom, unconfirmed } = this.record[CORE] ?? {};
    return Boolean(phantom && unconfirmed);
  }

  get children(): RecordChildren {
    return childrenIn(coreOf(this.record));
  }

  get errors(): FieldErrors {
    return (this.lastErrors = reuseErrors(this.lastErrors, issuesByField(this.record, false)));
  }

  get state(): Source<RecordSnapshot<Named>> {
    return this.sources.ofState();
  }

  field(name: string): Source<FieldSnapshot<unknown>> {
    return this.sources.ofField(name);
  }

  private get sources(): RecordSources {
    return (coreOf(this.record).sources ??= new RecordSources(this.record));
  }

  isValid(): boolean {
    return this.validate().length === 0;
  }

  validate(): readonly Issue[] {
    return findIssues(this.record, false);
  }

  abort(): void {
    for (const controller of this.record[CORE]?.controllers ?? []) controller.abort();
  }

  reload(options?: ReadOptions<Model>): Promise<Model> {
    return this.record.load(options);
  }
}

/** The members of a record whose types depend on its fields; the interface `Typed` declares their types. */
export class RecordMembers {
  get(this: InnerRecord, name: string): unknown {
    return this[MODEL].keepsMember(name) ? undeclaredValue(this, name) : currentValue(this, fieldOf(this, name));
  }

  set(this: InnerRecord, path: string | object, value: unknown): object {
    if (typeof path === 'string') setPath(this, path, value);
    else setValues(this, path);
    return this;
  }

  get $(): unknown {
    const record = this as unknown as InnerRecord;
    const core = coreOf(record);
    return (core.state ??= new InnerState(record));
  }
}
