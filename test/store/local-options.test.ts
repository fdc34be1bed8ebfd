import fc from 'fast-check';
import {
  classic,
  decimal,
  type FilterConfig,
  MemoryProxy,
  Model,
  Operation,
  plain,
  RestProxy,
  type SorterConfig,
  Store,
  viewOf,
} from 'repose';
import { postgrest } from 'repose/dialects';
import { groups } from 'repose/groups';
import { describe, expect, test } from 'vitest';
import { useRestServer } from '../helpers/use-rest-server.js';
import { page, shown } from './support.js';

const server = useRestServer();
const LEVELS = ['low', 'high', 'urgent'];

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    level: { type: 'string', allowNull: true, sortType: (level: string) => LEVELS.indexOf(level) },
    price: decimal(),
    due: 'date',
    tags: 'json',
  },
  proxy: server.proxy('/tasks', { reader: { rootProperty: 'rows' } }),
}) {
  get initial() {
    return this.title?.charAt(0);
  }
}

const DATA = [
  { id: 1, title: 'pear', level: 'urgent', price: '10' },
  { id: 2, title: 'Fig', level: null, price: '9' },
  { id: 3, title: 'apple', level: 'low', price: '100' },
  { id: 4, title: 'Äpfel', level: 'high', price: '11' },
  { id: 5, title: 'Apple', level: 'high', price: '2' },
];
const tasks = (config: Partial<ConstructorParameters<typeof Store<Task>>[0]> = {}) =>
  new Store({ model: Task, data: DATA, ...config });
const unsupported = expect.objectContaining({ code: 'unsupported-query' });

describe('transform of a sorter', () => {
  test.each<[string, SorterConfig<Task>, number[]]>([
    [
      'the transformed value',
      { property: 'title', transform: (title: string) => title.length },
      [2, 1, 3, 4, 5].sort(byLength),
    ],
    [
      'downwards',
      { property: 'title', direction: 'DESC', transform: (title: string) => title.length },
      [3, 4, 5, 1, 2],
    ],
    [
      'null first, without calling the function',
      { property: 'level', transform: (level: string) => level.length },
      [2, 3, 4, 5, 1],
    ],
    ["an order other than the field's", { property: 'price', transform: (price: string) => price }, [1, 3, 4, 5, 2]],
    ['a getter', { property: 'initial', transform: (initial: string) => initial.toLowerCase() }, [3, 5, 2, 1, 4]],
  ])('sorts by %s', (_, sorter, expected) => {
    expect(shown(tasks({ sorters: [sorter] }))).toEqual(expected);
    const store = tasks();
    store.sort(sorter);
    expect(shown(store)).toEqual(expected);
  });

  test('moves a record when an edit changes its transformed value', () => {
    const store = tasks({ sorters: [{ property: 'title', transform: (title: string) => -title.length }, 'id'] });
    expect(shown(store)).toEqual([3, 4, 5, 1, 2]);
    (store.getById(2) as Task).title = 'Figs and dates';
    expect(shown(store)).toEqual([2, 3, 4, 5, 1]);
    expect(store.indexOf(store.getById(1) as Task)).toBe(4);
  });

  test('does not change the values that other sorters and filters use', () => {
    const data = Array.from({ length: 200 }, (_, i) => ({ id: i + 1, title: `t${i % 100}` }));
    const store = tasks({ data, sorters: ['title'] });
    const titles = () => store.getRange().map(({ title }) => title);
    const byTitle = titles();
    expect(byTitle.slice(0, 4)).toEqual(['t0', 't0', 't1', 't1']);
    store.sort({ property: 'title', transform: (title: string) => -Number(title.slice(1)) });
    expect(titles().slice(0, 4)).toEqual(['t99', 't99', 't98', 't98']);
    store.sort('title');
    expect(titles()).toEqual(byTitle);
    store.filter({ property: 'title', value: 't7' });
    expect(titles()).toEqual(['t7', 't7']);
  });

  test('receives read-only values', () => {
    const store = tasks({
      data: [
        { id: 1, tags: ['c', 'b'] },
        { id: 2, tags: ['a'] },
      ],
    });
    const transform = (tags: unknown) => (tags as string[]).sort();
    expect(() => store.sort({ property: 'tags', transform })).not.toThrow();
    expect(() => store.getRange()).toThrow(TypeError);
    expect((store.getById(1) as Task).tags).toEqual(['c', 'b']);
  });

  test('that throws makes reads of the store throw, but not edits', () => {
    let broken = false;
    const transform = (title: string) => {
      if (broken) throw new Error('broken');
      return title;
    };
    const store = tasks({ sorters: [{ property: 'title', transform }] });
    expect(store.count).toBe(5);
    broken = true;
    (store.getById(1) as Task).title = 'x';
    expect(() => store.count).toThrow('broken');
    broken = false;
    expect(shown(store)).toEqual([5, 2, 3, 1, 4]);
  });
});

