import { DataError, type Extension, type HttpResponse } from 'repose';
import { LAYERS } from 'repose/extend';

/** A call that was not sent, because its host keeps failing. */
export class CircuitOpenError extends DataError {
  override readonly name = 'CircuitOpenError';
  readonly code = 'circuit-open';
}

const messages = { 'circuit-open': '{method} {url} was not sent: {host} keeps failing. Try again in {wait} ms' };

/**
 * After a number of failures in a row nothing is sent to a host for `pause` milliseconds. Then one call tests whether it answers
 * again.
 */
export function circuitBreaker(failures: number, pause: number): Extension {
  const hosts = new Map<string, { failed: number; until: number }>();
  const send: Extension['send'] = async (request, next, { clock }) => {
    const { host } = new URL(request.target);
    const state = hosts.get(host) ?? { failed: 0, until: 0 };
    const wait = state.failed < failures ? 0 : state.until - clock.now();
    if (wait > 0) throw new CircuitOpenError('circuit-open', { host, wait }, { messages });
    // No other call tests the host until this one has ended.
    hosts.set(host, Object.assign(state, { until: clock.now() + pause }));
    let response: HttpResponse | undefined;
    try {
      return (response = await next(request));
    } finally {
      if (!request.signal.aborted) state.failed = response && response.status < 500 ? 0 : state.failed + 1;
      state.until = clock.now() + pause;
    }
  };
  // Closer to the network than `retry()`, so that every attempt counts.
  return { name: 'circuitBreaker', layer: LAYERS.retry + 1, send };
}
