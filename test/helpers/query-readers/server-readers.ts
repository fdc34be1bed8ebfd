import {
  django,
  ext6,
  jsonApi,
  jsonServer,
  laravel,
  linkHeader,
  odata4,
  pocketbase,
  postgrest,
  rails,
  redmine,
  springData,
  supabase,
} from 'repose/dialects';
import {
  behindSign,
  COMPARISONS,
  condition,
  likeText,
  type QueryReader,
  type ReadCondition,
  TEXTS,
} from './conditions.js';
import { repeatedNames } from './plain-readers.js';

const LISTS = ['in', 'nin'];
const MARKS: readonly string[] = ["O'Brien", 'a,b', '5%', '"', '(a)', 'a&b'];

const PYTHON_SPACE = '\\s\\x1c-\\x1f\\x85';

/** Ruby's `strip` takes them for white space at an end. */
const NULLS = /^\0+|\0+$/g;

/** Python's `str.strip`, which forms of Django apply. An empty text is no filter. */
function stripped(text: string): string {
  const bare = text.replace(new RegExp(`^[${PYTHON_SPACE}]+|[${PYTHON_SPACE}]+$`, 'g'), '');
  if (bare === '') throw new Error('no filter');
  return bare;
}

function readDjango(query: URLSearchParams): readonly ReadCondition[] {
  const lookups: Readonly<Record<string, string>> = {
    ...{ gte: 'ge', lte: 'le', gt: 'gt', lt: 'lt', in: 'in', range: 'between', isnull: 'isNull' },
    ...{ contains: 'contains', startswith: 'startsWith', endswith: 'endsWith', icontains: 'like' },
  };
  return [...query].map(([param, text]) => {
    const [name = '', lookup] = param.split('__');
    const operator = lookup === undefined ? 'eq' : (lookups[lookup] as string);
    const isList = operator === 'in' || operator === 'between';
    return condition(name, operator, ...(isList ? text.split(',') : [text]).map(stripped));
  });
}

function readRansack(escapes: boolean): QueryReader['read'] {
  const predicates: Readonly<Record<string, string>> = {
    ...{ eq: 'eq', not_eq: 'ne', lt: 'lt', lteq: 'le', gt: 'gt', gteq: 'ge', in: 'in', not_in: 'nin' },
    ...{ cont: 'contains', start: 'startsWith', end: 'endsWith', i_cont: 'like', null: 'isNull', not_null: 'notNull' },
  };
  return (query) => {
    const found = new Map<string, ReadCondition>();
    for (const [param, text] of query) {
      const [, name = '', predicate = ''] = /^q\[([a-z]+)_(\w+)\](?:\[\])?$/.exec(param) ?? [];
      const operator = predicates[predicate] as string;
      if (operator === 'isNull' || operator === 'notNull') {
        found.set(param, condition(name, 'isNull', operator === 'isNull'));
        continue;
      }
      const bare = stripped(text.replace(NULLS, ' '));
      const value = TEXTS.includes(operator) && !escapes ? likeText(bare) : bare;
      found.set(param, condition(name, operator, ...(found.get(param)?.values ?? []), value));
    }
    return [...found.values()];
  };
}

/** `TrimStrings`, `ConvertEmptyStringsToNull` and spatie's query builder. */
function readLaravel(kinds: Readonly<Record<string, string>>): QueryReader['read'] {
  const invisible =
    '\\s\\p{Cc}\\u{AD}\\u{34F}\\u{61C}\\u{115F}\\u{1160}\\u{17B4}\\u{17B5}\\u{180E}\\u{200B}-\\u{200F}\\u{2060}-\\u{2065}\\u{206A}-\\u{206F}\\u{2800}\\u{3164}\\u{FEFF}\\u{FFA0}\\u{1D159}\\u{1D173}-\\u{1D17A}\\u{E0020}';
  const ends = new RegExp(`^[${invisible}]+|[${invisible}]+$`, 'gu');
  return (query) =>
    [...query].map(([param, text]) => {
      const name = param.slice('filter['.length, -1);
      const bare = text.replace(ends, '');
      if (bare === '') throw new Error('no filter');
      const values = bare.split(',').map((each) => (each === 'true' || each === 'false' ? `(flag) ${each}` : each));
      if (kinds[name] === 'partial') return condition(name, 'like', ...values);
      if (kinds[name] !== 'dynamic') return condition(name, 'in', ...values);
      if (values.length !== 1) throw new Error('several conditions');
      const signs = { '=': 'eq', '<>': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };
      const [operator, value] = behindSign(values[0] as string, signs);
      return condition(name, operator, /^(true|false)$/.test(value) ? `(flag) ${value}` : value);
    });
}

