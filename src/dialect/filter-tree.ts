import { checkOptions } from '../dev/checks.js';
import { flag, type Rules, rulesOf, string, text } from '../errors/option-rules.js';
import { FILTER_IN_STORE } from '../errors/unsupported-query-error.js';
import { jsonText } from '../http/params.js';
import { type Filter, type Operator, operatorOf } from '../operation/query-parts.js';
import { isData, isObject, parsePath } from '../util/data-path.js';
import { isPlainObject } from '../util/values.js';
import { serverName } from './define-dialect.js';
import type { StepContext, TreeKind } from './dialect.js';
import { TEXT_OPERATORS } from './filter-templates.js';
import { refusal, refuseTwice, sentFilters } from './sent-query.js';
import { type ProtectText, protectBy, VALUE_RULES, type ValueRules } from './value-rules.js';

/** A step `filter`, with what it can express: `plain({ filter })` takes one, and `jsonFilter()` and `bracketFilter()` make one. */
export interface FilterEncoder {
  /** The operators that it writes; filters with others are refused. @default any operator */
  readonly operators?: readonly Operator[];
  /** The trees that it writes; others are refused. @default [] (none) */
  readonly trees?: readonly TreeKind[];
  /** Adds the parameters of `operation.filters`. `reserved` are the parameters that the rest of the query uses. */
  readonly filter: (context: StepContext, reserved?: readonly (string | null | undefined)[]) => void;
}

/**
 * The server's names of operators, for servers that take filters as an object: `{ age: { $gte: 18 } }` is `ge: '$gte'`. Filters with
 * other operators are refused, and so are trees that have no name.
 */
export interface TreeNames extends ValueRules {
  /** Equal; `''` where the value stands alone: `{ age: 18 }`. */
  eq?: string;
  /** Not equal. */
  ne?: string;
  /** Less or equal. */
  le?: string;
  /** Less. */
  lt?: string;
  /** Greater or equal. */
  ge?: string;
  /** Greater. */
  gt?: string;
  /** One of a list. */
  in?: string;
  /** None of a list. */
  nin?: string;
  /** From the first to the second item of a list. @default the names of `ge` and `le`, joined as `and` and `merge` say */
  between?: string;
  /** Contains a text. */
  contains?: string;
  /** Starts with a text. */
  startsWith?: string;
  /** Ends with a text. */
  endsWith?: string;
  /** Contains a text, in upper or lower case. */
  like?: string;
  /** Is null (true), or is not (false). @default the names of `eq` and `ne` with null */
  isNull?: string;
  /** Is not null (true). @default the name of `isNull` with false */
  notNull?: string;
  /** A member is there, also if it is null (true), or is missing (false). */
  exists?: string;
  /** All filters of a list hold. Without it, two conditions on one field are refused. */
  and?: string;
  /** One filter of a list holds. */
  or?: string;
  /** A filter does not hold. */
  not?: string;
  /** Whether the path to a member inside another is written as an object, `{ team: { name: … } }`, instead of `team.name`. @default false */
  nested?: boolean;
  /**
   * Whether conditions on one field share an object if their operators differ, `{ age: { gte: 18, lt: 65 } }`, although the server has a
   * name of `and`. Some servers read the first of such operators only. @default false
   */
  merge?: boolean;
}

const RULES: Rules<TreeNames> = /* @__PURE__ */ rulesOf(VALUE_RULES, {
  ...{ eq: string, ne: text, le: text, lt: text, ge: text, gt: text, in: text, nin: text, between: text },
  ...{ contains: text, startsWith: text, endsWith: text, like: text, isNull: text, notNull: text, exists: text },
  ...{ and: text, or: text, not: text, nested: flag, merge: flag },
});
const TREES: readonly TreeKind[] = ['and', 'or', 'not'];
const NO_OPERATORS: readonly string[] = [...TREES, 'notNull', 'nested', 'merge', 'escape', 'refuse'];

type Tree = Record<string, unknown>;

/** Names of operators, and how the texts of values are written. */
interface OperatorNames extends Omit<TreeNames, keyof ValueRules> {
  readonly protect: ProtectText;
}

