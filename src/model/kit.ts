import type { Messages } from '../errors/messages.js';
import type { ProblemReader } from '../errors/problem.js';
import type { ActionConfig } from './action-types.js';
import type { BaseModel } from './base-model.js';
import type { Embedding } from './embedding.js';
import type { TypeHandler } from './field-types.js';
import type { ModelDefinition } from './model-definition.js';

/**
 * What the main entry's `Model` can do beyond the core's: parts that a small bundle does without. Where the core meets a
 * declaration that needs one of them, `define` throws a `DefinitionError`.
 */
export interface Kit {
  /** Field types beyond the plain ones. */
  readonly fieldTypes?: Readonly<Record<string, TypeHandler>>;
  /** Models as field types. */
  readonly embed?: (type: unknown) => Embedding | undefined;
  /** Namings by name. */
  readonly renameTo?: (style: 'snake' | 'kebab') => (name: string) => string;
  /** Calls beyond create, read, update and destroy. */
  readonly createAction?: (
    model: ModelDefinition,
    Class: typeof BaseModel,
    name: string,
    config: ActionConfig,
  ) => unknown;
  /** The texts of errors and issues. */
  readonly messages?: Messages;
  /** Reads error bodies of all server families. */
  readonly readProblem?: ProblemReader;
}