/** Redmine looks for an operator at the start of any line, the longest first. */
function readRedmine(query: URLSearchParams): readonly ReadCondition[] {
  const signs: Readonly<Record<string, string>> = {
    ...{ '>=': 'ge', '<=': 'le', '><': 'between', '!~': 'not like', '!*': 'isNull', '~': 'like', '^': 'startsWith' },
    ...{ $: 'endsWith', '!': 'nin', '*': 'notNull', '=': 'in' },
  };
  return [...query]
    .filter(([name]) => !/^(offset|limit|sort)$/.test(name))
    .map(([name, text]) => {
      let operator = 'in';
      let value = text;
      for (const sign of Object.keys(signs)) {
        const [, rest] = new RegExp(`(?:^|\\n)${sign.replace(/[$^*]/g, '\\$&')}([^\\n]*)`).exec(text) ?? [];
        if (rest === undefined) continue;
        [operator, value] = [signs[sign] as string, rest];
        break;
      }
      if (operator === 'isNull' || operator === 'notNull') return condition(name, 'isNull', operator === 'isNull');
      if (operator !== 'like') return condition(name, operator, ...value.split('|'));
      const tokens = [...value.matchAll(/(?:\s|^)"[^"]+"(?:\s|$)|\S+/g)].map(([each]) =>
        each.replace(/(^\s*"\s*|\s*"\s*$)/g, ''),
      );
      if (tokens.length !== 1) throw new Error(`${tokens.length} words: ${value}`);
      return condition(name, 'contains', tokens[0]);
    });
}

/** Reads expressions of conditions that are joined by one word, with the grammar of one condition. */
function readJoined(text: string, word: RegExp, one: (rest: string) => [ReadCondition, string]): ReadCondition[] {
  const found: ReadCondition[] = [];
  let rest = text;
  while (rest !== '') {
    const [read, behind] = one(rest);
    found.push(read);
    if (behind === '') break;
    const [joined] = word.exec(behind) ?? [];
    if (joined === undefined) throw new Error(`no end: ${behind}`);
    rest = behind.slice(joined.length);
  }
  return found;
}

const ODATA_TEXT = "'(?:[^']|'')*'(?!')";
const unquoted = (literal: string) => (literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : literal);

function readODataCondition(text: string): [ReadCondition, string] {
  const [group = ''] = new RegExp(`^\\((?:${ODATA_TEXT}|[^()'])*\\)`).exec(text) ?? [];
  if (group !== '') {
    const isOr = new RegExp(`^\\((?:${ODATA_TEXT}|[^()'])*? or `).test(group);
    const parts = readJoined(group.slice(1, -1), isOr ? /^ or / : /^ and /, readODataCondition);
    const values = parts.flatMap((each) => each.values);
    const [first] = parts as [ReadCondition];
    if (isOr) return [condition(first.property, 'in', ...values), text.slice(group.length)];
    const isRange = first.operator === 'ge';
    return [condition(first.property, isRange ? 'between' : 'nin', ...values), text.slice(group.length)];
  }
  const call = new RegExp(`^(contains|startswith|endswith)\\((\\w+),(${ODATA_TEXT})\\)`).exec(text);
  const lower = new RegExp(`^contains\\(tolower\\((\\w+)\\),tolower\\((${ODATA_TEXT})\\)\\)`).exec(text);
  const compared = new RegExp(`^(\\w+) (eq|ne|lt|le|gt|ge) (${ODATA_TEXT}|[\\w.:+-]+)`).exec(text);
  if (lower) return [condition(lower[1] as string, 'like', unquoted(lower[2] as string)), text.slice(lower[0].length)];
  if (call) {
    const operator = { contains: 'contains', startswith: 'startsWith', endswith: 'endsWith' }[
      call[1] as string
    ] as string;
    return [condition(call[2] as string, operator, unquoted(call[3] as string)), text.slice(call[0].length)];
  }
  if (!compared) throw new Error(`no condition: ${text}`);
  const [all, name = '', operator = '', literal = ''] = compared;
  return [condition(name, operator, literal === 'null' ? null : unquoted(literal)), text.slice(all.length)];
}

