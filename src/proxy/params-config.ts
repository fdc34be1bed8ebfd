import { DefinitionError } from '../errors/definition-error.js';
import { describe } from '../errors/messages.js';
import { isParameterSet } from '../errors/option-rules.js';
import { ignoreRejection } from '../util/ignore-rejection.js';
import type { DataProxy } from './data-proxy.js';

/** Parameters by name. */
export type Params = Readonly<Record<string, unknown>>;

/** Parameters by name, or a synchronous function that is called for each request. */
export type ParamsConfig = Params | (() => Params);

/** The parameters of a request. Throws `DefinitionError` if a function returns a promise or anything but a plain object. */
export function paramsOf(given: ParamsConfig | undefined, option: string): Params | undefined {
  if (typeof given !== 'function') return given;
  const params: unknown = given();
  ignoreRejection(params);
  if (typeof (params as PromiseLike<unknown> | undefined)?.then === 'function')
    throw new DefinitionError('params-promise', { option });
  // A text may hold a secret, such as a token.
  const value = typeof params === 'string' ? 'a text' : describe(params);
  if (!isParameterSet(params)) throw new DefinitionError('params-value', { option, value });
  return params as Params;
}

/** The options of a proxy that give parameters; proxies without HTTP have none. */
interface ParamsOwner {
  readonly extraParams?: ParamsConfig | undefined;
  readonly pathParams?: ParamsConfig | undefined;
}

/**
 * A proxy that sends the parameters which its functions return now. Returns the proxy itself if it has no such functions. Throws
 * `DefinitionError` as {@link paramsOf} does.
 */
export function withCalledParameters(proxy: DataProxy): DataProxy {
  const { extraParams, pathParams } = proxy as DataProxy & ParamsOwner;
  if (typeof extraParams !== 'function' && typeof pathParams !== 'function') return proxy;
  const called: ParamsOwner = {
    ...(extraParams && { extraParams: paramsOf(extraParams, 'extraParams') }),
    ...(pathParams && { pathParams: paramsOf(pathParams, 'pathParams') }),
  };
  return proxy.with(called);
}

/** Merges parameters, name by name; `own` wins. The result is a function if either argument is one. */
export function joinParams(base: ParamsConfig | undefined, own: ParamsConfig): ParamsConfig {
  if (typeof base !== 'function' && typeof own !== 'function') return { ...base, ...own };
  return () => ({ ...paramsOf(base, 'extraParams'), ...paramsOf(own, 'extraParams') });
}
