import { bracketFilter, jsonFilter, plain } from 'repose';
import { directus, feathers, jsonServer, strapi } from 'repose/dialects';
import { COMPARISONS, condition, likeText, type QueryReader, type ReadCondition, TEXTS } from './conditions.js';

type Operators = Readonly<Record<string, string>>;

/** Reads `{ city: { $ne: 'x' } }`: every member of an object is an operator. `textOf` reads the value of a text operator. */
function conditionsIn(
  tree: unknown,
  operators: Operators,
  textOf: (text: string) => string = (text) => text,
): ReadCondition[] {
  return Object.entries(tree as object).flatMap(([property, value]) => {
    if (/^[$_]?and$/.test(property))
      return (value as object[]).flatMap((each) => conditionsIn(each, operators, textOf));
    if (typeof value !== 'object' || value === null) return [condition(property, 'eq', value)];
    if (Array.isArray(value)) return [condition(property, 'in', ...value)];
    return Object.entries(value as object).map(([name, given]: [string, unknown]) => {
      const operator = operators[name];
      if (operator === undefined) throw new Error(`no operator: ${name}`);
      if (operator === 'isNull' || operator === 'notNull')
        return condition(property, 'isNull', String(given) === (operator === 'isNull' ? 'true' : 'false'));
      const values = [given].flat();
      return condition(
        property,
        operator,
        ...(TEXTS.includes(operator) ? values.map((each) => textOf(String(each))) : values),
      );
    });
  });
}

/** Reads names in brackets as `qs` of Node does: objects of names, lists of numbers. */
function readBrackets(query: URLSearchParams): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const path = name.split(/\]\[|\[|\]/).filter((each) => each !== '');
    let at = root;
    for (const [index, each] of path.entries())
      if (index === path.length - 1) at[each] = text;
      else at = (at[each] ??= /^\d+$/.test(path[index + 1] as string) ? [] : {}) as Record<string, unknown>;
  }
  return root;
}

const parsed = (query: URLSearchParams, name: string): object => JSON.parse(query.get(name) ?? '{}') as object;
const inverted = (names: Operators): Operators =>
  Object.fromEntries(Object.entries(names).map(([own, name]) => [name, own]));

const mongo = { ne: '$ne', lt: '$lt', ge: '$gte', in: '$in', nin: '$nin', like: '$like' };
const strapiNames = {
  ...{ eq: '$eq', ne: '$ne', lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte', in: '$in', nin: '$notIn' },
  ...{ between: '$between', contains: '$contains', startsWith: '$startsWith', endsWith: '$endsWith' },
  ...{ like: '$containsi', isNull: '$null', notNull: '$notNull' },
};
const directusNames = {
  ...{ eq: '_eq', ne: '_neq', lt: '_lt', le: '_lte', gt: '_gt', ge: '_gte', in: '_in', nin: '_nin' },
  ...{ between: '_between', contains: '_contains', startsWith: '_starts_with', endsWith: '_ends_with' },
  ...{ like: '_icontains', isNull: '_null', notNull: '_nnull' },
};
const lists = ['in', 'nin'];
const MARKS: readonly string[] = ["O'Brien", 'a,b', '5%', '"', 'a*b', '{}'];

export const treeReaders: readonly QueryReader[] = [
  {
    name: 'jsonFilter with bare values',
    dialect: plain({ filterParam: 'where', filter: jsonFilter({ eq: '', ...mongo, and: '$and' }) }),
    operators: ['eq', 'ne', 'lt', 'ge', 'in', 'nin', 'like', 'isNull'],
    finds: MARKS,
    read: (query) => conditionsIn(parsed(query, 'where'), inverted(mongo)),
  },
  {
    name: 'bracketFilter with bare values',
    dialect: plain({ filterParam: 'filters', filter: bracketFilter({ eq: '', ...mongo, and: '$and' }) }),
    operators: ['eq', 'ne', 'lt', 'ge', 'in', 'nin', 'like'],
    finds: MARKS,
    read: (query) => conditionsIn(readBrackets(query)['filters'] ?? {}, inverted(mongo)),
  },
  {
    name: 'feathers',
    dialect: feathers(),
    operators: [...COMPARISONS, ...lists, 'between'],
    finds: MARKS,
    read: (query) => conditionsIn(readBrackets(query), inverted({ ...mongo, le: '$lte', gt: '$gt' })),
  },
  {
    name: 'strapi',
    dialect: strapi({ version: 5 }),
    operators: [...COMPARISONS, ...lists, ...TEXTS, 'between', 'isNull'],
    finds: MARKS,
    read: (query) => conditionsIn(readBrackets(query)['filters'] ?? {}, inverted(strapiNames), likeText),
  },
  {
    name: 'directus',
    dialect: directus(),
    operators: [...COMPARISONS, ...lists, ...TEXTS, 'between', 'isNull'],
    finds: MARKS,
    read(query) {
      // The server turns these texts into other values before it looks at the operators.
      const reviver = (_: string, value: unknown) => {
        if (typeof value === 'string' && /^\$(NOW|CURRENT_)/.test(value)) throw new Error(`a variable: ${value}`);
        return value === 'true' || value === 'false'
          ? value === 'true'
          : /^(null|NULL)$/.test(String(value)) && value !== null
            ? null
            : value;
      };
      const tree: unknown = JSON.parse(query.get('filter') ?? '{}', (name, value: unknown) =>
        typeof value === 'string' ? tagged(reviver(name, value)) : value,
      );
      return conditionsIn(tree, inverted(directusNames), likeText);
    },
  },
  {
    name: 'json-server 1',
    dialect: jsonServer({ version: '1' }),
    operators: [...COMPARISONS, 'in', 'like'],
    finds: MARKS,
    read: (query) =>
      conditionsIn(parsed(query, '_where'), {
        eq: 'eq',
        ne: 'ne',
        lt: 'lt',
        lte: 'le',
        gt: 'gt',
        gte: 'ge',
        in: 'in',
        contains: 'like',
      }),
  },
];

/** A value that was no text any more after the server had read it: it differs from every text. */
function tagged(value: unknown): unknown {
  return typeof value === 'string' ? value : `(${typeof value}) ${value}`;
}