function byLength(a: number, b: number): number {
  const lengthOf = (id: number) => DATA.find((row) => row.id === id)?.title.length as number;
  return lengthOf(a) - lengthOf(b) || a - b;
}

describe('sortType of a field', () => {
  test('is used by every sorter of the field that has no `transform`', () => {
    expect(shown(tasks({ sorters: ['level', 'id'] }))).toEqual([2, 3, 4, 5, 1]);
    const sorter = { property: 'level', transform: (level: string) => level } as const;
    expect(shown(tasks({ sorters: [sorter, 'id'] }))).toEqual([2, 4, 5, 3, 1]);
  });

  test('does not change the order of groups, but sorts within them', () => {
    const by = groups({ by: ['level'] });
    const store = new Store({
      model: Task,
      data: DATA,
      groups: by,
      sorters: [{ property: 'level', direction: 'DESC' }],
    });
    expect(store.groups.groups.map(({ key }) => key)).toEqual([null, 'high', 'low', 'urgent']);
    expect(shown(store)).toEqual([2, 4, 5, 3, 1]);
    (store.getById(3) as Task).level = 'high';
    expect(store.groups.groups.map(({ key, count }) => [key, count])).toEqual([
      [null, 1],
      ['high', 3],
      ['urgent', 1],
    ]);
  });

  test('is not sent to the server', async () => {
    const store = new Store({ model: Task, remoteSort: true, sorters: ['level'] });
    server.reply(page([]));
    await store.load();
    expect(server.last.query.get('sort')).toBe('[{"property":"level","direction":"ASC"}]');
  });

  test('must be a function or the name of an order', () => {
    const fields = { id: 'int', level: { type: 'string', sortType: 'asText' } };
    expect(() => Model.define({ fields: fields as never })).toThrow(
      "`sortType` of the field 'level' must be a function, or 'natural', 'numeric' or 'textCi', not 'asText'",
    );
  });
});

class Part extends Model.define({
  name: 'part',
  fields: {
    id: 'int',
    code: { type: 'string', allowNull: true, sortType: 'natural' },
    label: { type: 'string', allowNull: true },
    size: { type: 'int', allowNull: true },
  },
  proxy: server.proxy('/parts', { reader: { rootProperty: 'rows' } }),
}) {}
const PARTS = [
  { id: 1, code: 'Item 10', label: '10', size: 2 },
  { id: 2, code: 'item 9', label: '9.5', size: null },
  { id: 3, code: 'ITEM 009b', label: 'b', size: 1 },
  { id: 4, code: null, label: null, size: 3 },
  { id: 5, code: 'item', label: 'A', size: null },
];
const parts = (sorter: SorterConfig<Part>, config: object = {}) =>
  shown(new Store({ model: Part, data: PARTS, sorters: [sorter, 'id'], ...config }));