/** An encoder that writes filters as one object, and leaves it to `send` to add the object to the request. */
// @__NO_SIDE_EFFECTS__
export function treeFilter(
  owner: string,
  given: TreeNames,
  send: (context: StepContext, tree: Tree) => void,
): FilterEncoder {
  checkOptions(owner, given, RULES);
  const { escape: escapes, refuse, ...names } = given;
  const operatorNames: OperatorNames = {
    ...names,
    protect: protectBy(owner, { ...(escapes && { escape: escapes }), ...(refuse && { refuse }) }),
  };
  const known = Object.keys(given).filter((name) => given[name as keyof TreeNames] !== undefined);
  const operators = new Set(known.filter((name): name is Operator => !NO_OPERATORS.includes(name)));
  if (operators.has('ge') && operators.has('le')) operators.add('between');
  if (operators.has('eq')) operators.add('isNull');
  return {
    operators: [...operators],
    trees: TREES.filter((name) => operatorNames[name] !== undefined),
    filter(context) {
      const filters = sentFilters(context.request.operation);
      if (filters.length > 0) send(context, join(context, operatorNames, filters));
    },
  };
}

/**
 * The object that says that all filters hold: the members of all, or their list under the server's name of `and`. Without that name, or
 * with `merge`, conditions on one field share an object if their operators differ: `{ age: { gte: 18, lt: 65 } }`.
 */
function join(context: StepContext, operatorNames: OperatorNames, filters: readonly Filter[]): Tree {
  const trees = filters.map((filter) => treeOf(context, operatorNames, filter));
  const entries = trees.flatMap((tree) => Object.entries(tree));
  const names = new Set(entries.map(([name]) => name));
  if (names.size === entries.length) return object(entries);
  const merges = operatorNames.and === undefined || operatorNames.merge === true;
  const members = [...names].map((name) => [name, merges ? merge(valuesOf(entries, name)) : undefined] as const);
  const lost = members.find(([, value]) => value === undefined);
  if (!lost) return object(members);
  if (operatorNames.and !== undefined) return object([[operatorNames.and, trees]]);
  const remedy = `join the conditions into one, give the server's name of \`and\`, or ${FILTER_IN_STORE}`;
  throw refusal(context, `two conditions on '${lost[0]}'`, remedy);
}

function valuesOf(entries: readonly (readonly [string, unknown])[], name: string): readonly unknown[] {
  return entries.flatMap(([each, value]) => (each === name ? [value] : []));
}

/** One object for all conditions on a field; undefined if one of them would be lost. */
function merge(values: readonly unknown[]): unknown {
  if (values.length === 1) return values[0];
  const isByOperator = (value: unknown): value is Tree => isData(value) && Object.getPrototypeOf(value) === null;
  if (!values.every(isByOperator)) return undefined;
  const operators = values.flatMap((value) => Object.entries(value));
  return new Set(operators.map(([operator]) => operator)).size === operators.length ? object(operators) : undefined;
}

function treeOf(context: StepContext, operatorNames: OperatorNames, filter: Filter): Tree {
  const { and, or, not } = filter;
  const list = (filters: readonly Filter[]) => filters.map((each) => treeOf(context, operatorNames, each));
  // The capabilities have refused trees without a name.
  if (and) return join(context, operatorNames, and);
  if (or) return object([[operatorNames.or as string, list(or)]]);
  if (not) return object([[operatorNames.not as string, treeOf(context, operatorNames, not)]]);
  const bounds = boundsOf(operatorNames, filter);
  if (bounds) return object([[operatorNames.and as string, list(bounds)]]);
  const name = serverName(context, filter.property as string);
  const path = operatorNames.nested ? parsePath(name).map(String) : [name];
  return path.reduceRight<unknown>(
    (inner, each) => object([[each, inner]]),
    condition(context, operatorNames, filter),
  ) as Tree;
}

/**
 * The two conditions of a range that has no name of its own, where they are members of a list; undefined for other filters, and where
 * conditions on one field share an object.
 */
