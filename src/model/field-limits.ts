import type { FieldConfig } from './field.js';
import { type Constraint, isAtMost } from './validators.js';

/** The limits of a field's values, by the names that inputs of HTML have for them. A limit that is not declared is undefined. */
export interface FieldLimits {
  /** The smallest value. */
  readonly min: Limit | undefined;
  /** The largest value. */
  readonly max: Limit | undefined;
  /** The smallest number of characters, or of items. */
  readonly minLength: number | undefined;
  /** The largest number of characters, or of items. */
  readonly maxLength: number | undefined;
  /** The pattern of a text. */
  readonly pattern: RegExp | undefined;
}

type Limit = number | bigint | Date | string;

/** The rules of a field's validators as data. */
export function constraintsOf({ validators = [] }: FieldConfig): readonly Constraint[] {
  return validators.flatMap(({ constraint }) => constraint ?? []);
}

/** Whether a validator (`presence`) demands a value. */
export function isRequired(constraints: readonly Constraint[]): boolean {
  return constraints.some(({ kind }) => kind === 'presence');
}

/** The narrowest limits of several rules. */
export function limitsOf(constraints: readonly Constraint[]): FieldLimits {
  const limits: { -readonly [K in keyof FieldLimits]: FieldLimits[K] } = {
    ...{ min: undefined, max: undefined, minLength: undefined, maxLength: undefined, pattern: undefined },
  };
  for (const each of constraints) {
    if (each.kind === 'length') {
      limits.minLength = narrower(limits.minLength, each.min, 1);
      limits.maxLength = narrower(limits.maxLength, each.max, -1);
    } else if (each.kind === 'range') {
      limits.min = narrower(limits.min, each.min, 1);
      limits.max = narrower(limits.max, each.max, -1);
    } else if (each.kind === 'format') limits.pattern ??= each.pattern;
  }
  return Object.freeze(limits);
}

/** The limit that leaves fewer values: the larger one for the sign 1, the smaller one for -1. */
function narrower<T extends Limit>(a: T | undefined, b: T | undefined, sign: 1 | -1): T | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return isAtMost(a, b) === sign < 0 ? a : b;
}
