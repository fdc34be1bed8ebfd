import {
  FILTER_IN_STORE,
  UnsupportedQueryError,
  unknownProperty,
  unsupported,
} from '../errors/unsupported-query-error.js';
import type { Operation } from '../operation/operation.js';
import { modelOf, type RecordModel, type WireField } from '../operation/operation-record.js';
import { conditionsOf, type Filter, neededFilters, operatorOf, type Sorter } from '../operation/query-parts.js';
import { getMember } from '../util/data-path.js';
import type { DialectOptions, StepContext, TreeKind } from './dialect.js';

/** A sorter that a server gets. */
export type SentSorter = Sorter & { readonly property: string };

/**
 * The filters of an operation that a server gets, all of which must hold: without those that have no effect, those that are functions,
 * and those that an empty list decides. Filters joined by `and` become members of the list, which says the same. Throws
 * `UnsupportedQueryError` if no record can pass: without its filters, such a query would ask for all records.
 *
 * @example
 * ```ts
 * const filters = [and(where(User).age.ge(18), where(User).team.eq('A'))];
 * const operation = new Operation({ action: 'read', filters });
 * sentFilters(operation).map(({ property, operator }) => `${property} ${operator}`); // ['age ge', 'team eq']
 * ```
 */
export function sentFilters(operation: Pick<Operation, 'filters' | 'model' | 'records'>): readonly Filter[] {
  const { filters = [] } = operation;
  const model = modelOf(operation);
  const needed = neededFilters(filters, (each) => inFormat(each, model));
  if (!needed) throw new UnsupportedQueryError('query-nothing', {});
  return withoutFunctions(needed);
}

/** The condition with values in the form in which its field travels. */
function inFormat(filter: Filter, model: RecordModel | undefined): Filter {
  const { property, value } = filter;
  const queryValue = model?.field(property as string)?.queryValue;
  if (!queryValue) return filter;
  return { ...filter, value: Array.isArray(value) ? value.map(queryValue) : queryValue(value) };
}

function withoutFunctions(filters: readonly Filter[]): readonly Filter[] {
  return filters.flatMap((filter) => (filter.filterFn ? [] : filter.and ? withoutFunctions(filter.and) : [filter]));
}

/**
 * The sorters of an operation that a server gets: without those that are functions.
 *
 * @example
 * ```ts
 * const operation = new Operation({ action: 'read', sorters: [{ property: 'name', direction: 'DESC' }] });
 * sentSorters(operation).map(({ property, direction }) => `${property} ${direction}`); // ['name DESC']
 * ```
 */
export function sentSorters({ sorters = [] }: Pick<Operation, 'sorters'>): readonly SentSorter[] {
  return sorters.filter((each): each is SentSorter => each.property !== undefined);
}

/**
 * The server's names of the members that the rows of an operation need for its `fields`: the id, and the fields from which computed ones are
 * made, belong to them. Of a path it is the outermost member. Throws `UnsupportedQueryError` for a field that is made in an unknown way.
 *
 * @example
 * ```ts
 * const sparse = defineDialect({
 *   ...plain(),
 *   name: 'sparse',
 *   fields(context) {
 *     context.request.collect('only', sentFields(context).join(','), 'sparse', 'fields'); // only=id,name
 *   },
 * });
 * ```
 */
export function sentFields({ request, options }: StepContext): readonly string[] {
  const { fields = [] } = request.operation;
  const model = modelOf(request.operation);
  if (!model) return fields;
  const { names } = options.dialect.capabilities;
  const members = new Set<string>();
  const known = new Set<string>();
  const add = (name: string): void => {
    const field = model.field(name);
    if (!field) throw unknownProperty(name, model);
    if (known.has(name)) return;
    known.add(name);
    const { depends, path, writable } = field;
    depends?.forEach(add);
    // A calculated field has no member of its own.
    if (depends && depends.length > 0 && !writable) return;
    if (!path || (depends && !writable))
      throw new UnsupportedQueryError('query-made', { property: name, model: model.name });
    members.add(String(getMember(names, name) ?? path[0]));
  };
  for (const name of [model.idField.name, ...fields]) add(name);
  return [...members];
}

/** Collects the parameters of the fields that an operation asks for, which asks for some. Throws `UnsupportedQueryError` if the dialect cannot ask for some. */
export function collectFields(context: StepContext): void {
  const { dialect } = context.options;
  if (!dialect.fields)
    throw refusal(
      context,
      'a choice of `fields`',
      "leave it out, or name the server's parameter for it: `plain({ fieldsParam: 'fields' })`",
    );
  dialect.fields(context);
}

/** The error of a part of a query that the dialect cannot express. */
export function refusal({ options }: StepContext, what: string, remedy: string): UnsupportedQueryError {
  return unsupported(options.dialect.name, what, remedy);
}

/**
 * Collects the parameters of a query by the steps of the dialect. The number of rows depends neither on the page nor on the order, so a
 * request for this number alone gets the parameters of search and filter only. Throws `UnsupportedQueryError`.
 */
export function collectQuery(context: StepContext): void {
  const { dialect } = context.options;
  const { counts, fields } = context.request.operation;
  checkCapabilities(context);
  if (!counts) dialect.page(context);
  dialect.search(context);
  if (!counts) dialect.sort(context);
  dialect.filter(context);
  if (!counts && fields) collectFields(context);
}

/**
 * Throws `UnsupportedQueryError` for a query that exceeds the `capabilities` of the dialect. Most servers ignore what they do not know,
 * and answer 200.
 */
