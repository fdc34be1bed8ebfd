import type { ProblemReader } from '../errors/problem.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { BaseModel } from './base-model.js';
import type { Embedding } from './embedding.js';
import type { FieldConfig } from './field.js';
import type { FieldDefinition } from './field-definition.js';
import type { TypeHandler } from './field-types.js';
import type { IdentifierConfig } from './identifier.js';
import type { ModelDefinition } from './model-definition.js';
import type { PhantomIndex } from './phantom-index.js';
import type { InnerRecord } from './record.js';
import type { WriteJob } from './write-job.js';

/**
 * What the main entry's `Model` can do beyond the core's: parts that a small bundle does without. Where the core meets a
 * declaration that needs one of them, `define` throws a `DefinitionError`.
 */
export interface Kit {
  /** Field types beyond the plain ones. */
  readonly fieldTypes?: Readonly<Record<string, TypeHandler>>;
  /** Models as field types. */
  readonly embed?: (type: unknown, name: string, config: FieldConfig) => Embedding | undefined;
  /** Namings by name. */
  readonly renameTo?: (style: 'snake' | 'kebab') => (name: string) => string;
  /** Calls beyond create, read, update and destroy. */
  readonly createActions?: (model: ModelDefinition, Class: typeof BaseModel) => Readonly<Record<string, unknown>>;
  /** Knows new records and their temporary ids. */
  readonly createPhantoms?: (config: IdentifierConfig, name: string) => PhantomIndex;
  /** Keeps the new records that a record refers to, where one of its fields was set, or it was made. */
  readonly keepParents?: (record: InnerRecord, changed?: FieldDefinition) => void;
  /** Refuses the id of a new record that a field would bring into an address. */
  readonly refuseTemporary?: (record: object, field: string, value: unknown) => void;
  /** Sees to it that references are sent as ids that the server knows; a promise where one of them is yet to come. */
  readonly resolveReferences?: (
    record: InnerRecord,
    proxy: DataProxy,
    signal?: AbortSignal | undefined,
  ) => Promise<void> | undefined;
  /** Puts writes in an order in which no record refers to one that is yet to come. */
  readonly orderWrites?: (jobs: readonly WriteJob[]) => Promise<void> | undefined;
  /** Reads error bodies of all server families. */
  readonly readProblem?: ProblemReader;
}
