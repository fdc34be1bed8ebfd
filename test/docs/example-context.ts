// What the examples in the comments of the source take for granted.
import { Model, RestProxy, Store } from 'repose';
import * as Lib from 'repose/namespace';

export class User extends Model.define({
  fields: { id: 'int', name: 'string', team: 'string', age: 'int' },
  proxy: { type: 'rest', url: '/users', noCache: false },
}) {}
export class Order extends Model.define({ fields: { id: 'int' }, proxy: { type: 'rest', url: '/orders' } }) {}

export const user: User = new User({ id: 7, name: 'Ada' });
export const order: Order = new Order({ id: 7 });
export const users: Store<User> = new Store({ model: User });
export const proxy: RestProxy = new RestProxy({ url: '/users', noCache: false });
export const token: string = 'token';
export const show = (..._values: unknown[]): void => {};
export { Lib };
