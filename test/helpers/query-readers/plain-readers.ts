import { type FilterTemplates, filterTemplates, plain } from 'repose';
import { behindSign, COMPARISONS, condition, likeText, type QueryReader, type ReadCondition } from './conditions.js';

type Read = QueryReader['read'];

const of = (filter: FilterTemplates) =>
  plain({ pageParam: '', limitParam: '', sortParam: '', filter: filterTemplates(filter) });

/** Reads each parameter by itself, under the name of a field. */
const byName =
  (read: (name: string, text: string) => ReadCondition): Read =>
  (query) =>
    [...query].map(([name, text]) => read(name, text));

/** Signs before the value, and `*` for any text. */
const globs: QueryReader = {
  name: 'plain with signs and wildcards',
  dialect: of({
    ...{ eq: '{name}', ge: '{name}=ge:{value}', le: '{name}=le:{value}', in: '{name}=in:{values}', join: ';' },
    ...{ startsWith: '{name}={value}*', endsWith: '{name}=*{value}', contains: '{name}=*{value}*' },
    ...{ isNull: '{name}=none', notNull: '{name}=any' },
  }),
  operators: ['eq', 'ge', 'le', 'in', 'between', 'startsWith', 'endsWith', 'contains', 'isNull'],
  finds: ["O'Brien", 'a,b', '5%', 'a:b'],
  read: (query) =>
    [...query].flatMap(([name, all]) =>
      all.split(';').map((text) => {
        if (text === 'none' || text === 'any') return condition(name, 'isNull', text === 'none');
        const [sign, rest] = behindSign(text, { 'ge:': 'ge', 'le:': 'le', 'in:': 'in' });
        if (sign === 'in') return condition(name, 'in', ...rest.split(','));
        if (sign !== 'eq') return condition(name, sign, rest);
        const [first = '', second, third, ...more] = text.split('*');
        if (second === undefined) return condition(name, 'eq', text);
        if (third === undefined)
          return first === '' ? condition(name, 'endsWith', second) : condition(name, 'startsWith', first);
        if (first === '' && third === '' && more.length === 0) return condition(name, 'contains', second);
        throw new Error(`a pattern: ${text}`);
      }),
    ),
};

/** SQL in one parameter: quotes are doubled, `\` escapes wildcards. */
const sql: QueryReader = {
  name: 'plain with SQL',
  dialect: of({
    ...{ eq: "where={name} = '{value}'", ne: "where={name} <> '{value}'", ge: "where={name} >= '{value}'" },
    ...{ contains: "where={name} like '%{value}%'", startsWith: "where={name} like '{value}%'" },
    join: ' and ',
    escape: {
      all: { "'": "''", '\\': '\\' },
      contains: { '%': '\\%', _: '\\_', '\\': '\\\\' },
      startsWith: { '%': '\\%', _: '\\_', '\\': '\\\\' },
    },
  }),
  operators: ['eq', 'ne', 'ge', 'contains', 'startsWith'],
  finds: ["O'Brien", 'a,b', '5%', 'a_b', '(a)', 'a\\'],
  read(query) {
    const found: ReadCondition[] = [];
    let rest = query.get('where') ?? '';
    while (rest !== '') {
      const [all = '', name = '', sign = '', quoted = ''] =
        /^(\w+) (=|<>|>=|like) '((?:[^']|'')*)'(?: and (?=\w)|$)/.exec(rest) ?? [];
      if (all === '') throw new Error(`no condition: ${rest}`);
      rest = rest.slice(all.length);
      const text = quoted.replaceAll("''", "'");
      if (sign !== 'like') found.push(condition(name, { '=': 'eq', '<>': 'ne', '>=': 'ge' }[sign] as string, text));
      else if (text.startsWith('%')) found.push(condition(name, 'contains', likeText(text.slice(1, -1))));
      else found.push(condition(name, 'startsWith', likeText(text.slice(0, -1))));
    }
    return found;
  },
};

/** Calls with arguments, as in RQL. */
const calls: QueryReader = {
  name: 'plain with calls',
  dialect: of({
    eq: 'filter=eq({name},{value})',
    ne: 'filter=ne({name},{value})',
    in: 'filter=in({name},{values})',
    join: ',',
    escape: { all: { ',': '%2C', '%': '%25' } },
  }),
  operators: ['eq', 'ne', 'in'],
  finds: ["O'Brien", 'a,b', '5%'],
  read(query) {
    const text = query.get('filter') ?? '';
    if (text !== '' && !/^\w+\([^()]*\)(,\w+\([^()]*\))*$/.test(text)) throw new Error(`no calls: ${text}`);
    return [...text.matchAll(/(\w+)\(([^()]*)\)/g)].map(([, operator = '', inside = '']) => {
      const [name = '', ...values] = inside.split(',').map(decodeURIComponent);
      if (operator !== 'in' && values.length !== 1) throw new Error(`${values.length} arguments: ${text}`);
      return condition(name, operator, ...values);
    });
  },
};

