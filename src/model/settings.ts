import { DefinitionError } from '../errors/definition-error.js';
import type { Messages } from '../errors/messages.js';
import { type DataProxy, withExtensions } from '../proxy/data-proxy.js';
import { getMember } from '../util/data-path.js';
import type { ModelDefaults, ProxyClass, ProxyTypes } from './model-config.js';
import type { ModelPart } from './model-part.js';
import { hookOf } from './part-list.js';

type Options = Readonly<Record<string, unknown>>;

/** What a model class has for all its kin. */
export interface Family {
  readonly proxyTypes: object;
  readonly parts: readonly ModelPart[];
}

/** What a model class was told beside its fields, merged with its bases; and the proxy made from it. */
export interface Settings extends Pick<ModelDefaults<ProxyTypes>, 'naming' | 'identifier'> {
  readonly messages: Messages;
  /** Merged options, or a proxy; undefined where none is configured. */
  readonly proxyOption?: DataProxy | Options;
  /** The proxy, made on first use. A model with nothing of its own shares its base's. */
  readonly proxy?: () => DataProxy;
}

/** Settings of a class from its base's and its own. Throws `DefinitionError` for an unknown proxy type. */
export function mergeSettings(base: Settings | undefined, own: ModelDefaults<ProxyTypes>, family: Family): Settings {
  const { proxy, naming, identifier } = own;
  const inherited = base?.proxyOption;
  const messages = { ...base?.messages, ...own.messages };
  const given = { ...base, ...(naming && { naming }), ...(identifier && { identifier }), messages };
  // Other texts need a proxy of their own, unless the application made it.
  if (!proxy && (!own.messages || !inherited || isProxy(inherited))) return given;
  const proxyOption = mergeProxy(inherited, (proxy ?? {}) as DataProxy | Options, family);
  return { ...given, proxyOption, proxy: proxyOf(proxyOption, family, messages) };
}

/**
 * Options over options, key by key; over a proxy: the same proxy with other options. Where the type is another, options of the
 * base that the new type does not know are left behind.
 */
export function mergeProxy(
  base: Settings['proxyOption'],
  own: DataProxy | Options,
  family: Pick<Family, 'proxyTypes'>,
): DataProxy | Options {
  if (isProxy(own)) return own;
  if (base && !isProxy(base) && own['type'] !== undefined && own['type'] !== base['type']) {
    const known = typeOf(own, family).optionNames?.() ?? Object.keys(base);
    const kept = Object.entries(base).filter(([name]) => known.includes(name));
    return withExtensions<Options>(Object.fromEntries(kept), own);
  }
  return isProxy(base) ? base.with(own) : withExtensions<Options>(base ?? {}, own);
}

/** The proxy that an option names, made on first use. Throws `DefinitionError` for an unknown type at once. */
export function proxyOf(
  option: DataProxy | Options,
  { proxyTypes, parts }: Family,
  messages: Messages | undefined,
): () => DataProxy {
  if (isProxy(option)) return () => option;
  const { type: _, ...config } = option;
  const Type = typeOf(option, { proxyTypes });
  const readProblem = hookOf(parts, 'readProblem');
  let proxy: DataProxy | undefined;
  return () => (proxy ??= new Type({ messages, readProblem, ...config } as never));
}

/** The proxy class that options name. Throws `DefinitionError` for an unknown type. */
function typeOf(
  { type = 'rest' }: Options,
  { proxyTypes }: Pick<Family, 'proxyTypes'>,
): ProxyClass & { optionNames?(): readonly string[] } {
  const Type = typeof type === 'function' ? type : getMember(proxyTypes, type as string);
  if (Type) return Type as ProxyClass;
  const known = Object.keys(proxyTypes).join(', ') || 'none: give a class';
  throw new DefinitionError('proxy-type', { type, known });
}

/** By shape, not class: a proxy may come from another copy of the package. */
function isProxy(option: unknown): option is DataProxy {
  return typeof (option as DataProxy | undefined)?.execute === 'function';
}
