import { checkGiven } from '../dev/checks.js';
import type { Model } from '../model/model.js';
import type { ConfigOf, ProxyClass, ProxyOption } from '../model/model-config.js';
import { type Family, mergeProxy, proxyOf, type Settings } from '../model/settings.js';
import { SETTINGS } from '../model/symbols.js';
import { joinParams, type ParamsConfig } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { MemoryProxy } from '../proxy/memory-proxy.js';
import { valuesOrFunction } from '../proxy/proxy-options.js';

/** The names that `type` may have in the option `proxy` of a store. */
export type StoreProxyTypes = (typeof Model)['proxyTypes'];
/**
 * The option `proxy` of a store: a proxy, or the options of one; `type` is a name, or a proxy class that adds no options of its
 * own.
 */
export type StoreProxy =
  | ProxyOption<StoreProxyTypes>
  | StoreProxyClass<StoreProxyTypes[keyof StoreProxyTypes] | typeof MemoryProxy>;
type StoreProxyClass<C extends ProxyClass> = C extends ProxyClass
  ? { type: new (config?: ConfigOf<C>) => InstanceType<C> } & ConfigOf<C>
  : never;

/** The members of a model class that the proxy of a store needs. */
type ProxyModel = Family & { readonly proxy: DataProxy; readonly [SETTINGS]?: Settings };

/** Gives a store its proxy: the proxy of the model, one with the options of the store, or one with the parameters of the store. */
export class ProxySource {
  private configured: DataProxy | undefined;
  private withParams: DataProxy | undefined;

  constructor(
    private readonly model: ProxyModel,
    private readonly option: StoreProxy | undefined,
  ) {}

  get(): DataProxy {
    return this.withParams ?? this.getConfigured();
  }

  /** Sets parameters that replace those of the configured proxy by name. Throws `DefinitionError`. */
  setExtraParams(params: ParamsConfig): void {
    checkGiven('The argument of `setExtraParams`', params, valuesOrFunction);
    const proxy = this.getConfigured() as DataProxy<{ extraParams?: ParamsConfig }> & { extraParams?: ParamsConfig };
    const { hasWritten } = this.get();
    this.withParams = Object.assign(proxy.with({ extraParams: joinParams(proxy.extraParams, params) }), { hasWritten });
  }

  private getConfigured(): DataProxy {
    const { model, option } = this;
    if (option === undefined) return model.proxy;
    const { [SETTINGS]: settings } = model;
    return (this.configured ??= proxyOf(
      mergeProxy(settings?.proxyOption, option as never, model),
      model,
      settings?.messages,
    )());
  }
}