function checkCapabilities(context: StepContext): void {
  const { operation } = context.request;
  const { operators, trees = [], multiSort, nulls } = context.options.dialect.capabilities;
  const { sorters, filters, grouper } = operation;
  // First, because a store must not answer it from a small list, whatever else the server cannot do.
  if (!nulls && sorters?.some((sorter) => sorter.nulls))
    throw new UnsupportedQueryError('query-nulls', { dialect: context.options.dialect.name });
  if (sorters && multiSort === false && sentSorters(operation).length + (grouper ? 1 : 0) > 1)
    throw refusal(context, 'several sorters', 'sort by one field, or sort in the store: `remoteSort: false`');
  if (!filters) return;
  for (const filter of sentFilters(operation)) {
    const kind = treeKinds(filter).find((each) => !trees.includes(each));
    if (kind) throw refusal(context, `a tree of filters with \`${kind}\``, treeRemedy(trees));
    for (const condition of conditionsOf(filter)) {
      // In a tree, a function cannot be left to the store: the other conditions would decide without it.
      if (condition.filterFn) throw refusal(context, 'a function in a tree of filters', FILTER_IN_STORE);
      const operator = operatorOf(condition);
      if (operators && !(operator && operators.includes(operator)))
        throw refusal(context, `the operator '${condition.operator ?? 'eq'}'`, operatorRemedy(operators));
      if (operators && operator === 'between') listItems(context, operator, condition.value);
    }
  }
}

/**
 * Whether the declaration of a field says that the server holds a list: the type takes an empty list or a list of the member that is asked
 * for, and no text (`z.array(…)`), or the default value is a list that travels as one. Other fields may hold lists too, such as one of
 * `json()`: only their rows show it.
 */
export function isListField(field: WireField | undefined, member: unknown): field is WireField {
  if (!field) return false;
  const { takes } = field;
  // A type that converts what it gets may take a list, and make a number of it.
  if (takes?.('text') === false) return [[], [member]].some((list) => takes(list) && Array.isArray(field.read(list)));
  // Only these types may hold a list; the default value of another field may be a function that counts, or fails.
  if (!['json', 'auto', 'schema'].includes(field.type)) return false;
  const value = field.defaultValue?.();
  return Array.isArray(value) && Array.isArray(field.write(value, {})) && !Array.isArray(field.read('text'));
}

/** The items of a list. Throws `UnsupportedQueryError` for a range that has not two ends: servers ignore such a condition, or misread it. */
export function listItems(context: StepContext, operator: string, value: unknown): readonly unknown[] {
  const items = [value].flat();
  if (operator === 'between' && items.length !== 2)
    throw refusal(
      context,
      `the operator '${operator}' with ${items.length} values`,
      `leave the filter out, or ${FILTER_IN_STORE}`,
    );
  return items;
}

/**
 * Throws `UnsupportedQueryError` if a parameter of a condition has the name of another one: that of the call or of `extraParams` would be
 * sent instead, and the condition would be lost.
 */
export function refuseTwice(context: StepContext, name: string): void {
  if (context.request.knownParams?.[name] !== undefined)
    throw refusal(context, `two parameters named '${name}'`, 'leave out the one of the call or of `extraParams`');
}

/**
 * Throws `UnsupportedQueryError` if options of the proxy have other values than `own`: those that the dialect has by itself, for the reason
 * that the error says.
 */
export function refuseOptions(
  context: StepContext,
  own: { readonly [option in keyof DialectOptions]?: string | boolean },
  why: string,
): void {
  for (const [option, value] of Object.entries(own))
    if ((context.options[option as keyof DialectOptions] ?? '') !== value)
      throw refusal(context, `\`${option}\` of the proxy`, `leave it out: ${why}`);
}

/** Throws `UnsupportedQueryError` for options of the proxy that say how `classic` writes sorters and groups. */
export function refuseClassic(context: StepContext): void {
  const names = { directionParam: 'dir', groupDirectionParam: 'groupDir' };
  refuseOptions(context, { ...names, simpleSortMode: false, simpleGroupMode: false }, 'only `classic` has it');
}

/** Throws `UnsupportedQueryError` if the proxy names a parameter for all filters, where each of them has one of its own. */
export function refuseFilterParam(context: StepContext): void {
  refuseOptions(context, { filterParam: 'filter' }, 'each filter has a parameter of its own');
}

/** Throws `UnsupportedQueryError` if the proxy names a parameter for groups, where these are the first sorters. */
export function refuseGroupParam(context: StepContext): void {
  refuseOptions(context, { groupParam: '' }, 'a group is the first sorter');
}

/** How conditions are joined in a filter, from the outside to the inside. */
function treeKinds({ and, or, not, filterFn }: Filter): readonly TreeKind[] {
  if (filterFn) return [];
  const kind = and ? 'and' : or ? 'or' : not && 'not';
  return kind ? [kind, ...(and ?? or ?? [not as Filter]).flatMap(treeKinds)] : [];
}

function treeRemedy(trees: readonly TreeKind[]): string {
  const known = trees.length ? `use ${trees.join(' or ')}` : 'list filters that must all hold';
  return `${known}, ${stepRemedy()}`;
}

function operatorRemedy(operators: readonly string[]): string {
  const known = operators.length ? `use ${operators.map((each) => `\`${each}\``).join(' or ')}, ` : '';
  return `${known}${stepRemedy()}`;
}

/** The remedy for a condition that a server cannot be asked for in a form. */
export function stepRemedy(): string {
  return `write a step \`filter\` for a dialect, or ${FILTER_IN_STORE}`;
}