/** The quoted text that another text begins with. */
function quotedAtStart(text: string): string | undefined {
  for (let end = text.indexOf("'", 1); end > 0; end = text.indexOf("'", end + 1))
    if (text[end - 1] !== '\\') return text.slice(0, end + 1);
  return undefined;
}

/** The scanner of PocketBase: a text ends at a quote that no backslash precedes. */
function readPocketbaseCondition(text: string): [ReadCondition, string] {
  const [head = '', name = '', sign = ''] = /^(\w+)(!=|<=|>=|=|<|>|~)/.exec(text) ?? [];
  if (head === '') throw new Error(`no condition: ${text}`);
  const rest = text.slice(head.length);
  const literal = rest.startsWith("'") ? quotedAtStart(rest) : /^[\w.+-]*/.exec(rest)?.[0];
  if (literal === undefined) throw new Error(`no closing quote: ${text}`);
  const bare = literal === 'null' ? null : literal;
  const value = literal.startsWith("'") ? literal.slice(1, -1).replaceAll("\\'", "'") : bare;
  const signs = { '=': 'eq', '!=': 'ne', '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '~': 'like' };
  const operator = signs[sign as keyof typeof signs];
  return [
    condition(name, operator, operator === 'like' ? autoescaped(String(value)) : value),
    rest.slice(literal.length),
  ];
}

/** Reads terms up to a closing bracket: conditions that must all hold. Those of which one must hold are a list. */
function readPocketbaseGroup(text: string): [readonly ReadCondition[], string] {
  const parts: ReadCondition[] = [];
  let rest = text;
  let joint = '';
  for (;;) {
    const isGroup = rest.startsWith('(');
    const [read, behind] = isGroup ? readPocketbaseGroup(rest.slice(1)) : readPocketbaseCondition(rest);
    if (isGroup && !behind.startsWith(')')) throw new Error(`no closing bracket: ${text}`);
    parts.push(...[read].flat());
    rest = isGroup ? behind.slice(1) : behind;
    const [next = ''] = /^ (?:&&|\|\|) /.exec(rest) ?? [];
    if (next === '') break;
    if (joint !== '' && joint !== next) throw new Error(`two joints: ${text}`);
    joint = next;
    rest = rest.slice(next.length);
  }
  const [first] = parts as [ReadCondition];
  const isOr = joint === ' || ';
  return [isOr ? [condition(first.property, 'in', ...parts.flatMap((each) => each.values))] : parts, rest];
}

function readPocketbase(query: URLSearchParams): readonly ReadCondition[] {
  const text = query.get('filter') ?? '';
  const [read, rest] = text === '' ? [[], ''] : readPocketbaseGroup(text);
  if (rest !== '') throw new Error(`no end: ${rest}`);
  return read;
}

/** `wrapLikeParams` and `escapeUnescapedChars` of PocketBase, then LIKE. */
function autoescaped(text: string): string {
  if (text.includes('%')) throw new Error(`a pattern: ${text}`);
  const characters = [...text];
  const escaped: string[] = [];
  let wants = false;
  for (let at = characters.length - 1; at >= 0; at -= 1) {
    const each = characters[at] as string;
    if (wants) {
      if (each !== '\\') escaped.unshift('\\');
      wants = false;
    } else wants = ['\\', '%', '_'].includes(each);
    escaped.unshift(each);
    if (at === 0 && wants) escaped.unshift('\\');
  }
  return likeText(escaped.join(''));
}

function readPostgrest(query: URLSearchParams): readonly ReadCondition[] {
  const operators: Readonly<Record<string, string>> = {
    eq: 'eq',
    neq: 'ne',
    lt: 'lt',
    lte: 'le',
    gt: 'gt',
    gte: 'ge',
    in: 'in',
    like: 'like',
    ilike: 'ilike',
    is: 'is',
  };
  return [...query].map(([name, given]) => {
    const isNegated = given.startsWith('not.');
    const [, sign = '', text = ''] = /^(\w+)\.([\s\S]*)$/.exec(isNegated ? given.slice(4) : given) ?? [];
    const operator = operators[sign];
    if (operator === undefined) throw new Error(`no operator: ${given}`);
    if (operator === 'is') return condition(name, 'isNull', !isNegated);
    if (operator === 'in') {
      if (!/^\((?:"(?:[^"\\]|\\[\s\S])*"|[^",()]*)(?:,(?:"(?:[^"\\]|\\[\s\S])*"|[^",()]*))*\)$/.test(text))
        throw new Error(`no list: ${text}`);
      const items = [...text.slice(1, -1).matchAll(/"((?:[^"\\]|\\[\s\S])*)"|([^",]+)/g)];
      return condition(
        name,
        isNegated ? 'nin' : 'in',
        ...items.map(([, quoted, bare]) => bare ?? (quoted as string).replace(/\\([\s\S])/g, '$1')),
      );
    }
    if (!sign.endsWith('like')) return condition(name, isNegated ? 'nin' : operator, text);
    const pattern = text.replaceAll('*', '%');
    const [from, to] = [/^%/.test(pattern), /(?:^|[^\\])(?:\\\\)*%$/.test(pattern) && pattern.length > 1];
    const inner = likeText(pattern.slice(from ? 1 : 0, to ? -1 : undefined));
    return condition(
      name,
      operator === 'ilike' ? 'like' : from && to ? 'contains' : from ? 'endsWith' : 'startsWith',
      inner,
    );
  });
}

