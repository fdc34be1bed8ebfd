import type { Operation } from '../operation/operation.js';
import { readUrl } from '../proxy/address.js';
import type { AjaxProxy } from '../proxy/ajax-proxy.js';
import type { DataProxy } from '../proxy/data-proxy.js';

/**
 * Whether a proxy reads single records at another address (`api.read`) than it writes them to. A record that is not found at that
 * address may still exist.
 */
export function readsElsewhere(proxy: DataProxy, { action, url }: Operation): boolean {
  const { api, url: proxyUrl } = proxy as Partial<Pick<AjaxProxy, 'api' | 'url'>>;
  const read = readUrl(api?.read);
  if (url || !api || !read || action === 'read') return false;
  return read !== (api[action] || proxyUrl) && read !== proxyUrl;
}
