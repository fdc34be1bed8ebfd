import { runInNewContext } from 'node:vm';
import {
  DefinitionError,
  type FilterEncoder,
  type FilterTemplates,
  filterTemplates,
  jsonFilter,
  Operation,
  plain,
  RestProxy,
  UnsupportedQueryError,
} from 'repose';
import { describe, expect, test } from 'vitest';

type Forms = FilterTemplates;
type Condition = readonly [operator: string, value: unknown];

const isEncoder = (filter: Forms | FilterEncoder): filter is FilterEncoder => 'filter' in filter;

/** The query of conditions on the field `city`, decoded. Throws what the proxy throws. */
function sent(filter: Forms | FilterEncoder, ...conditions: readonly Condition[]): string {
  const proxy = new RestProxy({
    url: '/x',
    baseUrl: 'http://h.test',
    dialect: plain({ filter: isEncoder(filter) ? filter : filterTemplates(filter) }),
  });
  const filters = conditions.map(([operator, value]) => ({ property: 'city', operator, value }));
  const { url } = proxy.buildRequest(new Operation({ action: 'read', filters }));
  return decodeURIComponent(new URL(url as string, 'http://h.test').search).slice(1);
}

function refused(part: string | RegExp, filter: Forms, ...conditions: readonly Condition[]): void {
  expect(() => sent(filter, ...conditions)).toThrow(UnsupportedQueryError);
  expect(() => sent(filter, ...conditions)).toThrow(part);
}

const QUOTED: Forms = { eq: "where={name} = '{value}'" };
const RANGE: Forms = { eq: '{name}', ge: '{name}=ge:{value}', le: '{name}=le:{value}' };

describe('a value that a template would turn into grammar is refused, and the error names the character', () => {
  test.each<[what: string, part: string, Forms, string, unknown]>([
    ['closes the quotes', `the character '''`, QUOTED, 'eq', "x' or '1'='1"],
    ['hides the closing quote', `the character '\\'`, QUOTED, 'eq', 'x\\'],
    ['closes the parenthesis', `the character ')'`, { eq: 'filter=eq({name},{value})' }, 'eq', 'a),ne(city,b'],
    ['adds an argument', `the character ','`, { eq: 'filter=eq({name},{value})' }, 'eq', 'a,b'],
    ['adds a part', `the text '||'`, { eq: 'filter={name}||$eq||{value}' }, 'eq', 'a||b'],
    ['is a list for `in`', `the character ','`, { eq: '{name}=!{value}', in: '{name}=!{values}' }, 'eq', 'a,b'],
    ['is a list for `nin`', `the character ','`, { ne: '{name}=!{value}', nin: '{name}=!{values}' }, 'ne', 'a,b'],
    ['is a list of one', `the text 'in:5'`, { eq: '{name}', in: '{name}=in:{values}' }, 'eq', 'in:5'],
    ['is a range', `the text 'a..z'`, { eq: '{name}', between: '{name}={from}..{to}' }, 'eq', 'a..z'],
    ['is a start', `the character '*'`, { eq: '{name}', startsWith: '{name}={value}*' }, 'eq', 'a*'],
    ['is a pattern', `the character '*'`, { eq: '{name}', startsWith: '{name}={value}*' }, 'eq', 'a*b'],
    ['holds a wildcard', `the character '*'`, { like: '{name}=*{value}*' }, 'like', 'a*b'],
    ['holds a wildcard at the end', `the character '*'`, { endsWith: '{name}=*{value}' }, 'endsWith', 'a*b'],
    ['holds a wildcard of LIKE', `the character '_'`, { contains: '{name}=%{value}%' }, 'contains', 'a_b'],
    ['is null', `the text 'null'`, { eq: '{name}', values: { null: 'null' } }, 'eq', 'null'],
    ['is null in a list', `the text 'null'`, { in: '{name}', values: { null: 'null' } }, 'in', ['a', 'null']],
    ['is a test', `the text 'exists'`, { eq: '{name}', notNull: '{name}=exists' }, 'eq', 'exists'],
    ['is the empty text of another form', 'the empty text', { eq: '{name}', isNull: '{name}=' }, 'eq', ''],
    ['is an empty list', `the items ''`, { in: '{name}__in={values}' }, 'in', ['']],
    ['is a condition more', `the character ';'`, { ...RANGE, join: ';' }, 'eq', 'a;le:3'],
    ['holds a refused character', 'the character U+000A', { eq: '{name}', refuse: { all: /[\r\n]/ } }, 'eq', 'a\nb'],
    ['is invisible', 'the character U+200B', { eq: '{name}', refuse: { eq: /\u200b/ } }, 'eq', '\u200b'],
  ])('%s', (_, part, filter, operator, value) => {
    refused(part, filter, [operator, value]);
  });

  test('also the value of a template that is a function', () => {
    const filter: Forms = { like: (name, value) => ({ [name]: `~${value}` }), refuse: { like: /~/ } };
    refused(`the character '~' in a value of 'city' with \`like\``, filter, ['like', 'a~b']);
    expect(sent(filter, ['like', 'a'])).toBe('city=~a');
  });
});

