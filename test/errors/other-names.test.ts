import { DefinitionError, Model, RestProxy, Store } from 'repose';
import { describe, expect, test } from 'vitest';

class User extends Model.define({ fields: { id: 'int', name: 'string' }, proxy: { url: '/users' } }) {}
const make: Readonly<Record<string, (name: string) => unknown>> = {
  type: (name) => Model.define({ fields: { id: 'int', value: name as never } }),
  field: (name) => Model.define({ fields: { id: 'int', value: { type: 'string', [name]: 'x' } as never } }),
  model: (name) => Model.define({ fields: { id: 'int' }, [name]: 'x' }),
  store: (name) => new Store({ model: User, [name]: true }),
  proxy: (name) => new RestProxy({ url: '/users', [name]: 'x' }),
  reader: (name) => new RestProxy({ url: '/users', reader: { [name]: 'x' } }).reader,
  writer: (name) => new RestProxy({ url: '/users', writer: { [name]: 'x' } }).writer,
  load: (name) => new Store({ model: User }).load({ [name]: 1 }),
};

describe('the names of Ext JS', () => {
  test.each([
    ['type', 'float', "use 'number'"],
    ['type', 'bool', "use 'boolean'"],
    ['type', 'integer', "use 'int'"],
    ['type', 'datetime', "use 'date'"],
    ['field', 'dateFormat', "use `format: dateFormat('d.m.Y')`"],
    ['field', 'dateReadFormat', 'use `format`'],
    ['field', 'critical', 'writeAllFields'],
    ['model', 'clientIdProperty', '`writer: { clientIdProperty }`'],
    ['model', 'versionProperty', '`lockVersion`'],
    ['store', 'trackRemoved', '`commit()`'],
    ['store', 'sortOnLoad', '`remoteSort: true`'],
    ['store', 'clearOnPageLoad', '`loadMore()`'],
    ['store', 'source', '`viewOf(store)`'],
    ['store', 'scope', 'arrow function'],
    ['store', 'storeId', 'variable'],
    ['proxy', 'directFn', 'Recipes'],
    ['proxy', 'paramsAsJson', '`api: { list: { body: true }, read: { body: true } }`'],
    ['reader', 'metaProperty', 'declare the fields'],
    ['reader', 'typeProperty', 'a model of its own'],
    ['writer', 'expandData', '`mapping`'],
    ['load', 'scope', 'arrow function'],
  ])('%s: %s is refused with the name that it has here', async (kind, name, remedy) => {
    const error: unknown = await Promise.resolve()
      .then(() => make[kind]?.(name))
      .catch((each: unknown) => each);
    expect(error).toBeInstanceOf(DefinitionError);
    expect(String(error)).toContain(remedy);
    expect(String(error)).not.toContain('did you mean');
  });
});
