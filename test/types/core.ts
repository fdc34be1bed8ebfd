import { AjaxProxy, type AnyModel, MemoryProxy, Model, RestProxy, Session, Store } from 'repose/core';
import { Model as MainModel, Session as MainSession, Store as MainStore, embed, reference } from 'repose';
import { is } from './equal.js';

// Without the table of proxies by name: a proxy is given as a class or an instance.
class User extends Model.define({ name: 'user', fields: { id: 'int', name: 'string' }, proxy: { type: RestProxy, url: '/users', format: 'json' } }) {
  get label(): string { return `${this.name}!`; }
}
is<User>()(await User.load(7));
is<User>()(await User.load('me', { anyId: true, params: { v: 2 } }));
// @ts-expect-error a record is never read as another one
await (await User.load(7)).load({ anyId: true });
is<string | undefined>()((await User.load(7)).get('name'));
is<User[]>()([...new Store({ model: User, sorters: ['label'] })]);
new Store({ model: User, proxy: { type: MemoryProxy, data: [] } });
Model.define({ fields: { id: 'int' }, proxy: { type: AjaxProxy, url: '/x' } });
Model.define({ fields: { id: 'int' }, proxy: new RestProxy({ url: '/x' }) });
// @ts-expect-error there is no table of names
Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/x' } });
// @ts-expect-error nor a default
Model.define({ fields: { id: 'int' }, proxy: { url: '/x' } });
// @ts-expect-error misspelt option
Model.define({ fields: { id: 'int' }, proxy: { type: RestProxy, urll: '/x' } });
// @ts-expect-error an option of another proxy
Model.define({ fields: { id: 'int' }, proxy: { type: AjaxProxy, url: '/x', appendId: false } });
class BaseModel extends Model.with({ proxy: { type: RestProxy, baseUrl: 'https://api.example.com' } }) {}
is<string | undefined>()((await BaseModel.define({ fields: { id: 'int', name: 'string' }, proxy: { type: RestProxy, url: '/x' } }).load(1)).name);
// An application can have its own table of proxy names.
class AppModel extends Model { static override readonly proxyTypes = { rest: RestProxy }; }
is<number>()((await AppModel.define({ fields: { id: 'int' }, proxy: { url: '/x' } }).load(1)).id);
// The models of both entries have the same type.
const either: AnyModel[] = [User, MainModel.define({ fields: { id: 'int' } })];
void either;
// References work as in the main entry.
class Owner extends Model.define({ fields: { id: 'int', home: embed(Model.define({ fields: { city: 'string' } })) } }) {}
class Pet extends Model.define({ fields: { id: 'int', ownerId: reference('int') } }) {
  static override references() { return { ownerId: Owner }; }
}
is<Owner | undefined>()(await Pet.loadReference(new Pet(), 'ownerId'));
// @ts-expect-error not a field that refers to a model
Pet.loadReference(new Pet(), 'id');
// The types of both entries are the same.
is<User[]>()([...new Store({ model: User, session: new MainSession() })]);
const stores: Store<User>[] = [new MainStore({ model: User })];
const sessions: Session[] = [new Session(), new MainSession()];
void [stores, sessions];