function readOldJsonServer(query: URLSearchParams): readonly ReadCondition[] {
  const found = new Map<string, ReadCondition>();
  for (const [param, text] of query) {
    const [, name = '', suffix = ''] = /^(\w+?)(?:_(gte|lte|ne|like))?$/.exec(param) ?? [];
    const operator = { gte: 'ge', lte: 'le', ne: 'nin', like: 'like', '': 'in' }[suffix] as string;
    const value = operator === 'like' ? literalOf(text) : text;
    found.set(param, condition(name, operator, ...(found.get(param)?.values ?? []), value));
  }
  return [...found.values()];
}

/** The text that a regular expression without any special character finds. */
function literalOf(pattern: string): string {
  return pattern.replace(/\\([\s\S])|[\\^$.*+?()[\]{}|]/g, (part, escaped?: string) => {
    if (escaped === undefined) throw new Error(`${part} is special in ${pattern}`);
    return escaped;
  });
}

function readSimpleSuffix(query: URLSearchParams): readonly ReadCondition[] {
  return [...query].map(([param, text]) => {
    if (text === '') throw new Error('no filter');
    const [, name = '', suffix = ''] = /^(\w+?)(?:_(gte|lte|gt|lt|ne))?$/.exec(param) ?? [];
    return condition(name, { gte: 'ge', lte: 'le', gt: 'gt', lt: 'lt', ne: 'ne', '': 'eq' }[suffix] as string, text);
  });
}

const lookups = [
  'gte',
  'lte',
  'gt',
  'lt',
  'in',
  'range',
  'isnull',
  'contains',
  'startswith',
  'endswith',
  'icontains',
] as const;
const postgrestReader = {
  operators: [...COMPARISONS, ...LISTS, ...TEXTS, 'isNull'],
  finds: MARKS,
  read: readPostgrest,
};

