import type { Connection } from './outbox-config.js';

/** What of the platform tells about the network. */
interface Platform {
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(event: 'online', listener: () => void): void;
  removeEventListener?(event: 'online', listener: () => void): void;
}

/** The connection as the browser tells of it; elsewhere there always is one. */
export function browserConnection(platform: Platform = globalThis as Platform): Connection {
  return {
    get online() {
      return platform.navigator?.onLine !== false;
    },
    onOnline(callback) {
      platform.addEventListener?.('online', callback);
      return () => platform.removeEventListener?.('online', callback);
    },
  };
}
