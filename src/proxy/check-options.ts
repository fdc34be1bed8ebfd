import { AddressError, DefinitionError } from '../errors/mistakes.js';
import { wrongValue } from '../errors/option-rules.js';
import type { AjaxProxy } from './ajax-proxy.js';
import type { ProxyRequest } from './proxy-request.js';

const WRITES = ['create', 'update', 'destroy'] as const;

/**
 * Throws `DefinitionError` if the dialect has no request for several records of an action that `batchActions` names: such a request
 * could change the whole collection.
 */
export function checkBulk(proxy: AjaxProxy): void {
  const { dialect, batchActions } = proxy;
  const { bulk } = dialect.capabilities;
  const refused = WRITES.filter((action) => proxy.batches(action) && bulk?.includes(action) === false);
  if (!bulk || refused.length === 0) return;
  throw wrongValue(
    `\`${proxy.constructor.name}.batchActions\``,
    `${switchedOn(bulk)} with the dialect '${dialect.name}', which has no request that can ${refused.join(' or ')} several records`,
    batchActions,
  );
}

/** The value of `batchActions` that sends some actions together. */
function switchedOn(actions: readonly string[]): string {
  return actions.length > 0 ? `\`{ ${actions.map((action) => `${action}: true`).join(', ')} }\`` : 'false';
}

/**
 * Throws `AddressError` for a request about several records if `batchActions` does not name its action. Several creates need no option,
 * unless the dialect has no request for them.
 */
export function checkSeveral({ action, operation }: ProxyRequest, proxy: AjaxProxy): void {
  if (proxy.singleton) throw new AddressError('url-singleton');
  const { bulk } = proxy.dialect.capabilities;
  const isAllowed = proxy.batches(action) || (action === 'create' && bulk?.includes('create') !== false);
  if (!isAllowed) throw new AddressError('url-several', { count: operation.records.length });
}

/** Throws `DefinitionError` if the reader has `stream` or `type: 'ndjson'`, but the proxy does not use `streaming()`, or has a codec. */
export function checkStreaming({ reader: { stream }, extensions, codec }: AjaxProxy): void {
  const what = stream ? '`reader: { stream: true }`' : "`reader: { type: 'ndjson' }`";
  if (codec) throw new DefinitionError('codec-stream', { what, format: codec.name });
  if (extensions.some(({ name }) => name === 'streaming')) return;
  throw new DefinitionError('extension-missing', { what, name: 'streaming' });
}
