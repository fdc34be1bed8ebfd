import { jsonText } from '../http/params.js';
import type { FilterEncoder } from './filter-encoder.js';
import { type TreeForms, treeFilter } from './filter-tree.js';
import { refusal, refuseTwice } from './sent-query.js';

/**
 * Writes filters, also trees of them, as JSON in one parameter, whose name is the option `filterParam`. Give the server's names of
 * operators. Throws `DefinitionError` for names that are no operators.
 *
 * @example
 * ```ts
 * const filter = jsonFilter({ eq: '$eq', ge: '$gte', in: '$in', and: '$and', or: '$or' });
 * const dialect = plain({ filterParam: 's', filter }); // s={"$or":[{"age":{"$gte":18}},{"team":{"$eq":"A"}}]}
 * ```
 */
// @__NO_SIDE_EFFECTS__
export function jsonFilter(forms: TreeForms): FilterEncoder {
  return treeFilter('jsonFilter', forms, (context, tree) => {
    const { filterParam } = context.options;
    if (!filterParam) throw refusal(context, 'a filter', 'set `filterParam` on the proxy');
    refuseTwice(context, filterParam);
    context.request.collect(filterParam, jsonText(tree, filterParam), undefined, 'filterParam');
  });
}
