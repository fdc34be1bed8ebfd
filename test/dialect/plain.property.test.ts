import fc from 'fast-check';
import {
  type FilterTemplates,
  filterTemplates,
  isDataError,
  Operation,
  type OperationConfig,
  type PlainOptions,
  plain,
  RestProxy,
} from 'repose';
import { describe, expect, test } from 'vitest';

/** A condition as a server would read it: all values are texts. */
type Read = readonly [name: string, operator: string, values: readonly string[]];

/** Forms of filters by which servers can tell operators and values apart. */
const filterForms: readonly FilterTemplates[] = [
  { eq: '{name}', in: '{name}[]', ge: '{name}__gte', le: '{name}__lte', isNull: '{name}__isnull={value}' },
  { eq: '{name}', ge: '{name}=ge:{value}', le: '{name}=le:{value}', in: '{name}=in:{values}' },
  {
    eq: '{name}=eq.{value}',
    ge: '{name}=gte.{value}',
    in: '{name}=in.({values})',
    isNull: '{name}=is.null',
    repeat: true,
  },
  {
    eq: 'filter={name}||$eq||{value}',
    ge: 'filter={name}||$gte||{value}',
    in: 'filter={name}||$in||{values}',
    isNull: 'filter={name}||$isnull',
  },
  {
    eq: 'f[{name}][$eq]',
    ge: 'f[{name}][$gte]',
    in: 'f[{name}][$in][{index}]',
    between: 'f[{name}][$between]={from}..{to}',
  },
];
const sortForms: readonly NonNullable<PlainOptions['sort']>[] = [
  {},
  { asc: '{name}:asc', desc: '{name}:desc' },
  { asc: '{name},ASC', desc: '{name},DESC', several: 'repeat' },
  { asc: '$sort[{name}]=1', desc: '$sort[{name}]=-1' },
  { asc: 'sort[{index}]={name} asc', desc: 'sort[{index}]={name} desc' },
];
const pageForms: readonly (string | undefined)[] = [
  undefined,
  'page[number]={page}&page[size]={limit}',
  'p={pageIndex}&size={limit}',
  'from={start}&to={end}',
];

const names = ['a', 'b', 'c'];
const values = fc.oneof(
  fc.constantFrom(
    '',
    'ge:5',
    'in:1',
    ',',
    'x,y',
    'a)',
    '..',
    '$',
    '{name}',
    '||',
    '%',
    '&=',
    'eq.1',
    'ß',
    null,
    true,
    0,
  ),
  fc.string({ maxLength: 4 }),
  fc.integer(),
);
const filters = fc.array(
  fc.oneof(
    fc.record({ property: fc.constantFrom(...names), operator: fc.constantFrom('eq', 'ge', 'le'), value: values }),
    fc.record({
      property: fc.constantFrom(...names),
      operator: fc.constant('in'),
      value: fc.array(values, { maxLength: 3 }),
    }),
    fc.record({
      property: fc.constantFrom(...names),
      operator: fc.constant('between'),
      value: fc.tuple(values, values),
    }),
    fc.record({ property: fc.constantFrom(...names), operator: fc.constant('isNull'), value: fc.boolean() }),
  ),
  { maxLength: 3 },
);
const sorters = fc.uniqueArray(
  fc.record({ property: fc.constantFrom(...names), direction: fc.constantFrom('ASC' as const, 'DESC' as const) }),
  { selector: (each) => each.property, maxLength: 3 },
);

/** The query of a read; undefined if it is refused. */
function sent(options: PlainOptions, operation: Partial<OperationConfig>): URLSearchParams | undefined {
  const proxy = new RestProxy({ url: '/x', baseUrl: 'http://h.test', dialect: plain(options) });
  try {
    return new URL(proxy.buildRequest(new Operation({ action: 'read', ...operation })).url as string, 'http://h.test')
      .searchParams;
  } catch (error) {
    expect(isDataError(error) && error.code).toBe('unsupported-query');
    return undefined;
  }
}

