import { storableParam } from '../http/params.js';
import { encodeSegment } from '../http/url.js';
import type { OperationConfig } from '../operation/operation.js';
import { type CalledParameters, type Params, type ParamsConfig, paramsOf } from '../operation/params-config.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import { isSame } from '../util/values.js';
import type { EntryParameters } from './stored-change.js';

/** A proxy whose requests have parameters; other proxies lack these options. */
type ParamsProxy = DataProxy<{ extraParams?: ParamsConfig; pathParams?: ParamsConfig }> & {
  readonly extraParams: ParamsConfig | undefined;
  readonly pathParams: ParamsConfig;
};

/**
 * The parameters that a write is sent with, to store them. Functions that were not called yet are called. Throws `AddressError` for a value that cannot be
 * sent, and `DefinitionError` for a function that gives no parameters.
 */
export function parametersOf(
  proxy: DataProxy,
  { params, pathParams, calledParameters }: Pick<OperationConfig, 'params' | 'pathParams' | 'calledParameters'>,
): EntryParameters {
  const own: CalledParameters = calledParameters ?? (hasParameters(proxy) ? proxy : {});
  return {
    ...members('params', storableParam, paramsOf(own.extraParams, 'extraParams'), params),
    ...members('pathParams', storableSegment, paramsOf(own.pathParams, 'pathParams'), pathParams),
  };
}

/** The proxy that sends a stored write: one that has the stored parameters, and no others. */
export function withStoredParameters(proxy: DataProxy, parameters: EntryParameters = {}): DataProxy {
  if (!hasParameters(proxy)) return proxy;
  const { params: extraParams = {}, pathParams = {} } = parameters;
  const isUnchanged = isSame(proxy.extraParams ?? {}, extraParams) && isSame(proxy.pathParams, pathParams);
  return isUnchanged ? proxy : proxy.with({ extraParams, pathParams });
}

function hasParameters(proxy: DataProxy): proxy is ParamsProxy {
  return 'extraParams' in proxy;
}

/** Merges parameters, of which `ofCall` win, into a member of the stored form. There is no member if there are no parameters. */
function members(
  member: keyof EntryParameters,
  storable: (name: string, value: unknown) => unknown,
  ofProxy: Params | undefined,
  ofCall: Params | undefined,
): EntryParameters {
  const merged = new Map<string, unknown>();
  // As for requests, inherited parameters count, and undefined ones do not.
  for (const params of [ofProxy, ofCall])
    for (const name in params) if (params[name] !== undefined) merged.set(name, storable(name, params[name]));
  return merged.size > 0 ? { [member]: Object.freeze(Object.fromEntries(merged)) } : {};
}

/** A value for a `{name}` of an address in a form that JSON can hold. Throws `AddressError` for a value that cannot be sent. */
function storableSegment(_name: string, value: unknown): unknown {
  // An empty value is refused only by an address that has its name.
  if (value !== null) encodeSegment(value);
  return typeof value === 'bigint' ? String(value) : value;
}
