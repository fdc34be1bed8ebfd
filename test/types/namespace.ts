import { MemoryProxy, Model, RestProxy, Store } from 'repose';
import * as Lib from 'repose/namespace';
import { check, type Equal, is } from './equal.js';

check<Equal<typeof Lib.data.proxy.Rest, typeof RestProxy>>();
check<Equal<typeof Lib.data.RestProxy, typeof RestProxy>>();
is<typeof Model>()(Lib.data.Model);
is<RestProxy>()(Lib.create('proxy.rest', { url: '/users', format: 'json' }));
is<RestProxy>()(Lib.create('proxy.rest'));
is<MemoryProxy>()(Lib.create('proxy.memory', { data: [] }));
class VersionedProxy extends Lib.data.proxy.Rest {
  override buildUrl(request: Lib.data.Request): string { return super.buildUrl(request); }
}
class User extends Lib.data.Model.define({ fields: { id: 'int', name: 'string' }, proxy: { type: VersionedProxy, url: '/users' } }) {}
is<string | undefined>()((await User.load(1)).name);
is<User | undefined>()(new Lib.data.Store({ model: User }).getAt(0));
const store: Store<Model> = Lib.create('store', { model: User, pageSize: 10 });
void store;
// @ts-expect-error no such alias
Lib.create('proxy.rset');
// @ts-expect-error misspelt option
Lib.create('proxy.rest', { ulr: '/users' });
// @ts-expect-error an option of another proxy
Lib.create('proxy.memory', { url: '/users' });
// @ts-expect-error a store needs a model
Lib.create('store', {});
