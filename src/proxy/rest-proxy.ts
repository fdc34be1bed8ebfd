import { checkValues } from '../dev/checks.js';
import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { isValidId } from '../http/url.js';
import type { Action } from '../operation/actions.js';
import { Operation } from '../operation/operation.js';
import { MODEL, modelOf } from '../operation/operation-record.js';
import { checkId } from './address.js';
import { type ActionMethods, AjaxProxy } from './ajax-proxy.js';
import type { Given } from './data-proxy.js';
import type { RestProxyConfig } from './proxy-config.js';
import { REST_RULES } from './proxy-options.js';
import { atBase, type ProxyRequest } from './proxy-request.js';

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
    return { ...super.optionDefaults(), appendId: true, format: undefined, trailingSlash: false, createBy: 'post' };
  }

  override get defaultActionMethods(): ActionMethods {
    return { create: 'POST', read: 'GET', update: 'PUT', destroy: 'DELETE' };
  }

  /** The HTTP method of a request; PUT for a create with `createBy: 'put'`, unless `actionMethods` names another. */
  override getMethod(request: ProxyRequest): string {
    return this.createsByPut(request) && !this.config.actionMethods?.create ? 'PUT' : super.getMethod(request);
  }

  /** Whether a request creates a record at the record's own address. A singleton has no other address. */
  protected override createsByPut({ action, bulk, named }: ProxyRequest): boolean {
    return action === 'create' && this.createBy === 'put' && !bulk && named === undefined && !this.singleton;
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
    this.placeAddress(request);
    return super.buildUrl(request);
  }

  /** The base, extended by the dialect's address step, which names the record. */
  protected override addressOf(request: ProxyRequest): string {
    const { action, operation } = request;
    if (request.bulk) return this.bulkAddress(request);
    if (this.createsByPut(request)) {
      const id = newId(operation, this.writer);
      checkId(id, modelOf(operation));
      const named = atBase(request, new Operation({ action, id, model: modelOf(operation) }));
      return this.dialect.address({ request: named, options: this });
    }
    // In a singleton a member called `id` is ordinary data, so the address step gets no record.
    const asked = this.singleton ? atBase(request, new Operation({ action })) : request;
    return this.dialect.address({ request: asked, options: this });
  }

  /** The address of several records. Throws `AddressError` if the address names one of them. */
  private bulkAddress(request: ProxyRequest): string {
    const { operation } = request;
    const url = this.dialect.address({ request, options: this });
    // The base names no record. Most dialects return it here.
    if (url === request.base) return url;
    // A longer address names the first record if it changes when the records are reversed.
    const turned: Operation = new Operation({ ...operation, records: [...operation.records].reverse() });
    if (this.dialect.address({ request: atBase(request, turned), options: this }) === url) return url;
    throw new AddressError('url-bulk', { dialect: this.dialect.name, count: operation.records.length });
  }
}

/** The id under which a new record is created. Throws `AddressError` for a temporary id, which means nothing to the server. */
function newId(
  { records: [record], modelName: model = 'The record' }: Operation,
  { writeRecordId }: { writeRecordId: boolean },
): unknown {
  const definition = record?.[MODEL];
  const given = record && definition?.edits(record).get(definition.idField);
  const hasOwn = definition?.naturalId || definition?.idParts || writeRecordId;
  const own = record && hasOwn ? definition?.serverId(record) : undefined;
  const id = given ?? own;
  if (!isValidId(id) || (definition?.idParts && !Array.isArray(id))) throw new AddressError('create-put-id', { model });
  return id;
}
