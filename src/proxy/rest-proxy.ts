import { AddressError } from '../errors/address-error.js';
import type { HttpResponse } from '../http/http-response.js';
import { appendSegment, appendSuffix, encodeSegment } from '../http/url.js';
import { assignOptions } from '../util/options.js';
import { type ActionMethods, AjaxProxy } from './ajax-proxy.js';
import type { Given } from './data-proxy.js';
import type { RestProxyConfig } from './proxy-config.js';
import { ProxyRequest } from './proxy-request.js';

const defaults = { appendId: true, format: undefined, trailingSlash: false };

/**
 * The REST proxy: create, read, update and destroy are POST, GET, PUT and DELETE, to `url`, the record's id and an optional
 * format.
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
  declare readonly format: string | undefined;
  declare readonly trailingSlash: boolean;

  constructor(config?: Given<C>) {
    super(config);
    assignOptions(this, this.config, this.dialect.defaults, defaults);
  }

  override get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'PUT', destroy: 'DELETE' };
  }

  /**
   * Builds the address of a request: base, id, format, then what the parent adds (§4, "URL generation rules").
   *
   * @example
   * ```ts
   * class VersionedProxy extends RestProxy {
   *   override buildUrl(request: ProxyRequest) {
   *     request.params['v'] = 2;
   *     return super.buildUrl(request);
   *   }
   * }
   * ```
   */
  override buildUrl(request: ProxyRequest): string {
    this.startUrl(request); // H1, H10: the base's path is in request.url
    const base = request.url as string;
    let url = request.bulk ? base : this.dialect.address({ request, options: this }); // rules 1 to 4; H16
    if (url.length !== base.length) request.addressed = url;
    this.placeId(request, request.addressed !== undefined); // rule 3.3
    if (request.trace) request.note(request.written, '§4 rule 3', 'appendId');
    if (request.subpath !== undefined)
      url = this.extend(request, url, appendSegment(url, encodeSegment(request.subpath)), 'H3', 'path');
    if (this.format)
      url = this.extend(request, url, appendSuffix(url, this.safeFormat()), '§4 rule 5', 'format'); // rule 5
    else if (this.trailingSlash) url = this.extend(request, url, appendSegment(url, ''), 'H11', 'trailingSlash'); // H11
    if (request.trace) request.note(request.query, 'H1', 'url');
    request.url = request.query ? url + request.query : url;
    return super.buildUrl(request); // rule 6
  }

  /** Writes down what was put behind an address. */
  private extend(request: ProxyRequest, before: string, after: string, rule: string, option: string): string {
    if (request.trace) request.note(after.slice(before.length), rule, option);
    return after;
  }

  /** The format, if it cannot lead out of its segment (H1). */
  private safeFormat(): string {
    const format = this.format as string;
    if (!/^[A-Za-z0-9._~+-]+$/.test(format) || format === '.' || format.includes('..')) {
      throw new AddressError('format-invalid', { format });
    }
    return format;
  }

  /** An update or destroy must name its record: `DELETE /users` has emptied real tables (H3). */
  protected override mustHold(request: ProxyRequest): string | undefined {
    const { action, bulk, operation, stage } = request;
    const { named = action === 'update' || action === 'destroy' } = request;
    if (!named || !this.appendId || bulk || operation.url) return undefined;
    if (stage !== 'new') return request.written;
    // An override that never called its parent: what this class would have written.
    const own = new ProxyRequest({ operation, action });
    RestProxy.prototype.buildUrl.call(this, own);
    return own.written;
  }

  protected override guardFormat(): string | undefined {
    return this.format;
  }

  protected override idOfLocation(response: HttpResponse): string | undefined {
    const id = super.idOfLocation(response);
    return id && this.format && id.endsWith(`.${this.format}`) ? id.slice(0, -this.format.length - 1) : id;
  }
}