export const serverReaders: readonly QueryReader[] = [
  {
    name: 'django',
    dialect: django({ lookups }),
    operators: ['eq', 'lt', 'le', 'gt', 'ge', 'in', 'between', 'isNull', ...TEXTS],
    finds: MARKS,
    read: readDjango,
  },
  ...[true, false].map((escapesWildcards) => ({
    name: escapesWildcards ? 'rails with PostgreSQL' : 'rails',
    dialect: rails({ ransack: true, escapesWildcards }),
    operators: [...COMPARISONS, ...LISTS, ...TEXTS, 'isNull'],
    finds: MARKS,
    read: readRansack(escapesWildcards),
  })),
  {
    name: 'laravel',
    dialect: laravel(),
    operators: ['eq', 'in'],
    finds: ["O'Brien", '5%', '"'],
    flags: ['(flag) true', '(flag) false'],
    read: readLaravel({}),
  },
  {
    name: 'laravel with other filters',
    dialect: laravel({ filters: { city: 'dynamic', name: 'partial' } }),
    operators: [...COMPARISONS, 'like'],
    flags: ['(flag) true', '(flag) false'],
    read: readLaravel({ city: 'dynamic', name: 'partial' }),
  },
  {
    name: 'redmine',
    dialect: redmine({ record: 'issue' }),
    operators: [...COMPARISONS.filter((each) => /^[enlg][qe]$/.test(each)), ...LISTS, ...TEXTS, 'between', 'isNull'],
    fields: ['cf_1', 'subject'],
    finds: ["O'Brien", 'a,b', '5%'],
    flags: ['1', '0'],
    read: readRedmine,
  },
  {
    name: 'springData',
    dialect: springData({ querydsl: true }),
    operators: ['eq', 'in'],
    finds: MARKS,
    read: repeatedNames,
  },
  { name: 'linkHeader', dialect: linkHeader(), operators: ['eq'], finds: MARKS, read: repeatedNames },
  {
    name: 'jsonApi',
    dialect: jsonApi(),
    operators: ['eq', 'in'],
    finds: ["O'Brien", '5%'],
    read: (query) =>
      [...query].map(([param, text]) => condition(param.slice('filter['.length, -1), 'in', ...text.split(','))),
  },
  {
    name: 'json-server 0.17',
    dialect: jsonServer({ version: '0.17' }),
    operators: ['eq', 'ne', 'le', 'ge', 'in', 'nin', 'like'],
    finds: MARKS,
    read: readOldJsonServer,
  },
  {
    name: 'json-server 1.0.0-beta.3',
    dialect: jsonServer({ version: '1.0.0-beta.3' }),
    operators: ['eq', 'ne'],
    finds: MARKS,
    read: readSimpleSuffix,
  },
  {
    name: 'odata4',
    dialect: odata4({ count: false }),
    operators: [...COMPARISONS, ...LISTS, ...TEXTS, 'between'],
    finds: MARKS,
    read: (query) => readJoined(query.get('$filter') ?? '', /^ and /, readODataCondition),
  },
  {
    name: 'pocketbase',
    dialect: pocketbase(),
    operators: [...COMPARISONS, ...LISTS, 'like', 'between'],
    finds: MARKS,
    read: readPocketbase,
  },
  { name: 'postgrest', dialect: postgrest(), ...postgrestReader },
  { name: 'supabase', dialect: supabase({ url: 'http://a.test', key: 'key' }), ...postgrestReader },
  {
    name: 'ext6',
    dialect: ext6(),
    operators: [...COMPARISONS, ...LISTS, 'like', 'between'],
    finds: MARKS,
    read: (query) =>
      (JSON.parse(query.get('filter') ?? '[]') as { property: string; operator?: string; value: unknown }[]).map(
        ({ property, operator = 'eq', value }) => condition(property, operator, ...[value].flat()),
      ),
  },
];
