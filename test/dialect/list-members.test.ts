import {
  explain,
  type Fields,
  filterTemplates,
  json,
  Model,
  not,
  plain,
  RestProxy,
  Store,
  UnsupportedQueryError,
  where,
} from 'repose';
import { directus, odata4, postgrest, strapi, supabase } from 'repose/dialects';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useRestServer } from '../helpers/use-rest-server.js';

class Task extends Model.define({
  name: 'task',
  fields: {
    id: 'int',
    title: 'string',
    tags: { type: json<string[]>(), defaultValue: [] },
    made: { type: 'json', defaultValue: () => [] },
    checked: z.array(z.union([z.string(), z.number(), z.boolean()])),
    deep: { type: json<(string | number)[]>(), mapping: 'data.tags', defaultValue: [] },
  },
}) {}
const server = useRestServer();

type GivenDialect = ReturnType<typeof odata4>;

/** The parameters of a filter, or the error that refuses it. */
async function paramsOf(dialect: GivenDialect, filter: object, model: typeof Model = Task) {
  const proxy = new RestProxy({ baseUrl: 'http://a.test', url: '/tasks', dialect });
  const { request, refused } = await explain(proxy, { action: 'read', model, filters: [filter] } as never);
  return refused ?? new URLSearchParams(request?.url?.split('?')[1]);
}

/** The parameter of a filter, or the error that refuses it. */
async function asked(dialect: GivenDialect, name: string, filter: object, model?: typeof Model) {
  const params = await paramsOf(dialect, filter, model);
  return params instanceof URLSearchParams ? params.get(name) : params;
}

const contains = (property: string, value: unknown) => ({ property, operator: 'contains', value });

describe('a condition on a field that is declared as a list', () => {
  test.each([
    ['contains', 'red', "tags/any(m:m eq 'red')"],
    ['contains', "d'b", "tags/any(m:m eq 'd''b')"],
    ['contains', '148d1101-58fb-410b-ad6d-7379fd9564ca', "tags/any(m:m eq '148d1101-58fb-410b-ad6d-7379fd9564ca')"],
    ['contains', 7, 'tags/any(m:m eq 7)'],
    ['contains', true, 'tags/any(m:m eq true)'],
    ['startsWith', 're', "tags/any(m:startswith(m,'re'))"],
    ['endsWith', 'ed', "tags/any(m:endswith(m,'ed'))"],
    ['like', 'RE', "tags/any(m:contains(tolower(m),tolower('RE')))"],
  ])('with `%s` %s asks OData for a member', async (operator, value, expected) => {
    expect(await asked(odata4(), '$filter', { property: 'tags', operator, value })).toBe(expected);
  });

  test.each(['made', 'checked'])(
    'asks OData for a member of %s, whose default or schema says that it is a list',
    async (name) => {
      expect(await asked(odata4(), '$filter', contains(name, 'red'))).toBe(`${name}/any(m:m eq 'red')`);
    },
  );

  test('is a list also where its schema refuses an empty one', async () => {
    const colors = z.array(z.enum(['red', 'blue']));
    class Paint extends Model.define({ fields: { id: 'int', tags: colors.min(1), note: z.iso.date() } }) {}
    expect(await asked(odata4(), '$filter', contains('tags', 'red'), Paint)).toBe("tags/any(m:m eq 'red')");
    expect(await asked(postgrest(), 'tags', contains('tags', 'red'), Paint)).toBe('cs.{"red"}');
    expect(await asked(postgrest(), 'note', contains('note', '2026-11'), Paint)).toBe('like.*2026-11*');
  });

  test('in a tree, and inside another member, asks OData for a member', async () => {
    expect(await asked(odata4(), '$filter', not(where(Task).deep.contains('red')))).toBe(
      "not (data/tags/any(m:m eq 'red'))",
    );
    const either = { or: [where(Task).tags.contains('red'), where(Task).title.contains('red')] };
    expect(await asked(odata4(), '$filter', either)).toBe("(tags/any(m:m eq 'red') or contains(title,'red'))");
  });

  test('keeps the type that `types` gives to members', async () => {
    const dialect = odata4({ types: { tags: 'Shop.Color' } });
    expect(await asked(dialect, '$filter', contains('tags', 'red'))).toBe("tags/any(m:m eq Shop.Color'red')");
  });

  test.each([
    ['red', '{"red"}'],
    ['NULL', '{"NULL"}'],
    ['', '{""}'],
    ['a,b}', '{"a,b}"}'],
    ['say "hi" \\ \n*', '{"say \\"hi\\" \\\\ \n*"}'],
    [7, '{7}'],
    [true, '{true}'],
  ])('asks PostgREST for an array that has %j', async (value, expected) => {
    expect(await asked(postgrest(), 'tags', contains('tags', value))).toBe(`cs.${expected}`);
    expect(await asked(supabase({ url: 'https://a.test', key: 'k' }), 'tags', contains('tags', value))).toBe(
      `cs.${expected}`,
    );
  });

  test.each([
    ['red', '["red"]'],
    ['say "hi"\n', '["say \\"hi\\"\\n"]'],
    [7, '[7]'],
    [true, '[true]'],
  ])('inside a JSON column asks PostgREST for JSON that has %j', async (value, expected) => {
    expect(await asked(postgrest(), 'data->tags', contains('deep', value))).toBeNull();
    expect(await asked(postgrest(), 'and', contains('deep', value))).toBe(
      `(data->tags.cs.${JSON.stringify(expected)})`,
    );
  });

  test('may be a date, which is a text for PostgREST', async () => {
    expect(await asked(postgrest(), 'tags', contains('tags', new Date(0)))).toBe('cs.{"1970-01-01T00:00:00.000Z"}');
  });

  test('in a tree of PostgREST stands in quotes', async () => {
    const filter = not({ or: [contains('tags', 'a"b'), { property: 'title', value: 'x' }] });
    expect(await asked(postgrest(), 'not.or', filter)).toBe('(tags.cs."{\\"a\\\\\\"b\\"}",title.eq.x)');
    expect(await asked(postgrest(), 'tags', not(contains('tags', 'red')))).toBe('not.cs.{"red"}');
  });

  test.each(['like', 'startsWith', 'endsWith'])(
    'with `%s` is refused by PostgREST, which asks for whole members',
    async (operator) => {
      for (const property of ['tags', 'deep']) {
        const filter = { property, operator, value: 'red' };
        for (const each of [filter, { not: filter }, { or: [filter, { property: 'title', value: 'a' }] }]) {
          const refused = await asked(postgrest(), property, each);
          expect(refused).toBeInstanceOf(UnsupportedQueryError);
          expect((refused as Error).message).toContain('ask for a whole member with `contains`');
        }
      }
    },
  );

  test.each([null, ['red'], { a: 1 }])('refuses the member %j, which no literal can express', async (value) => {
    expect(await asked(postgrest(), 'tags', contains('tags', value))).toBeInstanceOf(UnsupportedQueryError);
    if (value !== null)
      expect(await asked(odata4(), '$filter', contains('tags', value))).toBeInstanceOf(UnsupportedQueryError);
  });

  test('that the server cannot be asked is answered from a list that holds everything', async () => {
    server.always(() => ({
      json: [
        { id: 1, tags: ['red'] },
        { id: 2, tags: ['blue'] },
      ],
      headers: { 'content-range': '0-1/2' },
    }));
    const filters = [{ property: 'tags', operator: 'like', value: 'RE' } as const];
    const proxy = new RestProxy(server.proxy('/tasks', { dialect: postgrest() }) as never);
    const store = new Store({ model: Task, proxy, pageSize: 25, filters });
    await store.load();
    expect([...store].map(({ id }) => id)).toEqual([1]);
  });

  test('has the same operator as a text where the server has one for both', async () => {
    const filter = contains('tags', 'red');
    expect(await asked(directus(), 'filter', filter)).toBe('{"tags":{"_contains":"red"}}');
    expect(await asked(strapi({ version: 5 }), 'filters[tags][$contains]', filter)).toBe('red');
    expect(await asked(plain({ filter: filterTemplates({ contains: '{name}_has' }) }), 'tags_has', filter)).toBe('red');
  });
});

