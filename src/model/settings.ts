import type { Messages } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { type DataProxy, withExtensions } from '../proxy/data-proxy.js';
import { getMember } from '../util/data-path.js';
import type { ModelDefaults, ProxyClass, ProxyTypes } from './model-config.js';

type Options = Readonly<Record<string, unknown>>;

/** The static members of a model class that its settings need. */
export interface Family {
  readonly proxyTypes: object;
}

/** The settings of a model class apart from its fields, merged with those of its base classes, and the proxy made from them. */
export interface Settings extends Pick<ModelDefaults<ProxyTypes>, 'naming' | 'identifier'> {
  readonly messages: Messages;
  /** The merged proxy options, or a proxy; undefined if none is configured. */
  readonly proxyOption?: DataProxy | Options;
  /** The proxy of the class. A model without proxy settings of its own shares that of its base class. */
  readonly proxy?: ProxyOnDemand;
}

/** A proxy that is made on first use. */
export interface ProxyOnDemand {
  made: DataProxy | undefined;
  make(): DataProxy;
}

/** The settings of a class itself, whichever table of proxies it has. */
type OwnSettings = Omit<ModelDefaults<ProxyTypes>, 'proxy'> & { readonly proxy?: unknown };

/** Merges the settings of a class with those of its base class. Throws `DefinitionError` for an unknown proxy type. */
export function mergeSettings(base: Settings | undefined, own: OwnSettings, family: Family): Settings {
  const { proxy, naming, identifier } = own;
  const inherited = base?.proxyOption;
  const messages = { ...base?.messages, ...own.messages };
  const merged = { ...base, ...(naming && { naming }), ...(identifier && { identifier }), messages };
  // New error texts need a new proxy, unless the application has made the proxy itself.
  if (!proxy && (!own.messages || !inherited || isProxy(inherited))) return merged;
  const proxyOption = mergeProxy(inherited, (proxy ?? {}) as DataProxy | Options, family);
  return { ...merged, proxyOption, proxy: { made: undefined, make: proxyOf(proxyOption, family, messages) } };
}

/**
 * Merges proxy options one by one; if the base is a proxy, returns the same proxy with other options. If `own` names another type,
 * options of the base that the new type does not know are dropped.
 */
export function mergeProxy(
  base: Settings['proxyOption'],
  own: DataProxy | Options,
  family: Pick<Family, 'proxyTypes'>,
): DataProxy | Options {
  if (isProxy(own)) return own;
  if (base && !isProxy(base) && own['type'] !== undefined && own['type'] !== base['type']) {
    const knownNames = typeOf(own, family).optionNames?.() ?? Object.keys(base);
    const knownOptions = Object.entries(base).filter(([name]) => knownNames.includes(name));
    return withExtensions<Options>(Object.fromEntries(knownOptions), own);
  }
  return isProxy(base) ? base.with(own) : withExtensions<Options>(base ?? {}, own);
}

/** Returns a function that makes the proxy of an option on first use. Throws `DefinitionError` at once for an unknown type. */
export function proxyOf(
  option: DataProxy | Options,
  { proxyTypes }: Family,
  messages: Messages | undefined,
): () => DataProxy {
  if (isProxy(option)) return () => option;
  const { type: _, ...config } = option;
  const Type = typeOf(option, { proxyTypes });
  let proxy: DataProxy | undefined;
  return () => (proxy ??= new Type({ messages, ...config } as never));
}

/** The proxy class that options name. Throws `DefinitionError` for an unknown type. */
function typeOf(
  { type = 'rest' }: Options,
  { proxyTypes }: Pick<Family, 'proxyTypes'>,
): ProxyClass & { optionNames?(): readonly string[] } {
  const Type = typeof type === 'function' ? type : getMember(proxyTypes, type as string);
  if (Type) return Type as ProxyClass;
  const knownTypes = Object.keys(proxyTypes).join(', ') || 'none: give a class';
  throw new DefinitionError('proxy-type', { type, known: knownTypes });
}

/** Whether an option is a proxy. Tested by its members, because a proxy may be of a class in another copy of the package. */
function isProxy(option: unknown): option is DataProxy {
  return typeof (option as DataProxy | undefined)?.execute === 'function';
}
