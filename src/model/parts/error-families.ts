import { readAnyProblem } from '../../errors/problem-families.js';
import type { ModelPart } from '../model-part.js';

/**
 * The part that reads the error bodies of all server families that {@link readAnyProblem} knows. Without it, only problem+json
 * and similar bodies are read.
 */
export const errorFamilies: ModelPart = { name: 'errorFamilies', readProblem: readAnyProblem };