describe('a field that is not declared as a list is searched as a text', () => {
  const fields: Fields = {
    title: 'string',
    untold: json(),
    anything: 'auto',
    either: z.union([z.string(), z.array(z.string())]),
    text: z.string(),
    number: z.coerce.number(),
    day: z.coerce.date(),
    // The server has texts, the application lists.
    joined: {
      type: json<string[]>(),
      defaultValue: [],
      convert: (text: unknown) => String(text).split(','),
      serialize: (list: string[]) => list.join(','),
    },
    readOnly: {
      type: json<string[]>(),
      defaultValue: () => [],
      persist: false,
      convert: (text: string) => text.split(','),
    },
    split: { type: z.array(z.string()), convert: (text: string) => text.split(',') },
    sent: { type: json<string[]>(), defaultValue: [], serialize: (list: string[]) => list.join(',') },
    checkedText: z.preprocess((value) => (typeof value === 'string' ? value.split(',') : value), z.array(z.string())),
  };
  class Note extends Model.define({ name: 'note', fields: { id: 'int', ...fields } }) {}

  test.each(Object.keys(fields))('%s', async (name) => {
    for (const text of ['red', '2026']) {
      expect(await asked(odata4(), '$filter', contains(name, text), Note)).toBe(`contains(${name},'${text}')`);
      expect(await asked(postgrest(), name, contains(name, text), Note)).toBe(`like.*${text}*`);
    }
  });

  test('and so is a name of a query without a model', async () => {
    expect(await asked(odata4(), '$filter', contains('tags', 'red'), undefined)).toBe("tags/any(m:m eq 'red')");
    const proxy = new RestProxy({ baseUrl: 'http://a.test', url: '/tasks', dialect: odata4() });
    const { request } = await explain(proxy, { action: 'read', filters: [contains('tags', 'red')] } as never);
    expect(new URLSearchParams(request?.url?.split('?')[1]).get('$filter')).toBe("contains(tags,'red')");
  });
});

test('a search in a text asks no default value, which may count or fail', async () => {
  const defaultValue = () => {
    throw new Error('nobody is signed in');
  };
  class Note extends Model.define({ fields: { id: 'int', code: { type: 'string', defaultValue } } }) {}
  expect(await asked(odata4(), '$filter', contains('code', 'red'), Note)).toBe("contains(code,'red')");
  expect(await asked(postgrest(), 'code', contains('code', 'red'), Note)).toBe('like.*red*');
});

test('other conditions on a list ask neither its default value nor its schema', async () => {
  let asks = 0;
  const checked = z.array(z.string()).refine(() => ++asks);
  const made = { type: json<string[]>(), defaultValue: () => [String(++asks)] };
  class Note extends Model.define({ fields: { id: 'int', checked, made } }) {}
  for (const property of ['checked', 'made'])
    for (const dialect of [odata4(), postgrest()])
      await paramsOf(dialect, { property, operator: 'isNull', value: true }, Note);
  expect(asks).toBe(0);
});
