import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { ConsoleModel } from './console-model.js';

/**
 * The base class of models. It knows the built-in proxies by name:
 * `class User extends Model.define({ fields, proxy }) {}`.
 *
 * @example
 * ```ts
 * class User extends Model.define({
 *   fields: { id: 'int', name: 'string' },
 *   proxy: { type: 'rest', url: '/users', noCache: false },
 * }) {}
 * const user = await User.load(7); // GET /users/7
 * user.name = 'Grace';
 * await user.save(); // PUT /users/7 {"id":7,"name":"Grace"}
 * ```
 */
export class Model extends ConsoleModel {
  static override readonly proxyTypes: { ajax: typeof AjaxProxy; rest: typeof RestProxy } = {
    ajax: AjaxProxy,
    rest: RestProxy,
  };
}
