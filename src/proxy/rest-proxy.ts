import { checkValues } from '../dev/checks.js';
import { DefinitionError } from '../errors/mistakes.js';
import type { Action } from '../operation/actions.js';
import type { ProxyRequest } from '../operation/proxy-request.js';
import { placeAddress } from './address.js';
import { type ActionMethods, AjaxProxy } from './ajax-proxy.js';
import type { Given } from './data-proxy.js';
import type { RestProxyConfig } from './proxy-config.js';
import { REST_RULES } from './proxy-options.js';

/**
 * The REST proxy: sends create, read, update and destroy as POST, GET, PUT and DELETE. The address is `url`, the record's id and an
 * optional format.
 *
 * @example
 * ```ts
 * class User extends Model.define({
 *   fields: { id: 'int', name: 'string' },
 *   proxy: { type: 'rest', url: '/users', format: 'json' },
 * }) {}
 * await User.load(7); // GET /users/7.json
 * ```
 */
export class RestProxy<C extends RestProxyConfig = RestProxyConfig> extends AjaxProxy<C> {
  static override readonly alias: string = 'proxy.rest';
  declare readonly appendId: boolean;
  declare readonly format: string | null | undefined;
  declare readonly trailingSlash: boolean;
  declare readonly createBy: 'post' | 'put';

  constructor(config?: Given<C>) {
    checkValues(config, new.target.name, REST_RULES);
    super(config);
    if (this.createBy === 'put' && !this.appendId) throw new DefinitionError('create-put-address');
  }

  protected override optionDefaults(): object {
    return { appendId: true, format: undefined, trailingSlash: false, createBy: 'post', ...super.optionDefaults() };
  }

  override get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'PUT', destroy: 'DELETE' };
  }

  override batches(action: Action): boolean {
    return super.batches(action) && !(action === 'create' && this.createBy === 'put');
  }

  /**
   * Builds the address: base, id and format are set in `request.url`, then the method of the parent class, `AjaxProxy.prototype.buildUrl`,
   * adds the cache-buster and the parameters.
   *
   * @example
   * ```ts
   * class VersionedProxy extends RestProxy {
   *   override buildUrl(request: ProxyRequest): string {
   *     request.params = { ...request.params, v: 2 };
   *     return super.buildUrl(request); // /users/7?v=2
   *   }
   * }
   * ```
   */
  override buildUrl(request: ProxyRequest): string {
    placeAddress(request, this as AjaxProxy);
    return super.buildUrl(request);
  }
}
