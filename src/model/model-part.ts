import type { ProblemReader } from '../errors/problem.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { BaseModel } from './base-model.js';
import type { FieldConfig } from './field.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldTypeHandler } from './field-types.js';
import type { IdentifierPlan } from './identifier.js';
import type { ModelDefinition } from './model-definition.js';
import type { Embedding } from './parts/embedded.js';
import type { PhantomIndex } from './parts/phantom-index.js';
import type { InnerRecord } from './record.js';
import type { WriteJob } from './write-job.js';

/**
 * An optional concern of models: a plain object with a name and a few hooks, given in the static list `parts` of a model class.
 * Where several parts of a list have the same hook, the last one counts; of tables, the last one that has the name.
 * Applications mostly write `fieldTypes`, `namings` and `readProblem`; the other hooks see records from inside.
 *
 * @example
 * ```ts
 * const colors: ModelPart = {
 *   name: 'colors',
 *   fieldTypes: {
 *     color: {
 *       is: (value) => typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value),
 *       read: (received) => (typeof received === 'string' ? received.toLowerCase() : undefined),
 *     },
 *   },
 * };
 * class AppModel extends Model {
 *   static override readonly parts: readonly ModelPart[] = [...Model.parts, colors];
 * }
 * ```
 */
export interface ModelPart {
  /** Tells the part from others: `Model.parts.filter(({ name }) => name !== 'actions')`. */
  readonly name: string;
  /** Field types by name. */
  readonly fieldTypes?: Readonly<Record<string, FieldTypeHandler>>;
  /** What the option `naming` may name: functions that turn a field's name into that of the row's member. */
  readonly namings?: Readonly<Record<string, (field: string) => string>>;
  /** Reads the body of an answer that is no success, where the proxy has no `readProblem` of its own. */
  readonly readProblem?: ProblemReader;
  /** Makes models field types: how a field of the declared type keeps its records; undefined for types that are no models. */
  readonly embed?: (type: unknown, field: string, config: FieldConfig) => Embedding | undefined;
  /** Makes the declared `actions` functions of a model class. */
  readonly createActions?: (model: ModelDefinition, Class: typeof BaseModel) => Readonly<Record<string, unknown>>;
  /** Sees to fields that refer to other models, as `references()` declares them. */
  readonly references?: ReferenceHooks;
}

/** What the model asks of the part that sees to references. */
export interface ReferenceHooks {
  /** Makes what knows a model's new records by their temporary ids. */
  createPhantoms(plan: IdentifierPlan): PhantomIndex;
  /** Keeps the new records that a record refers to; called when a new record was made, or a field (`changed`) was set. */
  keepParents(record: InnerRecord, changed?: FieldDefinition): void;
  /** Throws `AddressError` where a field would bring the temporary id of a new record into an address. */
  refuseTemporary(record: object, field: string, value: unknown): void;
  /**
   * Before a record is written: puts the ids that the server gave in the place of temporary ones. A promise where the record that
   * is referred to is still being saved, or cannot be; undefined where there is nothing to wait for.
   */
  resolveReferences(record: InnerRecord, proxy: DataProxy, signal?: AbortSignal | undefined): Promise<void> | undefined;
  /** Puts the writes of a `sync()` in order: a new record goes before those that refer to it. Whether any model refers to another. */
  orderWrites(jobs: readonly WriteJob[]): boolean;
  /** Loads the record that a field refers to; undefined where the field is empty. */
  loadReference(model: typeof BaseModel, record: BaseModel, field: string): Promise<BaseModel | undefined>;
}
