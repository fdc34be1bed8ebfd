import { DefinitionError } from '../errors/definition-error.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { getMember } from '../util/data-path.js';
import type { ModelDefaults, ProxyTypes } from './model-config.js';

/** What a model class was told beside its fields, merged with its bases; and the proxy made from it. */
export interface Settings {
  readonly given: Omit<ModelDefaults<ProxyTypes>, 'proxy'>;
  /** Merged options, or a proxy. */
  readonly proxyOption: DataProxy | Readonly<Record<string, unknown>> | undefined;
  proxy: DataProxy | undefined;
  /** The settings of a base whose proxy serves these too. */
  readonly shared: Settings | undefined;
}

/** Settings of a class from its base's and its own. Throws `DefinitionError` for an unknown proxy type. */
export function mergeSettings(base: Settings | undefined, own: ModelDefaults<ProxyTypes>, types: ProxyTypes): Settings {
  const { proxy, naming, identifier, messages } = own;
  const given = {
    ...base?.given,
    ...(naming && { naming }),
    ...(identifier && { identifier }),
    ...(messages && { messages: { ...base?.given.messages, ...messages } }),
  };
  const inherited = base?.proxyOption;
  if (proxy === undefined && (!messages || !inherited || isProxy(inherited))) {
    // Nothing of its own: the base's proxy serves both, and is made once.
    return { given, proxyOption: inherited, proxy: undefined, shared: inherited && (base?.shared ?? base) };
  }
  const proxyOption = mergeProxy(inherited, (proxy ?? {}) as DataProxy | Record<string, unknown>);
  if (!isProxy(proxyOption)) typeOf(proxyOption, types);
  return { given, proxyOption, proxy: undefined, shared: undefined };
}

/** The proxy of a class, made on first use. Throws `DefinitionError` where there is none. */
export function proxyOf(settings: Settings | undefined, types: ProxyTypes, model: string): DataProxy {
  const own = settings?.shared ?? settings;
  const option = own?.proxyOption;
  if (!own || option === undefined) throw new DefinitionError('proxy-missing', { model });
  if (isProxy(option)) return option;
  own.proxy ??= createProxy({ messages: own.given.messages, ...option }, types);
  return own.proxy;
}

/** A proxy from options. */
function createProxy(option: Readonly<Record<string, unknown>>, types: ProxyTypes): DataProxy {
  const Type = typeOf(option, types) as unknown as new (config: object) => DataProxy;
  const { type: _, ...config } = option;
  return new Type(config);
}

/** Options over options, key by key; over a proxy: the same proxy with other options. */
export function mergeProxy(
  base: Settings['proxyOption'],
  own: DataProxy | Readonly<Record<string, unknown>>,
): DataProxy | Readonly<Record<string, unknown>> {
  if (isProxy(own)) return own;
  return isProxy(base) ? base.with(own) : { ...base, ...own };
}

function typeOf(option: Readonly<Record<string, unknown>>, types: ProxyTypes): ProxyTypes[string] {
  const { type = 'rest' } = option;
  const found = typeof type === 'function' ? type : getMember(types, String(type));
  if (typeof found !== 'function') {
    throw new DefinitionError('proxy-type', {
      type: String(type),
      known: Object.keys(types).join(', ') || 'none (import from the main entry, or give the class)',
    });
  }
  return found as ProxyTypes[string];
}

/** By shape, not class: a proxy may come from another copy of the package. */
function isProxy(option: unknown): option is DataProxy {
  return typeof (option as DataProxy | undefined)?.execute === 'function';
}
