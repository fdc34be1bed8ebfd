import { tryGrammar } from '../../helpers/query-readers/grammar-law.js';
import type { RandomCheck } from './random-check.js';

/** A server that reads its grammar finds property, operator and value of every condition unchanged, or the query was refused. */
export const grammar: RandomCheck = { name: 'grammar', tryCase: tryGrammar };
