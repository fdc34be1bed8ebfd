import type { Operation } from '../operation/operation.js';
import type { DataProxy } from '../proxy/data-proxy.js';
import type { ServerProxy } from '../proxy/server-proxy.js';

/**
 * Whether a proxy reads single records under an address of their own, `api.read`. That a record is not found there does not mean that
 * it is gone: it is written to another address.
 */
export function readsElsewhere(proxy: DataProxy, { action, url }: Operation): boolean {
  const { api, url: own } = proxy as Partial<Pick<ServerProxy, 'api' | 'url'>>;
  const read = api?.read;
  if (url || !read || action === 'read') return false;
  return read !== (api[action] || own) && read !== own;
}
