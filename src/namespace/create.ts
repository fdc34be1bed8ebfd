import { DefinitionError } from '../errors/mistakes.js';
import { AjaxProxy } from '../proxy/ajax-proxy.js';
import { MemoryProxy } from '../proxy/memory-proxy.js';
import { RestProxy } from '../proxy/rest-proxy.js';
import { Store } from '../store/store.js';

/** The classes that {@link create} can instantiate, by alias. */
export interface Aliases {
  'proxy.rest': typeof RestProxy;
  'proxy.ajax': typeof AjaxProxy;
  'proxy.memory': typeof MemoryProxy;
  store: typeof Store;
}

/**
 * Creates an instance of the class with an alias. Throws `DefinitionError` for an unknown alias.
 *
 * @example
 * ```ts
 * const proxy = Lib.create('proxy.rest', { url: '/users' });
 * ```
 */
export function create<K extends keyof Aliases>(
  alias: K,
  ...config: ConstructorParameters<Aliases[K]>
): InstanceType<Aliases[K]> {
  const aliases: Aliases = {
    'proxy.rest': RestProxy,
    'proxy.ajax': AjaxProxy,
    'proxy.memory': MemoryProxy,
    store: Store,
  };
  if (!Object.hasOwn(aliases, alias))
    throw new DefinitionError('proxy-type', { type: alias, known: Object.keys(aliases).join(', ') });
  const Class = aliases[alias] as unknown as new (...args: unknown[]) => InstanceType<Aliases[K]>;
  return new Class(...config);
}
