/**
 * The place of each extension around a write and around an exchange with the server, outermost first. `checks` is the core's own
 * step. Give an extension of your own a layer relative to these.
 *
 * @example
 * ```ts
 * // Inside `retry` and `auth`, which send a request again, so that each attempt is signed.
 * const signature: Extension = { name: 'signature', layer: LAYERS.telemetry - 1, send: (request, next) => next(request) };
 * ```
 */
export const LAYERS: {
  readonly references: 10;
  readonly idempotency: 20;
  readonly checks: 30;
  readonly outbox: 40;
  readonly conflicts: 50;
  readonly confirm: 60;
  readonly retry: 70;
  readonly auth: 80;
  readonly rateLimit: 90;
  readonly etags: 100;
  readonly streaming: 110;
  readonly telemetry: 120;
} = Object.freeze({
  references: 10,
  idempotency: 20,
  checks: 30,
  outbox: 40,
  conflicts: 50,
  confirm: 60,
  retry: 70,
  auth: 80,
  rateLimit: 90,
  etags: 100,
  streaming: 110,
  telemetry: 120,
});
