/** A connection that a test switches, as an outbox is told of it. */
export interface SwitchedConnection {
  online: boolean;
  onOnline(listener: () => void): () => void;
  switchTo(online: boolean): void;
}

/** Makes a connection that is online. */
export function switchedConnection(): SwitchedConnection {
  const listeners = new Set<() => void>();
  return {
    online: true,
    onOnline(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    switchTo(online) {
      this.online = online;
      if (online) for (const listener of listeners) listener();
    },
  };
}
