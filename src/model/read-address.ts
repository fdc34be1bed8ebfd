import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ServerProxy } from '../proxy/server-proxy.js';

/**
 * Whether a proxy reads single records at another address (`api.read`) than it writes them to. A record that is not found at that
 * address may still exist.
 */
export function readsElsewhere(proxy: DataProxy, { action, url }: Operation): boolean {
  const { api, url: proxyUrl } = proxy as Partial<Pick<ServerProxy, 'api' | 'url'>>;
  const read = api?.read;
  if (url || !read || action === 'read') return false;
  return read !== (api[action] || proxyUrl) && read !== proxyUrl;
}
