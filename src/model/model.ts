import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { MemoryProxy } from '../proxy/memory-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { ConsoleModel } from './console-model.js';
import type { ModelPart } from './model-part.js';
import { actions } from './parts/actions.js';
import { embedded } from './parts/embedded.js';
import { errorFamilies } from './parts/error-families.js';
import { exactTypes } from './parts/exact-types.js';
import { namings } from './parts/namings.js';
import { references } from './parts/references.js';

/**
 * The base class of models. It has all parts of the package, and knows the built-in proxies by name:
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
  static override readonly proxyTypes: { ajax: typeof AjaxProxy; rest: typeof RestProxy; memory: typeof MemoryProxy } =
    {
      ajax: AjaxProxy,
      rest: RestProxy,
      memory: MemoryProxy,
    };

  static override readonly parts: readonly ModelPart[] = [
    references,
    embedded,
    actions,
    exactTypes,
    namings,
    errorFamilies,
  ];
}
