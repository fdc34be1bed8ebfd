import { describe } from '../errors/message-format.js';
import type { Rule } from '../errors/option-rules.js';
import { badValue, UnsupportedQueryError } from '../errors/unsupported-query-error.js';
import type { ModelType } from '../model/field.js';
import type { Model } from '../model/model.js';
import { innerModel, type ModelDefinition } from '../model/model-definition.js';
import { DEFINITION } from '../model/symbols.js';
import {
  checkFilterShape,
  checkSorterShape,
  FILTER_RULES,
  GROUPER_RULES,
  SORTER_RULES,
  toFilters,
} from '../operation/query-parts.js';
import { isData } from '../util/data-path.js';
import { PART_RULES, Query, type QueryConfig } from './query.js';
import type { QueryData } from './query-data.js';

/**
 * Makes the query again of which `query.toJSON()` has made `data`, perhaps in another process. Throws `UnsupportedQueryError` for the data of
 * another model, for data that `toJSON` does not write, and as `Query.of` does. All of it is checked in both builds.
 *
 * @example
 * ```ts
 * const stored = localStorage.getItem('query'); // JSON.stringify(users.query)
 * if (stored) await users.load({ query: queryFromJSON(User, JSON.parse(stored)) });
 * ```
 */
export function queryFromJSON<M extends Model>(model: ModelType<M>, data: QueryData): Query<M> {
  const { [DEFINITION]: definition } = innerModel(model);
  return Query.of(model, readQueryData(data, definition) as QueryConfig<NoInfer<M>>);
}

/** The members of the query that was written as plain data. `Query.of` makes values of the texts of dates and of big integers. */
function readQueryData(data: QueryData, model: ModelDefinition): object {
  const { model: other, ...parts } = Object(data) as QueryData;
  if (other !== model.name)
    throw new UnsupportedQueryError(
      'query-model',
      { model: model.name, other: typeof other === 'string' ? other : describe(other) },
      { messages: model.messages },
    );
  checkPart('a stored query', parts, PART_RULES);
  // `toJSON` leaves out what a query does not have.
  if (Object.values<unknown>(parts).includes(null))
    throw badValue('a stored query', parts, 'without members that are null');
  const { sorters = [], groupers = [], filters = [] } = parts;
  for (const sorter of sorters) checkPart('a sorter', sorter, SORTER_RULES, checkSorterShape);
  for (const grouper of groupers) checkPart('a grouper', grouper, GROUPER_RULES);
  toFilters(filters, { check: (filter) => checkPart('a filter', filter, FILTER_RULES, checkFilterShape) });
  return parts;
}

/** Throws `UnsupportedQueryError` for a part of a query that `query.toJSON()` cannot have written. */
function checkPart(
  name: string,
  part: unknown,
  rules: Readonly<Record<string, Rule>>,
  checkShape?: (part: unknown) => void,
): void {
  const isMember = ([member, value]: [string, unknown]) =>
    Object.hasOwn(rules, member) && (value === undefined || rules[member]?.holds(value));
  if (!isData(part) || !Object.entries(part).every(isMember))
    throw badValue(name, part, 'as `query.toJSON()` writes it');
  checkShape?.(part);
}
