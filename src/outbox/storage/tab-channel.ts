import type { StorageChange } from './outbox-storage.js';

/** Tells the other tabs of a storage what was changed. Browsers without `BroadcastChannel` tell nothing. */
export class TabChannel {
  private readonly channel: BroadcastChannel | undefined;
  private readonly listeners: Set<(change: StorageChange) => void> = new Set();

  constructor(name: string) {
    if (typeof BroadcastChannel === 'undefined') return;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = ({ data }: { data: StorageChange }) => {
      for (const listener of this.listeners) listener(data);
    };
    // In Node, an open channel would keep the process running.
    (this.channel as { unref?(): void }).unref?.();
  }

  tell(change: StorageChange): void {
    this.channel?.postMessage(change);
  }

  /** Returns the function that removes the listener. */
  listen(listener: (change: StorageChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.channel?.close();
  }
}
