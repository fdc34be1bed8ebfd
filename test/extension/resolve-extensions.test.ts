import fc from 'fast-check';
import {
  DefinitionError,
  type Extension,
  type ExtensionEntry,
  MemoryProxy,
  Model,
  off,
  RestProxy,
  rateLimit,
  retry,
} from 'repose';
import { LAYERS } from 'repose/extend';
import { describe, expect, test } from 'vitest';

const extension = (name: string, layer: number): Extension => ({ name, layer });
const namesOf = (use: readonly ExtensionEntry[]) => new RestProxy({ use }).extensions.map(({ name }) => name);

describe('the extensions of a proxy', () => {
  test('are sorted by layer, whatever the order of the list', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.entries(LAYERS)), (layers) => {
        const names = namesOf(layers.map(([name, layer]) => extension(name, layer)));
        expect(names).toEqual(Object.keys(LAYERS).filter((name) => names.includes(name)));
        expect(names).toHaveLength(layers.length);
      }),
    );
  });

  test('are unique by name: a later one replaces an earlier one', () => {
    const [first, second] = [extension('audit', 5), extension('audit', 6)];
    expect(new RestProxy({ use: [first, second] }).extensions).toEqual([second]);
  });

  test('may be listed as an array in one entry', () => {
    expect(namesOf([[extension('b', 2), extension('a', 1)], extension('c', 3)])).toEqual(['a', 'b', 'c']);
  });

  test("a subclass's list is appended to that of its base; off() removes one", () => {
    class Base extends Model.with({ proxy: { type: 'rest', baseUrl: 'http://x.test', use: [retry(), rateLimit()] } }) {}
    const Task = Base.define({
      fields: { id: 'int' },
      proxy: { url: '/tasks', use: [off('retry'), off('confirm'), extension('audit', 1)] },
    });
    expect(
      Base.define({ fields: { id: 'int' }, proxy: { url: '/a' } }).proxy.extensions.map(({ name }) => name),
    ).toEqual(['confirm', 'retry', 'rateLimit']);
    expect(Task.proxy.extensions.map(({ name }) => name)).toEqual(['audit', 'rateLimit']);
    expect(Task.proxy.with({ use: [off('audit')] } as never).extensions.map(({ name }) => name)).toEqual(['rateLimit']);
  });

  test('end up the same as if the entries were applied one by one', () => {
    const entry = fc.record({ name: fc.constantFrom('a', 'b', 'c'), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const left = new Set<string>();
        for (const { name, remove } of entries) {
          if (remove) left.delete(name);
          else left.add(name);
        }
        const use = entries.map(({ name, remove }) => (remove ? off(name) : extension(name, 1)));
        expect(namesOf(use)).toEqual([...left].sort());
      }),
    );
  });

  test.each<[what: string, use: unknown, text: string]>([
    ['a single extension', rateLimit(), '`use` must be a list of extensions, such as `use: [retry()]`, not an object'],
    ['a text', 'retry', "`use` must be a list of extensions, such as `use: [retry()]`, not 'retry'"],
    ['a factory that was not called', [retry], 'which is no extension: an extension is an object with a `name`'],
    ['an object without a layer', [{ name: 'a' }], '`use` holds an object, which is no extension'],
    ['a name', ['retry'], "`use` holds 'retry', which is no extension"],
    ['a hook that is no function', [{ name: 'a', layer: 1, send: 5 }], "The hook `send` of the extension 'a'"],
  ])('reject %s in `use` with a DefinitionError', (_, use, text) => {
    expect(() => new RestProxy({ use } as never)).toThrow(DefinitionError);
    expect(() => new RestProxy({ use } as never)).toThrow(text);
  });
});

describe('options of a proxy', () => {
  test.each([
    ['baseURL', "'baseURL' is not an option of RestProxy: did you mean 'baseUrl'?"],
    ['retry', "'retry' is not an option of RestProxy"],
    ['onUnauthorized', "'onUnauthorized' is not an option of RestProxy"],
  ])('are refused if they are unknown: %s', (option, text) => {
    expect(() => new RestProxy({ [option]: true } as never)).toThrow(text);
    const Task = Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/a', [option]: true } as never });
    expect(() => Task.proxy).toThrow(text);
  });

  test('are dropped if a base model set them for another proxy type', () => {
    const Task = Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/tasks', use: [retry()] } });
    const Kept = Task.with({ proxy: { type: MemoryProxy, data: [{ id: 1 }] } });
    expect(Kept.proxy.extensions.map(({ name }) => name)).toEqual(['confirm', 'retry']);
  });

  test('of a custom proxy class are those that the class declares', () => {
    class TenantProxy extends RestProxy {
      static override optionNames(): readonly string[] {
        return [...super.optionNames(), 'tenant'];
      }
    }
    expect(() => new TenantProxy({ url: '/a', tenant: 'b' } as never)).not.toThrow();
    expect(() => new TenantProxy({ url: '/a', tenants: 'b' } as never)).toThrow("did you mean 'tenant'?");
  });
});