describe('the name of an order', () => {
  test.each<[string, SorterConfig<Part>, number[]]>([
    ['of a field', 'code', [4, 5, 2, 3, 1]],
    ['of a field, downwards', { property: 'code', direction: 'DESC' }, [1, 3, 2, 5, 4]],
    ['natural', { property: 'label', sortType: 'natural' }, [4, 2, 1, 5, 3]],
    ['numeric, in which other texts count as missing', { property: 'label', sortType: 'numeric' }, [3, 4, 5, 2, 1]],
    ['textCi', { property: 'label', sortType: 'textCi' }, [4, 1, 2, 5, 3]],
    ['which is stronger than that of the field', { property: 'code', sortType: 'textCi' }, [4, 5, 3, 1, 2]],
    ['on values that are no texts', { property: 'size', sortType: 'natural' }, [2, 5, 3, 1, 4]],
  ])('sorts: %s', (_, sorter, expected) => {
    expect(parts(sorter)).toEqual(expected);
  });

  test('works with a language', () => {
    expect(parts({ property: 'code', locale: 'de' })).toEqual([4, 5, 2, 3, 1]);
    expect(parts('code', { locale: 'de' })).toEqual([4, 5, 2, 3, 1]);
  });

  test.each([
    ['sortType', 'asText', 'sortType must be one of natural, numeric, textCi, or a `transform`'],
    ['sortType', 'toString', 'sortType must be one of'],
    ['nulls', 'never', "nulls must be first or last, not 'never'"],
  ])('%s: %s is refused', (option, value, text) => {
    expect(() => parts({ property: 'code', [option]: value } as never)).toThrow(text);
  });

  test('is one of several ways to order, of which a sorter has one', () => {
    const both = { property: 'code' as const, sortType: 'textCi' as const, transform: (code: string) => code };
    expect(() => parts(both)).toThrow('a sorter must be ordered by one of');
    expect(() => parts({ sorterFn: () => 0, nulls: 'last' } as never)).toThrow('a sorter must be ordered by one of');
  });

  test('is refused where the server sorts', () => {
    const sorters = [{ property: 'code' as const, sortType: 'natural' as const }];
    expect(() => new Store({ model: Part, remoteSort: true, sorters })).toThrow(unsupported);
    const proxy = new RestProxy({ url: '/parts' });
    const operation = new Operation({ action: 'read', sorters });
    expect(() => proxy.buildRequest(operation)).toThrow('`sortType`');
  });
});

describe('nulls', () => {
  test.each([
    ['ASC', 'first', [2, 5, 3, 1, 4]],
    ['ASC', 'last', [3, 1, 4, 2, 5]],
    ['DESC', 'first', [2, 5, 4, 1, 3]],
    ['DESC', 'last', [4, 1, 3, 2, 5]],
    ['ASC', undefined, [2, 5, 3, 1, 4]],
    ['DESC', undefined, [4, 1, 3, 2, 5]],
  ] as const)('%s, %s', (direction, nulls, expected) => {
    expect(parts({ property: 'size', direction, nulls } as SorterConfig<Part>)).toEqual(expected);
  });

  test('counts a text that is no number as missing', () => {
    expect(parts({ property: 'label', sortType: 'numeric', nulls: 'last' })).toEqual([2, 1, 3, 4, 5]);
  });

  test('gives one order for lists of any length, before and after edits', () => {
    const value = fc.constantFrom(null, 'a2', 'A10', 'b', '7', '');
    const sorter = fc.record({
      property: fc.constantFrom('code' as const, 'label' as const),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
      nulls: fc.constantFrom('first' as const, 'last' as const),
      sortType: fc.constantFrom('natural' as const, 'numeric' as const, 'textCi' as const),
    });
    const rows = fc.array(fc.record({ code: value, label: value }), { minLength: 100, maxLength: 200 });
    fc.assert(
      fc.property(rows, fc.array(sorter, { minLength: 1, maxLength: 2 }), fc.nat(99), value, (given, by, at, edit) => {
        const data = given.map((row, id) => ({ id: id + 1, ...row }));
        const store = new Store({ model: Part, data, sorters: [...by, 'id'] });
        const first = by[0] as (typeof by)[0];
        const isMissing = (part: Part) =>
          part[first.property] === null ||
          (first.sortType === 'numeric' && !/^\d+$/.test(part[first.property] as string));
        const check = () => {
          const missing = store.getRange().map(isMissing);
          const sorted = [...missing].sort((a, b) => (Number(a) - Number(b)) * (first.nulls === 'last' ? 1 : -1));
          expect(missing).toEqual(sorted);
        };
        check();
        (store.getById(at + 1) as Part)[first.property] = edit;
        check();
        const after = store.getRange().map((part) => part.id);
        const fresh = data.map((row) => (row.id === at + 1 ? { ...row, [first.property]: edit } : row));
        expect(after).toEqual(shown(new Store({ model: Part, data: fresh, sorters: [...by, 'id'] })));
      }),
      { numRuns: 60 },
    );
  });

  test('is sent where the server can do it, and refused elsewhere', () => {
    const sorters = [
      { property: 'size', nulls: 'last' },
      { property: 'code', direction: 'DESC', nulls: 'first' },
      { property: 'label' },
    ];
    const operation = () => new Operation({ action: 'read', sorters: sorters as never });
    const build = (dialect = postgrest()) =>
      new RestProxy({ url: 'https://example.com/parts', dialect }).buildRequest(operation());
    const { searchParams } = new URL(build().url as string);
    expect(searchParams.get('order')).toBe('size.asc.nullslast,code.desc.nullsfirst,label.asc.nullsfirst');
    for (const dialect of [classic, plain()]) expect(() => build(dialect)).toThrow('(`nulls`)');
  });

  test('is applied by a proxy in memory', async () => {
    const proxy = new MemoryProxy({ data: PARTS });
    const sorters = [{ property: 'size', nulls: 'last' }, { property: 'id' }] as never;
    const { rows } = await proxy.read(new Operation({ action: 'read', sorters }));
    expect(rows.map((row) => (row as { id: number }).id)).toEqual([3, 1, 4, 2, 5]);
  });
});