function boundsOf(operatorNames: TreeNames, filter: Filter): readonly Filter[] | undefined {
  if (operatorOf(filter) !== 'between' || operatorNames.between !== undefined) return undefined;
  if (operatorNames.and === undefined || operatorNames.merge) return undefined;
  const { property } = filter;
  const [from, to] = filter.value as readonly unknown[];
  return [
    { property, operator: 'ge', value: from },
    { property, operator: 'le', value: to },
  ];
}

/** The value under the name of a field. */
function condition(context: StepContext, operatorNames: OperatorNames, filter: Filter): unknown {
  const operator = operatorOf(filter) as Operator;
  const value = protectedValue(context, operatorNames, filter, operator);
  if (operator === 'isNull' || (value === null && (operator === 'eq' || operator === 'ne'))) {
    const isNull = operator === 'isNull' ? value !== false : operator === 'eq';
    if (!isNull && operatorNames.notNull !== undefined) return object([[operatorNames.notNull, true]]);
    if (operatorNames.isNull !== undefined) return object([[operatorNames.isNull, isNull]]);
    return compare(context, operatorNames, isNull ? 'eq' : 'ne', null);
  }
  if (operator === 'exists') return compare(context, operatorNames, operator, value !== false);
  if (operator === 'between' && operatorNames.between === undefined) {
    const [from, to] = value as readonly unknown[];
    return object([
      [operatorNames.ge as string, from],
      [operatorNames.le as string, to],
    ]);
  }
  return compare(context, operatorNames, operator, operator === 'in' || operator === 'nin' ? [value].flat() : value);
}

function compare(context: StepContext, operatorNames: OperatorNames, operator: Operator, value: unknown): unknown {
  const name = operatorNames[operator];
  if (name === undefined)
    throw refusal(context, `the operator '${operator}' with ${value}`, `give the server's name of \`${operator}\``);
  // Without a name, the server would read the members of the value as operators, and its items as a list.
  const opening = name === '' && isObject(value) ? jsonText(value, 'filter')[0] : undefined;
  if (opening === '{' || opening === '[')
    throw refusal(
      context,
      `${opening === '[' ? 'a list' : 'an object'} as a value without an operator, whose members the server would read as operators`,
      `give a text, a number, a date or a flag, give the server's name of \`eq\`, or ${FILTER_IN_STORE}`,
    );
  return name === '' ? value : object([[name, value]]);
}

/** The value of a condition, with its texts as the server expects them. */
function protectedValue(
  context: StepContext,
  operatorNames: OperatorNames,
  filter: Filter,
  operator: Operator,
): unknown {
  const { property = '', value } = filter;
  const one = (each: unknown): unknown => {
    if (typeof each === 'function' || typeof each === 'symbol')
      throw refusal(context, `a ${typeof each} as a value of '${property}'`, 'give data');
    const isText = TEXT_OPERATORS.includes(operator);
    if ((each === null || isPlainObject(each)) && isText)
      throw refusal(context, `${each === null ? 'null' : 'an object'} as the text of '${property}'`, 'give a text');
    if (Array.isArray(each) && (isText || /^(lt|le|gt|ge|between)$/.test(operator)))
      throw refusal(context, `a list as a value of '${property}' with \`${operator}\``, 'give a single value');
    // A tree has no prototype: data must not pass for one.
    if (isPlainObject(each)) return { ...each };
    return typeof each === 'string' ? operatorNames.protect(context, { operator, property }, each).sent : each;
  };
  const isList = Array.isArray(value) && /^(eq|ne|in|nin|between)$/.test(operator);
  return isList ? value.map(one) : one(value);
}

/** An object without a prototype, because its names are data. */
function object(entries: readonly (readonly [string, unknown])[]): Tree {
  const tree = Object.create(null) as Tree;
  for (const [name, value] of entries) tree[name] = value;
  return tree;
}

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
export function jsonFilter(operatorNames: TreeNames): FilterEncoder {
  return treeFilter('jsonFilter', operatorNames, (context, tree) => {
    const { filterParam } = context.options;
    if (!filterParam) throw refusal(context, 'a filter', 'set `filterParam` on the proxy');
    refuseTwice(context, filterParam);
    context.request.collect(filterParam, jsonText(tree, filterParam), undefined, 'filterParam');
  });
}