describe('ordinary values pass', () => {
  test.each<[Forms, string, unknown, string]>([
    [QUOTED, 'eq', 'São Paulo (old), 5%', "where=city = 'São Paulo (old), 5%'"],
    [
      { eq: 'where={name} is {value}', ge: 'where={name} from {value}' },
      'eq',
      'far from here is 5',
      'where=city is far from here is 5',
    ],
    [RANGE, 'ge', '10:30', 'city=ge:10:30'],
    [RANGE, 'eq', "O'Brien", "city=O'Brien"],
    [{ like: '{name}=*{value}*' }, 'like', '50 %', 'city=*50 %*'],
    [{ in: '{name}=in.({values})' }, 'in', [1.5, 2], 'city=in.(1.5,2)'],
    [{ between: '{name}={from}..{to}' }, 'between', [1.5, 2], 'city=1.5..2'],
    [{ eq: '{name}=eq.{value}', like: '{name}=like.*{value}*' }, 'eq', 'a*b', 'city=eq.a*b'],
    [{ eq: '{name}', in: '{name}' }, 'eq', 'a,b', 'city=a,b'],
    [{ eq: '{name}', like: '{name}_like', values: { null: 'null' } }, 'like', 'null', 'city_like=null'],
  ])('%o with %s', (filter, operator, value, expected) => {
    expect(sent(filter, [operator, value])).toBe(expected);
  });
});

describe('the operator exists', () => {
  test.each<[Forms, unknown, string]>([
    [{ eq: '{name}', exists: '{name}=exists' }, true, 'city=exists'],
    [{ eq: '{name}', exists: '{name}=exists' }, undefined, 'city=exists'],
    [{ exists: '{name}[exists]={value}' }, true, 'city[exists]=true'],
    [{ exists: '{name}[exists]={value}' }, false, 'city[exists]=false'],
  ])('%o with %s', (filter, value, expected) => {
    expect(sent(filter, ['exists', value])).toBe(expected);
  });

  test('is refused where a template has no place for its opposite', () => {
    refused("a missing 'city'", { exists: '{name}=exists' }, ['exists', false]);
  });

  test('is a name of jsonFilter', () => {
    const filter = jsonFilter({ eq: '', exists: '$exists' });
    expect(sent(filter, ['exists', false])).toBe('filter={"city":{"$exists":false}}');
  });

  test('is refused as the value of another operator', () => {
    refused("the text 'exists'", { eq: '{name}', exists: '{name}=exists' }, ['eq', 'exists']);
  });
});

describe('filter.escape', () => {
  test.each<[Forms, string, unknown, string]>([
    [
      { ...QUOTED, escape: { all: { "'": "''", '\\': '\\\\' } } },
      'eq',
      "x' or '1'='1\\",
      "where=city = 'x'' or ''1''=''1\\\\'",
    ],
    [{ in: '{name}={values}', eq: '{name}', escape: { all: { ',': '\\,' } } }, 'in', ['a,b', 'c'], 'city=a\\,b,c'],
    [{ in: '{name}={values}', eq: '{name}', escape: { all: { ',': '\\,' } } }, 'eq', 'a,b', 'city=a\\,b'],
    [
      { eq: '{name}', like: '{name}~=%{value}%', escape: { like: { '%': '\\%', _: '\\_', '\\': '\\\\' } } },
      'like',
      '5%_\\',
      'city~=%5\\%\\_\\\\%',
    ],
    // A character that stands for itself.
    [{ eq: 'q={name}:{value}', escape: { all: { ':': ':' } } }, 'eq', '10:30', 'q=city:10:30'],
  ])('%o with %s', (filter, operator, value, expected) => {
    expect(sent(filter, [operator, value])).toBe(expected);
  });

  test('holds for the operators that it names', () => {
    const filter: Forms = { eq: '{name}', contains: '{name}_like', escape: { contains: { '%': '\\%' } } };
    expect(sent(filter, ['eq', '5%'])).toBe('city=5%');
    expect(sent(filter, ['contains', '5%'])).toBe('city_like=5\\%');
  });
});

