import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { MemoryProxy } from '../proxy/memory-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { createAction } from './actions.js';
import { BaseModel } from './base-model.js';
import { embed } from './embedding.js';
import { exactTypes } from './exact-types.js';
import type { Kit } from './kit.js';

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

  static override readonly kit: Kit = { createAction, embed, fieldTypes: exactTypes };
}
