import type { Connection } from './outbox-config.js';

/** The parts of the platform that say whether there is a network. */
interface Platform {
  readonly navigator?: { readonly onLine?: boolean };
  addEventListener?(event: 'online' | 'offline', listener: () => void): void;
  removeEventListener?(event: 'online' | 'offline', listener: () => void): void;
}

/** The network state as the browser reports it. Other platforms count as always online. */
export function browserConnection(platform: Platform = globalThis as Platform): Connection {
  return {
    get online() {
      return platform.navigator?.onLine !== false;
    },
    onOnline(callback) {
      platform.addEventListener?.('online', callback);
      return () => platform.removeEventListener?.('online', callback);
    },
    onOffline(callback) {
      platform.addEventListener?.('offline', callback);
      return () => platform.removeEventListener?.('offline', callback);
    },
  };
}