describe('locale', () => {
  const plainOrder = [5, 2, 3, 1, 4];
  const german = [4, 3, 5, 2, 1];

  test('of a sorter compares letters before case', () => {
    expect(shown(tasks({ sorters: ['title'] }))).toEqual(plainOrder);
    expect(shown(tasks({ sorters: [{ property: 'title', locale: 'de' }] }))).toEqual(german);
    expect(shown(tasks({ sorters: [{ property: 'title', locale: 'sv' }] }))).toEqual([3, 5, 2, 1, 4]);
  });

  test('of a store or a view is the default of its sorters', () => {
    const store = tasks({ locale: 'de', sorters: ['title'] });
    expect(shown(store)).toEqual(german);
    store.sort({ property: 'title', locale: 'sv' });
    expect(shown(store)).toEqual([3, 5, 2, 1, 4]);
    store.sort('initial');
    expect(shown(store)).toEqual([3, 5, 4, 2, 1]);
    expect(shown(viewOf(store, { sorters: ['title'] }))).toEqual(plainOrder);
    expect(shown(viewOf(store, { sorters: ['title'], locale: 'de' }))).toEqual(german);
  });

  test('may be a collator that treats texts as equal if they differ only in case', () => {
    const locale = new Intl.Collator('de', { sensitivity: 'base' });
    const sorters = [
      { property: 'title', locale },
      { property: 'id', direction: 'DESC' },
    ] as const;
    expect(shown(tasks({ sorters }))).toEqual([4, 5, 3, 2, 1]);
  });

  test('applies to texts that a transform returns', () => {
    const sorter = { property: 'title', transform: (title: string) => title.slice(1) } as const;
    expect(shown(tasks({ sorters: [sorter, 'id'], locale: 'de' }))).toEqual([1, 2, 4, 3, 5]);
  });

  test('does not apply to decimals', () => {
    expect(shown(tasks({ sorters: ['price'], locale: 'de' }))).toEqual([5, 2, 1, 4, 3]);
  });

  test('does not apply to filters and groups', () => {
    const locale = new Intl.Collator('de', { sensitivity: 'base' });
    const by = groups({ by: ['title'] });
    const store = new Store({ model: Task, data: DATA, locale, groups: by });
    expect(store.groups.groups.map(({ key }) => key)).toEqual(['Apple', 'Fig', 'apple', 'pear', 'Äpfel']);
    store.filter({ property: 'title', value: 'apple' });
    expect(shown(store)).toEqual([3]);
  });

  test.each([['no tag!'], [''], [7], [{}]])('with the value %o is refused', (locale) => {
    const text = "locale must be a language tag such as 'de', or an Intl.Collator";
    expect(() => tasks({ locale: locale as never })).toThrow(text);
    const store = tasks();
    expect(() => store.sort({ property: 'title', locale: locale as never })).toThrow(text);
    expect(store.query.sorters).toEqual([]);
  });
});

