import { checkOptions } from '../dev/checks.js';
import { type Rules, wholeFrom } from '../errors/option-rules.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { valueText } from '../http/params.js';
import type { StepContext } from './dialect.js';
import { type FilterEncoder, type TreeNames, treeFilter } from './filter-tree.js';
import { refusal } from './sent-query.js';

/** The limits of the server's parser of queries. Names and lists beyond them would be misread, so that they are refused. */
export interface BracketLimits {
  /** The number of brackets that a name may have. @default no limit */
  depth?: number;
  /** The number of items that a list may have. @default no limit */
  listLength?: number;
}

const LIMIT_RULES: Rules<BracketLimits> = {
  depth: /* @__PURE__ */ wholeFrom(1),
  listLength: /* @__PURE__ */ wholeFrom(1),
};

/**
 * Writes filters, also trees of them, as names in brackets: `filters[$or][0][age][$gte]=18`. The first name is the option `filterParam`;
 * with `''`, the names begin with that of the field. Give the server's names of operators, and the `limits` of its parser. Throws
 * `DefinitionError` for names that are no operators.
 *
 * @example
 * ```ts
 * const filter = bracketFilter({ eq: '$eq', ge: '$gte', isNull: '$null', and: '$and', or: '$or', not: '$not' });
 * const dialect = plain({ filterParam: 'filters', filter });
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function bracketFilter(operatorNames: TreeNames, limits: BracketLimits = {}): FilterEncoder {
  checkOptions('bracketFilter.limits', limits, LIMIT_RULES);
  return treeFilter('bracketFilter', operatorNames, (context, tree) => {
    const { filterParam } = context.options;
    for (const [name, value] of Object.entries(tree))
      collect(context, filterParam ? `${filterParam}[${name}]` : name, value, limits);
  });
}

function collect(context: StepContext, name: string, value: unknown, limits: BracketLimits): void {
  const { request } = context;
  const isTree = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
  if (isTree || Array.isArray(value)) {
    const members = Object.entries(value);
    // An empty list has no member to write, and would be lost.
    if (members.length === 0)
      throw refusal(context, `an empty list as '${name}'`, `leave the filter out, or ${FILTER_IN_STORE}`);
    const { listLength = members.length } = limits;
    if (Array.isArray(value) && members.length > listLength)
      throw refusal(context, `a list of ${members.length} items as '${name}'`, beyond(`lists of ${listLength} items`));
    for (const [key, each] of members) collect(context, `${name}[${key}]`, each, limits);
    return;
  }
  const { depth = Number.POSITIVE_INFINITY } = limits;
  if (name.split('[').length - 1 > depth)
    throw refusal(context, `the tree '${name}'`, beyond(`names with ${depth} brackets`));
  if (value === null)
    throw refusal(context, `null as '${name}'`, `give the server's name of \`isNull\`, or ${FILTER_IN_STORE}`);
  if (request.knownParams?.[name] !== undefined)
    throw refusal(context, `two parameters named '${name}'`, 'rename the other one, or set `filterParam` on the proxy');
  request.collect(name, valueText(value, name), undefined, 'filterParam');
}

function beyond(limit: string): string {
  return `the server reads ${limit}, so give \`limits\` if yours reads more, use a smaller filter, or ${FILTER_IN_STORE}`;
}
