import { refuseLibraryQuery } from '../grid/refuse-query.js';
import type { ModelDefinition } from '../model/model-definition.js';
import type { Operator } from '../operation/query-parts.js';

/** A filter of Refine: a condition, or several that are joined. */
export interface CrudFilter {
  readonly field?: string;
  readonly operator: string;
  readonly value: unknown;
}

/** The operators of Refine. Those with `n` before them, which are not here, are the opposites. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  lte: 'le',
  gt: 'gt',
  gte: 'ge',
  in: 'in',
  nin: 'nin',
  between: 'between',
  contains: 'like',
  containss: 'contains',
  startswith: 'startsWith',
  startswiths: 'startsWith',
  endswith: 'endsWith',
  endswiths: 'endsWith',
};

/** Makes filters of those of Refine. Throws `UnsupportedQueryError` for operators that no server can be asked for. */
export function readCrudFilters(
  given: readonly CrudFilter[],
  model: ModelDefinition,
  propertyOf: (name: string) => string,
): object[] {
  return given.map(({ field = '', operator, value }) => {
    if (operator === 'and' || operator === 'or') {
      const parts = readCrudFilters(value as readonly CrudFilter[], model, propertyOf);
      return operator === 'or' ? { or: parts } : { and: parts };
    }
    const property = propertyOf(field);
    if (operator === 'null' || operator === 'nnull')
      return { property, operator: 'isNull', value: operator === 'null' };
    const known = operatorOf(operator);
    if (known) return { property, operator: known, value };
    const opposite = operator.startsWith('n') ? operatorOf(operator.slice(1)) : undefined;
    if (opposite) return { not: { property, operator: opposite, value } };
    const remedy = `use ${Object.keys(OPERATORS).join(', ')}, their opposites with \`n\` before them, \`null\`, \`and\` or \`or\``;
    throw refuseLibraryQuery(model, 'Refine', `the filter '${operator}'`, remedy);
  });
}

function operatorOf(name: string): Operator | undefined {
  return Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
}