describe('convert of a filter', () => {
  const lower = (title: string) => title.toLowerCase();

  test.each<[string, FilterConfig<Task>, number[]]>([
    ['the value', { property: 'title', value: 'APPLE', convert: lower }, [3, 5]],
    ['each value of a list', { property: 'title', operator: 'in', value: ['APPLE', 'FIG'], convert: lower }, [2, 3, 5]],
    ['both ends of a range', { property: 'title', operator: 'between', value: ['B', 'G'], convert: lower }, [2]],
    ['a part of the text', { property: 'title', operator: 'contains', value: 'PP', convert: lower }, [3, 5]],
    ['decimals as numbers', { property: 'price', operator: 'lt', value: '10', convert: Number }, [2, 5]],
    ['null without calling the function', { property: 'level', value: 'LOW', convert: lower }, [3]],
    ['nothing with isNull', { property: 'level', operator: 'isNull', convert: lower }, [2]],
  ])('compares %s', (_, filter, expected) => {
    expect(shown(tasks({ filters: [filter] }))).toEqual(expected);
    expect(shown(tasks({ filters: [{ and: [filter] }] }))).toEqual(expected);
  });

  test('applies again after edits', () => {
    const store = tasks({ filters: [{ property: 'title', value: 'fig', convert: lower }] });
    expect(shown(store)).toEqual([2]);
    (store.getById(3) as Task).title = 'FIG';
    (store.getById(2) as Task).title = 'figs';
    expect(shown(store)).toEqual([3]);
  });

  test.each(['transform', 'convert'])('must be a function, like `transform`: %s', (option) => {
    const store = tasks();
    const value = option === 'convert' && { value: 'x' };
    const given = { property: 'title', ...value, [option]: 'toLowerCase' } as never;
    expect(() => (option === 'transform' ? store.sort(given) : store.filter(given))).toThrow(
      `${option} must be a function, not 'toLowerCase'`,
    );
  });
});

describe('disableOnEmpty of a filter', () => {
  test.each([[''], [null], [undefined], [[]]])(
    'disables a filter with the value %o, which is not sent either',
    async (value) => {
      const filter = { property: 'title', value, disableOnEmpty: true } as FilterConfig<Task>;
      expect(tasks({ filters: [filter] }).count).toBe(5);
      expect(tasks({ filters: [{ or: [filter] }] }).count).toBe(5);
      expect(tasks({ filters: [{ not: filter }] }).count).toBe(5);
      for (const dialect of [undefined, plain()]) {
        const proxy = server.proxy('/tasks', { reader: { rootProperty: 'rows' }, ...(dialect && { dialect }) });
        const store = new Store({ model: Task, proxy, remoteFilter: true, filters: [filter] });
        server.reply(page([]));
        await store.load();
        expect([...server.last.query.keys()].filter((name) => !/^(page|start|limit)$/.test(name))).toEqual([]);
      }
    },
  );

  test('has no effect on other values, and is not sent itself', async () => {
    const filter = { property: 'title', value: 'Fig', disableOnEmpty: true } as const;
    expect(shown(tasks({ filters: [filter] }))).toEqual([2]);
    expect(tasks({ filters: [{ property: 'id', value: 0, disableOnEmpty: true }] }).count).toBe(0);
    expect(tasks({ filters: [{ ...filter, disabled: true }] }).count).toBe(5);
    expect(tasks({ filters: [{ ...filter, value: '', disableOnEmpty: false }] }).count).toBe(0);
    const store = new Store({ model: Task, remoteFilter: true, filters: [filter] });
    server.reply(page([]));
    await store.load();
    expect(server.last.query.get('filter')).toBe('[{"property":"title","value":"Fig"}]');
  });

  test('depends on the new value when a filter is spread into another', () => {
    const store = tasks({ filters: [{ property: 'title', value: '', disableOnEmpty: true }] });
    store.filter({ ...(store.query.filters[0] as object), value: 'pear' } as never);
    expect(shown(store)).toEqual([1]);
  });
});

