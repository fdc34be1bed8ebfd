import { readAnyProblem } from '../../errors/problem-families.js';
import type { ModelPart } from '../model-part.js';

/** Reads the error bodies of all server families that {@link readAnyProblem} knows; without it, problem+json and its like. */
export const errorFamilies: ModelPart = { name: 'errorFamilies', readProblem: readAnyProblem };