/** The regular expression of a form; `{values}` and `{value}` are read up to the literal text behind them. */
function patternOf(form: string): RegExp {
  const escaped = form.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{name\}/g, '(?<name>[abc])').replace(/\{(\w+)\}/g, '(?<$1>[\\s\\S]*?)')}$`);
}

/** Reads filters as a server does that knows the forms: the form with the longest text before the value wins. */
function readFilters(query: URLSearchParams, forms: Record<string, unknown>): Read[] {
  const known = Object.entries(forms)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .map(([operator, form]) => [operator, form.includes('=') ? form : `${form}={value}`] as const)
    .sort(([, a], [, b]) => b.replace(/\{value.*/, '').length - a.replace(/\{value.*/, '').length);
  const lists = new Map<string, Read>();
  const read: Read[] = [];
  for (const [param, value] of query) {
    const found = known
      .map(([operator, form]) => ({ operator, form, match: patternOf(form).exec(`${param}=${value}`)?.groups }))
      .find(({ match }) => match);
    if (!found?.match) throw new Error(`no form reads ${param}=${value}`);
    const { operator, form, match } = found;
    const name = match['name'] as string;
    if (operator === 'in' && !form.includes('{values}')) {
      const list = lists.get(name);
      if (!list) {
        const made: Read = [name, operator, [match['value'] as string]];
        lists.set(name, made);
        read.push(made);
      } else (list[2] as string[]).push(match['value'] as string);
    } else if (operator === 'in') read.push([name, operator, (match['values'] as string).split(',')]);
    else if (operator === 'between') read.push([name, operator, [match['from'] as string, match['to'] as string]]);
    else if (operator === 'isNull') read.push([name, 'isNull', [match['value'] ?? 'true']]);
    else read.push([name, operator, [match['value'] as string]]);
  }
  return read;
}

/** The conditions of filters, in the words that servers know. */
function meant(
  given: readonly { property: string; operator: string; value: unknown }[],
  forms: Record<string, unknown>,
): Read[] {
  return given.flatMap(({ property, operator, value }): Read[] => {
    if (operator === 'eq' && value === null) return [[property, 'isNull', ['true']]];
    const list = [value].flat().map(String);
    if (operator !== 'between' || forms['between']) return [[property, operator, list]];
    return [
      [property, 'ge', [list[0] as string]],
      [property, 'le', [list[1] as string]],
    ];
  });
}

const sorted = (list: readonly Read[]) => list.map((each) => JSON.stringify(each)).sort();

describe('what plain() sends is read as the same query, or is refused', () => {
  test.each(filterForms.map((filter) => [filter]))('filters by %o', (filter) => {
    let accepted = 0;
    fc.assert(
      fc.property(filters, (given) => {
        const query = sent({ filter: filterTemplates(filter) }, { filters: given });
        if (!query) return;
        accepted += given.length;
        expect(sorted(readFilters(query, filter as Record<string, unknown>))).toEqual(
          sorted(meant(given, filter as Record<string, unknown>)),
        );
      }),
      { numRuns: 400 },
    );
    // The form that refuses most accepts about 60.
    expect(accepted).toBeGreaterThan(10);
  });

  test.each([
    ['.', '5'],
    ['a..b', 'c'],
  ])('refuses the ends %o and %o of a range, which `..` would not separate', (from, to) => {
    const filter = { between: '{name}={from}..{to}' };
    expect(
      sent(
        { filter: filterTemplates(filter) },
        { filters: [{ property: 'a', operator: 'between', value: [from, to] }] },
      ),
    ).toBeUndefined();
    expect(
      sent(
        { filter: filterTemplates(filter) },
        { filters: [{ property: 'a', operator: 'between', value: [1.5, 2] }] },
      )?.get('a'),
    ).toBe('1.5..2');
  });

  test.each(sortForms.map((sort) => [sort]))('sorters by %o', (sort) => {
    const { asc = '{name}', desc = '-{name}' } = sort;
    const read = (text: string) => {
      const [from, name] = [patternOf(desc), patternOf(asc)].map((each) => each.exec(text)?.groups?.['name']);
      return from ? { property: from, direction: 'DESC' } : { property: name, direction: 'ASC' };
    };
    fc.assert(
      fc.property(sorters, (given) => {
        const query = [...(sent({ sort }, { sorters: given }) as URLSearchParams)];
        const isNamed = asc.includes('=');
        const texts = query.flatMap(([param, text]) => {
          if (isNamed) return [`${param.replace(/\[\d\]/, '[{index}]')}=${text}`];
          return sort.several === 'repeat' ? [text] : text.split(',');
        });
        const unindexed = texts.map((text) => read(text) ?? text);
        if (asc.includes('{index}')) expect(query.map(([param]) => param)).toEqual(given.map((_, i) => `sort[${i}]`));
        else expect(unindexed).toEqual(given);
      }),
      { numRuns: 100 },
    );
  });

  test.each(pageForms.map((page) => [page]))('pages by %o', (page) => {
    const window = fc.record({ page: fc.integer({ min: 1, max: 50 }), limit: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(window, fc.boolean(), (given, byStart) => {
        const start = (given.page - 1) * given.limit;
        const asked = byStart ? { start, limit: given.limit } : { ...given, start };
        const query = Object.fromEntries(sent(page === undefined ? {} : { page }, asked) as URLSearchParams);
        const read = {
          number: Number(query['page'] ?? query['page[number]'] ?? Number(query['p'] ?? 'NaN') + 1),
          size: Number(query['limit'] ?? query['page[size]'] ?? query['size']),
        };
        const first = query['from'] === undefined ? (read.number - 1) * read.size : Number(query['from']);
        expect(first).toBe(start);
        expect(query['to'] === undefined ? read.size : Number(query['to']) - first).toBe(given.limit);
      }),
      { numRuns: 100 },
    );
  });
});
