import { type Extension, LAYERS } from 'repose';

/**
 * Signs every attempt by HMAC over its verb, address and body. WebCrypto is asynchronous, and `prepare` is not: so it is done in
 * `send`, where the body is there as it will be sent.
 */
export function signature(key: CryptoKey): Extension {
  return {
    name: 'signature',
    // Inside everything that sends a call again: each attempt is signed anew.
    layer: LAYERS.telemetry - 1,
    async send(call, next) {
      // A link to another origin is followed without credentials.
      if (!call.headers) return next(call);
      const message = new TextEncoder().encode(`${call.method}\n${call.url}\n${call.body ?? ''}`);
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
      const text = btoa(String.fromCharCode(...bytes));
      call.onHeaders.push((headers) => headers.set('X-Signature', text));
      return next(call);
    },
  };
}
