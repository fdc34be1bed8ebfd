import type { Operator } from '../operation/query.js';
import type { Dialect, TreeForm } from './dialect.js';

/** A step `filter`, with what it can express: `plain({ filter })` takes one, and `jsonFilter()` and `bracketFilter()` make one. */
export interface FilterEncoder {
  /** The operators that it writes; filters with others are refused. @default any operator */
  readonly operators?: readonly Operator[];
  /** The trees that it writes; others are refused. @default [] (none) */
  readonly trees?: readonly TreeForm[];
  /** Adds the parameters of `operation.filters`. */
  readonly filter: Dialect['filter'];
}
