import { AddressError, Operation, RestProxy, UnsupportedQueryError } from 'repose';
import type { Random } from '../../faults/random.js';
import { condition, type QueryReader, type ReadCondition } from './conditions.js';
import { plainReaders } from './plain-readers.js';
import { serverReaders } from './server-readers.js';
import { treeReaders } from './tree-readers.js';

/** All servers whose grammar can be read. */
export const readers: readonly QueryReader[] = [...plainReaders, ...treeReaders, ...serverReaders];

interface Given {
  readonly property: string;
  readonly operator: string;
  readonly value: unknown;
}

/** The query that a dialect makes of conditions, without the parameters of a page; undefined if it refuses them. */
export function queryOf({ dialect }: QueryReader, filters: readonly Given[]): URLSearchParams | undefined {
  const proxy = new RestProxy({ baseUrl: 'http://a.test', url: '/x', dialect, noCache: false });
  try {
    const { url } = proxy.buildRequest(new Operation({ action: 'read', filters }));
    const query = new URL(url as string, 'http://a.test').searchParams;
    // Directus and Redmine get a page in every case.
    for (const name of ['limit', 'offset', 'meta']) query.delete(name);
    return query;
  } catch (error) {
    if (error instanceof UnsupportedQueryError || error instanceof AddressError) return undefined;
    throw error;
  }
}

/** Conditions in one form: a list of one item is an equality; a range, and the opposite of a list, are several conditions. */
function canonical(conditions: readonly ReadCondition[]): readonly string[] {
  return conditions
    .flatMap(({ property, operator, values }) => {
      if (operator === 'between') return [condition(property, 'ge', values[0]), condition(property, 'le', values[1])];
      if (operator === 'nin') return values.map((each) => condition(property, 'ne', each));
      return [{ property, operator: operator === 'in' && values.length === 1 ? 'eq' : operator, values }];
    })
    .map(({ property, operator, values }) => {
      const [first] = values;
      if (first === null && values.length === 1 && /^(eq|ne)$/.test(operator))
        return condition(property, 'isNull', operator === 'eq');
      // Every text holds the empty one, at its start as at its end.
      const isAny = first === '' && /^(contains|startsWith|endsWith|like)$/.test(operator);
      return { property, operator: isAny ? 'contains' : operator, values };
    })
    .map((each) => JSON.stringify(each))
    .sort();
}

/** A description of the difference between the conditions and what a server reads; undefined if there is none, or if they are refused. */
export function differenceOf(reader: QueryReader, filters: readonly Given[]): string | undefined {
  const query = queryOf(reader, filters);
  if (!query) return undefined;
  const [yes, no] = reader.flags ?? ['true', 'false'];
  const sentText = (value: unknown) => (value === true ? yes : value === false ? no : value);
  const meant = canonical(
    filters.map(({ property, operator, value }) => {
      const values = [value].flat();
      return condition(property, operator, ...(operator === 'isNull' ? values : values.map(sentText)));
    }),
  );
  const about = `${reader.name}: ${JSON.stringify(filters)} was sent as ${JSON.stringify(Object.fromEntries(query))}`;
  let read: readonly string[];
  try {
    read = canonical(reader.read(query));
  } catch (error) {
    return `${about}, which is read as: ${(error as Error).message}`;
  }
  // Redmine looks for texts without regard to case, and has one operator for both.
  const told = reader.name === 'redmine' ? meant.map((each) => each.replace('"like"', '"contains"')) : meant;
  return JSON.stringify(read) === JSON.stringify(told.toSorted())
    ? undefined
    : `${about}, which is read as ${read.join()}`;
}

const PIECES: readonly string[] = [
  ...'aZ5,.:;|&=<>!~^$*%_?+-#@/\\\'"`()[]{} üß名',
  ...[
    '\t',
    '\n',
    '\r',
    '\0',
    '\x1c',
    '\x1f',
    '\x85',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200e',
    '\u2028',
    '\u3000',
    '\ufeff',
    '\u{e0020}',
    '\ue000',
    '\u{1f600}',
  ],
  ...[
    'null',
    'NULL',
    'true',
    'false',
    'me',
    'ge:',
    'le:3',
    'in:',
    'eq.',
    'not.',
    'is.null',
    'none',
    'any',
    '..',
    '||',
    '$eq',
    '$ne',
    '_neq',
  ],
  ...[
    ' and ',
    ' or ',
    "' or '1'='1",
    '),ne(city,b',
    "\\'",
    '\\\\',
    '%2C',
    '$NOW',
    '$CURRENT_USER',
    '{name}',
    '{value}',
    '&&',
    '!*',
    '><',
    '>=',
  ],
];
const WHOLE: readonly unknown[] = [
  '',
  'null',
  'NULL',
  'true',
  'false',
  '1',
  '0',
  '-5',
  '007',
  '1e3',
  ' ',
  '\u200b',
  true,
  false,
  0,
  -5,
  1.5,
  12345678901,
  null,
];

function randomText(random: Random): string {
  const length = random.chance(0.002) ? 2000 : random.integer(0, 5);
  return Array.from({ length }, () => random.pick(PIECES)).join('');
}

function randomValue(random: Random): unknown {
  if (random.chance(0.02)) return random.pick<unknown>([{ $ne: null }, { $gt: '' }, { toString: 1 }, ['a'], []]);
  return random.chance(0.15) ? random.pick(WHOLE) : randomText(random);
}

function randomCondition(random: Random, property: string, operators: readonly string[]): Given {
  const operator = random.pick(operators);
  if (operator === 'isNull' || operator === 'exists') return { property, operator, value: random.chance(0.5) };
  const items = (count: number) => Array.from({ length: count }, () => randomValue(random));
  if (operator === 'between') return { property, operator, value: items(2) };
  if (operator === 'in' || operator === 'nin') return { property, operator, value: items(random.integer(1, 3)) };
  return { property, operator, value: randomValue(random) };
}

/** Tries a random query of a random server. Returns a description of what the server would misread. */
export function tryGrammar(random: Random): string | undefined {
  const reader = random.pick(readers);
  const [first, second] = reader.fields ?? ['city', 'name'];
  const properties = random.chance(0.3) ? [first, second] : [random.pick([first, second])];
  return differenceOf(
    reader,
    properties.map((property) => randomCondition(random, property, reader.operators)),
  );
}