describe('two conditions under one parameter', () => {
  const ends: readonly Condition[] = [
    ['ge', 18],
    ['le', 30],
  ];

  test('are refused, also as the two ends of a range', () => {
    refused("two parameters named 'city'", RANGE, ...ends);
    refused("two parameters named 'city'", RANGE, ['between', [18, 30]]);
  });

  test('are sent under a repeated name with `repeat`', () => {
    expect(sent({ ...RANGE, repeat: true }, ...ends)).toBe('city=ge:18&city=le:30');
    expect(sent({ ...RANGE, repeat: true }, ['between', [18, 30]])).toBe('city=ge:18&city=le:30');
  });

  test('are joined with `join`', () => {
    expect(sent({ ...RANGE, join: ',' }, ...ends)).toBe('city=ge:18,le:30');
    expect(sent({ ...RANGE, join: ',' }, ['between', [18, 30]])).toBe('city=ge:18,le:30');
    expect(sent({ ...QUOTED, join: ' and ' }, ['eq', 'you and me'], ['eq', 'b'])).toBe(
      "where=city = 'you and me' and city = 'b'",
    );
  });

  test('are refused if the server would find the join elsewhere', () => {
    refused(
      "two parameters named 'where'",
      { eq: 'where={name} is {value}', join: ' and ' },
      ['eq', 'x and'],
      ['eq', 'y'],
    );
  });

  test('are refused with `repeat` if the server would read them as a list', () => {
    refused('two parameters', { eq: '{name}', in: '{name}', repeat: true }, ['eq', 'a'], ['eq', 'b']);
  });
});

test.each<[unknown, RegExp]>([
  [{ escape: { "'": "''" } }, /plain.filter.escape/],
  [{ escape: { all: { '': 'x' } } }, /plain.filter.escape/],
  [{ refuse: /x/ }, /plain.filter.refuse/],
  [{ refuse: { all: /x/y } }, /plain.filter.refuse/],
  [{ join: '' }, /plain.filter.join/],
  [{ join: ',', repeat: true }, /plain.filter.join/],
])('%o is refused as an option', (filter, message) => {
  expect(() => filterTemplates(filter as Forms)).toThrow(DefinitionError);
  expect(() => filterTemplates(filter as Forms)).toThrow(message);
});

describe('a value with a JSON form of its own', () => {
  const filter = jsonFilter({ eq: '', ge: '$ge' });
  const query = (operator: string, value: unknown) => {
    const dialect = plain({ filterParam: 's', filter });
    const proxy = new RestProxy({ url: '/x', baseUrl: 'http://h.test', dialect });
    const filters = [{ property: 'city', operator, value }];
    return decodeURIComponent(proxy.buildRequest(new Operation({ action: 'read', filters })).url as string);
  };
  const answering = (json: unknown) => ({ value: 1, toJSON: () => json });
  class Condition {
    $ne = null;
  }

  test.each([
    ['an instance of a class', new Condition()],
    ['an object of another realm', runInNewContext('({ $ne: null })')],
    ['a list of another realm', runInNewContext('[1]')],
    ['an instance whose `toJSON` gives an object', Object.assign(new Map(), answering({ $ne: null }))],
  ])('is no condition where the value stands alone: %s', (_, value) => {
    expect(() => query('eq', value)).toThrow(UnsupportedQueryError);
  });

  test('is sent if it is a text or a number', () => {
    expect(query('eq', Object.assign(new Map(), answering('1.5')))).toContain('{"city":"1.5"}');
    expect(query('eq', new Date(0))).toContain('{"city":"1970-01-01T00:00:00.000Z"}');
  });

  test('is refused if it is undefined, as the condition would be lost', () => {
    const value = Object.assign(new Map(), answering(undefined));
    for (const operator of ['eq', 'ge']) expect(() => query(operator, value)).toThrow('returns undefined');
    expect(() => sent({ eq: '{name}' }, ['eq', value])).toThrow('returns undefined');
  });
});
