import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { MemoryProxy } from '../proxy/memory-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { BaseModel } from './base-model.js';

/**
 * Base of all models, which knows the built-in proxies by name: `class User extends Model.define({ fields, proxy }) {}`.
 */
export class Model extends BaseModel {
  static override readonly proxyTypes: { ajax: typeof AjaxProxy; rest: typeof RestProxy; memory: typeof MemoryProxy } =
    {
      ajax: AjaxProxy,
      rest: RestProxy,
      memory: MemoryProxy,
    };
}
