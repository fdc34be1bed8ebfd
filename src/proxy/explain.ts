import { bodyText } from '../http/body-text.js';
import type { HeadersConfig } from '../http/headers-config.js';
import type { Explanation } from './explanation.js';
import type { ProxyRequest, TracePart } from './proxy-request.js';

/** Headers, and the option that they come from. */
export type HeaderLayer = readonly [headers: HeadersConfig, option: string];

/** What of a built request explains itself beside its address. No header function is called. */
export function explainMessage(
  { method = '', body }: ProxyRequest,
  layers: readonly HeaderLayer[],
): Omit<Explanation, 'parts'> {
  const headers = new Map<string, TracePart>();
  for (const [set, option] of layers) {
    const given: object = typeof set === 'function' ? { '(computed)': 'when it is sent' } : set;
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) headers.set(name.toLowerCase(), { text: `${name}: ${value}`, rule: 'H15', option });
    }
  }
  const text = bodyText(body);
  return {
    method: { text: method, rule: 'H13', option: 'actionMethods' },
    headers: [...headers.values()],
    ...(text !== undefined && { body: { text, rule: 'H7', option: 'writer' } }),
  };
}
