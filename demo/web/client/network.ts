import { Value } from './value.js';

// #region network
/**
 * The network of one client, with a switch. Its `fetch` is that of the browser, until the switch is off: then requests fail as they do without
 * a network, and those in flight are lost. It tells `online` and `offline`, as the window of a browser does.
 */
export class Network extends EventTarget {
  /** Whether there is a network. */
  readonly online: Value<boolean> = new Value(navigator.onLine);
  private readonly inFlight: Set<AbortController> = new Set();
  private isSwitchedOff = false;

  constructor() {
    super();
    addEventListener('online', this.update);
    addEventListener('offline', this.update);
  }

  /** Cuts this client off, or connects it again. */
  switchOff(off: boolean): void {
    this.isSwitchedOff = off;
    this.update();
    if (off) for (const controller of this.inFlight) controller.abort(lostConnection());
  }

  /** The `fetch` for everything that this client sends. */
  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    if (this.isSwitchedOff) throw lostConnection();
    const controller = new AbortController();
    const signal = init.signal ? AbortSignal.any([init.signal, controller.signal]) : controller.signal;
    this.inFlight.add(controller);
    const response = await fetch(input, { ...init, signal }).catch((error) => {
      this.inFlight.delete(controller);
      throw error;
    });
    // Once it has begun, a response is short and counts as received. A stream can get lost until its reader gives it up.
    if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) this.inFlight.delete(controller);
    else init.signal?.addEventListener('abort', () => this.inFlight.delete(controller), { once: true });
    return response;
  };
  // #endregion

  dispose(): void {
    removeEventListener('online', this.update);
    removeEventListener('offline', this.update);
  }

  private readonly update = (): void => {
    const online = navigator.onLine && !this.isSwitchedOff;
    if (online === this.online.get()) return;
    this.online.set(online);
    this.dispatchEvent(new Event(online ? 'online' : 'offline'));
  };
}

function lostConnection(): TypeError {
  return new TypeError('The connection was lost');
}
