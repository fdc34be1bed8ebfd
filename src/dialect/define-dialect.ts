import { checkOptions } from '../dev/checks.js';
import { DefinitionError } from '../errors/definition-error.js';
import { callable, flag, object, type Rules, text, textsByName } from '../errors/option-rules.js';
import { operators } from '../operation/query.js';
import type { Capabilities, Dialect } from './dialect.js';

const RULES: Rules<Dialect> = {
  name: text,
  defaults: object,
  page: callable,
  search: callable,
  sort: callable,
  filter: callable,
  address: callable,
  idInQuery: flag,
  declared: callable,
  method: callable,
  headers: callable,
  body: callable,
  isPage: callable,
  readPage: callable,
  readSaved: callable,
  readLocation: callable,
  readError: callable,
  capabilities: object,
};
const OPTIONAL: readonly string[] = ['idInQuery', 'declared', 'method', 'headers', 'isPage', 'readLocation'];
const TREES: readonly unknown[] = ['and', 'or', 'not'];
const WRITES: readonly unknown[] = ['create', 'update', 'destroy'];

const CAPABILITY_RULES: Rules<Capabilities> = {
  fieldNames: flag,
  operators: {
    expected: "a list of operators such as 'eq' and 'ge', by their names in `Operator`",
    holds: (value) => Array.isArray(value) && value.every((each) => operators().includes(each)),
  },
  trees: {
    expected: "a list of 'and', 'or' and 'not'",
    holds: (value) => Array.isArray(value) && value.every((each) => TREES.includes(each)),
  },
  multiSort: flag,
  bulk: {
    expected: "a list of 'create', 'update' and 'destroy'",
    holds: (value) => Array.isArray(value) && value.every((each) => WRITES.includes(each)),
  },
  names: textsByName,
  pathSeparator: text,
};

/**
 * Checks a dialect of your own, and returns it. Throws `DefinitionError` for members that no dialect has, members of a wrong type, and
 * missing steps.
 *
 * @example
 * ```ts
 * const house = defineDialect({
 *   ...plain({ filter: { eq: '{name}', ge: '{name}.ge' } }),
 *   name: 'house',
 *   method: ({ request }) => (request.action === 'update' ? 'PUT' : undefined),
 * });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function defineDialect(dialect: Dialect): Dialect {
  checkOptions('a dialect', dialect, RULES, 'dialect');
  for (const step of Object.keys(RULES) as (keyof Dialect)[]) {
    if (dialect[step] === undefined && !OPTIONAL.includes(step))
      throw new DefinitionError('dialect-step', { dialect: dialect.name ?? '', step });
  }
  checkOptions("a dialect's capabilities", dialect.capabilities, CAPABILITY_RULES);
  return dialect;
}