describe('options that work on loaded records only', () => {
  const transform = (title: string) => title.length;
  const convert = (title: string) => title.trim();
  const text = (option: string, remote: string) =>
    expect.objectContaining({
      code: 'unsupported-query',
      message: expect.stringMatching(new RegExp(`^\`${option}\` works on loaded records only, but \`${remote}\``)),
    });

  test.each<[string, SorterConfig<Task>]>([
    ['transform', { property: 'title', transform }],
    ['locale', { property: 'title', locale: 'de' }],
  ])('are refused before anything is sent if the server sorts: %s', (option, sorter) => {
    expect(() => new Store({ model: Task, remoteSort: true, sorters: [sorter] })).toThrow(text(option, 'remoteSort'));
    const store = new Store({ model: Task, remoteSort: true, allowPartial: true, sorters: ['id'] });
    expect(() => store.sort(sorter)).toThrow(text(option, 'remoteSort'));
    expect([store.query.sorters.length, server.requests]).toEqual([1, []]);
    expect(() => viewOf(store, { sorters: [sorter] })).not.toThrow();
  });

  test('are refused before anything is sent if the server filters', () => {
    const filter = { property: 'title', value: 'x', convert } as const;
    const refused = text('convert', 'remoteFilter');
    expect(() => new Store({ model: Task, remoteFilter: true, filters: [filter] })).toThrow(refused);
    const store = new Store({ model: Task, remoteFilter: true, allowPartial: true });
    expect(() => store.filter({ or: [{ not: filter }] })).toThrow(refused);
    expect([store.query.filters, server.requests]).toEqual([[], []]);
    store.filter({ ...filter, disabled: true });
    expect(() => viewOf(store, { filters: [filter] })).not.toThrow();
  });

  test('of a store do not keep its sorters from being sent', async () => {
    const store = new Store({ model: Task, locale: 'de', remoteSort: true, sorters: ['title'] });
    server.reply(page([]));
    await store.load();
    expect(server.last.query.get('sort')).toBe('[{"property":"title","direction":"ASC"}]');
  });

  test.each([undefined, plain()])('are refused in a custom operation, with every dialect', async (dialect) => {
    const proxy = new RestProxy({ url: 'http://rest.test/tasks', ...(dialect && { dialect }) });
    const sorters = [{ property: 'title', transform }];
    await expect(proxy.read(new Operation({ action: 'read', sorters }))).rejects.toEqual(unsupported);
    const filters = [{ property: 'title', value: 'x', convert }];
    await expect(proxy.read(new Operation({ action: 'read', filters }))).rejects.toEqual(unsupported);
    await expect(
      proxy.read(new Operation({ action: 'read', sorters: [{ property: 'title', locale: 'de' }] })),
    ).rejects.toThrow('locale');
  });

  test('work with a memory proxy, which holds its rows', async () => {
    const proxy = new MemoryProxy({
      data: [
        { id: 1, title: 'bb' },
        { id: 2, title: 'a' },
        { id: 3, title: 'BB' },
      ],
    });
    const sorters = [{ property: 'title', locale: 'de' }];
    const filters = [{ property: 'title', value: 'bb', convert: (title: string) => title.toLowerCase() }];
    const { rows } = await proxy.read(new Operation({ action: 'read', sorters, filters }));
    expect(rows).toEqual([
      { id: 1, title: 'bb' },
      { id: 3, title: 'BB' },
    ]);
  });
});

test('sorting by a transform equals sorting an array, whatever is edited, added or removed', () => {
  const text = fc.constantFrom('a', 'B', 'bb', 'Ccc', 'ä', '', 'dddd');
  const step = fc.oneof(
    fc.record({ do: fc.constant('edit' as const), at: fc.nat({ max: 199 }), title: text }),
    fc.record({ do: fc.constant('add' as const), at: fc.nat({ max: 199 }), title: text }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat({ max: 199 }), title: text }),
  );
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 150 }),
      fc.constantFrom('ASC' as const, 'DESC' as const),
      fc.array(step, { maxLength: 20 }),
      (titles, direction, steps) => {
        const keyOf = (title: string) => title.length;
        const data = titles.map((title, i) => ({ id: i + 1, title }));
        const store = new Store({ model: Task, data, sorters: [{ property: 'title', direction, transform: keyOf }] });
        const source = viewOf(store);
        for (const { do: what, at, title } of steps) {
          const task = source.getAt(at % Math.max(source.count, 1));
          if (what === 'add') store.insert(at, { title });
          else if (what === 'edit') task?.set({ title });
          else if (task) store.remove(task);
          const sign = direction === 'DESC' ? -1 : 1;
          const byHand = source.getRange().sort((a, b) => sign * (keyOf(a.title as string) - keyOf(b.title as string)));
          expect(store.getRange()).toEqual(byHand);
        }
      },
    ),
  );
});
