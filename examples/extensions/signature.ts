import type { Extension } from 'repose';
import { LAYERS } from 'repose/extend';

/**
 * Signs every attempt by HMAC over its method, address and body. WebCrypto is asynchronous, which `prepare` is not, so the
 * signature is made in `send`, which has the body as it will be sent. A form with files has no text before it is sent: it is refused.
 */
export function signature(key: CryptoKey): Extension {
  return {
    name: 'signature',
    // Closer to the network than all extensions that repeat a call, so that each attempt gets its own signature.
    layer: LAYERS.telemetry - 1,
    async send(request, next) {
      // Links to other origins are followed without credentials.
      if (!request.proxyHeaders) return next(request);
      const body = request.encoded?.body;
      if (body instanceof FormData) throw new TypeError('A body with files cannot be signed: send it as JSON');
      const message = new TextEncoder().encode(`${request.method}\n${request.target}\n${body ?? ''}`);
      const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
      const text = btoa(String.fromCharCode(...bytes));
      request.onHeaders.push((headers) => headers.set('X-Signature', text));
      return next(request);
    },
  };
}
