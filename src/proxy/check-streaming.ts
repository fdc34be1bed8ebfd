import { DefinitionError } from '../errors/mistakes.js';
import type { AjaxProxy } from './ajax-proxy.js';

/** Throws `DefinitionError` if the reader has `stream` or `type: 'ndjson'`, but the proxy does not use `streaming()`, or has a codec. */
export function checkStreaming({
  reader: { type, stream },
  extensions,
  codec,
}: Pick<AjaxProxy, 'reader' | 'extensions' | 'codec'>): void {
  if (!stream && type !== 'ndjson') return;
  const what = stream ? '`reader: { stream: true }`' : "`reader: { type: 'ndjson' }`";
  if (codec) throw new DefinitionError('codec-stream', { what, format: codec.name });
  if (extensions.some(({ name }) => name === 'streaming')) return;
  throw new DefinitionError('extension-missing', { what, name: 'streaming' });
}