const bars: QueryReader = {
  name: 'plain for NestJS CRUD',
  dialect: of({
    ...{ eq: 'filter={name}||$eq||{value}', ge: 'filter={name}||$gte||{value}' },
    ...{ in: 'filter={name}||$in||{values}', isNull: 'filter={name}||$isnull' },
  }),
  operators: ['eq', 'ge', 'in', 'isNull'],
  finds: ["O'Brien", 'a,b', '5%', 'a|b'],
  read: (query) =>
    query.getAll('filter').map((text) => {
      const [name = '', operator, value = '', ...more] = text.split('||');
      if (more.length > 0) throw new Error(`more than a value: ${text}`);
      if (operator === '$in') return condition(name, 'in', ...value.split(','));
      return operator === '$isnull'
        ? condition(name, 'isNull', true)
        : condition(name, operator === '$eq' ? 'eq' : 'ge', value);
    }),
};

const lists: QueryReader = {
  name: 'plain with lists and ranges',
  dialect: of({
    ...{ eq: '{name}', in: '{name}={values}', ne: '{name}=!{value}', nin: '{name}=!{values}' },
    ...{ between: '{name}={from}..{to}', values: { null: 'null', true: '1', false: '0' } },
  }),
  operators: ['eq', 'ne', 'in', 'nin', 'between', 'isNull'],
  finds: ["O'Brien", '5%', '(a)'],
  flags: ['1', '0'],
  read: byName((name, text) => {
    const isNegated = text.startsWith('!');
    const rest = isNegated ? text.slice(1) : text;
    if (!isNegated && rest.includes('..')) return condition(name, 'between', ...rest.split('..'));
    const values = rest.split(',').map((each) => (each === 'null' ? null : each));
    return condition(name, isNegated ? 'nin' : 'in', ...values);
  }),
};

const names: QueryReader = {
  name: 'plain with operators in names',
  dialect: of({
    ...{ eq: '{name}', ge: '{name}[gte]', in: 'f[{name}][$in][{index}]', nin: '{name}[nin][]' },
    ...{ exists: '{name}[exists]={value}', isNull: '{name}[null]={value}', between: '{name}[range]={from},{to}' },
  }),
  operators: ['eq', 'ge', 'in', 'nin', 'isNull', 'exists', 'between'],
  finds: ["O'Brien", 'a,b', '5%', '[a]'],
  read(query) {
    const found = new Map<string, ReadCondition>();
    for (const [param, text] of query) {
      const [, listed, name = listed as string, operator = 'eq'] =
        /^(?:f\[(\w+)\]\[\$in\]\[\d+\]|(\w+)(?:\[(\w+)\](?:\[\])?)?)$/.exec(param) ?? [];
      const read =
        listed === undefined ? ({ gte: 'ge', null: 'isNull', range: 'between' }[operator] ?? operator) : 'in';
      const values = found.get(`${name} ${read}`)?.values ?? [];
      const own = read === 'between' ? text.split(',') : [text];
      found.set(`${name} ${read}`, condition(name, read, ...values, ...own));
    }
    return [...found.values()];
  },
};

const repeated: Read = (query) =>
  [...new Set(query.keys())].map((name) => condition(name, 'in', ...query.getAll(name)));

export const plainReaders: readonly QueryReader[] = [
  globs,
  sql,
  calls,
  bars,
  lists,
  names,
  {
    name: 'plain',
    dialect: of({ eq: '{name}', in: '{name}' }),
    operators: ['eq', 'in'],
    finds: ["O'Brien", 'a,b', '*'],
    read: repeated,
  },
  {
    name: 'plain with PostgREST signs',
    dialect: of({
      eq: '{name}=eq.{value}',
      lt: '{name}=lt.{value}',
      in: '{name}=in.({values})',
      like: '{name}=like.*{value}*',
      isNull: '{name}=is.null',
      repeat: true,
    }),
    operators: ['eq', 'lt', 'in', 'like', 'isNull'],
    finds: ["O'Brien", 'a,b', '*', 'eq.5'],
    read: byName((name, text) => {
      const [operator, rest] = behindSign(text, {
        'eq.': 'eq',
        'lt.': 'lt',
        'in.(': 'in',
        'like.': 'like',
        'is.null': 'isNull',
      });
      if (operator === 'isNull') return condition(name, operator, true);
      if (operator === 'like') {
        const inner = rest.slice(1, -1);
        if (inner.includes('*')) throw new Error(`a pattern: ${rest}`);
        return condition(name, operator, inner);
      }
      if (operator !== 'in') return condition(name, operator, rest);
      if (rest.indexOf(')') !== rest.length - 1) throw new Error(`more than a list: ${rest}`);
      return condition(name, operator, ...rest.slice(0, -1).split(','));
    }),
  },
];

export const repeatedNames: Read = repeated;
export const comparisons: readonly string[] = COMPARISONS;
