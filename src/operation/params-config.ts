import { describe } from '../errors/message-format.js';
import { DefinitionError } from '../errors/mistakes.js';
import { isParameterSet } from '../errors/option-rules.js';
import { ignoreRejection } from '../util/ignore-rejection.js';
import { copyPlain } from '../util/values.js';

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

/** The parameters of a proxy; proxies without HTTP have none. */
interface ParamsOwner {
  readonly extraParams?: ParamsConfig | undefined;
  readonly pathParams?: ParamsConfig | undefined;
}

/** The parameters of a proxy after its functions were called. A function that failed is replaced by one that fails with the same error. */
export type CalledParameters = ParamsOwner;

/** Calls the functions that give the parameters of a proxy. Returns undefined if it has no such functions. */
export function callParameters(proxy: object): CalledParameters | undefined {
  const { extraParams, pathParams } = proxy as ParamsOwner;
  if (typeof extraParams !== 'function' && typeof pathParams !== 'function') return undefined;
  return Object.freeze({
    extraParams: called(extraParams, 'extraParams'),
    pathParams: called(pathParams, 'pathParams'),
  });
}

function called(given: ParamsConfig | undefined, option: string): ParamsConfig | undefined {
  try {
    return copyParams(paramsOf(given, option));
  } catch (cause) {
    return () => {
      throw cause;
    };
  }
}

/** Copies parameters or headers, so that they stay as they are whatever the application does with its object. Inherited ones count. */
export function copyParams<V>(
  params: Readonly<Record<string, V>> | undefined,
): Readonly<Record<string, V>> | undefined {
  if (!params) return params;
  const copies: [string, V][] = [];
  for (const name in params) copies.push([name, copyPlain(params[name] as V)]);
  return Object.fromEntries(copies);
}

/** Merges parameters, name by name; `own` wins. The result is a function if either argument is one. */
export function joinParams(base: ParamsConfig | undefined, own: ParamsConfig): ParamsConfig {
  if (typeof base !== 'function' && typeof own !== 'function') return { ...base, ...own };
  return () => ({ ...paramsOf(base, 'extraParams'), ...paramsOf(own, 'extraParams') });
}
