import { readUsualProblem } from '../../errors/common-problem.js';
import type { ModelPart } from '../model-part.js';

/**
 * The part that reads the error bodies of all server families that {@link readUsualProblem} knows. Without it, only problem+json
 * and similar bodies are read.
 *
 * @example
 * ```ts
 * import { Model as CoreModel } from 'repose/core';
 *
 * class SmallModel extends CoreModel {
 *   static override readonly parts: readonly ModelPart[] = [errorFamilies];
 * }
 * ```
 */
export const errorFamilies: ModelPart = { name: 'errorFamilies', readProblem: readUsualProblem };
