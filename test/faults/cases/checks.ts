import { addresses } from './addresses.js';
import { grammar } from './grammar.js';
import type { RandomCheck } from './random-check.js';

/** The random checks that `--only` can name. */
export const checks: readonly RandomCheck[] = [addresses, grammar];
